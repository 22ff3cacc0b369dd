/* build_stmt.c -- assignments, yields, branches, returns, and what is said to the compiler itself. */
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

/* Is `e` a call of something named `name`, with whatever before it? */
static bool calls_named(const SynExpr *e, Name name) {
  if (!e || e->kind != SYN_CALL) return false;
  return (e->lhs->kind == SYN_ATTR || e->lhs->kind == SYN_NAME) && e->lhs->name == name;
}

static bool is_yield(Builder *b, const SynExpr *e) {
  return e && e->kind == SYN_CALL && e->lhs->kind == SYN_ATTR && e->lhs->name == b->n.yield_;
}

/* pld.alloc_window_buffer(...), pld.tensor.alloc_window_buffer(...) */
static bool is_window_alloc(Builder *b, const SynExpr *e) {
  Name path[3];
  size_t n = e && e->kind == SYN_CALL ? syn_path(e->lhs, path, 3) : 0;
  return n >= 2 && path[0] == b->n.pld && path[n - 1] == b->n.alloc_window_buffer &&
         (n == 2 || path[1] == b->n.system || path[1] == b->n.tensor || path[1] == b->n.tile);
}

/* ---------------------------------------------------------------- yields */

static void track_yield(Builder *b, Name name, const Type *type) {
  Yields *y = b->f->yields;
  if (!y) return;
  vec_push(&y->names, name);
  if (type && !map_has(&y->types, name)) map_set(&y->types, name, (void *)type);
}

/* Emits the yield of a call `pl.yield_(...)`; its values in *values. */
static bool build_yield(Builder *b, const SynExpr *call, Expr ***values) {
  if (call->nkwargs) {
    build_error(b, call->kwargs[0].at, "pl.yield_() takes no keyword arguments");
    return false;
  }
  *values = NEW_ARRAY(b->ir->arena, Expr *, call->nitems);
  for (size_t i = 0; i < call->nitems; i++) {
    Expr *v = build_expr(b, call->items[i]);
    if (!v) return false;
    if (v->type->kind == TYPE_VOID) {
      build_error(b, call->items[i]->at, "a call that gives no value cannot be yielded");
      return false;
    }
    (*values)[i] = v;
  }
  emit(b, stmt_yield(b->ir, *values, (int)call->nitems, call->at));
  return true;
}

/* What is printed for the result of a loop; elsewhere the carried value decides. */
static bool note_annotation(Builder *b, Name name, const SynExpr *annotation) {
  if (!b->verbatim || !b->f->yields) return true;
  const Type *t = annot_type(&b->f->annot, annotation);
  if (t) map_set(&b->f->yields->annotated, name, (void *)t);
  return t != NULL;
}

static bool build_yield_assign(Builder *b, const SynExpr *target, const SynExpr *call) {
  Expr **values;
  if (!build_yield(b, call, &values)) return false;
  if (target->kind == SYN_NAME) {
    track_yield(b, target->name, call->nitems == 1 ? values[0]->type : NULL);
    return true;
  }
  if (target->nitems != call->nitems) {
    build_error(b, target->at, "%u names for %u yielded values", target->nitems, call->nitems);
    return false;
  }
  for (size_t i = 0; i < target->nitems; i++)
    if (target->items[i]->kind == SYN_NAME) track_yield(b, target->items[i]->name, values[i]->type);
  return true;
}

/* ---------------------------------------------------------------- assignments */

/* window = pld.tensor.alloc_window_buffer(size): the variable's name is the buffer's. */
static bool build_window_alloc(Builder *b, const SynExpr *target, const SynExpr *call) {
  Span at = call->at;
  if (b->f->level != LEVEL_HOST || in_scope_kind(b, SCOPE_INCORE) || in_scope_kind(b, SCOPE_SPMD)) {
    build_error(b, at,
                "a window buffer can be allocated only in a function of level HOST, outside of "
                "InCore and SPMD scopes");
    return false;
  }
  if (target->kind != SYN_NAME) {
    build_error(b, target->at, "a window buffer is assigned to one variable, which names it");
    return false;
  }
  if (syn_keyword(call, b->n.name)) {
    build_error(b, syn_keyword(call, b->n.name)->at,
                "the window buffer takes its name from the variable '%s'", target->name);
    return false;
  }
  if (!map_set(&b->windows, target->name, (void *)target)) {
    build_error(b, at, "the window buffer '%s' is declared twice in this program", target->name);
    return false;
  }
  b->window_name = target->name;
  Expr *value = build_call(b, call);
  b->window_name = NULL;
  return value && emit_bind(b, target->name, value, NULL, at);
}

