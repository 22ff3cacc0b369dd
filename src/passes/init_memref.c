/* InitMemRef: decides in which allocation each tile and tensor lies; docs/passes/init-memref.md. */
#include <ctype.h>
#include <inttypes.h>

#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/keep.h"
#include "passes/memory/memref.h"
#include "passes/pass.h"

enum { MAX_AGAIN = 64 }; /* accumulations that are done again, one on the other */

/* An allocation that the author declared. */
typedef struct Declared {
  uint64_t slot_bytes; /* of the largest tile bound to any slot */
  uint64_t slots;
  MemSpace space; /* MEM_NONE until a bound tile has one */
} Declared;

typedef struct Init {
  PassCtx *ctx;
  Ir *ir;
  Map declared; /* allocation -> Declared */
  Map from;     /* result of for or if -> the (old) variable whose allocation it takes */
  Map loop_of;  /* yield of a loop's body -> the loop */
  Map gaps;     /* (old) variable whose rows lie apart: columns of a wider tile -> itself */
  Map starts;   /* loop-carried name -> the copy of its initial value that it takes */
  Map source;   /* (old) plain copy of a tile -> the variable that it is a name for */
  Map defs;     /* (old) variable -> its assignment */
  Map if_of;    /* yield of a branch -> the if */
  Map at;       /* result of if -> the (new) copy whose allocation it takes */
  Map origin;   /* new variable -> the old one */
  const Keeps *keeps;
  int next;  /* number of the next fresh allocation */
  int again; /* values being computed again, one for the other */
  bool failed;
} Init;

/* The variable that a plain copy is a name for. */
static Expr *source_of(const Init *in, Expr *e) {
  Expr *source = map_get(&in->source, e);
  return source ? source : e;
}

/* ---------------------------------------------------------------- declared allocations */

static const MemRef *binding(const Type *t) {
  return type_is_tile(t) && t->memref && t->memref->pinned ? t->memref : NULL;
}

static void declare(Init *in, Expr *var) {
  const MemRef *m = binding(var->type);
  if (!m) return;
  Diag *diag = in->ir->diag;
  const char *name = m->base->u.var.name;
  MemSpace space = var->type->space;
  uint64_t bytes;
  int errors = diag->errors;
  if (!alloc_bytes(in->ctx->opts->target, var->type, space, &bytes)) {
    diag_error(diag, var->span,
               "tile '%s' is bound to allocation '%s', but its size is not constant",
               var->u.var.name, name);
    in->failed = true;
    return;
  }
  Declared *d = map_get(&in->declared, m->base);
  if (!d) {
    d = NEW(in->ir->arena, Declared);
    d->slots = m->slots;
    map_set(&in->declared, m->base, d);
  }
  if (m->slots < 1)
    diag_error(diag, var->span, "allocation '%s' needs at least one slot", name);
  else if (d->slots != m->slots)
    diag_error(diag, var->span, "allocation '%s' has %llu slots here and %llu before", name,
               (unsigned long long)m->slots, (unsigned long long)d->slots);
  if (d->space == MEM_NONE)
    d->space = space;
  else if (space != MEM_NONE && space != d->space)
    diag_error(diag, var->span, "tile '%s' is in %s, but its allocation '%s' is already in %s",
               var->u.var.name, mem_name(space), name, mem_name(d->space));
  if (bytes > d->slot_bytes) d->slot_bytes = bytes;
  if (diag->errors != errors) in->failed = true;
}

static void declare_def(Visitor *v, Expr *var) { declare(v->ctx, var); }

