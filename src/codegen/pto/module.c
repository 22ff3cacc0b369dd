/* module.c -- one PTO module: header, parameters, views, body. */
#include <inttypes.h>
#include <string.h>

#include "codegen/base/gm_pipe.h"
#include "codegen/pto/emit.h"

/* The function that the kernel's wrapper supplies when deferred completion is used. */
#define DEFERRED_ADAPTER "pypto_register_counter_completion"
/* The parameter through which all pipes of a module run on chips that need global memory for them.
 */
#define GM_PIPE_PARAM "__gm_pipe_buffer"

/* ---- the pipe buffer ---- */

static int64_t call_int(Ir *ir, const Expr *call, const char *key) {
  return attr_int(call->u.call.kwargs, ir_name(ir, key), 0);
}

static void note_pipe(PtoModule *m, const Expr *call) {
  PtoPipe p = {.id = call_int(m->ir, call, "id"),
               .dir = call_int(m->ir, call, "dir_mask"),
               .slot_size = call_int(m->ir, call, "slot_size"),
               .slots = call_int(m->ir, call, "slot_num")};
  if (p.dir <= 0 || p.slot_size <= 0) return;
  if (!gm_pipe_rings(p.dir)) {
    diag_error(m->ir->diag, call->span, "dir_mask %" PRId64 " is no direction of a pipe", p.dir);
    return;
  }
  p.slots = gm_pipe_slots(p.dir, p.slots);
  size_t at = 0;
  for (; at < m->pipes.len; at++) {
    const PtoPipe *q = &m->pipes.data[at];
    if (q->id == p.id && q->dir == p.dir) {
      if (q->slot_size != p.slot_size || q->slots != p.slots)
        diag_error(m->ir->diag, call->span,
                   "pipe %" PRId64 " has two sizes: %" PRId64 " slots of %" PRId64
                   " bytes here, %" PRId64 " of %" PRId64 " before",
                   p.id, p.slots, p.slot_size, q->slots, q->slot_size);
      return;
    }
    if (q->id > p.id || (q->id == p.id && q->dir > p.dir)) break;
  }
  vec_push(&m->pipes, p);
  memmove(&m->pipes.data[at + 1], &m->pipes.data[at], (m->pipes.len - 1 - at) * sizeof p);
  m->pipes.data[at] = p;
}

static bool see_pipe(Visitor *v, Expr *e) {
  const Op *op = expr_op(e);
  if (op && op->cross_role == CROSS_INIT_PIPE) note_pipe(v->ctx, e);
  return true;
}

/* Gives every pipe of the module its place in the buffer. */
static void place_pipes(PtoModule *m, const PtoUnit *unit) {
  Visitor v = {.ctx = m, .expr = see_pipe};
  for (int i = 0; i < unit->nfuncs; i++) visit_block(&v, unit->funcs[i]->body);
  int64_t offset = 0;
  for (size_t i = 0; i < m->pipes.len; i++) {
    PtoPipe *p = &m->pipes.data[i];
    int64_t bytes;
    p->offset = offset;
    if (__builtin_mul_overflow(gm_pipe_rings(p->dir) * p->slots, p->slot_size, &bytes) ||
        __builtin_add_overflow(offset, bytes, &offset)) {
      diag_error(m->ir->diag, NO_SPAN, "the pipes of '%s' do not fit in 64-bit sizes", unit->name);
      return;
    }
  }
}

/* ---- facts about a function ---- */

typedef struct Facts {
  PtoFn *f;
  uint32_t counter;
  Map used; /* variables mentioned in the body */
} Facts;