/* Keywords of pl.reserve_buffer and pl.import_peer_buffer, for `buf.base` later. */
static void track_buffer(Builder *b, Name var, const SynExpr *call) {
  if (call->kind != SYN_CALL || call->lhs->kind != SYN_ATTR) return;
  Name what = call->lhs->name;
  if (what != b->n.reserve_buffer && what != b->n.import_peer_buffer) return;
  const SynKeyword *base = syn_keyword(call, b->n.base);
  AttrValue *v = NEW(b->ir->arena, AttrValue);
  bool known = base && base->value->kind == SYN_INT;
  if (known) *v = attr_of_int(base->value->integer);
  if (what == b->n.import_peer_buffer) {
    const AttrValue *peer = peer_buffer_base(b, call);
    *v = peer ? *peer : attr_of_int(-1);
    known = true;
  }
  if (known) map_set(&b->f->buffer_meta, var, v);
}

static bool is_ptr_annotation(Builder *b, const SynExpr *a) {
  bool named = a->kind == SYN_NAME ||
               (a->kind == SYN_ATTR && a->lhs->kind == SYN_NAME && a->lhs->name == b->n.pl);
  return named && (a->name == b->n.Ptr || a->name == b->n.MemRefType);
}

static bool is_alloc(Builder *b, const SynExpr *e) {
  Name path[3];
  return e->kind == SYN_CALL && syn_path(e->lhs, path, 3) == 3 && path[0] == b->n.pl &&
         (path[1] == b->n.tile || path[1] == b->n.tensor) && path[2] == b->n.alloc;
}

/* mem: pl.Ptr = pl.tile.alloc(...): binds the variable that a signature may have named already. */
static bool build_alloc(Builder *b, const SynStmt *s) {
  Name name = s->targets[0]->name;
  Expr *value = build_call(b, s->value);
  if (!value) return false;
  Expr *var = map_get(&b->f->annot.bases, name);
  if (!var) var = expr_var(b->ir, name, type_simple(b->ir, TYPE_PTR), s->at);
  emit(b, stmt_assign(b->ir, var, value, s->at));
  scope_define(b, name, var);
  return true;
}

/* The value with what its annotation knows better; *type is the override for the variable. */
static Expr *annotated_value(Builder *b, const SynStmt *s, Expr *value, const Type **type) {
  *type = NULL;
  const SynExpr *ann = s->annotation;
  if (ann->kind == SYN_SUBSCRIPT && ann->lhs->kind == SYN_NAME &&
      strcmp(ann->lhs->name, "tuple") == 0)
    return value;
  b->f->annot.value = value->type;
  const Type *t = annot_type(&b->f->annot, ann);
  b->f->annot.value = NULL;
  if (!t || !annot_check(&b->f->annot, t, value, s->targets[0]->name, s->at)) return NULL;
  const Type *merged = annot_merge(&b->f->annot, t, value);
  if (merged == value->type) return value;
  *type = merged;
  if (merged->kind == TYPE_SCALAR && value->kind == EXPR_INT && !b->verbatim)
    return expr_int(b->ir, value->u.i, merged->dtype, value->span);
  if (value->kind == EXPR_CALL && !types_match(b, value->type, merged)) {
    value = expr_copy(b->ir, value);
    value->type = merged;
  }
  return value;
}

/* A dump of IR that was built by hand may have calls without their operands; the annotation says what
 * they give.  NULL, silently, if `call` is no such call. */
static Expr *build_bare_call(Builder *b, const SynExpr *call, const SynExpr *annotation) {
  Name path[4];
  Buf name = {0};
  bool bare = call->kind == SYN_CALL && !call->nitems && !call->nkwargs && is_printed(b);
  size_t n = bare ? syn_path(call->lhs, path, 4) : 0;
  for (size_t i = n && path[0] == b->n.pl ? 1 : 0; i < n; i++)
    buf_printf(&name, "%s%s", name.len ? "." : "", path[i]);
  const Op *op = n ? op_by_name(b->ir, ir_name(b->ir, buf_str(&name))) : NULL;
  buf_free(&name);
  bool needs_operands =
      op && op->nargs && !op->arg_params[0].optional && !op->arg_params[0].variadic;
  const Type *t = needs_operands ? annot_type(&b->f->annot, annotation) : NULL;
  return t ? expr_call_op(b->ir, op, NULL, 0, (AttrList){0}, t, call->at) : NULL;
}

