#include "driver/compile.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "arith/lend.h"
#include "base/file.h"
#include "codegen/codegen.h"
#include "driver/memory_plan.h"
#include "driver/pipeline.h"
#include "ir/print.h"
#include "parser/parser.h"

typedef struct Compilation {
  const Options *opts;
  Arena arena;
  Source source;
  Diag diag;
  Ir ir;
  FileSet files;
  VEC(const char *) targets; /* paths written, for -MD */
} Compilation;

/* Why `path` cannot be written, as errno says it; false. */
static bool cannot_write(Compilation *c, const char *path) {
  diag_error(&c->diag, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
  return false;
}

/* A slip in the command line may not cost the source. */
static bool is_input(Compilation *c, const char *path) {
  if (!file_same(path, c->opts->input)) return false;
  diag_error(&c->diag, NO_SPAN, "'%s' is the input: write the output elsewhere", path);
  return true;
}

/* A file of the tree below --output-dir; the text is empty afterwards. */
static bool add_file(Compilation *c, const char *path, Buf *text) {
  if (is_input(c, path)) return false;
  if (c->opts->output_dir && !file_make_parents(path)) return cannot_write(c, path);
  if (!file_add(&c->files, path, text)) return cannot_write(c, path);
  vec_push(&c->targets, arena_strndup(&c->arena, path, strlen(path)));
  return true;
}

/* A file that the command line names: it may not name one twice. */
static bool add_named_file(Compilation *c, const char *path, Buf *text) {
  for (size_t i = 0; i < c->targets.len && strcmp(path, "-") != 0; i++) {
    if (!file_same_place(path, c->targets.data[i])) continue;
    diag_error(&c->diag, NO_SPAN, "two outputs are to be written to '%s'", path);
    return false;
  }
  return add_file(c, path, text);
}

/* What -o asks for: --emit decides, then the ending of FILE. */
static EmitKind emit_kind(const Options *o) {
  if (o->emit != EMIT_BY_ENDING) return o->emit;
  const char *dot = o->output ? strrchr(o->output, '.') : NULL;
  if (dot && strcasecmp(dot, ".pir") == 0) return EMIT_PIR;
  if (dot && strcasecmp(dot, ".cpp") == 0) return EMIT_ORCH;
  if (dot && (strcasecmp(dot, ".dot") == 0 || strcasecmp(dot, ".svg") == 0)) return EMIT_GRAPH;
  return EMIT_PTO;
}

static bool has_ending(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n >= m && strcasecmp(path + n - m, ending) == 0;
}

/* `again`: the texts are needed once more. */
static bool write_tree(Compilation *c, ArtifactList *list, bool again) {
  for (size_t i = 0; i < list->len; i++) {
    Artifact *a = &list->data[i];
    const char *path = arena_printf(&c->arena, "%s/%s", c->opts->output_dir, a->path);
    Buf copy = {0}, *text = again ? &copy : &a->text;
    if (again) buf_append(&copy, &a->text);
    bool ok = add_file(c, path, text);
    buf_free(&copy);
    if (!ok) return false;
  }
  return true;
}

/* One file from the tree: all .pto modules, or all .cpp sources, one after another. */
static bool write_single(Compilation *c, const Program *p, ArtifactList *list, const char *ending) {
  Buf all = {0};
  int found = 0;
  for (size_t i = 0; i < list->len; i++) {
    if (!has_ending(list->data[i].path, ending)) continue;
    if (found++ > 0) buf_putc(&all, '\n');
    buf_take(&all, &list->data[i].text);
  }
  bool ok = found > 0;
  if (ok)
    ok = add_named_file(c, c->opts->output ? c->opts->output : "-", &all);
  else
    diag_error(
        &c->diag, p->span, "the program has nothing to write as %s: it has no %s", ending,
        strcmp(ending, ".pto") == 0 ? "function that runs on a core" : "orchestration function");
  buf_free(&all);
  return ok;
}

/* Where a program's first work stands: its first statement, else its first function. */
static Span first_work(const Program *p) {
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->body.len) return p->funcs[i]->body.items[0]->span;
  return p->nfuncs ? p->funcs[0]->span : p->span;
}

static void warn_of_no_files(Compilation *c, const Program *p) {
  diag_warning(&c->diag, first_work(p),
               "nothing is written: no work of this program runs on a core or launches a task");
  diag_note(&c->diag, first_work(p),
            "put it into a scope, 'with pl.at(level=pl.Level.CORE_GROUP):', or into a function "
            "with type=pl.FunctionType.InCore");
}

static bool generate(Compilation *c, Program *p) {
  CodegenCtx ctx = {&c->ir, &c->opts->compile, c->source.path};
  EmitKind kind = emit_kind(c->opts);
  bool tree = c->opts->output_dir != NULL;
  ArtifactList list = {0};
  bool ok = true;
  if (tree || kind == EMIT_PTO) ok = codegen_pto(&ctx, p, &list);
  if (ok && (tree || kind == EMIT_ORCH)) ok = codegen_orchestration(&ctx, p, &list);
  bool single = (kind == EMIT_PTO || kind == EMIT_ORCH) && (c->opts->output || !tree);
  if (ok && tree && !single && !list.len) warn_of_no_files(c, p);
  if (ok && tree) ok = write_tree(c, &list, single);
  if (ok && single) ok = write_single(c, p, &list, kind == EMIT_ORCH ? ".cpp" : ".pto");
  artifacts_free(&list);
  return ok;
}

