/* flow.c -- statements in PTO text. */
#include <inttypes.h>
#include "codegen/pto/emit.h"
#include "ir/visit.h"

static void statement(PtoFn *f, Stmt *s);

void pto_block(PtoFn *f, Block b) {
  for (int i = 0; i < b.len; i++) statement(f, b.items[i]);
}

static void indented(PtoFn *f, Block b) {
  f->indent++;
  pto_block(f, b);
  f->indent--;
}

/* A scalar variable and what it is to be must be of one type: nothing converts in between. */
static void check_scalar(PtoFn *f, const Expr *var, const Expr *value) {
  if (!type_is_scalar(var->type) || !type_is_scalar(value->type) ||
      var->type->dtype == value->type->dtype)
    return;
  pto_error(f, value->span, "'%s' is %s, but its value is %s; use pl.cast", var->u.var.name,
            dtype_name(var->type->dtype), dtype_name(value->type->dtype));
}

/* ---- assignments ---- */

/* Another name of a tensor.  False if nothing is known of the tensor. */
static bool alias_assign(PtoFn *f, Expr *var, Expr *from) {
  if (type_is_tensor(var->type)) {
    Name view = pto_find_view(f, from);
    if (!view) return false;
    pto_alias_tensor(f, var, from, view);
    if (var->type->kind == TYPE_DIST_TENSOR && !pto_ctx(f, var))
      pto_error(f, NO_SPAN, "distributed tensor '%s' has no communication context",
                from->u.var.name);
    return true;
  }
  if (f->m->addresses || !type_is_tile(var->type)) return false;
  Name value = pto_lookup(f, from);
  if (value) pto_bind(f, var, value);
  return value != NULL;
}

/* Only what another core has put into a pipe, and views of it, have no place of their own. */
static bool needs_place(const Expr *call) {
  const Op *op = expr_op(call);
  return op->cross_role != CROSS_POP && !op_inherits(op);
}

/* The value that a call of a known operator is to define. */
static Name result_value(PtoFn *f, Expr *var, Expr *call, bool in_place) {
  Name value;
  f->res_tile = type_is_tile(var->type) ? var->type : NULL;
  if (f->res_tile && var->type->memref && !in_place) return pto_var_value(f, var);
  bool array = var->type->kind == TYPE_ARRAY && expr_is_op(call, OP_ARRAY_UPDATE_ELEMENT);
  if ((f->res_tile && var->type->memref) || array)
    value = pto_value(f, call->u.call.args[0]);
  else
    value = pto_new_named(f, "%s", var->u.var.name);
  pto_bind(f, var, value);
  if (!f->res_tile || var->type->memref) return value;
  pto_value_info(f, value)->tile_type = pto_tile_type(f, var->type);
  if (needs_place(call))
    pto_error(f, NO_SPAN, "tile '%s' has no place in memory; InitMemRef has not run",
              var->u.var.name);
  return value;
}

static void call_assign(PtoFn *f, Expr *var, Expr *call, bool in_place) {
  Name before = result_value(f, var, call, in_place);
  f->res_var = var;
  f->res = before;
  pto_call(f, call);
  /* A form may have made a new value (a view of the buffer, say). */
  if (f->res && (f->res != before || expr_is_op(call, OP_TILE_SET_VALIDSHAPE)))
    pto_bind(f, var, f->res);
  f->res_var = NULL;
  f->res = NULL;
  f->res_tile = NULL;
}

static void assign(PtoFn *f, Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  bool in_place = pto_writes_in_place(f, s);
  if (type_is_tile(var->type) && var->type->memref && !in_place &&
      !expr_is_op(value, OP_TILE_SET_VALIDSHAPE))
    pto_alloc_var(f, var);
  if (expr_is_call(value)) {
    if (pto_op_of(f, value)) {
      call_assign(f, var, value, in_place);
      return;
    }
    pto_call(f, value); /* reports it */
    return;
  }
  if (expr_is_var(value) && alias_assign(f, var, value)) return;
  if (value->kind == EXPR_TUPLE || value->kind == EXPR_TUPLE_GET) return;
  Name result = pto_value(f, value);
  check_scalar(f, var, value);
  if (type_is_scalar(var->type) || var->type->kind == TYPE_COMM_CTX) pto_bind(f, var, result);
}

