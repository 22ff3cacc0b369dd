/* tile.c -- which handle a tile variable has, and where it is declared. */
#include <inttypes.h>

#include "codegen/pto/emit.h"
#include "target/runtime.h"

/* ---- alloc_tile ---- */

/* One valid extent as an index value. */
static Name extent(PtoFn *f, const TileView *view, const Type *tile, Expr *dim, int which) {
  bool packed = pto_packed_dim(view, tile, which);
  int64_t v;
  if (expr_const_int(dim, &v)) {
    if (packed && (v <= 0 || v % 2))
      pto_error(f, NO_SPAN,
                "the packed valid extent of an FP4 tile in Vec must be positive and even, "
                "got %" PRId64,
                v);
    return pto_const_index(f, packed ? v / 2 : v);
  }
  if (packed)
    pto_error(f, dim->span, "the packed valid extent of an FP4 tile in Vec must be a constant");
  return pto_index_operand(f, dim);
}

/* The address as the operand of alloc_tile: an i64, whatever integer type the program's text gives the offset. */
static Name address(PtoFn *f, Expr *offset) {
  if (offset->kind == EXPR_INT) return pto_const(f, offset->u.i, DT_INT64);
  Name value = pto_value(f, offset);
  DType t = offset->type->kind == TYPE_SCALAR ? offset->type->dtype : DT_NONE;
  if (!dtype_is_int(t)) {
    pto_error(f, offset->span, "the address of a tile must be an integer");
    return value;
  }
  if (t == DT_INT64) return value;
  Name wide = pto_new(f);
  pto_line(f, "%s = arith.index_cast %s : %s to i64", wide, value, pto_dtype(f, t));
  return wide;
}

PtoAlloc pto_alloc_of(PtoFn *f, const Type *tile, bool full) {
  PtoAlloc a = {.type = pto_tile_type(f, tile)};
  TileView view = tile_view_of(f->ir, tile);
  Expr *const *dims = full ? tile->shape : view.valid_shape;
  int n = full ? tile->rank : view.nvalid;
  if (n == 1) {
    a.row = pto_const_index(f, 1);
    a.col = extent(f, &view, tile, dims[0], 1);
  } else if (n >= 2) {
    a.row = extent(f, &view, tile, dims[0], 0);
    a.col = extent(f, &view, tile, dims[1], 1);
  }
  if (tile->memref && f->m->addresses && tile->memref->offset)
    a.addr = address(f, tile->memref->offset);
  return a;
}

static void print_alloc(PtoFn *f, Name value, const PtoAlloc *a) {
  Buf b = {0};
  if (a->addr) buf_printf(&b, " addr = %s", a->addr);
  if (a->row) buf_printf(&b, " valid_row = %s", a->row);
  if (a->col) buf_printf(&b, " valid_col = %s", a->col);
  pto_line(f, "%s = pto.alloc_tile%s : %s", value, buf_str(&b), a->type);
  buf_free(&b);
}

/* ---- one handle per buffer, when no addresses tell buffers apart ---- */

static PtoIdentity *identity_of(PtoFn *f, const MemRef *m, bool add) {
  int64_t offset = 0;
  const Expr *symbolic = expr_const_int(m->offset, &offset) ? NULL : m->offset;
  uint64_t hash = hash_mix(hash_mix((uintptr_t)m->base, (uintptr_t)symbolic), (uint64_t)offset);
  void **at = map_at(&f->identities, (const void *)(uintptr_t)hash_mix(hash, m->size));
  for (PtoIdentity *i = *at; i; i = i->next)
    if (i->base == m->base && i->offset == symbolic && i->offset_value == offset &&
        i->size == m->size)
      return i;
  if (!add) return NULL;
  PtoIdentity *i = NEW(f->ir->arena, PtoIdentity);
  *i = (PtoIdentity){
      .base = m->base, .offset = symbolic, .offset_value = offset, .size = m->size, .next = *at};
  return *at = i;
}

void pto_name_tiles(PtoFn *f) {
  for (size_t k = 0; k < f->tile_vars.len; k++) {
    Expr *var = f->tile_vars.data[k];
    Name type = pto_tile_type(f, var->type), value;
    if (f->m->addresses) {
      value = pto_new_named(f, "%s", var->u.var.name);
    } else {
      PtoIdentity *id = identity_of(f, var->type->memref, true);
      if (!id->value) {
        id->value = pto_new_named(f, "%s", var->u.var.name);
        id->type = type;
      }
      if (id->type != type) id->mixed = true;
      value = id->value;
    }
    pto_bind(f, var, value);
    pto_value_info(f, value)->tile_type = type;
  }
}

