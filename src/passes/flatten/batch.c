/* batch.c -- batched products, page by page. */
#include <string.h>

#include "passes/flatten/flatten.h"

enum { MAX_RANK = 16, MAX_PAGES = 1 << 14 /* each is a product of its own */ };

/* Constant dimensions. */
typedef struct Extents {
  int64_t at[MAX_RANK];
  int n;
} Extents;

/* One operand of a product. */
typedef struct Operand {
  const char *name; /* "lhs", "rhs" */
  Expr *old, *now;  /* behind safe reshapes, before and after rewriting */
  const Expr *load; /* the load it comes from, or NULL */
  bool is_view;     /* transposed without a copy */
  bool whole;       /* kept whole and sliced */
  Extents batch;
  int64_t rows, cols;
} Operand;

/* ---------------------------------------------------------------- where an operand comes from */

/* The call of `op` that a value is, or that the block binds it to. */
static const Expr *call_behind(const FlattenBlock *b, const Expr *e, OpId op) {
  if (e->kind == EXPR_VAR) {
    const Stmt *def = map_get(&b->def, e);
    e = def ? def->u.assign.value : e;
  }
  return expr_is_op(e, op) ? e : NULL;
}

static bool batch_size(const Type *t, int64_t *out) {
  int64_t n;
  *out = 1;
  for (int i = 0; i + 2 < t->rank; i++) {
    if (!expr_const_int(t->shape[i], &n)) return false;
    *out *= n;
  }
  return true;
}

bool flatten_is_safe_reshape(const Expr *call) {
  if (!expr_is_op(call, OP_TILE_RESHAPE) || call->u.call.nargs != 2) return false;
  const Type *from = call->u.call.args[0]->type, *to = call->type;
  if (!type_is_tile(from) || from->rank < 2 || to->rank < 2) return false;
  int64_t a, b;
  for (int i = 1; i <= 2; i++)
    if (!expr_const_int(from->shape[from->rank - i], &a) ||
        !expr_const_int(to->shape[to->rank - i], &b) || a != b)
      return false;
  return batch_size(from, &a) && batch_size(to, &b) && a == b;
}

static Expr *peel_reshapes(const FlattenBlock *b, Expr *e) {
  for (;;) {
    const Expr *reshape = call_behind(b, e, OP_TILE_RESHAPE);
    if (!reshape || !flatten_is_safe_reshape(reshape)) return e;
    e = reshape->u.call.args[0];
  }
}

static const Expr *base_load(const FlattenBlock *b, Expr *operand, bool *is_view) {
  Expr *e = peel_reshapes(b, operand);
  const Expr *view = call_behind(b, e, OP_TILE_TRANSPOSE_VIEW);
  *is_view = view != NULL;
  return call_behind(b, view ? view->u.call.args[0] : e, OP_TILE_LOAD);
}

/* Do both operands fit Mat side by side? */
static bool fit_together(const Target *target, const Type *a, const Type *b) {
  int64_t x = type_num_bytes(a), y = type_num_bytes(b), room = target->spaces[MEM_MAT].capacity;
  return x < 0 || y < 0 || !room || x + y <= room;
}

/* Can the load give all pages of the window, one below the other? */
static bool load_is_band(const Expr *load) {
  if (!load || load->u.call.nargs < 4 || load->u.call.args[3]->kind != EXPR_TUPLE) return true;
  const Type *t = load->u.call.args[0]->type;
  Dims valid = {load->u.call.args[3]->u.tuple.elems, load->u.call.args[3]->u.tuple.len};
  if (flatten_is_nz(t)) return valid.n <= 2 || extent_is_const(valid.at[0], 1);
  if (!type_is_tensor(t) || valid.n <= 2 || t->rank != valid.n) return true;
  return is_row_band(valid, dims_of(t));
}

/* ---------------------------------------------------------------- facts of a block */