/* Checks what is known only when all tiles of a declaration have been seen. */
static void check_declared(Init *in, const Function *f) {
  for (MapEntry *e = NULL; (e = map_next(&in->declared, e));) {
    const Expr *base = e->key;
    const Declared *d = e->value;
    uint64_t all;
    if (__builtin_mul_overflow(d->slot_bytes, d->slots, &all) || all > INT64_MAX) {
      diag_error(in->ir->diag, f->span, "allocation '%s' is too large", base->u.var.name);
      in->failed = true;
    }
    if (in->ctx->opts->planner != PLANNER_PTOAS || d->slots > 1) continue;
    diag_error(in->ir->diag, f->span,
               "allocation '%s' has one slot: ptoas would be free to merge it with others",
               base->u.var.name);
    diag_note(in->ir->diag, NO_SPAN,
              "declare it with pl.MemRef(slots=N), or compile with --memory-planner=pypto");
    in->failed = true;
  }
}

static const MemRef *declared_ref(Init *in, const MemRef *m, const Declared *d) {
  MemRef r = *m;
  int64_t k;
  r.pinned = false;
  r.size = d->slot_bytes;
  r.offset = expr_int(in->ir, 0, DT_INT64, NO_SPAN);
  if (expr_const_int(m->slot, &k))
    r.offset = expr_int(in->ir, (int64_t)((uint64_t)k * d->slot_bytes), DT_INT64, NO_SPAN);
  else if (m->slot)
    r.offset = expr_binary(in->ir, EXPR_MUL, m->slot, expr_index(in->ir, (int64_t)d->slot_bytes),
                           DT_INDEX, NO_SPAN);
  return memref_intern(in->ir, &r);
}

/* ---------------------------------------------------------------- fresh allocations */

static Name fresh_name(Init *in, MemSpace space) {
  char lower[32];
  size_t n = 0;
  for (const char *s = mem_name(space); *s && n + 1 < sizeof lower; s++)
    lower[n++] = (char)tolower((unsigned char)*s);
  lower[n] = 0;
  return name_printf(&in->ir->names, "mem_%s_%d", lower, in->next++);
}

static void report_unsized(Init *in, const Expr *var) {
  in->failed = true;
  for (int i = 0; i < var->type->rank; i++) {
    int64_t v;
    bool constant = expr_const_int(var->type->shape[i], &v);
    if (constant && v > 0) continue;
    if (constant) {
      diag_error(in->ir->diag, var->span,
                 "dimension %d of tile '%s' must be positive, not %" PRId64, i, var->u.var.name, v);
      return;
    }
    diag_error(in->ir->diag, var->span, "tile '%s' has no constant size: its dimension %d is '%s'",
               var->u.var.name, i, expr_str(in->ir, var->type->shape[i]));
    return;
  }
  diag_error(in->ir->diag, var->span, "tile '%s' is too large", var->u.var.name);
}

static const MemRef *fresh_ref(Init *in, const Expr *var, MemSpace space) {
  MemRef m = {.slots = 1, .named = !type_is_tile(var->type)};
  if (!alloc_bytes(in->ctx->opts->target, var->type, space, &m.size)) {
    m.size = 0;
    if (type_is_tile(var->type)) report_unsized(in, var);
  }
  m.base = expr_var(in->ir, fresh_name(in, space), type_simple(in->ir, TYPE_PTR), NO_SPAN);
  m.offset = expr_int(in->ir, 0, DT_INT64, NO_SPAN);
  return memref_intern(in->ir, &m);
}

/* ---------------------------------------------------------------- definitions */

static Expr *define(Rewriter *r, Expr *var, const Type *type) {
  Expr *n = expr_var(r->ir, var->u.var.name, type, var->span);
  map_set(&r->subst, var, n);
  map_set(&((Init *)r->ctx)->origin, n, var);
  return n;
}

static Expr *define_iter_arg(Rewriter *r, Expr *var) {
  Expr *copy = map_get(&((Init *)r->ctx)->starts, var),
       *init = copy ? copy : rewrite_expr(r, var->u.var.init);
  const Type *type = rewrite_type(r, var->type);
  if (type_is_shaped(type))
    type = type_placed(r->ir, type, type_is_shaped(init->type) ? init->type->memref : NULL,
                       type_is_tile(init->type) ? init->type->space : MEM_NONE);
  Expr *n = expr_iter_arg(r->ir, var->u.var.name, type, init, var->span);
  map_set(&r->subst, var, n);
  map_set(&((Init *)r->ctx)->origin, n, var);
  return n;
}