Name pto_shared_handle(PtoFn *f, const Type *tile) {
  if (f->m->addresses || !tile->memref) return NULL;
  const PtoIdentity *id = identity_of(f, tile->memref, false);
  return id && !id->mixed ? id->value : NULL;
}

/* ---- handles at the head of the function ---- */

void pto_declare_at_head(PtoFn *f, Name value, const PtoAlloc *a) {
  PtoValue *v = pto_value_info(f, value);
  if (v->declared) return;
  v->declared = true;
  v->tile_type = a->type;
  vec_push(&f->head_tiles, (PtoHeadTile){value, a->type, a->addr, a->row, a->col});
}

Name pto_head_tile(PtoFn *f, const char *hint, const PtoAlloc *a) {
  Name value = pto_new_named(f, "%s", hint);
  pto_value_info(f, value)->tile_type = a->type;
  vec_push(&f->head_tiles, (PtoHeadTile){value, a->type, a->addr, a->row, a->col});
  return value;
}

void pto_print_head_tiles(PtoFn *f) {
  for (size_t i = 0; i < f->regions.len; i++) {
    const PtoRegion *r = &f->regions.data[i];
    Span outer = f->loc;
    if (r->base->span.line) f->loc = r->base->span;
    pto_line(f, "%s = pto.alloc_multi_tile valid_row = %s valid_col = %s : %s", r->value, r->row,
             r->col, r->type);
    f->loc = outer;
  }
  f->loc = f->func->span;
  for (size_t i = 0; i < f->head_tiles.len; i++) {
    const PtoHeadTile *t = &f->head_tiles.data[i];
    PtoAlloc a = {.type = t->type, .addr = t->addr, .row = t->row, .col = t->col};
    print_alloc(f, t->value, &a);
  }
}

/* ---- regions of several slots ---- */

/* A multi-slot allocation while it is not known whether it can be a region. */
typedef struct Candidate {
  Expr *base, *first, *reference;
  uint64_t slots;
  Name type;
  bool has_extent;
  int64_t row, col;
  const char *why; /* it cannot */
} Candidate;

typedef VEC(Candidate) Candidates;

/* What loops and branches carry, and which allocations have two slots at work in one loop body. */
typedef struct Hazards {
  Map carried; /* bases */
  Map coexisting;
  Map *seen; /* bases with a slot in the loop body at work; NULL outside loops */
} Hazards;

static void note_carried(Hazards *h, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++)
    if (type_is_tile(vars[i]->type) && vars[i]->type->memref)
      map_set(&h->carried, vars[i]->type->memref->base, NULL);
}

static void find_hazards(Hazards *h, Block b);

static void loop_hazards(Hazards *h, const Stmt *s) {
  note_carried(h, s->u.loop.results, s->u.loop.nresults);
  note_carried(h, s->u.loop.iter_args, s->u.loop.ncarried);
  Map seen = {0}, *outer = h->seen;
  h->seen = &seen;
  find_hazards(h, s->u.loop.body);
  h->seen = outer;
  map_free(&seen);
}

static void find_hazards(Hazards *h, Block b) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (stmt_is_loop(s)) {
      loop_hazards(h, s);
    } else if (s->kind == STMT_IF) {
      note_carried(h, s->u.if_.results, s->u.if_.nresults);
      find_hazards(h, s->u.if_.then_body);
      find_hazards(h, s->u.if_.else_body);
    } else if (s->kind == STMT_SCOPE) {
      find_hazards(h, s->u.scope.body);
    } else if (s->kind == STMT_ASSIGN && h->seen) {
      const Type *t = s->u.assign.var->type;
      const MemRef *m = type_is_tile(t) ? t->memref : NULL;
      if (m && m->slots > 1 && m->slot && !map_set(h->seen, m->base, NULL))
        map_set(&h->coexisting, m->base, NULL);
    }
  }
}

/* Constant valid extents of a tile; false if one is computed. */
static bool constant_extent(Ir *ir, const Type *tile, int64_t *row, int64_t *col) {
  TileView v = tile_view_of(ir, tile);
  *row = 1;
  if (v.nvalid == 1) return expr_const_int(v.valid_shape[0], col);
  return v.nvalid >= 2 && expr_const_int(v.valid_shape[0], row) &&
         expr_const_int(v.valid_shape[1], col);
}