/* Index of the first operand of a batched product, or -1. */
static int first_operand(const Expr *e) {
  if (expr_is_op(e, OP_TILE_BATCH_MATMUL)) return 0;
  return expr_is_op(e, OP_TILE_BATCH_MATMUL_ACC) ? 1 : -1;
}

typedef struct Uses {
  Map all;     /* variable -> number of uses, anywhere below */
  Map batched; /* variable -> number of uses as an operand of a batched product of this block */
} Uses;

static void count(Map *m, const Expr *var) { map_set(m, var, map_int(map_get_int(m, var) + 1)); }

static void count_expr(Map *m, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: count(m, e); break;
    case EXPR_TUPLE:
      for (int i = 0; i < e->u.tuple.len; i++) count_expr(m, e->u.tuple.elems[i]);
      break;
    case EXPR_CALL:
      for (int i = 0; i < e->u.call.nargs; i++) count_expr(m, e->u.call.args[i]);
      break;
    default: break;
  }
}

static void count_block(Map *m, Block b);

static void count_stmt(Map *m, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: count_expr(m, s->u.assign.value); break;
    case STMT_EVAL: count_expr(m, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) count_expr(m, s->u.ret.values[i]);
      break;
    case STMT_IF:
      count_expr(m, s->u.if_.cond);
      count_block(m, s->u.if_.then_body);
      count_block(m, s->u.if_.else_body);
      break;
    case STMT_FOR:
    case STMT_WHILE:
      if (s->kind == STMT_FOR) {
        count_expr(m, s->u.loop.start);
        count_expr(m, s->u.loop.stop);
        count_expr(m, s->u.loop.step);
      } else {
        count_expr(m, s->u.loop.cond);
      }
      for (int i = 0; i < s->u.loop.ncarried; i++)
        count_expr(m, s->u.loop.iter_args[i]->u.var.init);
      count_block(m, s->u.loop.body);
      break;
    case STMT_SCOPE: count_block(m, s->u.scope.body); break;
    default: break;
  }
}

static void count_block(Map *m, Block b) {
  for (int i = 0; i < b.len; i++) count_stmt(m, b.items[i]);
}

/* Whatever is only used by something that only batched products use counts as well. */
static void mark_batch_only(FlattenBlock *b, const Uses *uses) {
  VEC(const Expr *) work = {0};
  for (MapEntry *e = NULL; (e = map_next(&uses->batched, e));)
    if (map_get_int(&uses->all, e->key) == (intptr_t)e->value &&
        map_set(&b->batch_only, e->key, map_int(1)))
      vec_push(&work, e->key);
  while (work.len) {
    const Stmt *def = map_get(&b->def, vec_pop(&work));
    const Expr *call = def ? def->u.assign.value : NULL;
    if (!call || (!expr_is_op(call, OP_TILE_TRANSPOSE_VIEW) && !flatten_is_safe_reshape(call)))
      continue;
    const Expr *in = call->u.call.args[0];
    if (in->kind == EXPR_VAR && map_get_int(&uses->all, in) == 1 &&
        map_set(&b->batch_only, in, map_int(1)))
      vec_push(&work, in);
  }
  vec_free(&work);
}

/* Marks an operand and what it is a view or reshape of. */
static void mark_chain(const FlattenBlock *b, Map *m, const Expr *e) {
  while (e && e->kind == EXPR_VAR) {
    map_set(m, e, map_int(1));
    const Stmt *def = map_get(&b->def, e);
    const Expr *call = def ? def->u.assign.value : NULL;
    bool through =
        call && (expr_is_op(call, OP_TILE_TRANSPOSE_VIEW) || expr_is_op(call, OP_TILE_RESHAPE));
    e = through ? call->u.call.args[0] : NULL;
  }
}