static bool write_ir(Compilation *c, Program *p) {
  Buf text = {0};
  print_program(&text, &c->ir, p, &(PrintOptions){c->opts->concise, c->opts->explicit_layout});
  buf_putc(&text, '\n');
  bool ok = add_named_file(c, c->opts->output ? c->opts->output : "-", &text);
  buf_free(&text);
  return ok;
}

static bool write_graph(Compilation *c, Program *p) {
  CodegenCtx ctx = {&c->ir, &c->opts->compile, c->source.path};
  const char *path = c->opts->output ? c->opts->output : "-";
  Buf text = {0};
  bool ok =
      codegen_graph(&ctx, p, has_ending(path, ".svg"), &text) && add_named_file(c, path, &text);
  buf_free(&text);
  return ok;
}

/* Blanks, '#' and '$' as make reads them. */
static void put_make_path(Buf *out, const char *s) {
  for (; *s; s++) {
    if (*s == ' ' || *s == '#') buf_putc(out, '\\');
    if (*s == '$') buf_putc(out, '$');
    buf_putc(out, *s);
  }
}

static const char *deps_path(Compilation *c) {
  const Options *o = c->opts;
  if (o->deps_file) return o->deps_file;
  if (o->output && strcmp(o->output, "-") != 0) {
    const char *dot = strrchr(o->output, '.'), *slash = strrchr(o->output, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - o->output) : (int)strlen(o->output);
    return arena_printf(&c->arena, "%.*s.d", stem, o->output);
  }
  if (o->output_dir) return arena_printf(&c->arena, "%s/deps.d", o->output_dir);
  return NULL;
}

/* Makefile dependencies: every file written depends on the input. */
static bool write_deps(Compilation *c) {
  const char *path = c->opts->deps || c->opts->deps_file ? deps_path(c) : NULL;
  if (!path) return true;
  Buf text = {0};
  for (size_t i = 0; i < c->targets.len; i++) {
    if (strcmp(c->targets.data[i], "-") == 0) continue;
    if (text.len) buf_putc(&text, ' ');
    put_make_path(&text, c->targets.data[i]);
  }
  bool ok = true;
  if (text.len) {
    buf_putc(&text, ':');
    if (strcmp(c->opts->input, "-") != 0) { /* make could not find standard input */
      buf_putc(&text, ' ');
      put_make_path(&text, c->opts->input);
    }
    buf_putc(&text, '\n');
    ok = add_named_file(c, path, &text);
  }
  buf_free(&text);
  return ok;
}

/* --memory-map and --memory-report. */
static bool write_memory(Compilation *c, const Program *p) {
  const Options *o = c->opts;
  if (!o->memory_map && !o->memory_report) return true;
  PassCtx ctx = {.ir = &c->ir, .opts = &o->compile};
  MemoryPlan plan;
  Buf map = {0}, report = {0};
  bool ok = true;
  memory_plan_init(&plan, &ctx, p);
  if (o->memory_map) {
    (has_ending(o->memory_map, ".svg") ? memory_map_svg : memory_map_html)(&map, &plan);
    ok = add_named_file(c, o->memory_map, &map);
  }
  if (ok && o->memory_report) {
    memory_report(&report, &plan);
    if (*o->memory_report)
      ok = add_named_file(c, o->memory_report, &report);
    else
      fputs(buf_str(&report), stderr);
  }
  buf_free(&map);
  buf_free(&report);
  memory_plan_free(&plan);
  return ok;
}

static bool emit(Compilation *c, Program *p) {
  EmitKind kind = emit_kind(c->opts);
  if (kind == EMIT_NONE) return true;
  if (kind == EMIT_PIR && !write_ir(c, p)) return false;
  if (kind == EMIT_GRAPH && !write_graph(c, p)) return false;
  bool generates = kind == EMIT_PTO || kind == EMIT_ORCH || c->opts->output_dir;
  return !generates || generate(c, p);
}

static bool run(Compilation *c) {
  const Options *o = c->opts;
  Program *p = parse_program(&c->ir);
  if (!p || c->diag.errors) return false;
  p = pipeline_run(&c->ir, o, p);
  if (!p || c->diag.errors) return false;
  return emit(c, p) && write_memory(c, p);
}

static bool load(Compilation *c) {
  const Options *o = c->opts;
  bool standard_input = strcmp(o->input, "-") == 0;
  c->source.path = standard_input ? "<stdin>" : o->input;
  c->source.text = file_read(&c->arena, o->input, &c->source.len);
  if (c->source.text) return true;
  fprintf(stderr, "pyptoc: cannot read '%s': %s\n", o->input, strerror(errno));
  return false;
}

int compile(const Options *o) {
  Compilation c = {.opts = o};
  arena_init(&c.arena);
  diag_init(&c.diag, &c.arena, &c.source);
  c.diag.color = o->color;
  c.diag.werror = o->werror;
  c.diag.hints = o->hints;
  bool ok = load(&c);
  if (ok) {
    ir_init(&c.ir, &c.arena, &c.diag);
    arith_lend(&c.ir);
    const char *failed;
    ok = run(&c) && write_deps(&c) && c.diag.errors == 0;
    if (ok && !file_commit(&c.files, &failed)) {
      diag_error(&c.diag, NO_SPAN, "cannot write '%s': %s", failed, strerror(errno));
      ok = false;
    }
    if (c.diag.errors > DIAG_MAX_ERRORS)
      fprintf(stderr, "pyptoc: %d errors, the first %d shown\n", c.diag.errors, DIAG_MAX_ERRORS);
    arith_take_back(&c.ir);
    ir_free(&c.ir);
  }
  file_discard(&c.files);
  vec_free(&c.targets);
  arena_free(&c.arena);
  return ok ? EXIT_DONE : EXIT_BAD_INPUT;
}
