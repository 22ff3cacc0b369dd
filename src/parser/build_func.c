/* build_func.c -- functions: decorator, signature, attributes, body. */
#include <string.h>

#include "ir/rewrite.h"
#include "ir/visit.h"
#include "parser/build.h"

static bool is_decorator(Builder *b, const SynExpr *d, Name word) {
  if (d->kind == SYN_CALL) d = d->lhs;
  (void)b;
  return (d->kind == SYN_ATTR || d->kind == SYN_NAME) && d->name == word;
}

const SynExpr *find_decorator(Builder *b, const SynDef *def, Name word) {
  for (size_t i = 0; i < def->ndecorators; i++)
    if (is_decorator(b, def->decorators[i], word)) return def->decorators[i];
  return NULL;
}

static bool read_decorator_keyword(Builder *b, const SynKeyword *k, Decorator *d) {
  static const char *const known[] = {"type",       "level",           "role",      "attrs",
                                      "auto_scope", "external_source", "strict_ssa"};
  bool none = k->value->kind == SYN_NONE, yes;
  if (k->name == b->n.type) return (d->type = eval_enum(b, k->value, ENUM_FUNC)) >= 0;
  if (k->name == b->n.level) return none || (d->level = eval_enum(b, k->value, ENUM_LEVEL)) >= 0;
  if (k->name == b->n.role) return none || (d->role = eval_enum(b, k->value, ENUM_ROLE)) >= 0;
  if (k->name == b->n.auto_scope)
    return eval_bool_literal(b, k->value, "auto_scope", &d->auto_scope);
  if (k->name == b->n.strict_ssa) return eval_bool_literal(b, k->value, "strict_ssa", &yes);
  if (k->name == b->n.attrs) {
    d->attrs = none ? NULL : k->value;
    return true;
  }
  if (k->name == b->n.external_source) {
    d->external_source = none ? NULL : k->value;
    return true;
  }
  const char *near = k->name ? diag_suggest(k->name, known, sizeof known / sizeof *known) : NULL;
  build_error(b, k->at, "@pl.function has no argument '%s'%s%s%s", k->name ? k->name : "**",
              near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  return false;
}

static bool read_decorator(Builder *b, const SynDef *def, Decorator *d) {
  *d = (Decorator){.type = FUNC_OPAQUE, .level = -1, .role = -1, .auto_scope = true};
  if (b->jit) return read_jit_decorator(b, def, d);
  const SynExpr *e = find_decorator(b, def, b->n.function);
  if (!e || e->kind != SYN_CALL) return true;
  if (e->nitems) {
    build_error(b, e->items[0]->at, "@pl.function takes keyword arguments only");
    return false;
  }
  for (size_t i = 0; i < e->nkwargs; i++)
    if (!read_decorator_keyword(b, &e->kwargs[i], d)) return false;
  return true;
}

/* ---------------------------------------------------------------- level and role */

/* Most types of functions fix where they run; what is written must agree. */
static bool set_level(Builder *b, Function *f, const Decorator *d, const SynDef *def) {
  Level level = func_type_level(f->type);
  Role role = func_is_orchestration(f->type) ? ROLE_ORCHESTRATOR : ROLE_SUB_WORKER;
  f->level = d->level < 0 ? level : (Level)d->level;
  f->role = d->role < 0 ? (level == LEVEL_NONE ? ROLE_NONE : role) : (Role)d->role;
  if (level == LEVEL_NONE || (f->level == level && f->role == role)) return true;
  build_error(
      b, def->name_at, "a function of type %s has level %s and role %s, not level %s and role %s",
      enum_name(ENUM_FUNC, f->type), enum_name(ENUM_LEVEL, level), enum_name(ENUM_ROLE, role),
      enum_name(ENUM_LEVEL, f->level), enum_name(ENUM_ROLE, f->role));
  return false;
}

/* A SubWorker of the host or above is plain Python, kept as text. */
static bool is_host_worker(const Function *f) {
  return f->level >= LEVEL_HOST && f->role == ROLE_SUB_WORKER;
}

/* ---------------------------------------------------------------- what annotations see */

Expr *declare_dim(Builder *b, Name name, Span at) {
  const Const *known = const_lookup(b, name);
  if (known && known->kind == CONST_VALUE && known->value.kind == ATTR_EXPR)
    return known->value.u.expr;
  Const *c = NEW(b->ir->arena, Const);
  *c = (Const){
      .kind = CONST_VALUE, .value = attr_of_expr(dyn_var(b, name, at)), .implicit = true, .at = at};
  map_set(&b->consts, name, c);
  return c->value.u.expr;
}

/* A name of the signature that is bound to nothing is a dynamic dimension: dumps leave out the line
 * that declares it. */
static bool annot_constant(void *ctx, const SynExpr *e, AttrValue *out) {
  Builder *b = ctx;
  EvalResult r = eval_expr(b, e, out);
  if (r == EVAL_OK) return true;
  if (r == EVAL_ERROR || !b->in_signature || e->kind != SYN_NAME || const_lookup(b, e->name) ||
      scope_lookup(b, e->name))
    return false;
  *out = attr_of_expr(declare_dim(b, e->name, e->at));
  return true;
}

static const SynExpr *annot_binding(void *ctx, Name name) {
  const Const *c = const_lookup(ctx, name);
  return c && c->kind == CONST_SYNTAX ? c->syntax : NULL;
}

static Expr *annot_variable(void *ctx, Name name) {
  Builder *b = ctx;
  Expr *e = scope_lookup(b, name);
  if (!e && b->f && !const_lookup(b, name)) e = map_get(&b->f->foreign_dims, name);
  return e && expr_is_var(e) ? e : NULL;
}

static Expr *annot_dimension(void *ctx, Name name, Span at) { return declare_dim(ctx, name, at); }

static Expr *annot_expression(void *ctx, const SynExpr *e) {
  Builder *b = ctx;
  bool before = b->in_annotation;
  b->in_annotation = true;
  Expr *v = build_expr(b, e);
  b->in_annotation = before;
  return v;
}

/* ---------------------------------------------------------------- parameters */

typedef struct Signature {
  VEC(Expr *) params;
  VEC(ParamDir) dirs;
  Map mentioned; /* variables in the types read so far */
} Signature;

/* An INDEX parameter named like a dynamic dimension is that dimension from here on. */
static bool bind_dimension(Builder *b, const SynParam *p, Expr *var, const Signature *sig) {
  const Const *c = const_lookup(b, p->name);
  bool dim =
      c && c->kind == CONST_VALUE && c->value.kind == ATTR_EXPR && expr_is_var(c->value.u.expr);
  if (!dim || !is_scalar_of(var, DT_INDEX)) return true;
  if (map_has(&sig->mentioned, c->value.u.expr) && !is_printed(b)) {
    build_error(
        b, p->at,
        "parameter '%s' stands behind a parameter whose type mentions it: move it before that one",
        p->name);
    return false;
  }
  map_set(&b->f->dyn_params, p->name, var);
  return true;
}

static bool build_param(Builder *b, const SynParam *p, Signature *sig) {
  ParamDir dir;
  if (p->star) {
    build_error(b, p->at, "a kernel's parameters are plain names with types: no '*', '**' or '/'");
    return false;
  }
  if (!p->annotation) {
    build_error(b, p->at, "parameter '%s' has no type: write '%s: pl.Tensor[[64], pl.FP32]'",
                p->name, p->name);
    return false;
  }
  if (p->default_value) {
    build_error(b, p->default_value->at, "parameter '%s' cannot have a default value", p->name);
    return false;
  }
  for (size_t i = 0; i < sig->params.len; i++) {
    if (sig->params.data[i]->u.var.name != p->name) continue;
    build_error(b, p->at, "parameter '%s' is declared twice", p->name);
    return false;
  }
  const Type *t = annot_param(&b->f->annot, p->annotation, &dir);
  if (!t) return false;
  Expr *var = expr_var(b->ir, p->name, t, p->at);
  vec_push(&sig->params, var);
  vec_push(&sig->dirs, dir);
  if (!bind_dimension(b, p, var, sig)) return false;
  Visitor v = {.ctx = &sig->mentioned, .expr = visit_collect_vars};
  if (type_is_shaped(t)) visit_type(&v, t);
  for (int i = 0; type_is_tensor(t) && i < t->rank; i++)
    if (expr_is_var(t->shape[i])) map_set(&b->f->dim_symbols, t->shape[i], t->shape[i]);
  scope_define(b, p->name, var);
  return true;
}

/* The dimensions of a printed signature that turn out to be its parameters, where a type mentions one before it
 * is declared. */
static void retarget_dimensions(Builder *b, Function *f) {
  Rewriter r;
  if (!b->verbatim || !b->f->dyn_params.count) return;
  rewriter_init(&r, b->ir, NULL);
  for (MapEntry *e = NULL; (e = map_next(&b->f->dyn_params, e));) {
    const Const *c = const_lookup(b, e->key);
    map_set(&r.subst, c->value.u.expr, e->value);
  }
  for (int i = 0; i < f->nparams; i++) f->params[i]->type = rewrite_type(&r, f->params[i]->type);
  rewriter_free(&r);
}

static bool build_signature(Builder *b, const SynDef *def, Function *f) {
  Signature sig = {0};
  bool ok = true;
  b->in_signature = true;
  for (size_t i = 0; ok && i < def->nparams; i++) {
    const SynParam *p = &def->params[i];
    if (i == 0 && p->name == b->n.self && !p->star) continue;
    ok = build_param(b, p, &sig);
  }
  f->nparams = (int)sig.params.len;
  f->params = vec_to_arena(&sig.params, b->ir->arena);
  f->dirs = vec_to_arena(&sig.dirs, b->ir->arena);
  if (ok) retarget_dimensions(b, f);
  if (ok && def->returns)
    ok = (f->returns = annot_returns(&b->f->annot, def->returns, &f->nreturns)) != NULL;
  b->in_signature = false;
  map_free(&sig.mentioned);
  return ok;
}

/* ---------------------------------------------------------------- attributes */

/* Lists of integers have one meaning only, and so one key. */
static bool check_func_attr(Builder *b, const Attr *a) {
  if (a->value.kind != ATTR_LIST || a->key == b->n.arg_direction_overrides) return true;
  for (int i = 0; i < a->value.u.list.len; i++) {
    if (a->value.u.list.items[i].kind != ATTR_INT) continue;
    build_error(b, a->span, "function attribute '%s' cannot be a list of integers", a->key);
    return false;
  }
  return true;
}

static bool add_func_attrs(Builder *b, const SynExpr *dict, bool prologue, Function *f) {
  AttrList read = {0};
  const SynExpr *bound = dict->kind == SYN_NAME && !prologue ? annot_binding(b, dict->name) : NULL;
  if (bound) dict = bound;
  if (dict->kind != SYN_DICT) {
    build_error(b, dict->at, "function attributes are a dict: {\"split\": pl.SplitMode.UP_DOWN}");
    return false;
  }
  for (size_t i = 0; i < dict->nkwargs; i++) {
    const SynKeyword *k = &dict->kwargs[i];
    if (!k->key || k->key->kind != SYN_STR) {
      build_error(b, k->at, "the key of a function attribute must be a string literal");
      return false;
    }
    Name key = name_ofn(&b->ir->names, k->key->str.data, k->key->str.len);
    Attr a = {.key = key, .span = k->at};
    if (attr_get(read, key) || attr_get(f->attrs, key)) {
      build_error(b, k->at, "function attribute '%s' is given twice", key);
      return false;
    }
    if (prologue && (key == b->n.auto_scope || key == b->n.external_source)) {
      build_error(b, k->at, "'%s' is known too late here: write it as @pl.function(%s=...)", key,
                  key);
      return false;
    }
    if (key == b->n.split) {
      int mode = eval_enum(b, k->value, ENUM_SPLIT);
      if (mode < 0) return false;
      if (mode == SPLIT_NONE) continue; /* the same as no split */
      a.value = attr_of_int(mode);
    } else if (!build_attr_value(b, "the function", key, k->value, &a.value)) {
      return false;
    }
    if (!check_func_attr(b, &a)) return false;
    attrs_set(b, &read, key, a.value, k->at);
  }
  for (int i = 0; i < read.len; i++)
    attrs_set(b, &f->attrs, read.items[i].key, read.items[i].value, read.items[i].span);
  return true;
}

static bool is_docstring(const SynStmt *s) {
  return s->kind == SYN_EXPR_STMT && s->value->kind == SYN_STR;
}

static bool is_func_attr(Builder *b, const SynStmt *s) {
  return s->kind == SYN_EXPR_STMT && syn_is_call_of(s->value, b->n.pl, b->n.func_attr);
}

/* The pl.func_attr({...}) lines that begin a body; *rest is what follows, a docstring before them kept. */
static bool read_prologue(Builder *b, const SynBlock *body, Function *f, SynBlock *rest) {
  size_t doc = body->len && is_docstring(body->stmts[0]), i = doc;
  for (; i < body->len && is_func_attr(b, body->stmts[i]); i++) {
    const SynExpr *call = body->stmts[i]->value;
    if (call->nitems != 1 || call->nkwargs) {
      build_error(b, call->at,
                  "pl.func_attr() takes one dict: pl.func_attr({\"split\": pl.SplitMode.UP_DOWN})");
      return false;
    }
    if (!add_func_attrs(b, call->items[0], true, f)) return false;
  }
  *rest = (SynBlock){body->stmts + i, body->len - i};
  if (doc && i > doc) {
    rest->stmts = NEW_ARRAY(b->ir->arena, SynStmt *, rest->len + 1);
    rest->stmts[0] = body->stmts[0];
    for (size_t k = 0; k < rest->len; k++) rest->stmts[k + 1] = body->stmts[i + k];
    rest->len++;
  } else if (doc) {
    *rest = *body;
  }
  return true;
}

static bool set_decorator_attrs(Builder *b, const Decorator *d, Function *f) {
  if (d->attrs && !add_func_attrs(b, d->attrs, false, f)) return false;
  if (!d->auto_scope) attrs_set(b, &f->attrs, b->n.auto_scope, attr_of_bool(false), f->span);
  if (!d->external_source) return true;
  if (d->external_source->kind != SYN_STR) {
    build_error(b, d->external_source->at,
                "external_source must be a string, the path of the C++ kernel");
    return false;
  }
  if (f->type != FUNC_AIC && f->type != FUNC_AIV) {
    build_error(b, d->external_source->at,
                "only functions of type AIC or AIV have an external_source");
    return false;
  }
  SynText s = d->external_source->str;
  attrs_set(b, &f->attrs, b->n.external_source, attr_of_str(name_ofn(&b->ir->names, s.data, s.len)),
            d->external_source->at);
  return true;
}

/* ---------------------------------------------------------------- bodies */

/* Nothing but `...` or `pass`, docstrings aside. */
static bool is_empty_body(const SynBlock *body, bool *ellipsis) {
  size_t n = 0;
  *ellipsis = false;
  for (size_t i = 0; i < body->len; i++) {
    const SynStmt *s = body->stmts[i];
    if (is_docstring(s)) continue;
    bool dots = s->kind == SYN_EXPR_STMT && s->value->kind == SYN_ELLIPSIS;
    *ellipsis = *ellipsis || dots;
    if (!dots && s->kind != SYN_PASS) return false;
    n++;
  }
  return n <= 1;
}

static bool keep_python(Builder *b, const SynDef *def, const SynBlock *body, Function *f) {
  bool dots;
  if (def->nparams && def->params[0].name == b->n.self) {
    build_error(b, def->params[0].at, "a SubWorker of the host stands alone: it has no 'self'");
    return false;
  }
  if (is_empty_body(body, &dots) && dots) {
    f->requires_runtime_binding = true;
    return true;
  }
  Buf text = {0};
  for (size_t i = 0; i < def->body.len; i++) {
    if (i) buf_putc(&text, '\n');
    syn_print_stmt(&text, def->body.stmts[i], 0);
  }
  Stmt *s = stmt_new(b->ir, STMT_INLINE, def->name_at);
  s->u.inline_.text = name_ofn(&b->ir->names, buf_str(&text), text.len);
  buf_free(&text);
  emit(b, s);
  return true;
}

static bool build_body(Builder *b, const SynDef *def, Function *f) {
  SynBlock body;
  bool dots;
  if (!read_prologue(b, &def->body, f, &body)) return false;
  if (attr_get(f->attrs, b->n.external_source)) {
    if (is_empty_body(&body, &dots)) return true;
    build_error(b, def->name_at,
                "'%s' is implemented by its external_source: its body must be '...'", def->name);
    return false;
  }
  if (is_host_worker(f)) return keep_python(b, def, &body, f);
  return build_block(b, &body);
}

static void free_state(FuncState *f) {
  vec_free(&f->leading);
  vec_free(&f->loops);
  vec_free(&f->scopes);
  vec_free(&f->split_modes);
  vec_free(&f->dumped);
  map_free(&f->producers);
  map_free(&f->generations);
  map_free(&f->buffer_meta);
  map_free(&f->dim_symbols);
  map_free(&f->foreign_dims);
  map_free(&f->dyn_params);
  map_free(&f->loop_vars);
  map_free(&f->annot.bases);
}

Function *build_function(Builder *b, const SynStmt *s, uint32_t last_line) {
  const SynDef *def = s->def;
  Function *f = NEW(b->ir->arena, Function);
  Decorator d;
  StmtList out = {0};
  FuncState *outer = b->f;
  Annot *names = outer ? &outer->annot : &b->annot;
  FuncState state = {.def = def, .out = &out};
  state.annot = (Annot){.ir = b->ir,
                        .ctx = b,
                        .printed = is_printed(b),
                        .verbatim = b->verbatim,
                        .constant = annot_constant,
                        .binding = annot_binding,
                        .variable = annot_variable,
                        .expression = annot_expression,
                        .dimension = annot_dimension,
                        .declared = names->declared,
                        .owners = names->owners};
  f->name = def->name;
  f->span = s->at;
  b->f = &state;
  scope_enter(b);
  bool ok = read_decorator(b, def, &d);
  if (ok) {
    f->type = state.type = (FuncType)d.type;
    ok = set_level(b, f, &d, def);
    state.level = d.level < 0 ? f->level : (Level)d.level;
    state.auto_scope = d.auto_scope;
  }
  ok = ok && set_decorator_attrs(b, &d, f) && build_signature(b, def, f);
  if (ok) {
    comments_start(b, s->at.line, last_line);
    ok = build_body(b, def, f);
  }
  f->body = block_take(b->ir, &out);
  while (state.scope) scope_exit(b, false);
  names->declared = state.annot.declared;
  names->owners = state.annot.owners;
  free_state(&state);
  b->f = outer;
  return ok ? f : NULL;
}