/* Chains whose pages are all loaded one by one are not needed whole. */
static void mark_dropped(FlattenBlock *b, const Target *target) {
  Map whole = {0}, paged = {0};
  for (int i = 0; i < b->block.len; i++) {
    const Stmt *s = b->block.items[i];
    const Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
    int first = call ? first_operand(call) : -1;
    if (first < 0 || call->u.call.nargs < first + 2) continue;
    Expr **args = call->u.call.args + first;
    bool fit = fit_together(target, args[0]->type, args[1]->type), is_view;
    for (int k = 0; k < 2; k++)
      mark_chain(b, fit && load_is_band(base_load(b, args[k], &is_view)) ? &whole : &paged,
                 args[k]);
  }
  for (MapEntry *e = NULL; (e = map_next(&b->batch_only, e));)
    if (map_has(&paged, e->key) && !map_has(&whole, e->key))
      map_set(&b->dropped, e->key, map_int(1));
  map_free(&whole);
  map_free(&paged);
}

void flatten_block_init(FlattenBlock *b, const Target *target, Ir *ir, Block block) {
  (void)ir;
  *b = (FlattenBlock){.block = block};
  bool any = false;
  for (int i = 0; i < block.len; i++)
    any |=
        block.items[i]->kind == STMT_ASSIGN && first_operand(block.items[i]->u.assign.value) >= 0;
  if (!any) return;
  Uses uses = {0};
  for (int i = 0; i < block.len; i++) {
    Stmt *s = block.items[i];
    if (s->kind != STMT_ASSIGN) continue;
    map_set(&b->def, s->u.assign.var, s);
    const Expr *call = s->u.assign.value;
    int first = first_operand(call);
    for (int k = 0; first >= 0 && k < 2 && first + k < call->u.call.nargs; k++)
      if (call->u.call.args[first + k]->kind == EXPR_VAR)
        count(&uses.batched, call->u.call.args[first + k]);
  }
  count_block(&uses.all, block);
  mark_batch_only(b, &uses);
  mark_dropped(b, target);
  map_free(&uses.all);
  map_free(&uses.batched);
}

void flatten_block_free(FlattenBlock *b) {
  map_free(&b->def);
  map_free(&b->batch_only);
  map_free(&b->dropped);
}

/* ---------------------------------------------------------------- pages */

static bool read_extents(Flatten *f, const Type *t, int n, Span at, Extents *out) {
  out->n = n;
  if (n > MAX_RANK) {
    diag_error(f->ir->diag, at, "more than %d dimensions", MAX_RANK);
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (expr_const_int(t->shape[i], &out->at[i]) && out->at[i] > 0) continue;
    diag_error(f->ir->diag, at, "dimension %d of a batched operand must be a positive constant", i);
    return false;
  }
  return true;
}

static bool read_operand(Flatten *f, Operand *o, const char *name, Expr *e, Span at) {
  memset(o, 0, sizeof *o);
  o->name = name;
  o->old = peel_reshapes(f->here, e);
  o->load = base_load(f->here, o->old, &o->is_view);
  o->now = rewrite_expr(f->r, o->old);
  const Type *t = o->old->type;
  Extents matrix;
  if (t->rank < 2 || !read_extents(f, t, t->rank, at, &matrix)) return false;
  o->batch = matrix;
  o->batch.n = t->rank - 2;
  o->rows = matrix.at[t->rank - 2];
  o->cols = matrix.at[t->rank - 1];
  return true;
}

/* Both operands and whether they are kept whole. */
static bool read_operands(Flatten *f, const Expr *call, int first, Operand *lhs, Operand *rhs) {
  Expr **args = call->u.call.args + first;
  if (!read_operand(f, lhs, "lhs", args[0], call->span) ||
      !read_operand(f, rhs, "rhs", args[1], call->span))
    return false;
  bool fit = fit_together(f->target, lhs->old->type, rhs->old->type);
  lhs->whole = fit && load_is_band(lhs->load);
  rhs->whole = fit && load_is_band(rhs->load);
  return true;
}

/* The batch of the result; the operator's type says already that both go together. */
static void broadcast_batch(const Operand *a, const Operand *b, Extents *out) {
  out->n = a->batch.n > b->batch.n ? a->batch.n : b->batch.n;
  for (int i = 0; i < out->n; i++) {
    int ia = i - (out->n - a->batch.n), ib = i - (out->n - b->batch.n);
    int64_t x = ia < 0 ? 1 : a->batch.at[ia], y = ib < 0 ? 1 : b->batch.at[ib];
    out->at[i] = x == 1 ? y : x;
  }
}

