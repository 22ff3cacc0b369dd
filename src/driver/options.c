#include "driver/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "driver/list.h"
#include "passes/pass.h"

enum {
  OPT_EMIT = 256,
  OPT_OUTPUT_DIR,
  OPT_TARGET,
  OPT_PLANNER,
  OPT_RUNTIME,
  OPT_L0C,
  OPT_AUTO_SCOPES,
  OPT_PASSES,
  OPT_STOP_AFTER,
  OPT_DUMP,
  OPT_PRINT_AFTER,
  OPT_VERIFY,
  OPT_LIST_PASSES,
  OPT_LIST_OPS,
  OPT_LIST_CONVERSIONS,
  OPT_NO_LOC,
  OPT_TIME,
  OPT_COLOR,
  OPT_CONCISE,
  OPT_EXPLICIT,
  OPT_HELP,
  OPT_VERSION,
  OPT_MEMORY_MAP,
  OPT_MEMORY_REPORT,
};

static const struct option long_options[] = {
    {"emit", required_argument, NULL, OPT_EMIT},
    {"output-dir", required_argument, NULL, OPT_OUTPUT_DIR},
    {"target", required_argument, NULL, OPT_TARGET},
    {"memory-planner", required_argument, NULL, OPT_PLANNER},
    {"runtime", required_argument, NULL, OPT_RUNTIME},
    {"l0c-double-buffer", no_argument, NULL, OPT_L0C},
    {"analyze-auto-scopes", no_argument, NULL, OPT_AUTO_SCOPES},
    {"passes", required_argument, NULL, OPT_PASSES},
    {"stop-after", required_argument, NULL, OPT_STOP_AFTER},
    {"dump-passes", required_argument, NULL, OPT_DUMP},
    {"print-after", required_argument, NULL, OPT_PRINT_AFTER},
    {"verify", required_argument, NULL, OPT_VERIFY},
    {"list-passes", no_argument, NULL, OPT_LIST_PASSES},
    {"list-ops", optional_argument, NULL, OPT_LIST_OPS},
    {"list-conversions", optional_argument, NULL, OPT_LIST_CONVERSIONS},
    {"no-loc", no_argument, NULL, OPT_NO_LOC},
    {"time-passes", no_argument, NULL, OPT_TIME},
    {"color", required_argument, NULL, OPT_COLOR},
    {"concise", no_argument, NULL, OPT_CONCISE},
    {"explicit-layout", no_argument, NULL, OPT_EXPLICIT},
    {"memory-map", required_argument, NULL, OPT_MEMORY_MAP},
    {"memory-report", optional_argument, NULL, OPT_MEMORY_REPORT},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

static const char help[] =
    "Usage: pyptoc [options] INPUT.pir\n"
    "Compiles PyPTO IR to PTO assembly and orchestration C++.  INPUT - reads standard input.\n"
    "\n"
    "Output:\n"
    "  -o FILE                  write FILE; its ending (.pto .cpp .pir .dot .svg) says what;\n"
    "                           - (the default) is standard output, as .pto\n"
    "  --emit=KIND              pto, orch, pir, graph (.dot or .svg) or none\n"
    "  --output-dir=DIR         write every artifact below DIR\n"
    "  --no-loc                 no source locations in .pto\n"
    "  --concise                printed IR without annotations on intermediate values\n"
    "  --explicit-layout        printed IR with the resolved layout of every tile\n"
    "  --memory-map=FILE        where and when tiles lie in memory, as a picture: .svg or .html\n"
    "  --memory-report[=FILE]   the same as a table, to standard error or FILE\n"
    "  -MD                      also write Makefile dependencies, to FILE.d beside the output\n"
    "  -MF FILE                 write them to FILE\n"
    "\n"
    "Compilation:\n"
    "  --target=NAME            ascend910b (a2a3, the default) or ascend950 (a5)\n"
    "  --memory-planner=NAME    pypto (the default), dsa-rp or ptoas\n"
    "  --runtime=NAME           tensormap-and-ringbuffer (the default) or host-build-graph\n"
    "  --l0c-double-buffer      tile matrix products so that two results fit L0C\n"
    "  --analyze-auto-scopes    derive task dependencies in automatic scopes too\n"
    "\n"
    "Passes:\n"
    "  --passes=LIST            default, none, or names separated by commas\n"
    "  --stop-after=PASS        end the pipeline after PASS\n"
    "  --dump-passes=DIR        write the IR after each pass to DIR/NN_after_PASS.pir\n"
    "  --print-after=PASS|all   print the IR after PASS to standard error\n"
    "  --verify=MODE            none, basic (the default), each (after every pass) or roundtrip\n"
    "  --time-passes            print processor time and memory of each pass to standard error\n"
    "  --list-passes            list the passes in order, with the properties they need and give\n"
    "  --list-ops[=json|md]     list the operators\n"
    "  --list-conversions[=md]  list how each target converts element types\n"
    "\n"
    "Messages:\n"
    "  --color=WHEN             auto (the default), always or never\n"
    "  -Werror                  warnings are errors\n"
    "  -Whints                  print performance hints\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 the input is wrong, 2 wrong usage, 70 internal error.\n";

static OptionsResult usage(const char *fmt, const char *arg) {
  fputs("pyptoc: ", stderr);
  fprintf(stderr, fmt, arg);
  fputs("\nTry 'pyptoc --help'.\n", stderr);
  return RUN_USAGE_ERROR;
}

/* Finds `arg` among `names` (ended by NULL); -1 if it is none of them. */
static int choice(const char *arg, const char *const *names) {
  for (int i = 0; names[i]; i++)
    if (strcmp(arg, names[i]) == 0) return i;
  return -1;
}

static OptionsResult not_among(const char *what, const char *arg, const char *const *names) {
  fprintf(stderr, "pyptoc: unknown %s '%s': it is one of", what, arg);
  for (int i = 0; names[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
  fputs("\nTry 'pyptoc --help'.\n", stderr);
  return RUN_USAGE_ERROR;
}

#define CHOOSE(field, what, ...)                            \
  do {                                                      \
    static const char *const names[] = {__VA_ARGS__, NULL}; \
    int i = choice(optarg, names);                          \
    if (i < 0) return not_among(what, optarg, names);       \
    (field) = i;                                            \
  } while (0)

static OptionsResult unknown_target(const char *arg) {
  fprintf(stderr, "pyptoc: unknown target '%s': it is one of", arg);
  for (int i = 0; targets[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", targets[i]->name);
  fputs("\nTry 'pyptoc --help'.\n", stderr);
  return RUN_USAGE_ERROR;
}

static OptionsResult check_pass(const char *name) {
  if (pass_by_name(name)) return RUN_COMPILE;
  return usage("unknown pass '%s' (see --list-passes)", name);
}

static OptionsResult check_pass_list(const char *list) {
  if (strcmp(list, "default") == 0 || strcmp(list, "none") == 0) return RUN_COMPILE;
  for (const char *s = list; *s;) {
    size_t n = strcspn(s, ",");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    if (!pass_by_name(name)) return usage("unknown pass '%s' (see --list-passes)", name);
    s += n + (s[n] == ',');
  }
  return RUN_COMPILE;
}

static OptionsResult read_warning(Options *o, const char *arg) {
  if (strcmp(arg, "error") == 0)
    o->werror = true;
  else if (strcmp(arg, "hints") == 0)
    o->hints = true;
  else
    return usage("unknown option '-W%s'", arg);
  return RUN_COMPILE;
}

static OptionsResult read_make(Options *o, const char *arg) {
  if (strcmp(arg, "D") == 0) {
    o->deps = true;
  } else if (arg[0] == 'F' && arg[1]) {
    o->deps_file = arg + 1;
  } else {
    return usage("unknown option '-M%s'", arg);
  }
  return RUN_COMPILE;
}

static OptionsResult read_memory_map(Options *o, const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".html") != 0))
    return usage("the memory map '%s' is neither .svg nor .html", path);
  o->memory_map = path;
  return RUN_COMPILE;
}

static OptionsResult read_long(Options *o, int opt) {
  switch (opt) {
    case OPT_EMIT:
      CHOOSE(o->emit, "kind of output", "pto", "orch", "pir", "graph", "none");
      o->emit++; /* EMIT_BY_ENDING has no name */
      break;
    case OPT_OUTPUT_DIR: o->output_dir = optarg; break;
    case OPT_TARGET:
      o->compile.target = target_by_name(optarg);
      if (!o->compile.target) return unknown_target(optarg);
      o->compile.target_chosen = true;
      break;
    case OPT_PLANNER:
      CHOOSE(o->compile.planner, "memory planner", "pypto", "dsa-rp", "ptoas");
      break;
    case OPT_RUNTIME:
      CHOOSE(o->compile.runtime, "runtime", "tensormap-and-ringbuffer", "host-build-graph");
      break;
    case OPT_L0C: o->compile.l0c_double_buffer = true; break;
    case OPT_AUTO_SCOPES: o->compile.analyze_auto_scopes = true; break;
    case OPT_PASSES: o->passes = optarg; return check_pass_list(optarg);
    case OPT_STOP_AFTER: o->stop_after = optarg; return check_pass(optarg);
    case OPT_DUMP: o->dump_passes = optarg; break;
    case OPT_PRINT_AFTER:
      o->print_after = optarg;
      return strcmp(optarg, "all") == 0 ? RUN_COMPILE : check_pass(optarg);
    case OPT_VERIFY: CHOOSE(o->verify, "verify mode", "none", "basic", "each", "roundtrip"); break;
    case OPT_LIST_PASSES: list_passes(); return RUN_DONE;
    case OPT_LIST_OPS:
      if (!list_ops(optarg ? optarg : "text")) return usage("unknown list format '%s'", optarg);
      return RUN_DONE;
    case OPT_LIST_CONVERSIONS:
      if (!list_conversions(optarg ? optarg : "text"))
        return usage("unknown list format '%s'", optarg);
      return RUN_DONE;
    case OPT_NO_LOC: o->compile.locations = false; break;
    case OPT_TIME: o->time_passes = true; break;
    case OPT_MEMORY_MAP: return read_memory_map(o, optarg);
    case OPT_MEMORY_REPORT: o->memory_report = optarg ? optarg : ""; break;
    case OPT_COLOR: CHOOSE(o->color, "color mode", "auto", "always", "never"); break;
    case OPT_CONCISE: o->concise = true; break;
    case OPT_EXPLICIT: o->explicit_layout = true; break;
    case OPT_HELP: fputs(help, stdout); return RUN_DONE;
    case OPT_VERSION: puts("pyptoc " PYPTOC_VERSION); return RUN_DONE;
  }
  return RUN_COMPILE;
}

/* The option that getopt has just refused: of "-xy" it knows the letter alone. */
static OptionsResult unknown_option(char **argv) {
  char letter[] = {'-', (char)optopt, '\0'};
  bool is_letter = optopt > 0 && optopt < 256;
  return usage("unknown option '%s'", is_letter ? letter : argv[optind - 1]);
}

/* Nothing has an empty name; a variable left empty in a Makefile would write to the root. */
static OptionsResult check_paths(const Options *o) {
  const char *const paths[] = {o->input, o->output, o->output_dir, o->dump_passes, o->deps_file};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
    if (paths[i] && !*paths[i]) return usage("%s", "a name of a file or folder is empty");
  return RUN_COMPILE;
}

OptionsResult options_parse(Options *o, int argc, char **argv) {
  *o = (Options){
      .passes = "default",
      .verify = VERIFY_BASIC,
      .compile = {.target = target_by_name("ascend910b"), .locations = true},
  };
  opterr = 0;
  int opt;
  OptionsResult r = RUN_COMPILE;
  while (r == RUN_COMPILE &&
         (opt = getopt_long(argc, argv, ":o:M:W:h", long_options, NULL)) != -1) {
    switch (opt) {
      case 'o': o->output = optarg; break;
      case 'h': fputs(help, stdout); return RUN_DONE;
      case 'W': r = read_warning(o, optarg); break;
      case 'M':
        /* -MF takes its file as the next word too. */
        if (strcmp(optarg, "F") == 0) {
          if (optind >= argc) return usage("option '%s' needs a file", "-MF");
          o->deps_file = argv[optind++];
        } else {
          r = read_make(o, optarg);
        }
        break;
      case ':': return usage("option '%s' needs a value", argv[optind - 1]);
      case '?': return unknown_option(argv);
      default: r = read_long(o, opt);
    }
  }
  if (r != RUN_COMPILE) return r;
  if (optind >= argc) return usage("%s", "no input file");
  if (optind + 1 < argc) return usage("more than one input file: '%s'", argv[optind + 1]);
  if ((o->memory_map || o->memory_report) && o->compile.planner == PLANNER_PTOAS)
    return usage("%s", "with --memory-planner=ptoas tiles have no addresses to show");
  o->input = argv[optind];
  if (check_paths(o) != RUN_COMPILE) return RUN_USAGE_ERROR;
  if (strcmp(o->passes, "default") == 0) o->compile.target_chosen = true;
  return RUN_COMPILE;
}
