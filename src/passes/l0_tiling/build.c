/* build.c -- products in pieces: loops over K, grids over rows and columns. */
#include "arith/fold.h"
#include "ir/op.h"
#include "passes/l0_tiling/tiling.h"

static Expr *number(const Product *p, int64_t n) {
  return expr_int(p->ir, n, DT_INDEX, p->s->span);
}

static Expr *pair(Ir *ir, Expr *a, Expr *b, Span at) {
  Expr *both[] = {a, b};
  return expr_tuple(ir, both, 2, at);
}

/* Where statements go, and what the variables that they define are named after. */
typedef struct Sink {
  Ir *ir;
  Name base;
  Span at;
  StmtList *out;
} Sink;

static Sink sink(const Product *p, Name base, StmtList *out) {
  return (Sink){p->ir, base, p->s->span, out};
}

/* Assigns `value` to a new variable BASE SUFFIX; NULL if there is no value. */
static Expr *assign(Sink to, const char *suffix, Expr *value) {
  if (!value) return NULL;
  Name name = ir_name(to.ir, arena_printf(to.ir->arena, "%s%s", to.base, suffix));
  Expr *var = expr_var(to.ir, name, value->type, to.at);
  vec_push(to.out, stmt_assign(to.ir, var, value, to.at));
  return var;
}

static Expr *create(Ir *ir, const int64_t extent[2], DType dtype, MemSpace space, Span at) {
  Expr *shape =
      pair(ir, expr_int(ir, extent[0], DT_INDEX, at), expr_int(ir, extent[1], DT_INDEX, at), at);
  AttrList kw = key_with(ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(dtype));
  kw = key_with(ir, kw, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, space));
  return op_call_id(ir, OP_TILE_CREATE, &shape, 1, kw, at);
}

static AttrList to_space(Ir *ir, MemSpace space) {
  return key_with(ir, (AttrList){0}, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, space));
}

/* A box of an operand: `rows` x `cols` elements from an offset on. */
typedef struct Window {
  Expr *row, *col;
  int64_t rows, cols;
} Window;

static Expr *extract(const Product *p, Expr *from, Window w, MemSpace to) {
  Span at = p->s->span;
  Expr *args[] = {from, w.row, w.col, pair(p->ir, number(p, w.rows), number(p, w.cols), at)};
  return op_call_id(p->ir, OP_TILE_EXTRACT, args, 4, to_space(p->ir, to), at);
}

static Expr *multiply(const Product *p, Expr *acc, Expr *left, Expr *right, Expr *bias) {
  if (!left || !right) return NULL;
  if (acc)
    return op_call_id(p->ir, OP_TILE_MATMUL_ACC, (Expr *[]){acc, left, right}, 3, (AttrList){0},
                      p->s->span);
  if (bias)
    return op_call_id(p->ir, OP_TILE_MATMUL_BIAS, (Expr *[]){left, right, bias}, 3, (AttrList){0},
                      p->s->span);
  return op_call_id(p->ir, OP_TILE_MATMUL, (Expr *[]){left, right}, 2, (AttrList){0}, p->s->span);
}

/* ---------------------------------------------------------------- where the pieces go */

Expr *add_offset(Ir *ir, Expr *base, Expr *delta, Span at) {
  int64_t b, d;
  bool known = expr_const_int(base, &b);
  if (expr_const_int(delta, &d)) {
    if (d == 0) return base;
    if (known) return expr_int(ir, b + d, DT_INDEX, at);
  }
  if (known && b == 0) return delta;
  return make_binary(ir, EXPR_ADD, base, delta, at);
}

Expr *place_begin(Ir *ir, const Place *p, StmtList *out) {
  if (!p->in_scratch) return p->target;
  Expr *tile = create(ir, (int64_t[]){p->rows, p->cols}, p->dtype, MEM_MAT, p->at);
  return assign((Sink){ir, p->base, p->at, out}, "", tile);
}

Expr *place_put(Ir *ir, const Place *p, Patch patch, Expr *whole, StmtList *out) {
  Expr *call;
  if (!patch.value || !whole) return NULL;
  if (p->in_scratch) {
    Expr *args[] = {whole, patch.value, pair(ir, patch.row, patch.col, p->at)};
    call = op_call_id(ir, OP_TILE_ASSEMBLE, args, 3, (AttrList){0}, p->at);
  } else {
    Expr *at = pair(ir, add_offset(ir, p->row, patch.row, p->at),
                    add_offset(ir, p->col, patch.col, p->at), p->at);
    Expr *args[] = {patch.value, at, whole};
    call = op_call_id(ir, OP_TILE_STORE, args, 3, p->kwargs, p->at);
    if (call) call->u.call.attrs = p->attrs;
  }
  Sink to = {ir, p->base, p->at, out};
  return assign(to, arena_printf(ir->arena, "_t%d", patch.step), call);
}