static bool build_ann_assign(Builder *b, const SynStmt *s) {
  const SynExpr *target = s->targets[0], *rhs = s->value;
  if (target->kind != SYN_NAME) {
    build_error(b, target->at, "only a variable can be annotated");
    return false;
  }
  if (!rhs) {
    build_error(b, s->at, "'%s' is annotated but given no value", target->name);
    return false;
  }
  if (is_yield(b, rhs))
    return build_yield_assign(b, target, rhs) && note_annotation(b, target->name, s->annotation);
  if (is_ptr_annotation(b, s->annotation)) {
    if (is_alloc(b, rhs)) return build_alloc(b, s);
    if (is_window_alloc(b, rhs)) return build_window_alloc(b, target, rhs);
  }
  Expr *value = build_bare_call(b, rhs, s->annotation);
  if (value) return emit_bind(b, target->name, value, value->type, s->at) != NULL;
  value = syn_is_call_of(rhs, b->n.pl, b->n.submit)        ? build_submit(b, rhs, false)
          : syn_is_call_of(rhs, b->n.pl, b->n.spmd_submit) ? build_submit(b, rhs, true)
                                                           : build_expr(b, rhs);
  if (!value) return false;
  const Type *type;
  value = annotated_value(b, s, value, &type);
  if (!value || !emit_bind(b, target->name, value, type, s->at)) return false;
  track_buffer(b, target->name, rhs);
  return true;
}

/* a, b = f(...): the tuple gets a variable of its own. */
static bool build_unpack(Builder *b, const SynStmt *s) {
  const SynExpr *target = s->targets[0];
  Expr *value = build_expr(b, s->value);
  if (!value) return false;
  if (value->type->kind == TYPE_UNKNOWN) {
    build_error(b, s->value->at,
                "what this call gives back is not known here, it cannot be unpacked");
    build_note(b,
               "annotate what the function returns, or write it before the functions that call it");
    return false;
  }
  if (value->type->kind != TYPE_TUPLE) {
    build_error(b, s->value->at, "a %s cannot be unpacked into %u names",
                type_kind_name(value->type), target->nitems);
    return false;
  }
  if (target->nitems > value->type->nelems) {
    build_error(b, target->at, "%u names for %d values", target->nitems, value->type->nelems);
    return false;
  }
  Expr *tuple = emit_let(b, b->n.tuple_tmp, value, NULL, s->at);
  for (size_t i = 0; i < target->nitems; i++) {
    if (target->items[i]->kind != SYN_NAME) {
      build_error(b, target->items[i]->at, "only names can be unpacked into");
      return false;
    }
    Expr *item = expr_tuple_get(b->ir, tuple, (int)i, s->at);
    if (!emit_bind(b, target->items[i]->name, item, NULL, s->at)) return false;
  }
  return true;
}

static bool build_assign(Builder *b, const SynStmt *s) {
  const SynExpr *target = s->targets[0];
  if (s->ntargets != 1) {
    build_error(b, s->at, "one assignment binds one target: split 'a = b = c'");
    return false;
  }
  if (is_window_alloc(b, s->value)) return build_window_alloc(b, target, s->value);
  bool submit = syn_is_call_of(s->value, b->n.pl, b->n.submit);
  bool spmd = syn_is_call_of(s->value, b->n.pl, b->n.spmd_submit);
  switch (target->kind) {
    case SYN_TUPLE:
      if (is_yield(b, s->value)) return build_yield_assign(b, target, s->value);
      if (submit || spmd) return build_submit_unpack(b, s, spmd);
      return build_unpack(b, s);
    case SYN_NAME: {
      if (is_yield(b, s->value)) return build_yield_assign(b, target, s->value);
      Expr *value = submit || spmd ? build_submit(b, s->value, spmd) : build_expr(b, s->value);
      Span at = submit || spmd ? s->value->at : s->at;
      if (!value || !emit_bind(b, target->name, value, NULL, at)) return false;
      track_buffer(b, target->name, s->value);
      return true;
    }
    case SYN_SUBSCRIPT: return build_subscript_assign(b, target, s->value);
    default: break;
  }
  build_error(b, target->at, "%s cannot be assigned to in a kernel", syn_kind_name(target));
  return false;
}

