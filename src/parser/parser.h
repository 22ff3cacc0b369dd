/* parser.h -- from text to a typed program. */
#ifndef PYPTOC_PARSER_PARSER_H
#define PYPTOC_PARSER_PARSER_H

#include "ir/ir.h"

/* Parses and types the source of ir->diag.  NULL after reporting errors. */
Program *parse_program(Ir *ir);
/* The same of what print_program has written: it says what is meant, nothing is folded or asked for. */
Program *parse_printed(Ir *ir);

#endif