static bool see_expr(Visitor *v, Expr *e) {
  Facts *facts = v->ctx;
  PtoNeeds *needs = &facts->f->needs;
  if (expr_is_var(e)) map_set(&facts->used, e, NULL);
  const Op *op = expr_op(e);
  if (!op) return true;
  switch (op->id) {
    case OP_PREFETCH_MAKE_CONTEXT: needs->sdma = true; break;
    case OP_PLD_SYSTEM_DEFER_WAIT: needs->deferred = true; break;
    case OP_TILE_GET_BLOCK_IDX:
    case OP_TILE_GET_BLOCK_NUM: needs->block = true; break;
    case OP_TILE_GET_SUBBLOCK_IDX: needs->subblock = true; break;
    case OP_SYSTEM_SET_FFTS:
      if (e->u.call.nargs == 1) map_set(&facts->f->ffts, e->u.call.args[0], NULL);
      break;
    default: break;
  }
  return true;
}

/* Does the statement compute `var` into a buffer of its own, so that another buffer would do too?
 */
static bool is_producer(const Expr *value) {
  const Op *op = expr_op(value);
  return expr_is_call(value) && !(op && op_inherits(op));
}

static void note_def(Facts *facts, Expr *var, bool producer) {
  PtoVar *v = pto_var(facts->f, var);
  v->def = facts->counter;
  v->producer = producer;
}

static void note_part(Facts *facts, Expr *var, const Expr *get) {
  Expr *tuple = get->u.get.tuple;
  if (!expr_is_var(tuple) || tuple->type->kind != TYPE_TUPLE) return;
  PtoVar *v = pto_var(facts->f, tuple);
  if (!v->parts) v->parts = NEW_ARRAY(facts->f->ir->arena, Expr *, tuple->type->nelems);
  if (get->u.get.index >= 0 && get->u.get.index < tuple->type->nelems)
    v->parts[get->u.get.index] = var;
}

static void gather(Facts *facts, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    facts->counter++;
    switch (s->kind) {
      case STMT_ASSIGN: {
        Expr *var = s->u.assign.var;
        note_def(facts, var, is_producer(s->u.assign.value));
        if (s->u.assign.value->kind == EXPR_TUPLE_GET) note_part(facts, var, s->u.assign.value);
        if (type_is_tile(var->type) && var->type->memref) vec_push(&facts->f->tile_vars, var);
        break;
      }
      case STMT_FOR:
      case STMT_WHILE:
        for (int k = 0; k < s->u.loop.ncarried; k++) note_def(facts, s->u.loop.iter_args[k], true);
        for (int k = 0; k < s->u.loop.nresults; k++) note_def(facts, s->u.loop.results[k], true);
        gather(facts, s->u.loop.body);
        break;
      case STMT_IF: {
        for (int k = 0; k < s->u.if_.nresults; k++) note_def(facts, s->u.if_.results[k], true);
        PtoRange *r = NEW(facts->f->ir->arena, PtoRange);
        r->begin = facts->counter + 1;
        gather(facts, s->u.if_.then_body);
        r->middle = facts->counter + 1;
        gather(facts, s->u.if_.else_body);
        r->end = facts->counter + 1;
        map_set(&facts->f->ranges, s, r);
        break;
      }
      case STMT_SCOPE: gather(facts, s->u.scope.body); break;
      default: break;
    }
  }
}

/* ---- parameters ---- */

typedef struct Params {
  Expr **tensors, **others;
  int ntensors, nothers;
  VEC(Expr *) dim_list; /* variables of the tensors' shapes */
  Map seen;
} Params;

static bool see_dim(Visitor *v, Expr *e) {
  Params *p = v->ctx;
  if (expr_is_var(e) && map_set(&p->seen, e, NULL)) vec_push(&p->dim_list, e);
  return true;
}

static Params params_of(PtoFn *f) {
  const Function *fn = f->func;
  Params p = {0};
  p.tensors = NEW_ARRAY(f->ir->arena, Expr *, fn->nparams);
  p.others = NEW_ARRAY(f->ir->arena, Expr *, fn->nparams);
  Visitor v = {.ctx = &p, .expr = see_dim};
  for (int i = 0; i < fn->nparams; i++) {
    Expr *param = fn->params[i];
    if (!type_is_tensor(param->type)) {
      p.others[p.nothers++] = param;
      continue;
    }
    p.tensors[p.ntensors++] = param;
    for (int d = 0; d < param->type->rank; d++) visit_expr(&v, param->type->shape[d]);
  }
  map_free(&p.seen);
  return p;
}