/* ---- yields ---- */

static void yield(PtoFn *f, Stmt *s) {
  VEC(Name) values = {0};
  for (int i = 0; i < s->u.ret.len; i++) {
    Expr *e = s->u.ret.values[i];
    /* A tensor is yielded as its view, so that branches that store and branches that do not agree.
     */
    Name view = type_is_tensor(e->type) && expr_is_var(e) ? pto_find_view(f, e) : NULL;
    if (view) pto_value_info(f, view)->base_ptr = pto_base_ptr(f, e);
    vec_push(&values, view ? view : pto_value(f, e));
  }
  vec_clear(&f->yields);
  for (size_t i = 0; i < values.len; i++) vec_push(&f->yields, values.data[i]);
  vec_free(&values);
}

static void print_yield(PtoFn *f, const Name *values, const Name *types, int n) {
  Buf v = {0}, t = {0};
  pto_join(&v, values, n);
  pto_join(&t, types, n);
  pto_line(f, "scf.yield %s : %s", buf_str(&v), buf_str(&t));
  buf_free(&v);
  buf_free(&t);
}

/* ---- if ---- */

/* What becomes of one result of an `if`. */
typedef struct Result {
  Expr *var;
  bool through_scf;
  Name place; /* array or tensor: what both branches change */
  Name ctx;
} Result;

typedef struct If {
  Stmt *stmt;
  Result *results;
  int n;
  VEC(Name) names, types; /* of those through scf */
} If;

static bool is_place(const Type *t) { return type_is_tensor(t) || t->kind == TYPE_ARRAY; }

static bool has_dynamic_valid(Ir *ir, const Type *tile) {
  TileView v = tile_view_of(ir, tile);
  for (int i = 0; i < v.nvalid; i++)
    if (!expr_const_int(v.valid_shape[i], NULL)) return true;
  return false;
}

/* Declares the handle of a tile result at the head.  A valid shape that is computed here cannot be
 * an operand up there; returns true if it must be restored, with its extents in *valid. */
static bool tile_result(PtoFn *f, Expr *var, PtoAlloc *valid) {
  bool dynamic = has_dynamic_valid(f->ir, var->type);
  *valid = pto_alloc_of(f, var->type, false);
  PtoAlloc at_head = dynamic ? pto_alloc_of(f, var->type, true) : *valid;
  Name value = pto_shared_handle(f, var->type);
  if (value) {
    pto_declare_at_head(f, value, &at_head);
  } else {
    value = pto_head_tile(f, var->u.var.name, &at_head);
    if (!f->m->addresses) pto_value_info(f, value)->declared = true;
    pto_var(f, var)->apart = !f->m->addresses;
  }
  pto_bind(f, var, value);
  return dynamic;
}

static void declare_results(PtoFn *f, If *c) {
  VEC(PtoAlloc) restore = {0};
  VEC(Name) handles = {0};
  for (int i = 0; i < c->n; i++) {
    Expr *var = c->results[i].var;
    if (type_is_scalar(var->type)) {
      Name value = pto_new_named(f, "%s", var->u.var.name);
      pto_bind(f, var, value);
      vec_push(&c->names, value);
      vec_push(&c->types, pto_dtype(f, var->type->dtype));
      c->results[i].through_scf = true;
    } else if (type_is_tile(var->type)) {
      PtoAlloc valid;
      if (tile_result(f, var, &valid)) {
        vec_push(&restore, valid);
        vec_push(&handles, pto_var_value(f, var));
      }
    } else if (!is_place(var->type)) {
      pto_error(f, var->span, "a branch in a kernel cannot give a value of type %s",
                type_str(f->ir, var->type));
    }
  }
  for (size_t i = 0; i < restore.len; i++)
    pto_line(f, "pto.set_validshape %s, %s, %s : %s", handles.data[i], restore.data[i].row,
             restore.data[i].col, restore.data[i].type);
  vec_free(&restore);
  vec_free(&handles);
}