/* Why `var` keeps the allocation from being a region, or NULL. */
static const char *blocker(PtoFn *f, const Candidate *c, const Expr *var, const Hazards *h) {
  const Type *t = var->type;
  int64_t row = 0, col = 0;
  bool known = constant_extent(f->ir, t, &row, &col);
  if (!t->memref->slot)
    return arena_printf(f->ir->arena, "tile '%s' selects no slot of it", var->u.var.name);
  if (t->memref->slots != c->slots) return "its tiles disagree on the number of slots";
  if (c->slots > PTOAS_MAX_SLOTS)
    return arena_printf(f->ir->arena, "ptoas takes %d to %d slots", PTOAS_MIN_SLOTS,
                        PTOAS_MAX_SLOTS);
  if (pto_tile_type(f, t) != c->type) return "its slots hold tiles of different types";
  if (!known || !c->has_extent)
    return arena_printf(f->ir->arena, "tile '%s' has a valid shape that is computed at run time",
                        (known ? c->reference : var)->u.var.name);
  if (row != c->row || col != c->col) return "its slots have different valid shapes";
  if (t->space != MEM_VEC && t->space != MEM_MAT && t->space != MEM_ACC)
    return "slots exist in Vec, Mat and Acc only";
  if (map_has(&h->carried, t->memref->base)) return "a loop or a branch carries one of its slots";
  if (map_has(&h->coexisting, t->memref->base))
    return "a loop body uses two of its slots at once, and ptoas protects the first one only";
  return NULL;
}

static void add_candidate(PtoFn *f, Map *index, Candidates *cands, Expr *var) {
  const MemRef *m = var->type->memref;
  void **at = map_at(index, m->base);
  if (!*at) {
    vec_push(cands, (Candidate){.base = m->base, .first = var, .slots = m->slots});
    *at = map_int((intptr_t)cands->len);
  }
  Candidate *c = &cands->data[(intptr_t)*at - 1];
  if (c->reference || !m->slot) return;
  c->reference = var;
  c->type = pto_tile_type(f, var->type);
  c->has_extent = constant_extent(f->ir, var->type, &c->row, &c->col);
}

void pto_plan_regions(PtoFn *f) {
  if (f->m->addresses) return;
  Candidates cands = {0};
  Map index = {0};
  for (size_t i = 0; i < f->tile_vars.len; i++)
    if (f->tile_vars.data[i]->type->memref->slots > 1)
      add_candidate(f, &index, &cands, f->tile_vars.data[i]);
  Hazards h = {0};
  if (cands.len) find_hazards(&h, f->func->body);
  for (size_t i = 0; cands.len && i < f->tile_vars.len; i++) {
    Expr *var = f->tile_vars.data[i];
    intptr_t at = map_get_int(&index, var->type->memref->base);
    Candidate *c = at ? &cands.data[at - 1] : NULL;
    if (c && !c->why) c->why = blocker(f, c, var, &h);
  }
  for (size_t i = 0; i < cands.len; i++) {
    const Candidate *c = &cands.data[i];
    Name base = c->base->u.var.name;
    if (c->why) {
      pto_error(f, c->first->span,
                "the %" PRIu64
                " slots of '%s' cannot be kept apart by ptoas: %s; "
                "change the declaration or use --memory-planner=pypto",
                c->slots, base, c->why);
      continue;
    }
    PtoRegion r = {.base = c->base, .slot_type = c->type};
    r.row = pto_const_index(f, c->row);
    r.col = pto_const_index(f, c->col);
    r.type = pto_name(f, "!pto.multi_tile_buf<%s, count=%" PRIu64 ">", c->type, c->slots);
    r.value = pto_new_named(f, "%s_mb", base);
    vec_push(&f->regions, r);
    map_set(&f->region_of, c->base, map_int((intptr_t)f->regions.len));
  }
  vec_free(&cands);
  map_free(&index);
  map_free(&h.carried);
  map_free(&h.coexisting);
}

