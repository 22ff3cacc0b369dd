/* build_external.c -- functions outside of the program's class: @pl.function ones become part of the
 * program, @pl.inline ones are written out where they are called. */
#include "parser/build.h"

enum {
  MAX_INLINE_DEPTH = 64,
  MAX_INLINE_STMTS = 1 << 22, /* written out in one program: more is a slip, not a kernel */
};

static bool check_plain_call(Builder *b, const SynExpr *call, Name name, size_t want) {
  if (call->nkwargs) {
    build_error(b, call->kwargs[0].at, "'%s' takes its arguments by position", name);
    return false;
  }
  if (call->nitems == want) return true;
  build_error(b, call->at, "'%s' takes %zu argument%s, not %u", name, want, want == 1 ? "" : "s",
              call->nitems);
  return false;
}

static Expr **build_args(Builder *b, const SynExpr *call) {
  Expr **args = NEW_ARRAY(b->ir->arena, Expr *, call->nitems + 1);
  for (size_t i = 0; i < call->nitems; i++)
    if (!(args[i] = build_expr(b, call->items[i]))) return NULL;
  return args;
}

/* ---------------------------------------------------------------- @pl.function */

static Function *external_function(Builder *b, const SynStmt *def, Span at) {
  Name name = def->def->name;
  if (map_has(&b->methods, name))
    return build_error(
        b, at, "'%s' is the name of a function of the program, too: rename one of them", name);
  Function *f = map_get(&b->externals, name);
  if (f) return f;
  if (!map_set(&b->started, name, (void *)def))
    return build_error(b, at, "'%s' calls itself, or could not be read", name);
  f = build_function(b, def, def->end_line);
  if (!f) return NULL;
  map_set(&b->externals, name, f);
  vec_push(&b->external_list, f);
  return f;
}

static Expr *call_external(Builder *b, const SynExpr *call, const SynStmt *def) {
  Function *f = external_function(b, def, call->at);
  if (!f || !check_plain_call(b, call, f->name, (size_t)f->nparams)) return NULL;
  Expr **args = build_args(b, call);
  if (!args) return NULL;
  int n;
  const Type **types = effective_returns(b, f, &n);
  if (types && !build_return_types(b, f, f->params, args, f->nparams, types, n, call->at))
    return NULL;
  const Type *type = !types || n == 0 ? type_unknown(b->ir)
                     : n == 1         ? types[0]
                                      : type_tuple(b->ir, types, n);
  AttrList none = {0};
  return expr_call_func(b->ir, f->name, args, f->nparams, none, none, type, call->at);
}

/* ---------------------------------------------------------------- @pl.inline */

static bool count_inlined(Builder *b, const SynDef *def, Span at) {
  b->inlined += def->body.len;
  if (b->inlined <= MAX_INLINE_STMTS) return true;
  build_error(b, at, "inlined functions would write out more than %d statements", MAX_INLINE_STMTS);
  return false;
}

static Expr *inline_call(Builder *b, const SynExpr *call, const SynDef *def) {
  FuncState *f = b->f;
  size_t skip = def->nparams && def->params[0].name == b->n.self;
  if (!check_plain_call(b, call, def->name, def->nparams - skip)) return NULL;
  if (f->inline_depth == MAX_INLINE_DEPTH)
    return build_error(b, call->at,
                       "inlined functions are nested deeper than %d: does '%s' call itself?",
                       MAX_INLINE_DEPTH, def->name);
  if (!count_inlined(b, def, call->at)) return NULL;
  Expr **args = build_args(b, call);
  if (!args) return NULL;
  bool outer_inline = f->in_inline;
  Expr *outer_result = f->inline_result, *result;
  PendingComment *outer_comments = f->comments;
  f->in_inline = true;
  f->inline_result = NULL;
  f->comments = NULL;
  f->inline_depth++;
  scope_enter(b);
  for (size_t i = 0; i < call->nitems; i++) scope_define(b, def->params[i + skip].name, args[i]);
  bool ok = true;
  for (size_t i = 0; ok && i < def->body.len; i++) {
    const SynStmt *s = def->body.stmts[i];
    bool doc = i == 0 && s->kind == SYN_EXPR_STMT && s->value->kind == SYN_STR;
    ok = doc || build_stmt(b, s);
  }
  scope_exit(b, true);
  result = f->inline_result;
  f->inline_depth--;
  f->comments = outer_comments;
  f->in_inline = outer_inline;
  f->inline_result = outer_result;
  if (!ok) return NULL;
  return result ? result
                : build_error(b, call->at, "the inlined function '%s' returns no value", def->name);
}

Expr *build_external_call(Builder *b, const SynExpr *call, const SynStmt *callee) {
  if (find_decorator(b, callee->def, b->n.inline_)) return inline_call(b, call, callee->def);
  return call_external(b, call, callee);
}