/* ---------------------------------------------------------------- a loop over K */

/* One piece of the result, cut along K. */
typedef struct Piece {
  const Product *p;
  Name base;
  Expr *row, *col; /* NULL: the only piece */
  int64_t m, n;
  Expr *left, *bias; /* where it is read from */
} Piece;

/* How much of `valid` lies in `extent` elements from `offset` on. */
static Expr *valid_part(const Product *p, Expr *valid, Expr *offset, int64_t extent) {
  int64_t v, o;
  if (!offset) return valid;
  bool known = expr_const_int(offset, &o);
  if (known && expr_const_int(valid, &v))
    return number(p, v - o < 0 ? 0 : v - o > extent ? extent : v - o);
  Span at = p->s->span;
  if (!known || o != 0)
    valid =
        make_binary(p->ir, EXPR_SUB, make_binary(p->ir, EXPR_MAX, valid, offset, at), offset, at);
  return make_binary(p->ir, EXPR_MIN, valid, number(p, extent), at);
}

Expr *acc_begin(Ir *ir, const AccTile *a, StmtList *out) {
  int64_t vm, vn;
  bool whole = expr_const_int(a->valid_rows, &vm) && expr_const_int(a->valid_cols, &vn) &&
               vm == a->extent[0] && vn == a->extent[1];
  Sink to = {ir, a->name, a->at, out};
  Expr *tile = create(ir, a->extent, a->dtype, MEM_ACC, a->at);
  tile = assign(to, whole ? "" : "_storage", tile);
  if (whole || !tile) return tile;
  Expr *args[] = {tile, a->valid_rows, a->valid_cols};
  return assign(to, "", op_call_id(ir, OP_TILE_SET_VALIDSHAPE, args, 3, (AttrList){0}, a->at));
}

static Expr *first_acc(const Piece *c, StmtList *out) {
  const Product *p = c->p;
  AccTile a = {.name = ir_name(p->ir, arena_printf(p->ir->arena, "%s_l0_init", c->base)),
               .dtype = p->s->u.assign.var->type->dtype,
               .extent = {c->m, c->n},
               .valid_rows = valid_part(p, p->valid_m, c->row, c->m),
               .valid_cols = valid_part(p, p->valid_n, c->col, c->n),
               .at = p->s->span};
  return acc_begin(p->ir, &a, out);
}

static Expr *row_of(const Piece *c) { return c->row ? c->row : number(c->p, 0); }
static Expr *col_of(const Piece *c) { return c->col ? c->col : number(c->p, 0); }

/* A step along K: `k` elements from `at` on; its variables have `tag` in their names. */
typedef struct Step {
  Expr *at;
  int64_t k;
  const char *tag;
} Step;

/* Extracts the operands of a step. */
static void operands(const Piece *c, Step step, Expr *both[2], StmtList *out) {
  const Product *p = c->p;
  Arena *a = p->ir->arena;
  Sink to = sink(p, c->base, out);
  Expr *left = extract(p, c->left, (Window){row_of(c), step.at, c->m, step.k}, MEM_LEFT);
  Expr *right = extract(p, p->right, (Window){step.at, col_of(c), step.k, c->n}, MEM_RIGHT);
  both[0] = assign(to, arena_printf(a, "_l0_a%s", step.tag), left);
  both[1] = assign(to, arena_printf(a, "_l0_b%s", step.tag), right);
}

/* A step outside of the loop. */
static Expr *single_step(const Piece *c, Step step, Expr *acc, StmtList *out) {
  Expr *o[2];
  operands(c, step, o, out);
  const char *suffix = arena_printf(c->p->ir->arena, "_l0_c%s", step.tag);
  return assign(sink(c->p, c->base, out), suffix, multiply(c->p, acc, o[0], o[1], c->bias));
}

static Block with_yield(const Piece *c, const char *suffix, Expr *value, StmtList *list) {
  Expr *var = assign(sink(c->p, c->base, list), suffix, value);
  if (var) vec_push(list, stmt_yield(c->p->ir, &var, 1, c->p->s->span));
  return block_take(c->p->ir, list);
}