/* Takes the slot of a region; false if the tile is in none. */
static bool take_slot(PtoFn *f, const MemRef *m, Name value) {
  intptr_t at = map_get_int(&f->region_of, m->base);
  if (!at || !m->slot) return false;
  const PtoRegion *r = &f->regions.data[at - 1];
  Name slot = pto_index_operand(f, m->slot);
  pto_line(f, "%s = pto.multi_tile_get %s[%s] : %s -> %s", value, r->value, slot, r->type,
           r->slot_type);
  pto_value_info(f, value)->tile_type = r->slot_type;
  return true;
}

void pto_alloc_var(PtoFn *f, Expr *var) {
  PtoVar *v = pto_var(f, var);
  if (v->allocated) return;
  v->allocated = true;
  Name value = pto_var_value(f, var);
  PtoValue *known = pto_value_info(f, value);
  if (known->declared) return;
  known->declared = true;
  if (take_slot(f, var->type->memref, value)) return;
  PtoAlloc a = pto_alloc_of(f, var->type, false);
  print_alloc(f, value, &a);
  pto_value_info(f, value)->tile_type = a.type;
}

/* ---- results that are written into an operand ---- */

/* What must agree for two variables to be one handle. */
typedef struct Signature {
  MemSpace space;
  DType dtype;
  int64_t rows, cols, vrow, vcol;
  bool vrow_dynamic, vcol_dynamic;
  TileView view; /* layouts, fractal, pad, compact */
} Signature;

static Signature signature_of(const Type *t) {
  Signature s = {.space = t->space, .dtype = t->dtype, .rows = 32, .cols = 32};
  if (t->rank >= 2) {
    expr_const_int(t->shape[0], &s.rows);
    expr_const_int(t->shape[1], &s.cols);
  } else if (t->rank == 1 && expr_const_int(t->shape[0], &s.cols)) {
    s.rows = 1;
  }
  s.vrow = s.rows;
  s.vcol = s.cols;
  s.view =
      (TileView){.blayout = TILE_LAYOUT_ROW_MAJOR, .slayout = TILE_LAYOUT_NONE_BOX, .fractal = 512};
  if (!t->tile_view) {
    if (s.cols == 1 && s.rows > 1) s.view.blayout = TILE_LAYOUT_COL_MAJOR;
    return s;
  }
  s.view = *t->tile_view;
  if (s.view.nvalid >= 1) s.vrow_dynamic = !expr_const_int(s.view.valid_shape[0], &s.vrow);
  if (s.view.nvalid >= 2) s.vcol_dynamic = !expr_const_int(s.view.valid_shape[1], &s.vcol);
  return s;
}

static bool same_signature(const Type *ta, const Type *tb) {
  if (ta == tb) return true;
  Signature a = signature_of(ta), b = signature_of(tb);
  return a.space == b.space && a.dtype == b.dtype && a.rows == b.rows && a.cols == b.cols &&
         a.vrow_dynamic == b.vrow_dynamic && a.vcol_dynamic == b.vcol_dynamic && a.vrow == b.vrow &&
         a.vcol == b.vcol && a.view.blayout == b.view.blayout && a.view.slayout == b.view.slayout &&
         a.view.fractal == b.view.fractal && a.view.pad == b.view.pad &&
         a.view.compact == b.view.compact;
}

static const Type *placed_tile(const Type *t) { return type_is_tile(t) && t->memref ? t : NULL; }

bool pto_writes_in_place(PtoFn *f, const Stmt *assign) {
  const Expr *call = assign->u.assign.value;
  const Op *op = expr_op(call);
  const Type *res = placed_tile(assign->u.assign.var->type);
  if (!op || !res) return false;
  int arg = op->reuses_input - 1;
  const PtoOp *row = pto_op_of(f, call);
  bool whole = row && row->in_place;
  if (whole) arg = 0;
  if (arg < 0 || arg >= call->u.call.nargs) return false;
  const Type *in = placed_tile(call->u.call.args[arg]->type);
  if (!in || in->memref->base != res->memref->base) return false;
  if (whole) return true;
  return in->memref->size == res->memref->size &&
         expr_same(in->memref->offset, res->memref->offset) && same_signature(res, in);
}

bool pto_may_overlap(const Type *a, const Type *b) {
  if (!a->memref || !b->memref || a->memref->base != b->memref->base) return false;
  int64_t x, y;
  if (!expr_const_int(a->memref->offset, &x) || !expr_const_int(b->memref->offset, &y)) return true;
  return x < y + (int64_t)b->memref->size && y < x + (int64_t)a->memref->size;
}