typedef struct Reads {
  const Expr *base; /* the allocation asked for */
  Expr *except;
  bool found;
} Reads;

static bool read_expr(Visitor *v, Expr *e) {
  Reads *r = v->ctx;
  if (expr_is_var(e) && e != r->except && type_is_tile(e->type) && e->type->memref &&
      e->type->memref->base == r->base)
    r->found = true;
  return true;
}

/* Does the branch read the result's place behind where `src` is computed, or there by an operator that can't work in
 * place? */
static bool reads_place(Block body, Expr *src, const Expr *result) {
  const MemRef *m = result->type->memref;
  Reads reads = {.base = m ? m->base : NULL, .except = src};
  Visitor v = {.ctx = &reads, .expr = read_expr};
  bool behind = false;
  for (int i = 0; m && i < body.len; i++) {
    const Stmt *s = body.items[i];
    const Op *op =
        s->kind == STMT_ASSIGN && s->u.assign.var == src ? expr_op(s->u.assign.value) : NULL;
    if (behind || (op && op->flags & OPF_NOT_INPLACE)) visit_stmt(&v, body.items[i]);
    behind |= op != NULL;
  }
  return reads.found;
}

/* Without addresses, what a branch computes for a tile result is computed in the result's handle, unless another value
 * is still needed there and there is a way to copy. */
static void redirect_producers(PtoFn *f, const If *c, Block body, uint32_t begin, uint32_t end) {
  const Stmt *y = block_last_yield(body);
  for (int i = 0; i < c->n && i < y->u.ret.len; i++) {
    Expr *src = y->u.ret.values[i];
    if (!type_is_tile(c->results[i].var->type) || !expr_is_var(src)) continue;
    const PtoVar *v = map_get(&f->vars, src);
    if (!v || !v->producer || v->def < begin || v->def >= end) continue;
    if (!target_copies(f->m->target, src->type->space) ||
        !reads_place(body, src, c->results[i].var))
      pto_bind(f, src, pto_var_value(f, c->results[i].var));
  }
}

static void copy_to_result(PtoFn *f, Name from, Name to) {
  Name ft = pto_value_info(f, from)->tile_type, tt = pto_value_info(f, to)->tile_type;
  if (!ft) ft = tt;
  if (!tt) tt = ft;
  pto_line(f, "pto.tmov ins(%s : %s) outs(%s : %s)", from, ft, to, tt);
}

/* Does a tile lie elsewhere than the result it is to become?  With addresses, handles tell nothing. */
static bool lies_elsewhere(const Target *target, const Expr *src, const Expr *result) {
  const MemRef *a = src ? src->type->memref : NULL, *b = result->type->memref;
  int64_t from, to;
  return a && b && src->type->space == result->type->space &&
         target_copies(target, src->type->space) && expr_const_int(a->offset, &from) &&
         expr_const_int(b->offset, &to) && from != to;
}

/* Both branches must change the same place. */
static void merge_place(PtoFn *f, Result *r, Name value, Expr *src) {
  Name ctx = src && r->var->type->kind == TYPE_DIST_TENSOR ? pto_ctx(f, src) : NULL;
  if (!r->place) {
    r->place = value;
    r->ctx = ctx;
    return;
  }
  if (r->place != value || r->ctx != ctx)
    pto_error(f, NO_SPAN,
              "'%s' would be a different tensor or array in each branch of the 'if'; choose "
              "one before it and branch on what is read from it",
              r->var->u.var.name);
}

static void branch(PtoFn *f, If *c, Block body, uint32_t begin, uint32_t end) {
  Stmt *y = block_last_yield(body);
  if (!f->m->addresses && y) redirect_producers(f, c, body, begin, end);
  vec_clear(&f->yields);
  pto_block(f, body);
  if ((int)f->yields.len != c->n) {
    pto_error(f, c->stmt->span, "a branch yields %d values for %d results", (int)f->yields.len,
              c->n);
    return;
  }
  Name *values = COPY_ARRAY(f->ir->arena, Name, f->yields.data, c->n);
  int through = 0;
  for (int i = 0; i < c->n; i++) {
    Result *r = &c->results[i];
    Expr *src =
        y && i < y->u.ret.len && expr_is_var(y->u.ret.values[i]) ? y->u.ret.values[i] : NULL;
    if (r->through_scf) {
      if (y && i < y->u.ret.len) check_scalar(f, r->var, y->u.ret.values[i]);
      values[through++] = values[i];
    } else if (is_place(r->var->type)) {
      merge_place(f, r, values[i], src);
    } else if (f->m->addresses ? lies_elsewhere(f->m->target, src, r->var)
                               : values[i] != pto_var_value(f, r->var)) {
      copy_to_result(f, values[i], pto_var_value(f, r->var));
    }
  }
  if (through) print_yield(f, values, c->types.data, through);
  vec_clear(&f->yields);
}