/* Binds the next parameter and appends it to the list. */
static Name add_param(PtoFn *f, Buf *list, const Expr *var, int number, const char *type) {
  Name value = pto_name(f, "%%arg%d", number);
  map_set(&f->used, value, NULL);
  if (var) pto_bind(f, var, value);
  buf_printf(list, "%s%s: %s", list->len ? ", " : "", value, type);
  return value;
}

static const char *param_type(PtoFn *f, const Expr *param) {
  if (type_is_scalar(param->type)) return pto_dtype(f, param->type->dtype);
  if (param->type->kind != TYPE_COMM_CTX)
    pto_error(f, param->span,
              "parameter '%s' of a kernel must be a tensor, a scalar or a communication "
              "context, not %s",
              param->u.var.name, type_kind_name(param->type));
  return "!pto.ptr<i64>";
}

/* Distributed tensors and communication contexts go together in order. */
static void pair_contexts(PtoFn *f, const Params *p) {
  int next = 0, dist = 0;
  for (int i = 0; i < p->ntensors; i++) {
    if (p->tensors[i]->type->kind != TYPE_DIST_TENSOR) continue;
    dist++;
    while (next < p->nothers && p->others[next]->type->kind != TYPE_COMM_CTX) next++;
    if (next < p->nothers) pto_var(f, p->tensors[i])->ctx = pto_var(f, p->others[next++])->value;
  }
  int contexts = 0;
  for (int i = 0; i < p->nothers; i++) contexts += p->others[i]->type->kind == TYPE_COMM_CTX;
  if (dist != contexts)
    pto_error(f, f->func->span,
              "kernel '%s' has %d distributed tensors and %d communication contexts; "
              "MaterializeDistTensorCtx has not run",
              f->func->name, dist, contexts);
}

static Name hidden_param(PtoFn *f, Buf *list, const char *name, const char *type) {
  Name value = pto_name(f, "%%%s", name);
  map_set(&f->used, value, NULL);
  buf_printf(list, "%s%s: %s", list->len ? ", " : "", value, type);
  return value;
}

/* Names that the parameters will have are taken before any tile is named. */
static void reserve_params(PtoFn *f, const Params *p) {
  int n = p->ntensors + p->nothers + (int)p->dim_list.len + (f->needs.sdma ? 1 : 0);
  for (int i = 0; i < n; i++) map_set(&f->used, pto_name(f, "%%arg%d", i), NULL);
  static const char *const hidden[] = {"%__pypto_deferred_raw_args", "%__pypto_spmd_block_idx",
                                       "%__pypto_spmd_block_num", "%__pypto_spmd_subblock_idx"};
  const bool needed[] = {f->needs.deferred, f->needs.block, f->needs.block, f->needs.subblock};
  for (int i = 0; i < 4; i++)
    if (needed[i]) map_set(&f->used, ir_name(f->ir, hidden[i]), NULL);
}

static void put_params(PtoFn *f, const Params *p, Buf *list) {
  int number = 0;
  for (int i = 0; i < p->ntensors; i++)
    add_param(f, list, p->tensors[i], number++,
              pto_name(f, "!pto.ptr<%s>", pto_dtype(f, p->tensors[i]->type->dtype)));
  for (int i = 0; i < p->nothers; i++)
    add_param(f, list, p->others[i], number++, param_type(f, p->others[i]));
  pair_contexts(f, p);
  for (size_t i = 0; i < p->dim_list.len; i++)
    add_param(f, list, p->dim_list.data[i], number++, "index");
  if (f->needs.deferred)
    f->raw_args = hidden_param(f, list, "__pypto_deferred_raw_args", "!pto.ptr<i64>");
  if (f->needs.sdma) f->sdma_arg = add_param(f, list, NULL, number++, "!pto.ptr<i8>");
  if (f->needs.block) {
    f->block_idx_arg = hidden_param(f, list, "__pypto_spmd_block_idx", "i32");
    f->block_num_arg = hidden_param(f, list, "__pypto_spmd_block_num", "i32");
  }
  if (f->needs.subblock)
    f->subblock_arg = hidden_param(f, list, "__pypto_spmd_subblock_idx", "i32");
}

