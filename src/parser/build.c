/* build.c -- the module: which of its lines make the program. */
#include "parser/build.h"

#include <string.h>

#include "parser/parser.h"

void *build_error(Builder *b, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(b->ir->diag, DIAG_ERROR, at, fmt, ap);
  va_end(ap);
  b->last_error = at;
  return NULL;
}

void build_note(Builder *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(b->ir->diag, DIAG_NOTE, b->last_error, fmt, ap);
  va_end(ap);
}

static void init_names(Builder *b) {
#define X(id) b->n.id = ir_name(b->ir, #id);
#define X2(id, text) b->n.id = ir_name(b->ir, text);
  BUILD_NAMES(X, X2)
#undef X
#undef X2
}

/* What the module's lines amount to. */
typedef struct Module {
  VEC(const SynStmt *) classes; /* @pl.program */
  VEC(const SynStmt *) funcs;   /* @pl.function outside of a class */
  VEC(const SynStmt *) jits;    /* @pl.jit */
  VEC(const SynStmt *) unknown; /* decorated by others */
} Module;

/* ---------------------------------------------------------------- sorting the lines */

static void note_host_code(Builder *b, const SynStmt *s) {
  diag_note(b->ir->diag, s->at, "host code is not run");
}

static bool enter_function(Builder *b, const SynStmt *s) {
  Const *c = NEW(b->ir->arena, Const);
  *c = (Const){.kind = CONST_FUNC, .func = s, .at = s->def->name_at};
  map_set(&b->consts, s->def->name, c);
  return true;
}

static bool sort_definition(Builder *b, const SynStmt *s, Module *m) {
  if (s->kind == SYN_CLASS) {
    if (find_decorator(b, s->def, b->n.program))
      vec_push(&m->classes, s);
    else
      note_host_code(b, s);
    return true;
  }
  if (find_decorator(b, s->def, b->n.function))
    vec_push(&m->funcs, s);
  else if (is_jit(b, s->def))
    vec_push(&m->jits, s);
  else if (!find_decorator(b, s->def, b->n.inline_)) {
    note_host_code(b, s);
    return true;
  }
  return enter_function(b, s);
}

static bool sort_line(Builder *b, const SynStmt *s, Module *m) {
  switch (s->kind) {
    case SYN_DEF:
    case SYN_CLASS: return sort_definition(b, s, m);
    case SYN_ASSIGN:
    case SYN_ANN_ASSIGN:
    case SYN_AUG_ASSIGN: return eval_module_stmt(b, s);
    case SYN_IMPORT:
    case SYN_PASS: return true;
    case SYN_EXPR_STMT:
      if (s->value->kind == SYN_STR || s->value->kind == SYN_ELLIPSIS) return true;
      break;
    default: break;
  }
  note_host_code(b, s);
  return true;
}

/* ---------------------------------------------------------------- the program */

static const SynExpr *reserve_call(Builder *b, const SynExpr *e, Name buffer) {
  if (e->kind != SYN_CALL || e->lhs->kind != SYN_ATTR || e->lhs->name != b->n.reserve_buffer)
    return NULL;
  const SynKeyword *k = syn_keyword(e, b->n.name);
  if (!k || k->value->kind != SYN_STR) return NULL;
  SynText s = k->value->str;
  return name_ofn(&b->ir->names, s.data, s.len) == buffer ? e : NULL;
}

typedef struct PeerSearch {
  Builder *b;
  Name buffer;
  const SynExpr *found;
} PeerSearch;

static bool find_reserve(const SynExpr *e, void *ctx) {
  PeerSearch *s = ctx;
  if (!s->found) s->found = reserve_call(s->b, e, s->buffer);
  return !s->found;
}

const AttrValue *peer_buffer_base(Builder *b, const SynExpr *import_call) {
  const SynKeyword *name = syn_keyword(import_call, b->n.name),
                   *peer = syn_keyword(import_call, b->n.peer_func);
  if (!name || !peer || name->value->kind != SYN_STR || peer->value->kind != SYN_STR) return NULL;
  SynText p = peer->value->str, n = name->value->str;
  const SynStmt *def = map_get(&b->methods, name_ofn(&b->ir->names, p.data, p.len));
  if (!def) return NULL;
  PeerSearch s = {b, name_ofn(&b->ir->names, n.data, n.len), NULL};
  syn_walk_block(&def->def->body, find_reserve, &s);
  const SynKeyword *base = s.found ? syn_keyword(s.found, b->n.base) : NULL;
  AttrValue *v = NEW(b->ir->arena, AttrValue);
  if (!base || base->value->kind == SYN_ATTR || eval_expr(b, base->value, v) != EVAL_OK)
    return NULL;
  return v;
}

/* The line before the next function of the class: comments up to there are this one's. */
static uint32_t last_line_of(const SynStmt *const *defs, size_t n, size_t i) {
  return i + 1 < n ? defs[i + 1]->at.line - 1 : UINT32_MAX;
}