static Expr *init_def(Rewriter *r, Expr *var) {
  Init *in = r->ctx;
  if (var->u.var.is_iter_arg) return define_iter_arg(r, var);
  if (!type_is_shaped(var->type)) return rewrite_def_default(r, var);
  MemSpace space =
      type_is_tile(var->type) && var->type->space != MEM_NONE ? var->type->space : MEM_DDR;
  const MemRef *m = binding(var->type);
  Declared *d = m ? map_get(&in->declared, m->base) : NULL;
  /* results take a number even where they then lie elsewhere */
  m = d ? declared_ref(in, m, d) : fresh_ref(in, var, space);
  const Expr *from = map_get(&in->from, var);
  const Expr *now = map_get(&in->at, var);
  if (!now && from) now = map_get(&r->subst, from);
  if (now && type_is_tile(var->type) && tile_base(now->type)) {
    m = now->type->memref;
    space = now->type->space;
  }
  const Type *t = rewrite_type(r, type_with_memref(r->ir, var->type, NULL));
  return define(r, var, type_placed(r->ir, t, m, space));
}

/* ---------------------------------------------------------------- copies */

/* `var` computed once more, or NULL: what it was computed from must still be there, and mean the same. */
static Expr *compute_again(Rewriter *r, Expr *var, Span span, StmtList *out);

/* The call that gave `var` with its operands as they are now; NULL if it can't be done again. */
static Expr *same_call(Rewriter *r, Expr *call, Span span, StmtList *out) {
  const Op *op = expr_op(call);
  bool again = op && (op->id == OP_TILE_CREATE || op->id == OP_TILE_MOVE ||
                      op->id == OP_TILE_EXTRACT || op->access == ACCESS_FUNCTIONAL);
  if (!again) return NULL;
  int changed = call_changed_arg(call);
  Expr *operand = NULL;
  if (changed >= 0) {
    Init *in = r->ctx;
    if (in->again == MAX_AGAIN) return NULL;
    in->again++;
    operand = compute_again(r, call->u.call.args[changed], span, out);
    in->again--;
    if (!operand) return NULL;
  }
  Expr *n = expr_copy(r->ir, rewrite_expr(r, call));
  if (changed >= 0) {
    n->u.call.args = COPY_ARRAY(r->ir->arena, Expr *, n->u.call.args, n->u.call.nargs);
    n->u.call.args[changed] = operand;
  }
  return n;
}

static Expr *again_var(Rewriter *r, Expr *var, Expr *call, Span span) {
  Name name = name_printf(&r->ir->names, "%s_mv", var->u.var.name);
  const Type *now = rewrite_expr(r, var)->type;
  Expr *copy = expr_var(r->ir, name, now, span);
  int changed = call_changed_arg(call);
  const MemRef *m =
      changed >= 0 ? call->u.call.args[changed]->type->memref : fresh_ref(r->ctx, copy, now->space);
  copy->type = type_placed(r->ir, now, m, now->space);
  return copy;
}

static Expr *compute_again(Rewriter *r, Expr *var, Span span, StmtList *out) {
  Init *in = r->ctx;
  if (!expr_is_var(var)) return NULL;
  const Stmt *def = map_get(&in->defs, source_of(in, var));
  if (!def || def->u.assign.value->kind != EXPR_CALL) return NULL;
  Expr *call = same_call(r, def->u.assign.value, span, out);
  if (!call) return NULL;
  Expr *copy = again_var(r, def->u.assign.var, call, span);
  vec_push(out, stmt_assign(r->ir, copy, call, span));
  return copy;
}