/* x += e is x = x + e. */
static bool build_aug_assign(Builder *b, const SynStmt *s) {
  if (s->targets[0]->kind != SYN_NAME) {
    build_error(b, s->targets[0]->at, "an augmented assignment changes a variable, not %s",
                syn_kind_name(s->targets[0]));
    return false;
  }
  SynExpr sum = {.kind = SYN_BINARY,
                 .op = s->op,
                 .at = s->at,
                 .end_line = s->end_line,
                 .depth = 1,
                 .lhs = s->targets[0],
                 .rhs = s->value};
  Expr *value = build_augmented(b, &sum);
  return value && emit_bind(b, s->targets[0]->name, value, NULL, s->at);
}

/* ---------------------------------------------------------------- said to the compiler */

static void put_static(Builder *b, Buf *out, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: buf_printf(out, "%s: ", e->u.var.name); break;
    case EXPR_INT: buf_printf(out, "%lld: ", (long long)e->u.i); break;
    case EXPR_FLOAT: buf_printf(out, "%.17g: ", e->u.f); break;
    case EXPR_BOOL: buf_puts(out, e->u.b ? "True: " : "False: "); break;
    default: print_expr(out, b->ir, e); return;
  }
  print_type(out, b->ir, e->type);
}

static bool put_static_arg(Builder *b, Buf *out, const SynExpr *e) {
  if (e->kind == SYN_STR) {
    buf_write(out, e->str.data, e->str.len);
    return true;
  }
  if (e->kind == SYN_FSTRING) {
    for (size_t i = 0; i < e->nitems; i++)
      if (!put_static_arg(b, out, e->items[i])) return false;
    return true;
  }
  if (e->kind == SYN_FFIELD) {
    if (e->str.len) {
      build_error(b, e->at, "a field of this f-string is '{value}': no conversion, no format");
      return false;
    }
    e = e->field;
  }
  Expr *v = build_expr(b, e);
  if (v) put_static(b, out, v);
  return v != NULL;
}

static bool build_static_print(Builder *b, const SynExpr *call) {
  Buf out = {0};
  bool ok = call->nitems > 0;
  if (!ok) build_error(b, call->at, "static_print() needs something to print");
  for (size_t i = 0; ok && i < call->nitems; i++) {
    if (i) buf_putc(&out, ' ');
    ok = put_static_arg(b, &out, call->items[i]);
  }
  if (ok) diag_note(b->ir->diag, call->at, "static_print: %s", buf_str(&out));
  buf_free(&out);
  return ok;
}

/* Python's truth of a value that is known; false in *known if it is not. */
static bool static_truth(Builder *b, const SynExpr *e, bool *known) {
  AttrValue v;
  *known = true;
  EvalResult r = eval_expr(b, e, &v);
  if (r == EVAL_OK) {
    switch (v.kind) {
      case ATTR_NONE: return false;
      case ATTR_BOOL: return v.u.b;
      case ATTR_INT: return v.u.i != 0;
      case ATTR_FLOAT: return v.u.f != 0;
      case ATTR_STR: return v.u.str[0] != '\0';
      case ATTR_LIST: return v.u.list.len != 0;
      default: return true;
    }
  }
  Expr *x = r == EVAL_UNKNOWN ? build_expr(b, e) : NULL;
  if (x && x->kind == EXPR_BOOL) return x->u.b;
  if (x && x->kind == EXPR_INT) return x->u.i != 0;
  if (x && x->kind == EXPR_FLOAT) return x->u.f != 0;
  *known = false;
  if (x)
    build_error(b, e->at, "the condition of static_assert() must be known when the text is read");
  return false;
}