/* ---- views of the parameters ---- */

static bool is_pipe_buffer(const PtoFn *f, const Expr *param) {
  return param->u.var.name == f->m->gm_pipe_name;
}

/* Names a parameter's view and claims the constants it surely needs, in the order of the text. */
static void announce_view(PtoFn *f, Expr *param) {
  const Type *t = param->type;
  PtoVar *v = pto_var(f, param);
  if (is_pipe_buffer(f, param)) {
    f->pipe_buffer = v->value;
    if (t->dtype != DT_FP32)
      pto_error(f, param->span, "the pipe buffer must have elements of type FP32");
    return;
  }
  if (map_has(&f->ffts, param)) return;
  v->view = pto_new_named(f, "%s_view", param->u.var.name);
  v->base_ptr = v->value;
  int64_t c;
  for (int i = 0; i < t->rank; i++)
    if (expr_const_int(t->shape[i], &c)) pto_const_index(f, c);
  const TensorView *tv = t->tensor_view;
  if (tv && tv->nstride) {
    for (int i = 0; i < tv->nstride; i++)
      if (expr_const_int(tv->stride[i], &c)) pto_const_index(f, c);
    return;
  }
  if (t->rank == 2 && expr_const_int(t->shape[1], &c)) pto_const_index(f, c);
  pto_const_index(f, 1);
}

static bool is_mx(TensorLayout l) { return l == LAYOUT_MX_A_ZZ || l == LAYOUT_MX_B_NN; }

/* stride[dim] = stride[dim + 1] * shape[dim + 1], for dim from `from` down to 0. */
static void outer_strides(PtoFn *f, const char *hint, const Name *shape, Name *stride, int from) {
  for (int dim = from; dim >= 0; dim--) {
    Name product = hint ? pto_new_named(f, "%s_s%d", hint, dim) : pto_new(f);
    pto_line(f, "%s = arith.muli %s, %s : index", product, stride[dim + 1], shape[dim + 1]);
    stride[dim] = product;
  }
}

/* Strides that follow from shape and layout. */
static void implied_strides(PtoFn *f, const char *hint, TensorLayout layout, bool column,
                            const Name *shape, Name *stride, int rank) {
  if (column && rank == 2) {
    stride[0] = pto_const_index(f, 1);
    stride[1] = shape[0];
  } else if (column) {
    stride[rank - 2] = pto_const_index(f, 1);
    stride[rank - 1] = shape[rank - 1];
    stride[rank - 3] = shape[rank - 2];
    outer_strides(f, hint, shape, stride, rank - 4);
  } else if (layout == LAYOUT_DN) {
    stride[rank - 2] = pto_const_index(f, 1);
    stride[rank - 1] = shape[rank - 2];
    if (rank < 3) return;
    stride[rank - 3] = hint ? pto_new_named(f, "%s_s%d", hint, rank - 3) : pto_new(f);
    pto_line(f, "%s = arith.muli %s, %s : index", stride[rank - 3], shape[rank - 2],
             shape[rank - 1]);
    outer_strides(f, hint, shape, stride, rank - 4);
  } else {
    stride[rank - 1] = pto_const_index(f, 1);
    if (rank < 2) return;
    stride[rank - 2] = shape[rank - 1];
    outer_strides(f, hint, shape, stride, rank - 3);
  }
}