/* The first step begins the sum, the others add to it; false after an error. */
static bool loop_body(const Piece *c, Expr *ko, Expr *acc, StmtList *out) {
  const Product *p = c->p;
  Ir *ir = p->ir;
  Expr *o[2];
  operands(c, (Step){ko, p->t.k, ""}, o, out);
  Expr *more = multiply(p, acc, o[0], o[1], NULL);
  if (!more) return false;
  if (p->acc) {
    Expr *var = assign(sink(p, c->base, out), "_l0_c_acc", more);
    vec_push(out, stmt_yield(ir, &var, 1, p->s->span));
    return true;
  }
  Expr *first = multiply(p, NULL, o[0], o[1], c->bias);
  if (!first) return false;
  StmtList branch = {0};
  Stmt *choice = stmt_new(ir, STMT_IF, p->s->span);
  choice->u.if_.cond = expr_binary(ir, EXPR_EQ, ko, number(p, 0), DT_BOOL, p->s->span);
  choice->u.if_.then_body = with_yield(c, "_l0_c_first", first, &branch);
  choice->u.if_.else_body = with_yield(c, "_l0_c_acc", more, &branch);
  choice->u.if_.has_else = true;
  choice->u.if_.nresults = 1;
  choice->u.if_.results = NEW_ARRAY(ir->arena, Expr *, 1);
  Name phi = ir_name(ir, arena_printf(ir->arena, "%s_l0_c_phi", c->base));
  choice->u.if_.results[0] = expr_var(ir, phi, first->type, p->s->span);
  vec_push(out, choice);
  vec_push(out, stmt_yield(ir, choice->u.if_.results, 1, p->s->span));
  return true;
}

static Expr *k_loop(const Piece *c, int64_t end, Expr *init, StmtList *out) {
  const Product *p = c->p;
  Ir *ir = p->ir;
  Stmt *s = stmt_new(ir, STMT_FOR, p->s->span);
  Name ko = ir_name(ir, arena_printf(ir->arena, "%s_l0_ko", c->base));
  Name acc = ir_name(ir, arena_printf(ir->arena, "%s_l0_c", c->base));
  Name result = end < p->K ? ir_name(ir, arena_printf(ir->arena, "%s_l0_kmain", c->base)) : c->base;
  s->u.loop.kind = FOR_PIPELINE;
  s->u.loop.var = expr_var(ir, ko, type_scalar(ir, DT_INDEX), p->s->span);
  s->u.loop.start = number(p, 0);
  s->u.loop.stop = number(p, end);
  s->u.loop.step = number(p, p->t.k);
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.iter_args = NEW_ARRAY(ir->arena, Expr *, 1);
  s->u.loop.iter_args[0] = expr_iter_arg(ir, acc, init->type, init, p->s->span);
  s->u.loop.results = NEW_ARRAY(ir->arena, Expr *, 1);
  s->u.loop.results[0] = expr_var(ir, result, init->type, p->s->u.assign.var->span);
  s->u.loop.attrs = key_with(ir, (AttrList){0}, KEY_PIPELINE_STAGES, attr_of_int(2));
  StmtList body = {0};
  bool ok = loop_body(c, s->u.loop.var, s->u.loop.iter_args[0], &body);
  s->u.loop.body = block_take(ir, &body);
  vec_push(out, s);
  return ok ? s->u.loop.results[0] : NULL;
}

/* `n` columns of the bias from `col` on, loaded as the whole was. */
static Expr *part_of_bias(const Piece *c, const char *suffix, Expr *col, int64_t n, StmtList *out) {
  const Product *p = c->p;
  Ir *ir = p->ir;
  Span at = p->s->span;
  Expr *const *args = p->bias_load->u.call.args, **from = args[1]->u.tuple.elems;
  Expr *extent = pair(ir, number(p, 1), number(p, n), at);
  Expr *part[] = {args[0], pair(ir, from[0], add_offset(ir, from[1], col, at), at), extent, extent};
  Expr *load = op_call_id(ir, OP_TILE_LOAD, part, 4, p->bias_load->u.call.kwargs, at);
  return assign(sink(p, c->base, out), arena_printf(ir->arena, "%s_mat", suffix), load);
}

/* A bias moves to the matrix unit before it is used: all of it, or `n` columns from `col` on. */
static bool bring_bias(Piece *c, const char *suffix, Expr *col, int64_t n, StmtList *out) {
  const Product *p = c->p;
  c->bias = p->bias;
  if (!p->bias || p->bias->type->space == MEM_BIAS) return true;
  Expr *bias = n == p->N ? p->bias : part_of_bias(c, suffix, col, n, out);
  if (!bias) return false;
  Expr *move = op_call_id(p->ir, OP_TILE_MOVE, &bias, 1, to_space(p->ir, MEM_BIAS), p->s->span);
  c->bias = assign(sink(p, c->base, out), suffix, move);
  return c->bias != NULL;
}