/* A copy of tile `value`, as it is now, with an allocation of its own. */
static Expr *moved_copy(Rewriter *r, Expr *value, Span span, StmtList *out) {
  Init *in = r->ctx;
  MemSpace space = value->type->space;
  Expr *call = move_call(r->ir, value, space, span);
  if (!call) {
    in->failed = true;
    return value;
  }
  Expr *copy =
      expr_var(r->ir, name_printf(&r->ir->names, "%s_mv", value->u.var.name), value->type, span);
  copy->type = type_placed(r->ir, value->type, fresh_ref(in, copy, space), space);
  vec_push(out, stmt_assign(r->ir, copy, call, span));
  return copy;
}

/* The same for an (old) variable; what can't be copied is computed again.  NULL if that can't be, either. */
static Expr *try_copy(Rewriter *r, Expr *var, Span span, StmtList *out) {
  Init *in = r->ctx;
  Expr *now = rewrite_expr(r, source_of(in, var));
  if (target_copies(in->ctx->opts->target, now->type->space)) return moved_copy(r, now, span, out);
  return compute_again(r, var, span, out);
}

static Expr *copy_of(Rewriter *r, Expr *var, Span span, StmtList *out) {
  Expr *copy = try_copy(r, var, span, out);
  if (copy) return copy;
  diag_error(r->ir->diag, span,
             "'%s' would have to be copied to be carried or yielded, and what lies in %s cannot "
             "be copied",
             var->u.var.name, mem_name(rewrite_expr(r, var)->type->space));
  ((Init *)r->ctx)->failed = true;
  return rewrite_expr(r, var);
}

/* The copy that `key` begins with (keep.h) of `var`; NULL if it begins with none. */
static Expr *kept_copy(Rewriter *r, const Expr *key, Expr *var, Span span, StmtList *out) {
  const Init *in = r->ctx;
  if (!in->keeps || !map_has(&in->keeps->begin, key) || !expr_is_var(var)) return NULL;
  return var_base(rewrite_expr(r, var)) ? try_copy(r, var, span, out) : NULL;
}

/* ---------------------------------------------------------------- assignments */

/* A popped tile lies in the pipe, and so do views of it. */
static bool has_no_buffer(const Expr *value) {
  const Op *op = expr_op(value);
  if (expr_is_var(value)) return !value->type->memref;
  if (!op) return false;
  if (op->cross_role == CROSS_POP) return true;
  if (!op_is_view(op) || value->u.call.nargs == 0) return false;
  const Expr *arg = value->u.call.args[0];
  return expr_is_var(arg) && !(type_is_shaped(arg->type) && arg->type->memref);
}

/* The allocation of `source`, narrowed to what view `value` sees of it; NULL if source has none. */
static const Type *shared_type(Rewriter *r, const Expr *source, const Expr *value,
                               const Expr *var) {
  Init *in = r->ctx;
  if (!type_is_shaped(source->type) || !source->type->memref) return NULL;
  const MemRef *parent = source->type->memref;
  MemRef m = {.base = parent->base,
              .offset = parent->offset,
              .size = parent->size,
              .slots = 1,
              .named = parent->named};
  bool moved = false;
  if (value->kind == EXPR_CALL) {
    Expr *by = view_offset(r->ir, value, source->type);
    if (!by) {
      in->failed = true;
      by = expr_index(r->ir, 0);
    }
    int64_t n;
    moved = !expr_const_int(by, &n) || n != 0;
    m.offset = offset_add(r->ir, parent->offset, by);
    slice_span(value, source->type, var->type, &m.size);
  }
  const MemRef *at = moved || m.size != parent->size ? memref_intern(r->ir, &m) : parent;
  const Type *t = rewrite_type(r, type_with_memref(r->ir, var->type, NULL));
  return type_placed(r->ir, t, at, type_is_tile(source->type) ? source->type->space : MEM_NONE);
}

/* What is made in another name for a carried value is made in that one's place. */
static const Expr *place_of(Rewriter *r, const Stmt *s, const Expr *value, int arg) {
  const Init *in = r->ctx;
  Expr *old = s->u.assign.value->u.call.args[arg];
  const Expr *now = value->u.call.args[arg];
  if (!expr_is_var(old) || source_of(in, old) == old || rewrite_expr(r, old) != now) return now;
  return rewrite_expr(r, source_of(in, old));
}

