/* parser.h -- from text to a typed program. */
#ifndef PYPTOC_PARSER_PARSER_H
#define PYPTOC_PARSER_PARSER_H

#include "ir/ir.h"

/* Parses and types the source of ir->diag.  NULL after reporting errors. */
Program *parse_program(Ir *ir);

#endif