static int64_t product(const Extents *e) {
  int64_t n = 1;
  for (int i = 0; i < e->n; i++) n *= e->at[i];
  return n;
}

/* The indices of page `flat`. */
static void unflatten(int64_t flat, const Extents *shape, int64_t *index) {
  for (int i = shape->n; i-- > 0; flat /= shape->at[i]) index[i] = flat % shape->at[i];
}

/* The operand's page that stands for page `flat` of the result. */
static int64_t operand_page(const Operand *o, const Extents *out, int64_t flat) {
  int64_t index[MAX_RANK], page = 0;
  unflatten(flat, out, index);
  for (int i = 0; i < o->batch.n; i++)
    page = page * o->batch.at[i] + (o->batch.at[i] == 1 ? 0 : index[out->n - o->batch.n + i]);
  return page;
}

static Name page_name(Flatten *f, const char *base, const char *what, int64_t i) {
  return name_printf(&f->ir->names, "%s_%s_%lld", base, what, (long long)i);
}

/* Offsets moved to a page: each batch index is added. */
static Expr **page_offsets(Flatten *f, Dims base, const Extents *batch, int64_t page, Span at) {
  int64_t index[MAX_RANK];
  unflatten(page, batch, index);
  Expr **out = COPY_ARRAY(f->ir->arena, Expr *, base.at, base.n);
  for (int i = 0; i < batch->n && i < base.n; i++)
    if (index[i]) out[i] = fold_add(f->ir, base.at[i], expr_int(f->ir, index[i], DT_INDEX, at), at);
  return out;
}

/* The same from a tensor in NZ order, which is no matrix row by row: the window stays what it is. */
static Expr *load_page_in_boxes(Flatten *f, const Operand *o, Dims offsets, int64_t rows,
                                int64_t cols, Span at) {
  Ir *ir = f->ir;
  Expr **part = NEW_ARRAY(ir->arena, Expr *, offsets.n),
       *dims[] = {expr_index(ir, rows), expr_index(ir, cols)};
  for (int i = 0; i < offsets.n; i++)
    part[i] = i < offsets.n - 2 ? expr_index(ir, 1) : dims[i - (offsets.n - 2)];
  Expr *window = expr_tuple(ir, part, offsets.n, at);
  Expr *args[] = {o->load->u.call.args[0], expr_tuple(ir, offsets.at, offsets.n, at), window,
                  window};
  AttrList kw =
      key_with(ir, o->load->u.call.kwargs, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, MEM_MAT));
  return expr_call_op(ir, o->load->u.call.op, args, 4, kw,
                      type_tile(ir, dims, 2, o->load->type->dtype, MEM_MAT), at);
}

/* The same from a tensor row by row, seen as a matrix. */
static Expr *load_page_of_rows(Flatten *f, const Operand *o, Dims offsets, int64_t page,
                               int64_t rows, int64_t cols, Span at, Span stmt_at, StmtList *out) {
  Ir *ir = f->ir;
  Expr *tensor = o->load->u.call.args[0];
  Expr *view = flat_bind(f, page_name(f, o->name, "pbview2d", page), matrix_view(f, tensor, at), at,
                         stmt_at, out);
  if (!view) return NULL;
  Expr *corner[] = {
      offsets.n > 2 ? collapse_row(f, offsets, dims_of(tensor->type), at) : offsets.at[0],
      offsets.at[offsets.n - 1]};
  Expr *shape = flat_tuple(f, rows, cols, at);
  Expr *args[] = {view, expr_tuple(ir, corner, 2, at), shape, shape};
  return flat_op(f, OP_TILE_LOAD, args, 4, o->load->u.call.kwargs, at);
}