/* The type of the variable that `s` assigns if `value`, as it is now, puts it into somebody else's allocation, else
 * NULL. */
static const Type *inherited_type(Rewriter *r, const Stmt *s, const Expr *value) {
  const Expr *var = s->u.assign.var;
  const Op *op = expr_op(value);
  if (op) {
    const Type *t = NULL;
    if (op_is_view(op) && value->u.call.nargs > 0)
      t = shared_type(r, place_of(r, s, value, 0), value, var);
    int arg = op_written_arg(op);
    if (!t && arg >= 0 && arg < value->u.call.nargs)
      t = shared_type(r, place_of(r, s, value, arg), value, var);
    return t;
  }
  bool copy = expr_is_var(value) && !value->u.var.is_iter_arg && type_is_tile(var->type);
  return copy ? shared_type(r, value, value, var) : NULL;
}

static void check_binding(Init *in, const Expr *value, const Expr *var) {
  const Op *op = expr_op(value);
  if (!op || !binding(var->type) || !op_result_is_arg(op)) return;
  diag_error(in->ir->diag, var->span,
             "tile '%s' lies where the tile lies that %s works on; bind that one instead",
             var->u.var.name, op->name);
  in->failed = true;
}

/* A tile without an allocation needs constant extents nonetheless. */
static void check_extents(Init *in, const Expr *var) {
  int64_t v;
  bool constant = true;
  for (int i = 0; i < var->type->rank; i++)
    constant = constant && expr_const_int(var->type->shape[i], &v);
  if (!constant) report_unsized(in, var);
}

static bool is_row(const Type *t) {
  bool one = true;
  for (int i = 0; i + 1 < t->rank; i++) {
    int64_t n;
    one = one && expr_const_int(t->shape[i], &n) && n == 1;
  }
  return one;
}

/* Columns of a wider tile, whose rows lie apart, or a view or copy of such.  To ptoas any part of a tile is a handle
 * of its own. */
static void note_gaps(Init *in, const Expr *value, Expr *var) {
  const Op *op = expr_op(value);
  const Expr *source = op && op_is_view(op) && value->u.call.nargs ? value->u.call.args[0] : value;
  if (!type_is_tile(var->type) || !expr_is_var(source) || !type_is_tile(source->type)) return;
  const Type *t = var->type, *of = source->type;
  int64_t width, whole;
  bool part = op && op->id == OP_TILE_SLICE;
  bool cut = part && t->rank && of->rank && expr_const_int(t->shape[t->rank - 1], &width) &&
             expr_const_int(of->shape[of->rank - 1], &whole) && width < whole && !is_row(t);
  if (part && in->ctx->opts->planner == PLANNER_PTOAS) cut = true;
  if (cut || map_has(&in->gaps, source)) map_set(&in->gaps, var, var);
}

/* The value of an assignment; the operand that it changes is copied if it must be kept. */
static Expr *assigned_value(Rewriter *r, Stmt *s, StmtList *out) {
  Expr *old = s->u.assign.value, *value = rewrite_expr(r, old);
  int changed = old->kind == EXPR_CALL ? call_changed_arg(old) : -1;
  if (changed < 0) return value;
  Expr *copy = kept_copy(r, s->u.assign.var, old->u.call.args[changed], s->span, out);
  if (!copy) return value;
  value = expr_copy(r->ir, value);
  value->u.call.args = COPY_ARRAY(r->ir->arena, Expr *, value->u.call.args, value->u.call.nargs);
  value->u.call.args[changed] = copy;
  return value;
}