/* After the branches, a result is one more name of the place. */
static void bind_places(PtoFn *f, const If *c) {
  for (int i = 0; i < c->n; i++) {
    const Result *r = &c->results[i];
    if (!is_place(r->var->type) || !r->place) continue;
    pto_bind(f, r->var, r->place);
    if (!type_is_tensor(r->var->type)) continue;
    PtoVar *v = pto_var(f, r->var);
    v->view = r->place;
    const PtoValue *known = pto_value_known(f, r->place);
    if (known && known->base_ptr) v->base_ptr = known->base_ptr;
    if (r->ctx) v->ctx = r->ctx;
  }
}

static void plain_if(PtoFn *f, Stmt *s, Name cond) {
  pto_region_line(f, "scf.if %s {", cond);
  indented(f, s->u.if_.then_body);
  if (s->u.if_.has_else) {
    pto_region_line(f, "} else {");
    indented(f, s->u.if_.else_body);
  }
  pto_region_line(f, "}");
}

static void if_stmt(PtoFn *f, Stmt *s) {
  Name cond = pto_value(f, s->u.if_.cond);
  if (!s->u.if_.nresults) {
    plain_if(f, s, cond);
    return;
  }
  If c = {.stmt = s, .n = s->u.if_.nresults};
  c.results = NEW_ARRAY(f->ir->arena, Result, c.n);
  for (int i = 0; i < c.n; i++) c.results[i].var = s->u.if_.results[i];
  declare_results(f, &c);
  if (c.names.len) {
    Buf names = {0}, types = {0};
    pto_join(&names, c.names.data, (int)c.names.len);
    pto_join(&types, c.types.data, (int)c.types.len);
    pto_region_line(f, "%s = scf.if %s -> (%s) {", buf_str(&names), cond, buf_str(&types));
    buf_free(&names);
    buf_free(&types);
  } else {
    pto_region_line(f, "scf.if %s {", cond);
  }
  static const PtoRange nowhere = {0};
  const PtoRange *range = map_get(&f->ranges, s);
  if (!range) range = &nowhere;
  f->indent++;
  branch(f, &c, s->u.if_.then_body, range->begin, range->middle);
  f->indent--;
  pto_region_line(f, "} else {");
  f->indent++;
  branch(f, &c, s->u.if_.else_body, range->middle, range->end);
  f->indent--;
  pto_region_line(f, "}");
  bind_places(f, &c);
  vec_free(&c.names);
  vec_free(&c.types);
}

/* ---- loops ---- */

typedef struct Carried {
  Expr **args, **results; /* scalars only */
  Name *inits, *names, *finals, *types;
  int n;
} Carried;

/* Carried tiles, tensors and arrays are further names of what they start from. */
static void bind_carried_places(PtoFn *f, Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (type_is_scalar(arg->type)) continue;
    Expr *init = arg->u.var.init;
    Expr *result = i < s->u.loop.nresults ? s->u.loop.results[i] : NULL;
    if (!type_is_tensor(arg->type)) {
      Name value = pto_value(f, init);
      pto_bind(f, arg, value);
      if (result) pto_bind(f, result, value);
      continue;
    }
    Name view = pto_tensor_view(f, init);
    if (!expr_is_var(init)) continue;
    pto_alias_tensor(f, arg, init, view);
    if (result) pto_alias_tensor(f, result, init, view);
    if (arg->type->kind == TYPE_DIST_TENSOR && !pto_ctx(f, arg))
      pto_error(f, NO_SPAN, "distributed tensor '%s' has no communication context",
                arg->u.var.name);
  }
}