/* A page loaded for itself. */
static Expr *load_page(Flatten *f, const Operand *o, int64_t page, Span at, Span stmt_at,
                       StmtList *out) {
  Ir *ir = f->ir;
  Expr *tensor = o->load->u.call.args[0], *offsets = o->load->u.call.args[1];
  const Expr *window = o->load->u.call.args[2];
  int64_t rows, cols;
  int rank = window->kind == EXPR_TUPLE ? window->u.tuple.len : 0;
  if (rank < 2 || offsets->kind != EXPR_TUPLE || tensor->type->rank != rank ||
      !expr_const_int(window->u.tuple.elems[rank - 2], &rows) ||
      !expr_const_int(window->u.tuple.elems[rank - 1], &cols)) {
    diag_error(ir->diag, at, "an operand too large for Mat must be loaded with a constant window");
    return NULL;
  }
  Dims base = {offsets->u.tuple.elems, offsets->u.tuple.len};
  Dims moved = {page_offsets(f, base, &o->batch, page, at), base.n};
  Expr *load = flatten_is_nz(tensor->type)
                   ? load_page_in_boxes(f, o, moved, rows, cols, at)
                   : load_page_of_rows(f, o, moved, page, rows, cols, at, stmt_at, out);
  if (!load) return NULL;
  load->u.call.attrs = o->load->u.call.attrs;
  Expr *tile = flat_bind(f, page_name(f, o->name, "pbload", page), load, at, stmt_at, out);
  if (!o->is_view) return tile;
  return flat_bind(f, page_name(f, o->name, "pbview", page),
                   flat_op(f, OP_TILE_TRANSPOSE_VIEW, &tile, 1, (AttrList){0}, at), at, stmt_at,
                   out);
}

static Expr *take_page(Flatten *f, const Operand *o, int64_t page, Span at, Span stmt_at,
                       StmtList *out) {
  if (!o->whole && o->load) return load_page(f, o, page, at, stmt_at, out);
  Expr *corner =
      o->is_view ? flat_tuple(f, 0, page * o->cols, at) : flat_tuple(f, page * o->rows, 0, at);
  Expr *args[] = {o->now, flat_tuple(f, o->rows, o->cols, at), corner};
  return flat_bind(f, page_name(f, o->name, "slice", page),
                   flat_op(f, OP_TILE_SLICE, args, 3, (AttrList){0}, at), at, stmt_at, out);
}

static Name numbered(Flatten *f, const char *what, int64_t i) {
  return name_printf(&f->ir->names, "%s_%lld", what, (long long)i);
}

/* ---------------------------------------------------------------- products */

typedef struct Product {
  Flatten *f;
  Stmt *s;
  Span at;
  Operand lhs, rhs;
  Extents batch;
  int64_t pages;
  StmtList *out;
  /* Where pages go: a store of the next statement, or a tile. */
  const Stmt *store;
  Expr *target;
} Product;

static Expr *bind(Product *p, Name name, Expr *value) {
  return flat_bind(p->f, name, value, p->at, p->s->span, p->out);
}

static bool product_init(Product *p, Flatten *f, Stmt *s, int first, StmtList *out) {
  const Expr *call = s->u.assign.value;
  *p = (Product){.f = f, .s = s, .at = call->span, .out = out};
  if (!read_operands(f, call, first, &p->lhs, &p->rhs)) return false;
  broadcast_batch(&p->lhs, &p->rhs, &p->batch);
  p->pages = product(&p->batch);
  if (p->pages >= 0 && p->pages <= MAX_PAGES) return true;
  diag_error(f->ir->diag, call->span, "a product of more than %d pages is not taken apart",
             MAX_PAGES);
  return false;
}

/* Pages of both operands, in this order. */
static bool take_pages(Product *p, int64_t i, Expr **pages, StmtList *out) {
  pages[0] = take_page(p->f, &p->lhs, operand_page(&p->lhs, &p->batch, i), p->at, p->s->span, out);
  pages[1] = take_page(p->f, &p->rhs, operand_page(&p->rhs, &p->batch, i), p->at, p->s->span, out);
  return pages[0] && pages[1];
}