static void init_assign(Rewriter *r, Stmt *s, StmtList *out) {
  Init *in = r->ctx;
  note_gaps(in, s->u.assign.value, s->u.assign.var);
  map_set(&in->defs, s->u.assign.var, s);
  if (expr_is_var(s->u.assign.value) && type_is_tile(s->u.assign.var->type))
    map_set(&in->source, s->u.assign.var, source_of(in, s->u.assign.value));
  Expr *value = assigned_value(r, s, out), *var = s->u.assign.var;
  const Type *t = NULL;
  if (type_is_tile(var->type) && has_no_buffer(value)) {
    check_extents(r->ctx, var);
    t = rewrite_type(r, type_with_memref(r->ir, var->type, NULL));
  } else {
    check_binding(r->ctx, value, var);
    t = type_is_shaped(var->type) ? inherited_type(r, s, value) : NULL;
  }
  /* the comments above an assignment have been for readers of the source and end here */
  vec_push(out, stmt_assign(r->ir, t ? define(r, var, t) : rewrite_def(r, var), value, s->span));
}

static bool is_plain_var(const Expr *e) { return expr_is_var(e) && !e->u.var.is_iter_arg; }

static void note_if_results(Init *in, Stmt *s) {
  Stmt *then_yield = block_yield(s->u.if_.then_body);
  Stmt *else_yield = s->u.if_.has_else ? block_yield(s->u.if_.else_body) : NULL;
  if (then_yield) map_set(&in->if_of, then_yield, s);
  if (else_yield) map_set(&in->if_of, else_yield, s);
  for (int i = 0; i < s->u.if_.nresults; i++) {
    Expr *a = then_yield && i < then_yield->u.ret.len ? then_yield->u.ret.values[i] : NULL;
    Expr *b = else_yield && i < else_yield->u.ret.len ? else_yield->u.ret.values[i] : NULL;
    Expr *from = a && is_plain_var(a) ? a : b && is_plain_var(b) ? b : NULL;
    if (from) map_set(&in->from, s->u.if_.results[i], from);
  }
}

/* ---------------------------------------------------------------- loops */

/* Two values that begin as the same tile, or as views of it, cannot both live on in its place; nor can any live on
 * where its rows lie apart, or where another value is kept. */
static void part_starts(Rewriter *r, const Stmt *s, StmtList *out) {
  Init *in = r->ctx;
  Map taken = {0};
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i], *init = arg->u.var.init, *source = source_of(in, init),
         *base = var_base(rewrite_expr(r, source));
    Expr *copy = NULL;
    if (base && (!map_set(&taken, base, base) || map_has(&in->gaps, init)))
      copy = copy_of(r, init, s->span, out);
    else
      copy = kept_copy(r, arg, init, s->span, out);
    if (!copy && expr_is_var(source) && source->u.var.is_iter_arg) copy = rewrite_expr(r, source);
    if (copy) map_set(&in->starts, arg, copy);
  }
  map_free(&taken);
}

/* What is copied before a yield. */
typedef struct Leaving {
  Stmt *yield; /* the old one */
  Expr **values;
  int *from; /* the carried value in whose place a value lies, + 1; 0: in none, or it has left */
  int n, len;
} Leaving;

static bool is_read_later(const Leaving *l, int place) {
  for (int i = 0; i < l->n; i++)
    if (i != place && l->from[i] == place + 1) return true;
  return false;
}

/* The next one whose own place nobody needs any more; where values change places in a circle, the first must go out
 * of the way. */
static int next_leaving(const Leaving *l) {
  int first = -1;
  for (int i = 0; i < l->n; i++) {
    if (!l->from[i]) continue;
    if (!is_read_later(l, i)) return i;
    if (first < 0) first = i;
  }
  return first;
}

static void leave(Rewriter *r, Leaving *l, int i, StmtList *out) {
  l->values[i] = copy_of(r, l->yield->u.ret.values[i], l->yield->span, out);
  l->from[i] = 0;
}

/* The places of the carried values -> which it is, + 1. */
static Map places_of(Rewriter *r, const Stmt *loop) {
  Map places = {0};
  for (int i = 0; loop && i < loop->u.loop.ncarried; i++) {
    Expr *base = var_base(rewrite_expr(r, loop->u.loop.iter_args[i]));
    if (base) map_set(&places, base, map_int(i + 1));
  }
  return places;
}

