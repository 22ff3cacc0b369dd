/* build_jit.c -- functions decorated with @pl.jit: the entry and what it calls become a program.
 *
 * They stand beside each other in the file instead of in a class, and call each other by their bare
 * names, with arguments by name too.  Every parameter has its full type: nothing is left to be taken
 * from the tensors of a call, since there is none. */
#include <string.h>

#include "parser/build.h"

enum { MAX_CALL_DEPTH = 500 };

typedef struct JitKind {
  const char *word; /* after `@pl.jit.`, "" for the entry */
  int type, level, role;
  bool takes_level, takes_auto_scope;
} JitKind;

static const JitKind kinds[] = {
    {"", FUNC_ORCHESTRATION, -1, -1, false, true},
    {"host", FUNC_OPAQUE, LEVEL_HOST, ROLE_ORCHESTRATOR, false, true},
    {"incore", FUNC_INCORE, -1, -1, true, false},
    {"inline", FUNC_INLINE, -1, -1, false, true},
    {"opaque", FUNC_OPAQUE, -1, -1, false, false},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

/* `pl.jit.incore(...)` -> "incore", `pl.jit` -> ""; NULL for another decorator. */
static const char *jit_word(Builder *b, const SynExpr *d) {
  if (d->kind == SYN_CALL) d = d->lhs;
  if (syn_is_attr_of(d, b->n.pl, b->n.jit)) return "";
  return d->kind == SYN_ATTR && syn_is_attr_of(d->lhs, b->n.pl, b->n.jit) ? d->name : NULL;
}

static const SynExpr *jit_decorator(Builder *b, const SynDef *def, const JitKind **kind) {
  const SynExpr *d = NULL;
  const char *word = NULL;
  for (size_t i = 0; i < def->ndecorators && !word; i++) word = jit_word(b, d = def->decorators[i]);
  if (!word) return NULL;
  for (int i = 0; i < NKINDS; i++) {
    *kind = &kinds[i];
    if (strcmp(kinds[i].word, word) == 0) return d;
  }
  return build_error(b, d->at,
                     "there is no @pl.jit.%s: there are @pl.jit, @pl.jit.incore, @pl.jit.inline, "
                     "@pl.jit.opaque and @pl.jit.host",
                     word);
}

bool is_jit(Builder *b, const SynDef *def) {
  for (size_t i = 0; i < def->ndecorators; i++)
    if (jit_word(b, def->decorators[i])) return true;
  return false;
}

/* A kernel's level of one kind of core is its type. */
static bool read_level(Builder *b, const SynKeyword *k, Decorator *d) {
  if (k->value->kind == SYN_NONE) return true;
  int level = eval_enum(b, k->value, ENUM_LEVEL);
  if (level < 0) return false;
  if (level == LEVEL_AIC)
    d->type = FUNC_AIC;
  else if (level == LEVEL_AIV)
    d->type = FUNC_AIV;
  else
    d->level = level;
  return true;
}

bool read_jit_decorator(Builder *b, const SynDef *def, Decorator *d) {
  const JitKind *kind = NULL;
  const SynExpr *e = jit_decorator(b, def, &kind);
  if (!e) return false;
  *d =
      (Decorator){.type = kind->type, .level = kind->level, .role = kind->role, .auto_scope = true};
  if (e->kind != SYN_CALL) return true;
  for (size_t i = 0; i < e->nkwargs; i++) {
    const SynKeyword *k = &e->kwargs[i];
    bool ok = false;
    if (k->name == b->n.level && kind->takes_level)
      ok = read_level(b, k, d);
    else if (k->name == b->n.auto_scope && kind->takes_auto_scope)
      ok = eval_bool_literal(b, k->value, "auto_scope", &d->auto_scope);
    else
      build_error(b, k->at, "@pl.jit%s%s has no argument '%s'", kind->word[0] ? "." : "",
                  kind->word, k->name ? k->name : "**");
    if (!ok) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- which functions */

typedef struct JitOrder {
  Builder *b;
  Map all, seen; /* Name -> SynStmt* */
  VEC(const SynStmt *) order;
  int depth;
} JitOrder;

static bool add_jit(JitOrder *o, const SynStmt *s);

/* A name of a function is a call of it, or its launch. */
static bool add_named(const SynExpr *e, void *ctx) {
  JitOrder *o = ctx;
  const SynStmt *s = e->kind == SYN_NAME ? map_get(&o->all, e->name) : NULL;
  return !s || add_jit(o, s);
}

/* Puts a function behind those that it calls. */
static bool add_jit(JitOrder *o, const SynStmt *s) {
  const SynDef *def = s->def;
  if (map_has(&o->b->methods, def->name)) return true;
  if (!map_set(&o->seen, def->name, (void *)s) || o->depth == MAX_CALL_DEPTH) {
    build_error(o->b, def->name_at,
                o->depth == MAX_CALL_DEPTH ? "functions call each other too deep, at '%s'"
                                           : "'%s' calls itself",
                def->name);
    return false;
  }
  o->depth++;
  bool ok = syn_walk_block(&def->body, add_named, o);
  o->depth--;
  if (!ok) return false;
  map_set(&o->b->methods, def->name, (void *)s);
  vec_push(&o->order, s);
  return true;
}

/* The one function that others do not call: of the host if there is such, else `@pl.jit` itself. */
static const SynStmt *find_entry(Builder *b, const SynStmt *const *defs, size_t n) {
  static const char *const words[] = {"host", ""};
  for (int w = 0; w < 2; w++) {
    const SynStmt *entry = NULL;
    for (size_t i = 0; i < n; i++) {
      const JitKind *kind = NULL;
      if (!jit_decorator(b, defs[i]->def, &kind)) return NULL;
      if (strcmp(kind->word, words[w]) != 0) continue;
      if (entry)
        return build_error(b, defs[i]->def->name_at,
                           "'%s' and '%s' are both entries: one file holds one program",
                           entry->def->name, defs[i]->def->name);
      entry = defs[i];
    }
    if (entry) return entry;
  }
  return build_error(b, defs[0]->def->name_at,
                     "no function is the entry: decorate one with @pl.jit");
}

static bool collect_jits(JitOrder *o, const SynStmt *const *defs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (map_set(&o->all, defs[i]->def->name, (void *)defs[i])) continue;
    build_error(o->b, defs[i]->def->name_at, "function '%s' is defined twice in this file",
                defs[i]->def->name);
    return false;
  }
  return true;
}

/* What the body returns is declared, so that the function can be launched. */
static void declare_returns(Builder *b, Function *f) {
  int n = 0;
  const Type **types = f->nreturns ? NULL : effective_returns(b, f, &n);
  for (int i = 0; types && i < n; i++)
    if (types[i]->kind == TYPE_UNKNOWN) return;
  if (!types) return;
  f->returns = types;
  f->nreturns = n;
}

Program *build_jit(Builder *b, const SynStmt *const *defs, size_t n) {
  JitOrder o = {.b = b};
  b->jit = true;
  const SynStmt *entry = find_entry(b, defs, n);
  bool ok = entry && collect_jits(&o, defs, n) && add_jit(&o, entry);
  Function **funcs = NEW_ARRAY(b->ir->arena, Function *, o.order.len + 1);
  int nfuncs = (int)o.order.len;
  for (int i = 0; ok && i < nfuncs; i++) {
    funcs[i] = build_function(b, o.order.data[i], o.order.data[i]->end_line);
    ok = funcs[i] != NULL;
    if (ok) declare_returns(b, funcs[i]);
    if (ok) map_set(&b->built, funcs[i]->name, funcs[i]);
  }
  map_free(&o.all);
  map_free(&o.seen);
  vec_free(&o.order);
  if (!ok) return NULL;
  return build_finish(b, name_printf(&b->ir->names, "_jit_%s", entry->def->name), entry, funcs,
                      nfuncs);
}

/* ---------------------------------------------------------------- calls */

/* The arguments in the order of the parameters; *rest keeps the keywords that are none of them. */
static SynExpr **arrange_args(Builder *b, const SynExpr *call, const SynDef *def, size_t *n,
                              SynExpr *rest) {
  SynExpr **args = NEW_ARRAY(b->ir->arena, SynExpr *, call->nitems + def->nparams);
  for (*n = 0; *n < call->nitems; ++*n) args[*n] = call->items[*n];
  *rest = *call;
  rest->kwargs = NEW_ARRAY(b->ir->arena, SynKeyword, call->nkwargs);
  rest->nkwargs = 0;
  size_t taken = 0;
  for (size_t p = call->nitems; p < def->nparams; p++) {
    const SynKeyword *k = syn_keyword(call, def->params[p].name);
    if (!k) break;
    args[(*n)++] = k->value;
    taken++;
  }
  for (size_t i = 0; i < call->nkwargs; i++) {
    bool is_param = false;
    for (size_t p = call->nitems; p < call->nitems + taken; p++)
      is_param = is_param || def->params[p].name == call->kwargs[i].name;
    if (!is_param) rest->kwargs[rest->nkwargs++] = call->kwargs[i];
  }
  return args;
}

Expr *build_jit_call(Builder *b, const SynExpr *call) {
  const SynStmt *s = map_get(&b->methods, call->lhs->name);
  SynExpr *rest = NEW(b->ir->arena, SynExpr);
  KernelCall k = {.call = rest, .kernel = call->lhs};
  k.args = arrange_args(b, call, s->def, &k.nargs, rest);
  return build_kernel_call(b, &k);
}

/* ---------------------------------------------------------------- a.shape and a.dtype */

bool eval_jit_attribute(Builder *b, const SynExpr *e, AttrValue *out) {
  Expr *x = b->jit && e->kind == SYN_ATTR && e->lhs->kind == SYN_NAME
                ? scope_lookup(b, e->lhs->name)
                : NULL;
  if (!x || !type_is_shaped(x->type)) return false;
  if (e->name == b->n.dtype) {
    *out = attr_of_dtype(x->type->dtype);
    return true;
  }
  if (e->name != b->n.shape) return false;
  AttrValue *extents = NEW_ARRAY(b->ir->arena, AttrValue, x->type->rank);
  for (int i = 0; i < x->type->rank; i++) {
    Expr *d = x->type->shape[i];
    extents[i] = d->kind == EXPR_INT ? attr_of_int(d->u.i) : attr_of_expr(d);
  }
  *out = attr_of_list(extents, x->type->rank);
  return true;
}

static bool bind_extent(Builder *b, const SynExpr *target, const AttrValue *v) {
  if (target->kind != SYN_NAME) {
    build_error(b, target->at, "an extent is bound to a name");
    return false;
  }
  Expr *e = value_to_expr(b, v, target->at);
  if (e) scope_define(b, target->name, e);
  return e != NULL;
}

bool build_jit_shape(Builder *b, const SynStmt *s, bool *done) {
  const SynExpr *v = s->value, *target = s->targets[0];
  bool one = v->kind == SYN_SUBSCRIPT && target->kind == SYN_NAME;
  const SynExpr *attr = one ? v->lhs : v;
  AttrValue value;
  *done = false;
  if (!b->jit || s->ntargets != 1 || attr->kind != SYN_ATTR || attr->name != b->n.shape ||
      eval_expr(b, v, &value) != EVAL_OK)
    return true;
  *done = true;
  if (one) return bind_extent(b, target, &value);
  *done = target->kind == SYN_TUPLE && value.kind == ATTR_LIST &&
          (size_t)value.u.list.len == target->nitems;
  for (size_t i = 0; *done && i < target->nitems; i++)
    if (!bind_extent(b, target->items[i], &value.u.list.items[i])) return false;
  return true;
}