static Carried scalars_of(PtoFn *f, Stmt *s) {
  Arena *a = f->ir->arena;
  int max = s->u.loop.ncarried;
  Carried c = {NEW_ARRAY(a, Expr *, max),
               NEW_ARRAY(a, Expr *, max),
               NEW_ARRAY(a, Name, max),
               NEW_ARRAY(a, Name, max),
               NEW_ARRAY(a, Name, max),
               NEW_ARRAY(a, Name, max),
               0};
  for (int i = 0; i < max; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (!type_is_scalar(arg->type)) continue;
    check_scalar(f, arg, arg->u.var.init);
    c.args[c.n] = arg;
    c.results[c.n] = i < s->u.loop.nresults ? s->u.loop.results[i] : NULL;
    c.types[c.n++] = pto_dtype(f, arg->type->dtype);
  }
  return c;
}

/* "a = x, b = y" */
static void put_pairs(Buf *out, const Name *left, const char *between, const Name *right, int n) {
  for (int i = 0; i < n; i++)
    buf_printf(out, "%s%s%s%s", i ? ", " : "", left[i], between, right[i]);
}

/* The body, then the yield of the carried scalars. */
static void loop_body(PtoFn *f, Stmt *s, const Carried *c) {
  vec_clear(&f->yields);
  pto_block(f, s->u.loop.body);
  int n = 0;
  Name *values = NEW_ARRAY(f->ir->arena, Name, c->n);
  const Stmt *y = block_last_yield(s->u.loop.body);
  for (int i = 0; i < s->u.loop.ncarried && i < (int)f->yields.len; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    if (!type_is_scalar(arg->type)) continue;
    if (y && i < y->u.ret.len) check_scalar(f, arg, y->u.ret.values[i]);
    values[n++] = f->yields.data[i];
  }
  if (n != c->n)
    pto_error(f, s->span, "the loop yields %d scalars for %d carried ones", n, c->n);
  else if (n)
    print_yield(f, values, c->types, n);
  vec_clear(&f->yields);
}

static bool counts_upward(PtoFn *f, const Stmt *s) {
  int64_t step;
  const Expr *e = s->u.loop.step;
  bool negative = e->kind == EXPR_NEG;
  if (!expr_const_int(negative ? e->u.operand : e, &step)) return true;
  if (negative) step = -step;
  if (step > 0) return true;
  pto_error(f, s->span,
            "a loop in a kernel must have a positive step, this one steps by %" PRId64
            "; count upward and compute the index from the counter",
            step);
  return false;
}

static Name bound(PtoFn *f, Expr *e) { return pto_to_index(f, e, pto_value(f, e)); }

static void for_stmt(PtoFn *f, Stmt *s) {
  if (s->u.loop.kind == FOR_UNROLL || s->u.loop.kind == FOR_PIPELINE) {
    pto_error(f, s->span, "this loop must be unrolled or pipelined before kernels are written");
    return;
  }
  if (!counts_upward(f, s)) return;
  Name start = bound(f, s->u.loop.start), stop = bound(f, s->u.loop.stop);
  Name step = bound(f, s->u.loop.step);
  Name index = pto_new_named(f, "%s", s->u.loop.var->u.var.name);
  pto_bind(f, s->u.loop.var, index);
  bind_carried_places(f, s);
  Carried c = scalars_of(f, s);
  Buf line = {0};
  for (int i = 0; i < c.n; i++) {
    c.inits[i] = pto_value(f, c.args[i]->u.var.init);
    c.names[i] = pto_new_named(f, "%s", c.args[i]->u.var.name);
    pto_bind(f, c.args[i], c.names[i]);
  }
  for (int i = 0; i < c.n; i++) {
    c.finals[i] = c.results[i] ? pto_new_named(f, "%s", c.results[i]->u.var.name) : pto_new(f);
    if (c.results[i]) pto_bind(f, c.results[i], c.finals[i]);
  }
  pto_join(&line, c.finals, c.n);
  buf_printf(&line, "%sscf.for %s = %s to %s step %s", c.n ? " = " : "", index, start, stop, step);
  if (c.n) {
    buf_puts(&line, " iter_args(");
    put_pairs(&line, c.names, " = ", c.inits, c.n);
    buf_puts(&line, ") -> (");
    pto_join(&line, c.types, c.n);
    buf_putc(&line, ')');
  }
  pto_region_line(f, "%s {", buf_str(&line));
  buf_free(&line);
  f->indent++;
  loop_body(f, s, &c);
  f->indent--;
  pto_region_line(f, "}");
}