static bool build_static_assert(Builder *b, const SynExpr *call) {
  bool known;
  if (call->nitems < 1 || call->nitems > 2) {
    build_error(b, call->at, "static_assert() takes a condition and, if wanted, a message");
    return false;
  }
  const SynExpr *message = call->nitems == 2 ? call->items[1] : NULL;
  if (message && message->kind != SYN_STR) {
    build_error(b, message->at, "the message of static_assert() must be a string");
    return false;
  }
  if (static_truth(b, call->items[0], &known)) return true;
  if (!known) return false;
  const char *text = syn_text(b->ir->arena, call->items[0]);
  if (message)
    build_error(b, call->at, "static_assert failed: %.*s", (int)message->str.len,
                message->str.data);
  else
    build_error(b, call->at, "static_assert failed: '%s' is false", text);
  return false;
}

/* pl.dump_tag(t): launches that use `t` from here on dump it. */
static bool build_dump_tag(Builder *b, const SynExpr *call) {
  if (b->f->type != FUNC_ORCHESTRATION && b->f->type != FUNC_INLINE) {
    build_error(b, call->at, "pl.dump_tag() stands only in Orchestration and Inline functions");
    return false;
  }
  if (call->nitems != 1 || call->nkwargs || call->items[0]->kind != SYN_NAME) {
    build_error(b, call->at, "pl.dump_tag() takes the name of one tensor");
    return false;
  }
  Expr *var = build_expr(b, call->items[0]);
  if (!var) return false;
  if (!expr_is_var(var) || !type_is_tensor(var->type)) {
    build_error(b, call->items[0]->at, "'%s' is no tensor: only tensors are dumped",
                call->items[0]->name);
    return false;
  }
  for (size_t i = 0; i < b->f->dumped.len; i++)
    if (b->f->dumped.data[i] == var) return true;
  vec_push(&b->f->dumped, var);
  return true;
}

static bool build_expr_stmt(Builder *b, const SynStmt *s) {
  const SynExpr *e = s->value;
  Expr **values;
  if (calls_named(e, b->n.static_print)) return build_static_print(b, e);
  if (calls_named(e, b->n.static_assert)) return build_static_assert(b, e);
  if (syn_is_call_of(e, b->n.pl, b->n.dump_tag)) return build_dump_tag(b, e);
  if (syn_is_call_of(e, b->n.pl, b->n.yield_)) return build_yield(b, e, &values);
  if (e->kind == SYN_ELLIPSIS) return true;
  if (syn_is_call_of(e, b->n.pl, b->n.func_attr)) {
    build_error(b, e->at, "pl.func_attr() stands first in the body of a function");
    return false;
  }
  Expr *v = build_expr(b, e);
  if (v) emit(b, stmt_eval(b->ir, v, s->at));
  return v != NULL;
}

/* ---------------------------------------------------------------- return, break, continue */

static bool build_return(Builder *b, const SynStmt *s) {
  const SynExpr *e = s->value;
  Expr **values = NULL;
  int n = 0;
  if (e && e->kind == SYN_TUPLE) {
    Expr *tuple = build_list(b, e);
    if (!tuple) return false;
    values = tuple->u.tuple.elems;
    n = tuple->u.tuple.len;
    if (b->f->in_inline) b->f->inline_result = tuple;
  } else if (e) {
    Expr *v = build_expr(b, e);
    if (!v) return false;
    values = &v;
    n = 1;
    if (b->f->in_inline)
      b->f->inline_result = v;
    else
      emit(b, stmt_return(b->ir, values, 1, s->at));
    return true;
  }
  for (int i = 0; i < n; i++) {
    if (values[i]->type->kind != TYPE_VOID) continue;
    build_error(b, e->items[i]->at, "a call that gives no value cannot be returned");
    return false;
  }
  if (!b->f->in_inline) emit(b, stmt_return(b->ir, values, n, s->at));
  return true;
}

static bool build_jump(Builder *b, const SynStmt *s) {
  const char *word = s->kind == SYN_BREAK ? "break" : "continue";
  const char *where = NULL;
  if (!b->f->loops.len) {
    build_error(b, s->at, "'%s' outside of a loop", word);
    return false;
  }
  switch (vec_last(&b->f->loops)) {
    case LOOP_PARALLEL: where = "a pl.parallel loop"; break;
    case LOOP_UNROLL: where = "a pl.unroll loop"; break;
    case LOOP_SPLIT_AIV: where = "a pl.split_aiv region, which is no loop"; break;
    default: break;
  }
  if (where) {
    build_error(b, s->at, "'%s' cannot leave %s: only pl.range and while loops have it", word,
                where);
    return false;
  }
  emit(b, stmt_new(b->ir, s->kind == SYN_BREAK ? STMT_BREAK : STMT_CONTINUE, s->at));
  return true;
}