Name pto_print_view(PtoFn *f, Name value, Name ptr, const Type *t, const char *hint, bool peer) {
  int rank = t->rank;
  const TensorView *tv = t->tensor_view;
  TensorLayout layout = tv ? tv->layout : LAYOUT_ND;
  int64_t last = 0;
  bool column = rank >= 2 && expr_const_int(t->shape[rank - 1], &last) && last == 1;
  column = column && (peer ? !tv : !is_mx(layout));
  if (column) layout = LAYOUT_DN;
  if (rank < 1 || (layout == LAYOUT_DN && rank < 2)) {
    pto_error(f, NO_SPAN, "a %s tensor of %d dimensions has no view", pto_layout(layout), rank);
    return ir_name(f->ir, "%undefined");
  }
  if (tv && tv->nstride && tv->nstride != rank) {
    pto_error(f, NO_SPAN, "a tensor of %d dimensions has %d strides", rank, tv->nstride);
    return ir_name(f->ir, "%undefined");
  }
  Name *shape = NEW_ARRAY(f->ir->arena, Name, rank), *stride = NEW_ARRAY(f->ir->arena, Name, rank);
  pto_dims(f, t->shape, rank, shape);
  if (tv && tv->nstride)
    pto_dims(f, tv->stride, rank, stride);
  else
    implied_strides(f, hint, layout, column, shape, stride, rank);
  if (!value) value = pto_new(f);
  pto_print_view_line(f, value, ptr, shape, stride, rank, layout, pto_view_type(f, t));
  return value;
}

void pto_print_view_line(PtoFn *f, Name value, Name ptr, const Name *shape, const Name *stride,
                         int rank, TensorLayout layout, Name type) {
  Buf s = {0}, d = {0};
  pto_join(&s, shape, rank);
  pto_join(&d, stride, rank);
  pto_line(
      f,
      "%s = pto.make_tensor_view %s, shape = [%s], strides = [%s] {layout = #pto.layout<%s>} : %s",
      value, ptr, buf_str(&s), buf_str(&d), pto_layout(layout), type);
  buf_free(&s);
  buf_free(&d);
}

/* Views of the parameters that the body mentions. */
static void print_param_views(PtoFn *f, const Map *used) {
  for (int i = 0; i < f->func->nparams; i++) {
    Expr *param = f->func->params[i];
    if (!type_is_tensor(param->type) || !map_has(used, param) || is_pipe_buffer(f, param) ||
        map_has(&f->ffts, param))
      continue;
    if (param->span.line) f->loc = param->span;
    const PtoVar *v = pto_var(f, param);
    pto_print_view(f, v->view, v->value, param->type, param->u.var.name, false);
  }
}

/* ---- a function ---- */

static void fn_free(PtoFn *f) {
  buf_free(&f->body);
  buf_free(&f->consts);
  buf_free(&f->head);
  Map *const maps[] = {&f->vars,       &f->values, &f->used, &f->by_name,     &f->region_of,
                       &f->identities, &f->ranges, &f->ffts, &f->pipe_regions};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
  for (int i = 0; i < DT_COUNT; i++) {
    map_free(&f->const_names[i]);
    map_free(&f->float_names[i]);
  }
  vec_free(&f->tile_vars);
  vec_free(&f->head_tiles);
  vec_free(&f->regions);
  vec_free(&f->yields);
}

static const char *kernel_kind(FuncType t) {
  return t == FUNC_AIC   ? " attributes {pto.kernel_kind = #pto.kernel_kind<cube>}"
         : t == FUNC_AIV ? " attributes {pto.kernel_kind = #pto.kernel_kind<vector>}"
                         : "";
}

/* Addresses are the first constants.  They are claimed by the type that the text gives them, which only settles
 * the order of what is printed: pto_alloc_of writes every address as an i64. */