static Expr *piece_over_k(Piece *c, StmtList *out) {
  const Product *p = c->p;
  Ir *ir = p->ir;
  int64_t rounds = p->K / p->t.k, end = rounds * p->t.k;
  Expr *init = p->acc;
  if (rounds >= 2 && !init && !(init = first_acc(c, out))) return NULL;
  c->left = p->left;
  if (p->left_in_vec) {
    Expr *left = p->left;
    Expr *move = op_call_id(ir, OP_TILE_MOVE, &left, 1, to_space(ir, MEM_MAT), p->s->span);
    if (!(c->left = assign(sink(p, c->base, out), "_l0_lmat", move))) return NULL;
  }
  if (!bring_bias(c, "_l0_bias", col_of(c), c->n, out)) return NULL;
  Expr *sum = rounds >= 2 ? k_loop(c, end, init, out)
                          : single_step(c, (Step){number(p, 0), p->t.k, "0"}, p->acc, out);
  if (!sum || end >= p->K) return sum;
  return single_step(c, (Step){number(p, end), p->K - end, "t"}, sum, out);
}

Expr *product_loop(const Product *p, StmtList *out) {
  Piece c = {.p = p, .base = p->s->u.assign.var->u.var.name, .m = p->t.m, .n = p->t.n};
  return piece_over_k(&c, out);
}

/* ---------------------------------------------------------------- grids */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Every piece cut along K, column by column. */
static Expr *split_k_grid(const Product *p, const Place *place, StmtList *out) {
  Ir *ir = p->ir;
  Expr *whole = place_begin(ir, place, out);
  int step = 0;
  for (int64_t col = 0; col < p->N; col += p->t.n) {
    for (int64_t row = 0; row < p->M; row += p->t.m, step++) {
      Name base =
          ir_name(ir, arena_printf(ir->arena, "%s_t%d", p->s->u.assign.var->u.var.name, step));
      Piece c = {.p = p,
                 .base = base,
                 .row = number(p, row),
                 .col = number(p, col),
                 .m = least(p->t.m, p->M - row),
                 .n = least(p->t.n, p->N - col)};
      Patch patch = {piece_over_k(&c, out), c.row, c.col, step};
      whole = place_put(ir, place, patch, whole, out);
      if (!whole) return NULL;
    }
  }
  return whole;
}

/* A cell of the grid: its offset, its number. */
typedef struct Cell {
  int64_t row, col;
  int step;
} Cell;

/* Puts the piece with the whole K that lies in a cell at the border of the grid. */
static Expr *border_piece(const Product *p, const Place *place, Cell cell, Expr *whole,
                          StmtList *out) {
  Arena *a = p->ir->arena;
  Name base = p->s->u.assign.var->u.var.name;
  Sink to = sink(p, base, out);
  Expr *row = number(p, cell.row), *col = number(p, cell.col), *zero = number(p, 0);
  int64_t m = least(p->t.m, p->M - cell.row), n = least(p->t.n, p->N - cell.col);
  Expr *left = extract(p, p->left, (Window){row, zero, m, p->K}, MEM_LEFT);
  Expr *right = extract(p, p->right, (Window){zero, col, p->K, n}, MEM_RIGHT);
  left = assign(to, arena_printf(a, "_ta%d", cell.step), left);
  right = assign(to, arena_printf(a, "_tb%d", cell.step), right);
  Piece c = {.p = p, .base = base};
  if (!bring_bias(&c, arena_printf(a, "_tbias%d", cell.step), col, n, out)) return NULL;
  Expr *piece =
      assign(to, arena_printf(a, "_tc%d", cell.step), multiply(p, NULL, left, right, c.bias));
  return place_put(p->ir, place, (Patch){piece, row, col, cell.step}, whole, out);
}

/* A loop of the grid that carries the whole; its body is to be filled in.  Its variables are named after TAG. */
static Stmt *grid_loop(const Product *p, const char *tag, Expr *init, int64_t stop, int64_t step) {
  Ir *ir = p->ir;
  Name base = p->s->u.assign.var->u.var.name;
  Span at = p->s->span;
  Stmt *s = stmt_new(ir, STMT_FOR, at);
  s->u.loop.var = expr_var(ir, ir_name(ir, arena_printf(ir->arena, "%s%s", base, tag)),
                           type_scalar(ir, DT_INDEX), at);
  s->u.loop.start = number(p, 0);
  s->u.loop.stop = number(p, stop);
  s->u.loop.step = number(p, step);
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.iter_args = NEW_ARRAY(ir->arena, Expr *, 1);
  s->u.loop.results = NEW_ARRAY(ir->arena, Expr *, 1);
  Name in = ir_name(ir, arena_printf(ir->arena, "%s%sc", base, tag));
  s->u.loop.iter_args[0] = expr_iter_arg(ir, in, init->type, init, at);
  Name result = ir_name(ir, arena_printf(ir->arena, "%s%srv", base, tag));
  s->u.loop.results[0] = expr_var(ir, result, init->type, at);
  return s;
}