/* ---------------------------------------------------------------- if */

typedef struct YieldVar {
  Name name;
  const SynExpr *annotation;
} YieldVar;

typedef VEC(YieldVar) YieldVars;

static bool is_runtime_scope(Builder *b, const SynStmt *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    const SynExpr *c = s->items[i].context;
    if (c->kind == SYN_CALL && c->lhs->kind == SYN_ATTR &&
        (c->lhs->name == b->n.scope || c->lhs->name == b->n.manual_scope))
      return true;
  }
  return false;
}

static void add_yield_var(YieldVars *out, size_t known, Name name, const SynExpr *annotation) {
  for (size_t i = 0; i < known; i++)
    if (out->data[i].name == name) return;
  YieldVar v = {name, annotation};
  vec_push(out, v);
}

/* The names that a branch yields.  Those of nested branches and loops are theirs; runtime scopes are
 * transparent.  Names among the first `known` are not repeated. */
static void find_yields(Builder *b, const SynBlock *body, size_t known, YieldVars *out) {
  for (size_t i = 0; i < body->len; i++) {
    const SynStmt *s = body->stmts[i];
    if (s->kind == SYN_WITH && is_runtime_scope(b, s)) find_yields(b, &s->body, known, out);
    if ((s->kind != SYN_ASSIGN && s->kind != SYN_ANN_ASSIGN) || s->ntargets != 1 ||
        !is_yield(b, s->value))
      continue;
    const SynExpr *t = s->targets[0];
    if (t->kind == SYN_NAME) add_yield_var(out, known, t->name, s->annotation);
    for (size_t k = 0; t->kind == SYN_TUPLE && k < t->nitems; k++)
      if (t->items[k]->kind == SYN_NAME) add_yield_var(out, known, t->items[k]->name, NULL);
  }
}

/* The last line that may hold comments of the first branch. */
static uint32_t then_end(const SynStmt *s) {
  if (!s->orelse.len) return s->end_line;
  return (s->else_line ? s->else_line : s->orelse.stmts[0]->at.line) - 1;
}

static const Type *yield_type(Builder *b, const YieldVar *v, Yields *yields) {
  if (v->annotation) {
    const Type *t = annot_type(&b->f->annot, v->annotation);
    if (!t || t->kind != TYPE_UNKNOWN) return t;
  }
  const Type *t = map_get(&yields->types, v->name);
  if (t) return t;
  Expr *one = expr_index(b->ir, 1);
  return type_tensor(b->ir, &one, 1, DT_INT32); /* what a branch without that yield would give */
}

static bool build_branches(Builder *b, const SynStmt *s, Stmt *out, YieldVars *vars) {
  find_yields(b, &s->body, 0, vars);
  find_yields(b, &s->orelse, vars->len, vars);
  bool leak = vars->len == 0;
  scope_enter(b);
  bool ok = build_nested(b, &s->body, then_end(s), &out->u.if_.then_body);
  scope_exit(b, leak);
  if (ok && s->orelse.len) {
    scope_enter(b);
    ok = build_nested(b, &s->orelse, s->end_line, &out->u.if_.else_body);
    scope_exit(b, leak);
    out->u.if_.has_else = b->verbatim || out->u.if_.else_body.len > 0;
  }
  return ok;
}

bool check_condition(Builder *b, const Expr *cond, const char *word, Span at) {
  if (is_scalar_of(cond, DT_BOOL)) return true;
  build_error(b, at, "the condition of '%s' must be a BOOL, not %s", word,
              type_str(b->ir, cond->type));
  build_note(b, "compare explicitly: '%s x != 0:'", word);
  return false;
}