/* The store of the result that directly follows, or NULL. */
static const Stmt *next_store(const Product *p, int index) {
  Block b = p->f->here->block;
  const Stmt *next = index + 1 < b.len ? b.items[index + 1] : NULL;
  if (!next || next->kind != STMT_ASSIGN || !expr_is_op(next->u.assign.value, OP_TILE_STORE))
    return NULL;
  return next->u.assign.value->u.call.args[0] == p->s->u.assign.var ? next : NULL;
}

/* One page stored where the next statement stores the whole. */
static bool store_page(Product *p, int64_t i, Expr *tile) {
  Flatten *f = p->f;
  const Expr *call = p->store->u.assign.value;
  Expr *offsets = rewrite_expr(f->r, call->u.call.args[1]);
  if (offsets->kind != EXPR_TUPLE || offsets->u.tuple.len != p->batch.n + 2) {
    diag_error(f->ir->diag, call->span,
               "the store's offsets must have the dimensions of the product");
    return false;
  }
  Dims base = {offsets->u.tuple.elems, offsets->u.tuple.len};
  Expr *args[4] = {tile, NULL, p->target};
  args[1] = expr_tuple(f->ir, page_offsets(f, base, &p->batch, i, call->span), base.n, call->span);
  int n = 3, rank = p->target->type->rank;
  if (rank > 2) {
    Expr **part = NEW_ARRAY(f->ir->arena, Expr *, rank);
    for (int k = 0; k < rank; k++) part[k] = expr_index(f->ir, 1);
    part[rank - 2] = expr_index(f->ir, p->lhs.rows);
    part[rank - 1] = expr_index(f->ir, p->rhs.cols);
    args[n++] = expr_tuple(f->ir, part, rank, call->span);
  }
  Expr *store = flat_op(f, OP_TILE_STORE, args, n, (AttrList){0}, call->span);
  const Expr *var = p->store->u.assign.var;
  p->target =
      flat_bind(f, numbered(f, var->u.var.name, i), store, var->span, p->store->span, p->out);
  return p->target != NULL;
}

static bool collect_page(Product *p, int64_t i, Expr *tile) {
  Expr *args[] = {p->target, tile, flat_tuple(p->f, i * p->lhs.rows, 0, p->at)};
  p->target = bind(p, p->target->u.var.name,
                   flat_op(p->f, OP_TILE_ASSEMBLE, args, 3, (AttrList){0}, p->at));
  return p->target != NULL;
}

static Expr *to_vec(Product *p, int64_t i, Expr *tile) {
  Ir *ir = p->f->ir;
  AttrList kw = key_with(ir, (AttrList){0}, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, MEM_VEC));
  return bind(p, numbered(p->f, "matmul_vec", i), flat_op(p->f, OP_TILE_MOVE, &tile, 1, kw, p->at));
}

static Expr *to_dtype(Product *p, int64_t i, Expr *tile, DType dtype) {
  Ir *ir = p->f->ir;
  AttrList kw = key_with(ir, (AttrList){0}, KEY_TARGET_TYPE, attr_of_dtype(dtype));
  kw = key_with(ir, kw, KEY_MODE, attr_of_str(ir_name(ir, "round")));
  return bind(p, numbered(p->f, "matmul_cast", i),
              flat_op(p->f, OP_TILE_CAST, &tile, 1, kw, p->at));
}

static bool multiply_page(Product *p, int64_t i, DType wanted) {
  Expr *pages[2];
  if (!take_pages(p, i, pages, p->out)) return false;
  Expr *tile = bind(p, numbered(p->f, "matmul", i),
                    flat_op(p->f, OP_TILE_MATMUL, pages, 2, (AttrList){0}, p->at));
  if (!tile) return false;
  bool cast = tile->type->dtype != wanted;
  if (!p->store || cast) tile = to_vec(p, i, tile);
  if (cast && tile) tile = to_dtype(p, i, tile, wanted);
  if (!tile) return false;
  return p->store ? store_page(p, i, tile) : collect_page(p, i, tile);
}

