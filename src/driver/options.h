/* options.h -- the command line. */
#ifndef PYPTOC_DRIVER_OPTIONS_H
#define PYPTOC_DRIVER_OPTIONS_H

#include "base/diag.h"
#include "target/options.h"

typedef enum { EMIT_BY_ENDING, EMIT_PTO, EMIT_ORCH, EMIT_PIR, EMIT_GRAPH, EMIT_NONE } EmitKind;
typedef enum { VERIFY_NONE, VERIFY_BASIC, VERIFY_EACH, VERIFY_ROUNDTRIP } VerifyMode;

typedef struct Options {
  const char *input;      /* "-": standard input */
  const char *output;     /* -o; "-": standard output; NULL: none given */
  const char *output_dir; /* --output-dir */
  EmitKind emit;
  CompileOptions compile;
  const char *passes; /* "default", "none" or "A,B" */
  const char *stop_after, *print_after, *dump_passes;
  VerifyMode verify;
  bool concise, explicit_layout; /* of printed IR */
  bool time_passes;
  const char *memory_map;    /* --memory-map: a picture, ending in .svg or .html */
  const char *memory_report; /* --memory-report; "": standard error */
  bool deps;                 /* -MD */
  const char *deps_file;     /* -MF */
  ColorMode color;
  bool werror, hints;
} Options;

/* What main does after the command line is read. */
typedef enum { RUN_COMPILE, RUN_DONE, RUN_USAGE_ERROR } OptionsResult;

/* Reads the command line; prints lists, help and usage errors itself. */
OptionsResult options_parse(Options *o, int argc, char **argv);

#endif