static void claim_addresses(PtoFn *f) {
  if (!f->m->addresses) return;
  for (size_t i = 0; i < f->tile_vars.len; i++) {
    const Expr *offset = f->tile_vars.data[i]->type->memref->offset;
    if (offset && offset->kind == EXPR_INT) pto_const(f, offset->u.i, offset->type->dtype);
  }
}

static void write_function(PtoModule *m, const Function *func) {
  PtoFn fn = {.m = m, .ir = m->ir, .func = func, .indent = 1}, *f = &fn;
  f->dual_vector = key_bool(func->attrs, KEY_DUAL_AIV_DISPATCH, false);
  Facts facts = {.f = f};
  Visitor v = {.ctx = &facts, .expr = see_expr};
  visit_block(&v, func->body);
  gather(&facts, func->body);
  Params params = params_of(f);
  reserve_params(f, &params);
  f->out = &f->head; /* nothing but constants is written before the body */
  pto_name_tiles(f);
  Buf list = {0};
  put_params(f, &params, &list);
  claim_addresses(f);
  pto_plan_regions(f);
  for (int i = 0; i < params.ntensors; i++) announce_view(f, params.tensors[i]);
  f->out = &f->body;
  pto_block(f, func->body);
  f->out = &f->head;
  f->loc = NO_SPAN;
  print_param_views(f, &facts.used);
  pto_print_head_tiles(f);
  m->deferred |= f->needs.deferred;
  buf_printf(m->out, "  func.func @%s(%s)%s {\n", func->name, buf_str(&list),
             kernel_kind(func->type));
  buf_take(m->out, &f->consts);
  buf_take(m->out, &f->head);
  buf_take(m->out, &f->body);
  buf_puts(m->out, "  return\n  }\n");
  buf_free(&list);
  map_free(&facts.used);
  vec_free(&params.dim_list);
  fn_free(f);
}

/* ---- a module ---- */

/* A path inside an MLIR string. */
static const char *escaped_path(Ir *ir, const char *path) {
  Buf b = {0};
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    if (*c == '\\' || *c == '"')
      buf_printf(&b, "\\%c", *c);
    else if (*c == '\n')
      buf_puts(&b, "\\n");
    else if (*c == '\t')
      buf_puts(&b, "\\t");
    else if (*c < 0x20 || *c == 0x7f)
      buf_printf(&b, "\\%02X", *c);
    else
      buf_putc(&b, (char)*c);
  }
  const char *text = arena_strndup(ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return text;
}

bool pto_write_unit(CodegenCtx *ctx, const PtoUnit *unit, Buf *out) {
  Ir *ir = ctx->ir;
  int errors = ir->diag->errors;
  PtoModule m = {.ir = ir,
                 .target = ctx->opts->target,
                 .out = out,
                 .addresses = ctx->opts->planner != PLANNER_PTOAS,
                 .gm_pipe_name = ir_name(ir, GM_PIPE_PARAM)};
  if (ctx->opts->locations && ctx->source_path && *ctx->source_path)
    m.path = escaped_path(ir, ctx->source_path);
  place_pipes(&m, unit);
  buf_printf(out, "module attributes {pto.target_arch = \"%s\"} {\n", m.target->pto_arch);
  for (int i = 0; i < unit->nfuncs && ir->diag->errors == errors; i++)
    write_function(&m, unit->funcs[i]);
  for (int i = 0; m.deferred && i < unit->nfuncs; i++)
    if (strcmp(unit->funcs[i]->name, DEFERRED_ADAPTER) == 0)
      diag_error(ir->diag, unit->funcs[i]->span,
                 "a kernel cannot be named '%s' where completion is deferred",
                 unit->funcs[i]->name);
  if (m.deferred)
    buf_puts(out,
             "  func.func private @" DEFERRED_ADAPTER "(!pto.ptr<i64>, !pto.ptr<i32>, i64, i64)\n");
  buf_puts(out, "}\n");
  map_free(&m.tile_types);
  vec_free(&m.pipes);
  return ir->diag->errors == errors;
}