static void simple_while(PtoFn *f, Stmt *s, const Carried *c) {
  pto_region_line(f, "scf.while : () -> () {");
  f->indent++;
  pto_line(f, "scf.condition(%s)", pto_value(f, s->u.loop.cond));
  f->indent--;
  pto_region_line(f, "} do {");
  f->indent++;
  loop_body(f, s, c);
  pto_line(f, "scf.yield");
  f->indent--;
  pto_region_line(f, "}");
}

static void while_stmt(PtoFn *f, Stmt *s) {
  bind_carried_places(f, s);
  Carried c = scalars_of(f, s);
  if (!c.n) {
    simple_while(f, s, &c);
    return;
  }
  Name *after = NEW_ARRAY(f->ir->arena, Name, c.n);
  for (int i = 0; i < c.n; i++) {
    c.inits[i] = pto_value(f, c.args[i]->u.var.init);
    c.names[i] = pto_new(f);
    after[i] = pto_new(f);
  }
  for (int i = 0; i < c.n; i++) {
    c.finals[i] = pto_new(f);
    if (c.results[i]) pto_bind(f, c.results[i], c.finals[i]);
  }
  Buf line = {0}, types = {0}, names = {0};
  pto_join(&types, c.types, c.n);
  pto_join(&line, c.finals, c.n);
  buf_puts(&line, " = scf.while (");
  put_pairs(&line, c.names, " = ", c.inits, c.n);
  pto_region_line(f, "%s) : (%s) -> (%s) {", buf_str(&line), buf_str(&types), buf_str(&types));
  f->indent++;
  for (int i = 0; i < c.n; i++) pto_bind(f, c.args[i], c.names[i]);
  Name cond = pto_value(f, s->u.loop.cond);
  pto_join(&names, c.names, c.n);
  pto_line(f, "scf.condition(%s) %s : %s", cond, buf_str(&names), buf_str(&types));
  f->indent--;
  pto_region_line(f, "} do {");
  buf_free(&line);
  put_pairs(&line, after, " : ", c.types, c.n);
  pto_region_line(f, "^bb0(%s):", buf_str(&line));
  f->indent++;
  for (int i = 0; i < c.n; i++) pto_bind(f, c.args[i], after[i]);
  loop_body(f, s, &c);
  f->indent--;
  pto_region_line(f, "}");
  buf_free(&line);
  buf_free(&types);
  buf_free(&names);
}

/* ---- all statements ---- */

static void statement(PtoFn *f, Stmt *s) {
  Span outer = f->loc;
  if (s->span.line) f->loc = s->span;
  switch (s->kind) {
    case STMT_ASSIGN: assign(f, s); break;
    case STMT_EVAL:
      if (expr_is_call(s->u.eval))
        pto_call(f, s->u.eval);
      else
        pto_value(f, s->u.eval);
      break;
    case STMT_RETURN:
      for (int i = 0; i < s->u.ret.len; i++) pto_value(f, s->u.ret.values[i]);
      break;
    case STMT_YIELD:
      if (s->u.ret.len) yield(f, s);
      break;
    case STMT_IF: if_stmt(f, s); break;
    case STMT_FOR: for_stmt(f, s); break;
    case STMT_WHILE: while_stmt(f, s); break;
    case STMT_SCOPE:
      if (s->u.scope.kind == SCOPE_SPLIT_AIV)
        pto_error(f, s->span, "pl.split_aiv must be lowered before kernels are written");
      else
        pto_block(f, s->u.scope.body);
      break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: pto_error(f, s->span, "this statement cannot stand in a kernel"); break;
  }
  f->loc = outer;
}