static bool build_if(Builder *b, const SynStmt *s) {
  Expr *cond = build_expr(b, s->value);
  if (!cond || !check_condition(b, cond, "if", s->value->at)) return false;
  Stmt *out = stmt_new(b->ir, STMT_IF, s->at);
  out->u.if_.cond = cond;
  Yields yields = {.outer = b->f->yields};
  YieldVars vars = {0};
  b->f->yields = &yields;
  bool ok = build_branches(b, s, out, &vars);
  b->f->yields = yields.outer;
  out->u.if_.nresults = (int)vars.len;
  out->u.if_.results = NEW_ARRAY(b->ir->arena, Expr *, vars.len);
  for (size_t i = 0; ok && i < vars.len; i++) {
    const Type *t = yield_type(b, &vars.data[i], &yields);
    ok = t != NULL;
    if (ok) out->u.if_.results[i] = expr_var(b->ir, vars.data[i].name, t, s->at);
  }
  if (ok) {
    emit(b, out);
    for (size_t i = 0; i < vars.len; i++) scope_define(b, vars.data[i].name, out->u.if_.results[i]);
  }
  vec_free(&vars);
  vec_free(&yields.names);
  map_free(&yields.types);
  map_free(&yields.annotated);
  return ok;
}

/* ---------------------------------------------------------------- all statements */

static bool dispatch(Builder *b, const SynStmt *s) {
  static const char *const host_words[] = {
      [SYN_IMPORT] = "import", [SYN_RAISE] = "raise", [SYN_ASSERT] = "assert",
      [SYN_DEL] = "del",       [SYN_TRY] = "try",     [SYN_GLOBAL] = "global",
      [SYN_DEF] = "def",       [SYN_CLASS] = "class",
  };
  switch (s->kind) {
    case SYN_EXPR_STMT: return build_expr_stmt(b, s);
    case SYN_ASSIGN: {
      bool done;
      return build_jit_shape(b, s, &done) && (done || build_assign(b, s));
    }
    case SYN_ANN_ASSIGN: return build_ann_assign(b, s);
    case SYN_AUG_ASSIGN: return build_aug_assign(b, s);
    case SYN_RETURN: return build_return(b, s);
    case SYN_BREAK:
    case SYN_CONTINUE: return build_jump(b, s);
    case SYN_PASS: return true;
    case SYN_IF: return build_if(b, s);
    case SYN_FOR: return build_for(b, s);
    case SYN_WHILE: return build_while(b, s);
    case SYN_WITH: return build_with(b, s);
    default: break;
  }
  const char *word =
      (size_t)s->kind < sizeof host_words / sizeof *host_words ? host_words[s->kind] : NULL;
  build_error(b, s->at, "'%s' has no meaning in a kernel", word ? word : "this statement");
  return false;
}

/* The lines of a string that stands as a statement: comments of what follows. */
static void put_docstring(Builder *b, const SynStmt *s, Name *lines, int n) {
  VEC(Name) all = {0};
  const char *p = s->value->str.data, *end = p + s->value->str.len;
  for (int i = 0; i < n; i++) vec_push(&all, lines[i]);
  do {
    const char *eol = p;
    while (eol < end && *eol != '\n' && *eol != '\r') eol++;
    vec_push(&all, name_ofn(&b->ir->names, p, (size_t)(eol - p)));
    p = eol + (eol + 1 < end && eol[0] == '\r' && eol[1] == '\n' ? 2 : 1);
  } while (p < end);
  comments_put_back(b, s, all.data, (int)all.len);
  vec_free(&all);
}

bool build_stmt(Builder *b, const SynStmt *s) {
  int n;
  Name *lines = comments_take(b, s, &n);
  if (s->kind == SYN_EXPR_STMT && s->value->kind == SYN_STR) {
    put_docstring(b, s, lines, n);
    return true;
  }
  leading_push(b, lines, n);
  bool ok = dispatch(b, s);
  Leading rest = leading_pop(b);
  if (ok) comments_put_back(b, s, rest.lines, rest.n);
  return ok;
}

bool build_block(Builder *b, const SynBlock *body) {
  for (size_t i = 0; i < body->len; i++) {
    if (i > 0) comments_drop_stale(b, body->stmts[i]);
    if (!build_stmt(b, body->stmts[i])) return false;
  }
  return true;
}

bool build_nested(Builder *b, const SynBlock *body, uint32_t last_line, Block *out) {
  StmtList list = {0}, *outer = b->f->out;
  b->f->out = &list;
  bool ok = build_block(b, body);
  comments_drop_tail(b, body, last_line);
  b->f->out = outer;
  *out = block_take(b->ir, &list);
  return ok;
}