/* A single page that needs no cast is the result itself; NULL if it needs one. */
static Expr *single_page(Product *p, DType wanted) {
  StmtList before = {0};
  Expr *pages[2], *result = NULL;
  if (take_pages(p, 0, pages, &before)) {
    Expr *tile = flat_op(p->f, OP_TILE_MATMUL, pages, 2, (AttrList){0}, p->at);
    if (tile && tile->type->dtype == wanted) {
      for (size_t i = 0; i < before.len; i++) vec_push(p->out, before.data[i]);
      result = bind(p, p->s->u.assign.var->u.var.name, tile);
    }
  }
  vec_free(&before);
  return result;
}

bool flatten_batch_matmul(Flatten *f, Stmt *s, int index, StmtList *out) {
  Product p;
  if (!product_init(&p, f, s, 0, out)) return false;
  Expr *var = s->u.assign.var;
  DType wanted = s->u.assign.value->type->dtype;
  p.store = next_store(&p, index);
  if (p.pages == 1 && !p.store) {
    Expr *only = single_page(&p, wanted);
    if (only) return map_set(&f->r->subst, var, only), true;
  }
  if (p.store) {
    p.target = rewrite_expr(f->r, p.store->u.assign.value->u.call.args[2]);
  } else {
    Expr *shape = flat_tuple(f, p.pages * p.lhs.rows, p.rhs.cols, p.at);
    p.target =
        bind(&p, var->u.var.name,
             flat_op(f, OP_TILE_CREATE, &shape, 1, flat_tile_kwargs(f, wanted, MEM_VEC), p.at));
    if (!p.target) return false;
  }
  for (int64_t i = 0; i < p.pages; i++)
    if (!multiply_page(&p, i, wanted)) return false;
  f->skip_next = p.store != NULL;
  map_set(&f->r->subst, p.store ? p.store->u.assign.var : var, p.target);
  return true;
}

bool flatten_batch_matmul_acc(Flatten *f, Stmt *s, StmtList *out) {
  Product p;
  if (!product_init(&p, f, s, 1, out)) return false;
  Expr *acc = rewrite_expr(f->r, s->u.assign.value->u.call.args[0]);
  if (acc->kind != EXPR_VAR || acc->type->rank != 2 ||
      !extent_is_const(acc->type->shape[0], p.pages * p.lhs.rows) ||
      !extent_is_const(acc->type->shape[1], p.rhs.cols)) {
    diag_error(f->ir->diag, p.at, "the accumulator must have %lld rows and %lld columns",
               (long long)(p.pages * p.lhs.rows), (long long)p.rhs.cols);
    return false;
  }
  for (int64_t i = 0; i < p.pages; i++) {
    Expr *pages[2], *corner = flat_tuple(f, i * p.lhs.rows, 0, p.at), *part = acc;
    if (!take_pages(&p, i, pages, out)) return false;
    if (p.pages > 1) {
      Expr *args[] = {acc, flat_tuple(f, p.lhs.rows, p.rhs.cols, p.at), corner};
      part = bind(&p, numbered(f, "acc_page", i),
                  flat_op(f, OP_TILE_SLICE, args, 3, (AttrList){0}, p.at));
    }
    Expr *args[] = {part, pages[0], pages[1]};
    Expr *sum = flat_op(f, OP_TILE_MATMUL_ACC, args, 3, (AttrList){0}, p.at);
    sum = bind(&p, p.pages > 1 ? numbered(f, "matmul_acc", i) : acc->u.var.name, sum);
    Expr *put[] = {acc, sum, corner};
    if (p.pages > 1)
      sum = bind(&p, acc->u.var.name, flat_op(f, OP_TILE_ASSEMBLE, put, 3, (AttrList){0}, p.at));
    if (!sum) return false;
    acc = sum;
  }
  map_set(&f->r->subst, s->u.assign.var, acc);
  return true;
}