/* The copy that a result of `branch` begins with, in the branch that it has its place from; else NULL. */
static Expr *kept_result(Rewriter *r, const Stmt *branch, int i, const Stmt *yield, StmtList *out) {
  Init *in = r->ctx;
  Expr *value = yield->u.ret.values[i];
  if (!branch || i >= branch->u.if_.nresults) return NULL;
  const Expr *result = branch->u.if_.results[i];
  if (map_get(&in->from, result) != value || map_has(&in->at, result)) return NULL;
  Expr *copy = kept_copy(r, result, value, yield->span, out);
  if (copy) map_set(&in->at, result, copy);
  return copy;
}

/* What lies in the place of another value that the loop carries leaves it before all of them change, and what comes
 * out of a loop or branch (loop: NULL) lies without gaps. */
static Stmt *part_yielded(Rewriter *r, Stmt *yield, const Stmt *loop, StmtList *out) {
  Init *in = r->ctx;
  Stmt *n = rewrite_stmt_children(r, yield);
  const Stmt *branch = map_get(&in->if_of, yield);
  Map places = places_of(r, loop);
  Leaving l = {.yield = yield, .n = n->u.ret.len};
  l.values = COPY_ARRAY(r->ir->arena, Expr *, n->u.ret.values, l.n);
  l.from = NEW_ARRAY(r->ir->arena, int, l.n);
  for (int i = 0; i < l.n; i++) {
    Expr *value = yield->u.ret.values[i], *base = var_base(rewrite_expr(r, source_of(in, value)));
    int at = base ? (int)map_get_int(&places, base) : 0;
    l.from[i] = at == i + 1 ? 0 : at;
    if (loop && i < loop->u.loop.ncarried && source_of(in, value) == loop->u.loop.iter_args[i])
      l.values[i] = rewrite_expr(r, loop->u.loop.iter_args[i]); /* it stays where it is */
    Expr *copy = kept_result(r, branch, i, yield, out);
    if (copy) l.values[i] = copy;
    if (!copy && base && !l.from[i] && map_has(&in->gaps, value)) leave(r, &l, i, out);
  }
  for (int i; (i = next_leaving(&l)) >= 0;) leave(r, &l, i, out);
  map_free(&places);
  n = stmt_copy(r->ir, n);
  n->u.ret.values = l.values;
  return n;
}

/* What is carried or comes out of a branch lies in one place, whichever way it came: no tile in a pipe can. */
static void check_stays(Rewriter *r, Expr *value, Span at) {
  Init *in = r->ctx;
  const Expr *now = rewrite_expr(r, value);
  if (!expr_is_var(now) || !type_is_tile(now->type) || now->type->memref) return;
  diag_error(in->ir->diag, at, "tile '%s' lies in a pipe and can be neither carried nor yielded",
             value->u.var.name);
  in->failed = true;
}

static void init_loop(Rewriter *r, Stmt *s, StmtList *out) {
  Init *in = r->ctx;
  Stmt *yield = block_yield(s->u.loop.body);
  for (int i = 0; i < s->u.loop.ncarried; i++)
    check_stays(r, s->u.loop.iter_args[i]->u.var.init, s->span);
  part_starts(r, s, out);
  if (yield) map_set(&in->loop_of, yield, s);
  for (int i = 0; i < s->u.loop.nresults && i < s->u.loop.ncarried; i++)
    map_set(&in->from, s->u.loop.results[i], s->u.loop.iter_args[i]);
  vec_push(out, rewrite_stmt_children(r, s));
}

static void init_yield(Rewriter *r, Stmt *s, StmtList *out) {
  Init *in = r->ctx;
  for (int i = 0; i < s->u.ret.len; i++) check_stays(r, s->u.ret.values[i], s->span);
  vec_push(out, part_yielded(r, s, map_get(&in->loop_of, s), out));
}