static void make_pipeline(Ir *ir, Stmt *s, bool double_acc) {
  s->u.loop.kind = FOR_PIPELINE;
  AttrList a = key_with(ir, (AttrList){0}, KEY_PIPELINE_STAGES, attr_of_int(2));
  a = key_with(ir, a, KEY_PIPELINE_OVERLAP_STORES, attr_of_bool(false));
  if (double_acc) a = key_with(ir, a, KEY_PIPELINE_DOUBLE_BUFFER_C, attr_of_bool(true));
  s->u.loop.attrs = a;
}

static Block yielding(Ir *ir, StmtList *body, Expr *value, Span at) {
  if (value) vec_push(body, stmt_yield(ir, &value, 1, at));
  return block_take(ir, body);
}

/* Two loops: the outer one loads the operand that is held, the inner one lets the other stream by. */
static Expr *full_k_loops(const Product *p, const Place *place, Expr *whole, StmtList *out) {
  Ir *ir = p->ir;
  Span at = p->s->span;
  Name base = p->s->u.assign.var->u.var.name;
  bool rows_outer = p->t.stationary == HOLD_OUTPUT ? p->t.left_outer : p->t.stationary == HOLD_LEFT;
  int64_t m_end = p->M / p->t.m * p->t.m, n_end = p->N / p->t.n * p->t.n;
  Stmt *outer = grid_loop(p, "_o", whole, rows_outer ? m_end : n_end, rows_outer ? p->t.m : p->t.n);
  Stmt *inner = grid_loop(p, "_i", outer->u.loop.iter_args[0], rows_outer ? n_end : m_end,
                          rows_outer ? p->t.n : p->t.m);
  Expr *row = rows_outer ? outer->u.loop.var : inner->u.loop.var;
  Expr *col = rows_outer ? inner->u.loop.var : outer->u.loop.var;
  StmtList outer_body = {0}, inner_body = {0};
  StmtList *with_left = rows_outer ? &outer_body : &inner_body;
  StmtList *with_right = rows_outer ? &inner_body : &outer_body;
  Expr *left = extract(p, p->left, (Window){row, number(p, 0), p->t.m, p->K}, MEM_LEFT);
  left = assign(sink(p, base, with_left), "_a", left);
  Expr *right = extract(p, p->right, (Window){number(p, 0), col, p->K, p->t.n}, MEM_RIGHT);
  right = assign(sink(p, base, with_right), "_b", right);
  Piece c = {.p = p, .base = base};
  bool ok = bring_bias(&c, "_bias", col, p->t.n, with_right);
  Expr *piece = ok ? multiply(p, NULL, left, right, c.bias) : NULL;
  piece = assign(sink(p, base, &inner_body), "_c", piece);
  Expr *next =
      place_put(ir, place, (Patch){piece, row, col, 0}, inner->u.loop.iter_args[0], &inner_body);
  inner->u.loop.body = yielding(ir, &inner_body, next, at);
  make_pipeline(ir, inner, p->t.double_acc);
  vec_push(&outer_body, inner);
  outer->u.loop.body = yielding(ir, &outer_body, inner->u.loop.results[0], at);
  if (p->t.stationary == HOLD_OUTPUT) make_pipeline(ir, outer, false);
  vec_push(out, outer);
  return next ? outer->u.loop.results[0] : NULL;
}

static Expr *full_k_grid(const Product *p, const Place *place, StmtList *out) {
  int64_t m_end = p->M / p->t.m * p->t.m, n_end = p->N / p->t.n * p->t.n;
  Expr *whole = place_begin(p->ir, place, out);
  if (whole) whole = full_k_loops(p, place, whole, out);
  int step = 1;
  for (int64_t col = 0; whole && m_end < p->M && col < p->N; col += p->t.n)
    whole = border_piece(p, place, (Cell){m_end, col, step++}, whole, out);
  for (int64_t row = 0; whole && n_end < p->N && row < m_end; row += p->t.m)
    whole = border_piece(p, place, (Cell){row, n_end, step++}, whole, out);
  return whole;
}

Expr *product_grid(const Product *p, const Place *place, StmtList *out) {
  return p->t.k == p->K ? full_k_grid(p, place, out) : split_k_grid(p, place, out);
}