static bool collect_methods(Builder *b, const SynStmt *cls, const SynStmt ***defs, size_t *n) {
  const SynBlock *body = &cls->def->body;
  *defs = NEW_ARRAY(b->ir->arena, const SynStmt *, body->len);
  *n = 0;
  for (size_t i = 0; i < body->len; i++) {
    const SynStmt *s = body->stmts[i];
    if (s->kind != SYN_DEF || !find_decorator(b, s->def, b->n.function)) continue;
    if (!map_set(&b->methods, s->def->name, (void *)s)) {
      build_error(b, s->def->name_at, "function '%s' is defined twice in this program",
                  s->def->name);
      return false;
    }
    (*defs)[(*n)++] = s;
  }
  if (*n) return true;
  build_error(b, cls->def->name_at, "program '%s' has no function: decorate one with @pl.function",
              cls->def->name);
  return false;
}

static bool read_program_decorator(Builder *b, const SynStmt *cls) {
  const SynExpr *d = find_decorator(b, cls->def, b->n.program);
  for (size_t i = 0; d->kind == SYN_CALL && i < d->nkwargs; i++) {
    if (d->kwargs[i].name != b->n.strict_ssa) {
      build_error(b, d->kwargs[i].at, "@pl.program has no argument '%s'",
                  d->kwargs[i].name ? d->kwargs[i].name : "**");
      return false;
    }
    if (!eval_bool_literal(b, d->kwargs[i].value, "strict_ssa", &b->strict_ssa)) return false;
  }
  return true;
}

Program *build_finish(Builder *b, Name name, const SynStmt *at, Function **funcs, int n) {
  Function **all = NEW_ARRAY(b->ir->arena, Function *, n + (int)b->external_list.len);
  for (int i = 0; i < n; i++) all[i] = funcs[i];
  for (size_t i = 0; i < b->external_list.len; i++) all[n + (int)i] = b->external_list.data[i];
  return program_new(b->ir, name, all, n + (int)b->external_list.len, at->at);
}

static Program *build_class(Builder *b, const SynStmt *cls) {
  const SynStmt **defs;
  size_t n;
  if (!read_program_decorator(b, cls) || !collect_methods(b, cls, &defs, &n)) return NULL;
  Function **funcs = NEW_ARRAY(b->ir->arena, Function *, n);
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    funcs[i] = build_function(b, defs[i], last_line_of(defs, n, i));
    ok = ok && funcs[i];
    if (funcs[i]) map_set(&b->built, funcs[i]->name, funcs[i]);
  }
  return ok ? build_finish(b, cls->def->name, cls, funcs, (int)n) : NULL;
}

static Program *build_lone_function(Builder *b, const SynStmt *def) {
  Function *f = build_function(b, def, UINT32_MAX);
  if (!f) return NULL;
  Program *p = build_finish(b, f->name, def, &f, 1);
  p->lone_function = p->nfuncs == 1;
  return p;
}

static Program *build_module(Builder *b, Module *m) {
  if (m->classes.len > 1)
    return build_error(b, m->classes.data[1]->def->name_at, "a second program: one file holds one");
  if (m->classes.len == 1) return build_class(b, m->classes.data[0]);
  if (m->jits.len) return build_jit(b, m->jits.data, m->jits.len);
  if (m->funcs.len > 1)
    return build_error(b, m->funcs.data[1]->def->name_at,
                       "a second function outside of a program: put both into "
                       "a class with @pl.program");
  if (m->funcs.len == 1) return build_lone_function(b, m->funcs.data[0]);
  return build_error(b, (Span){1, 1},
                     "there is no program here: no class with @pl.program, no function with "
                     "@pl.function");
}

static void builder_free(Builder *b) {
  map_free(&b->consts);
  map_free(&b->dyn_vars);
  map_free(&b->methods);
  map_free(&b->built);
  map_free(&b->externals);
  map_free(&b->started);
  map_free(&b->returns);
  map_free(&b->windows);
  annot_free(&b->annot);
  vec_free(&b->external_list);
}

static Program *build_program(Ir *ir, const SynModule *module, bool verbatim) {
  Builder b = {.ir = ir, .module = module, .verbatim = verbatim};
  Module m = {0};
  init_names(&b);
  bool ok = true;
  for (size_t i = 0; ok && i < module->body.len; i++) ok = sort_line(&b, module->body.stmts[i], &m);
  int errors = ir->diag->errors;
  Program *p = ok ? build_module(&b, &m) : NULL;
  if (p && ir->diag->errors > errors) p = NULL;
  vec_free(&m.classes);
  vec_free(&m.funcs);
  vec_free(&m.jits);
  vec_free(&m.unknown);
  builder_free(&b);
  return p;
}

/* The syntax is larger than the IR and of no use after it: it has an arena of its own. */
static Program *parse(Ir *ir, bool verbatim) {
  Arena syntax;
  arena_init(&syntax);
  const SynModule *module = syntax_parse(&syntax, &ir->names, ir->diag, ir->diag->source);
  Program *p = module ? build_program(ir, module, verbatim) : NULL;
  arena_recycle(ir->arena, &syntax);
  return p;
}

Program *parse_program(Ir *ir) { return parse(ir, false); }
Program *parse_printed(Ir *ir) { return parse(ir, true); }