static void init_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  switch (s->kind) {
    case STMT_ASSIGN: init_assign(r, s, out); return;
    case STMT_YIELD: init_yield(r, s, out); return;
    case STMT_FOR:
    case STMT_WHILE: init_loop(r, s, out); return;
    case STMT_IF: note_if_results(r->ctx, s); break;
    default: break;
  }
  vec_push(out, rewrite_stmt_children(r, s));
}

/* ---------------------------------------------------------------- declarations */

typedef struct Gather {
  Init *in;
  Map seen;
  Map same[MEM_COUNT]; /* bytes -> the call that allocates them: most tiles are of few sizes */
  StmtList out;
} Gather;

static Expr *alloc_of(Gather *g, MemSpace space, uint64_t bytes, bool pinned) {
  if (pinned) return alloc_expr(g->in->ir, space, bytes, true);
  void **known = map_at(&g->same[space], map_int((intptr_t)bytes));
  if (!*known) *known = alloc_expr(g->in->ir, space, bytes, false);
  return *known;
}

static void gather_def(Visitor *v, Expr *var) {
  Gather *g = v->ctx;
  Expr *base = tile_base(var->type);
  if (!base || !map_set(&g->seen, base, base)) return;
  const Declared *d = map_get(&g->in->declared, base);
  uint64_t bytes = d ? d->slot_bytes * d->slots : var->type->memref->size;
  Expr *alloc = alloc_of(g, var->type->space, bytes, d != NULL);
  vec_push(&g->out, stmt_assign(g->in->ir, base, alloc, NO_SPAN));
}

static Block with_allocs(Init *in, Function *f) {
  Gather g = {.in = in};
  Visitor v = {.ctx = &g, .def = gather_def};
  visit_func(&v, f);
  map_free(&g.seen);
  for (int i = 0; i < MEM_COUNT; i++) map_free(&g.same[i]);
  if (g.out.len == 0) return f->body;
  for (int i = 0; i < f->body.len; i++) vec_push(&g.out, f->body.items[i]);
  return block_take(in->ir, &g.out);
}

static void init_free(Init *in) {
  Map *maps[] = {&in->declared, &in->from, &in->loop_of, &in->gaps,   &in->starts,
                 &in->source,   &in->defs, &in->if_of,   &in->origin, &in->at};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
}

/* The function with memory references; NULL after an error.  In `lost`, unless NULL: tiles of `f` that are read where
 * others have taken their memory. */
static Function *with_memory(PassCtx *ctx, Function *f, const Keeps *keeps, LostTiles *lost) {
  Init in = {.ctx = ctx, .ir = ctx->ir, .keeps = keeps};
  Visitor v = {.ctx = &in, .def = declare_def};
  visit_block(&v, f->body);
  if (!in.failed) check_declared(&in, f);
  Function *g = NULL;
  if (!in.failed) {
    Rewriter r;
    rewriter_init(&r, in.ir, &in);
    r.def = init_def;
    r.stmt = init_stmt;
    g = func_copy(in.ir, rewrite_func(&r, f));
    g->body = with_allocs(&in, g);
    rewriter_free(&r);
  }
  if (g && !in.failed && lost) plan_find_lost(ctx, g, lost);
  size_t n = 0;
  for (size_t i = 0; lost && i < lost->len; i++) {
    Expr *tile = map_get(&in.origin, lost->data[i].tile),
         *by = map_get(&in.origin, lost->data[i].by);
    if (tile && by) lost->data[n++] = (LostTile){tile, by};
  }
  if (lost) lost->len = n;
  init_free(&in);
  return in.failed ? NULL : g;
}

static Function *init_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (!func_is_incore(f->type) || !func_shares_memory(f)) return with_memory(ctx, f, NULL, NULL);
  Keeps keeps = {0};
  LostTiles lost = {0};
  Function *g = with_memory(ctx, f, &keeps, &lost);
  while (g && lost.len && keep_lost(&keeps, f, &lost)) {
    vec_clear(&lost);
    g = with_memory(ctx, f, &keeps, &lost);
  }
  map_free(&keeps.begin);
  vec_free(&lost);
  return g;
}

Program *init_memref(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, init_func, ctx);
}
