/* form_pipe.c -- pipes between cube and vector cores, events, barriers. */
#include <inttypes.h>
#include <string.h>

#include "codegen/pto/forms.h"
#include "target/runtime.h"

/* Values of the keyword `split`: none, halves, and halves of an odd extent. */
enum { SPLIT_OFF, SPLIT_ROWS, SPLIT_COLS, SPLIT_ODD_ROWS, SPLIT_ODD_COLS };

static bool is_odd(int64_t split) { return split == SPLIT_ODD_ROWS || split == SPLIT_ODD_COLS; }

/* The split of a push or pop, checked; -1 after an error.  An odd extent is split only on the way
 * from the cube core; `to_cube`: the other way. */
static int64_t checked_split(PtoFn *f, const Expr *call, int64_t missing, bool to_cube) {
  int64_t split = pto_kwarg_int(f, call, "split", missing);
  if (split < SPLIT_OFF || split > SPLIT_ODD_COLS) {
    pto_error(f, call->span, "split must be 0 to 4, not %" PRId64, split);
    return -1;
  }
  if (is_odd(split) && to_cube) {
    pto_error(f, call->span,
              "an odd extent cannot be split on the way to the cube core (split = %" PRId64 ")",
              split);
    return -1;
  }
  return split;
}

static bool put_id(PtoFn *f, const Expr *call, Buf *b) {
  if (!pto_has_kwarg(f, call, "id")) return true;
  int64_t id = pto_kwarg_int(f, call, "id", 0);
  if (id < 0) pto_error(f, call->span, "the id of a pipe cannot be negative");
  buf_printf(b, "id = %" PRId64 ", ", id);
  return id >= 0;
}

/* "{id = 1, split = 2}" */
static bool put_attrs(PtoFn *f, const Expr *call, int64_t split, Buf *b) {
  buf_putc(b, '{');
  bool ok = put_id(f, call, b);
  buf_printf(b, "split = %" PRId64 "}", split);
  return ok;
}

/* ---- push ---- */

static bool is_zero(const Expr *e) {
  int64_t v;
  return expr_const_int(e, &v) && v == 0;
}

static bool same_extent(const Expr *a, const Expr *b) {
  int64_t x, y;
  return a == b || (expr_const_int(a, &x) && expr_const_int(b, &y) && x == y);
}

static void set_valid(PtoFn *f, const PtoArg *tile, Expr *row, Expr *col) {
  Name r = pto_index_operand(f, row), c = pto_index_operand(f, col);
  pto_line(f, "pto.set_validshape %s, %s, %s : %s", tile->value, r, c, tile->type);
}

/* A slot holds the whole box, so a push sends the whole box.  True if the tile's valid shape was
 * changed for that, to be restored afterwards. */
static bool widen_for_push(PtoFn *f, const Type *t, const PtoArg *tile, bool to_vector,
                           int64_t split) {
  TileView v = tile_view_of(f->ir, t);
  if (t->rank < 2 || v.nvalid < 2 || !tile->type) return false;
  bool from_acc = split == SPLIT_OFF && to_vector && t->space == MEM_ACC;
  bool replayed = split == SPLIT_OFF && f->dual_vector;
  if (split == SPLIT_OFF && !from_acc && !replayed) return false;
  Expr *row = t->shape[0], *col = t->shape[1];
  if (from_acc && (is_zero(v.valid_shape[0]) || is_zero(v.valid_shape[1]))) return false;
  if (replayed) {
    /* The second vector core repeats the push with nothing valid; only columns may grow, lest its
     * rows land on the first one's. */
    row = v.valid_shape[0];
    if (is_zero(row)) return false;
  }
  if (same_extent(row, v.valid_shape[0]) && same_extent(col, v.valid_shape[1])) return false;
  set_valid(f, tile, row, col);
  return true;
}

void form_push(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  bool to_vector = strcmp(op->word, "aiv") == 0;
  int64_t split = checked_split(f, call, -1, !to_vector);
  if (split < 0) return;
  const Type *t = call->u.call.args[0]->type;
  PtoArg tile = pto_arg(f, call->u.call.args[0]);
  bool widened = widen_for_push(f, t, &tile, to_vector, split);
  Buf attrs = {0};
  if (put_attrs(f, call, split, &attrs))
    pto_line(f, "pto.tpush_to_%s(%s%s%s) %s", op->word, tile.value, tile.type ? " : " : "",
             tile.type ? tile.type : "", buf_str(&attrs));
  buf_free(&attrs);
  if (!widened) return;
  TileView v = tile_view_of(f->ir, t);
  set_valid(f, &tile, v.valid_shape[0], v.valid_shape[1]);
}

/* ---- pop ---- */

/* Valid extents to pop with; false if the tile is full and they are not needed. */
static bool pop_extents(PtoFn *f, const Type *t, Name out[2]) {
  if (!t->tile_view) return false;
  Expr *const *valid = t->tile_view->valid_shape;
  int n = t->tile_view->nvalid;
  bool dynamic = false, full = true;
  for (int i = 0; i < n && i < 2; i++) dynamic |= !expr_const_int(valid[i], NULL);
  Expr *one = expr_index(f->ir, 1);
  Expr *shape[2] = {t->rank >= 2 ? t->shape[0] : one, t->shape[t->rank >= 2 ? 1 : 0]};
  for (int i = 0; i < 2 && n >= 2; i++) full &= same_extent(valid[i], shape[i]);
  if (n == 1) full = false;
  if (!dynamic && full) return false;
  for (int i = 0; i < 2; i++) out[i] = pto_index_operand(f, i < n ? valid[i] : shape[i]);
  return true;
}

/* A pop from the cube core copies the box as it was pushed; a smaller constant valid shape is put
 * on afterwards by a view. */
static bool pops_box(const Type *t, const TileView *v, int64_t split) {
  if (is_odd(split) || t->space != MEM_VEC || t->rank < 2 || v->nvalid < 2) return false;
  for (int i = 0; i < v->nvalid; i++)
    if (!expr_const_int(v->valid_shape[i], NULL) || is_zero(v->valid_shape[i])) return false;
  return expr_const_int(t->shape[0], NULL) && expr_const_int(t->shape[1], NULL);
}

void form_pop(PtoFn *f, const PtoOp *op, Expr *call) {
  bool from_cube = strcmp(op->word, "aic") == 0;
  int64_t split = checked_split(f, call, 0, !from_cube);
  if (split < 0) return;
  if (!f->res || !f->res_tile) {
    pto_error(f, call->span, "a popped tile must be assigned to a variable");
    return;
  }
  const Type *t = f->res_tile;
  TileView v = tile_view_of(f->ir, t);
  Name type = pto_res_type(f), extents[2];
  bool narrowed = pop_extents(f, t, extents);
  if (is_odd(split) && !narrowed) {
    pto_error(f, call->span, "a pop with an odd split needs the valid shape of its core");
    return;
  }
  bool box = from_cube && narrowed && pops_box(t, &v, split);
  for (int i = 0; box && i < 2; i++) extents[i] = pto_index_operand(f, t->shape[i]);
  Name value = box ? pto_new_named(f, "tpop_transport") : f->res;
  Buf b = {0};
  buf_printf(&b, "%s = pto.tpop_from_%s", value, op->word);
  if (narrowed) buf_printf(&b, "(%s, %s)", extents[0], extents[1]);
  buf_putc(&b, ' ');
  if (put_attrs(f, call, split, &b)) pto_line(f, "%s -> %s", buf_str(&b), type);
  buf_free(&b);
  if (!box) return;
  Name logical = pto_tile_view_type(f, t), view = pto_new_named(f, "tpop_logical");
  pto_line(f, "%s = pto.treshape %s : %s -> %s", view, value, type, logical);
  pto_value_info(f, view)->tile_type = logical;
  f->res = view;
}

void form_free_slot(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_has_kwarg(f, call, "split")) {
    pto_error(f, call->span, "'%s' has no split; StampTfreeSplit has not run", expr_op(call)->name);
    return;
  }
  Buf attrs = {0};
  if (put_attrs(f, call, pto_kwarg_int(f, call, "split", 0), &attrs))
    pto_line(f, "pto.tfree_from_%s %s", op->word, buf_str(&attrs));
  buf_free(&attrs);
}

/* ---- setting up ---- */

/* A buffer operand as i32, or NULL after an error. */
static Name buffer_operand(PtoFn *f, Expr *e) {
  if (e->kind == EXPR_INT) return pto_const(f, (int32_t)e->u.i, DT_INT32);
  if (e->type->kind == TYPE_SCALAR && e->type->dtype == DT_INT32) return pto_value(f, e);
  pto_error(f, e->span, "a buffer of a pipe must be an INT32 value");
  return NULL;
}

/* Pointer to the pipe's part of the pipe buffer; NULL on chips without one. */
static Name pipe_pointer(PtoFn *f, int64_t id, int64_t dir) {
  if (!f->pipe_buffer) return NULL;
  size_t at = 0;
  while (at < f->m->pipes.len && (f->m->pipes.data[at].id != id || f->m->pipes.data[at].dir != dir))
    at++;
  if (at == f->m->pipes.len) return f->pipe_buffer;
  void **known = map_at(&f->pipe_regions, map_int((intptr_t)at + 1));
  if (*known) return *known;
  Name value = f->pipe_buffer;
  int64_t bytes = f->m->pipes.data[at].offset, size = dtype_get_byte(DT_FP32);
  if (bytes % size) pto_error(f, NO_SPAN, "pipe %" PRId64 " does not start at a whole element", id);
  if (bytes) {
    Name offset = pto_const_index(f, bytes / size);
    value = pto_new(f);
    pto_line(f, "%s = pto.addptr %s, %s : <f32> -> <f32>", value, f->pipe_buffer, offset);
  }
  *map_at(&f->pipe_regions, map_int((intptr_t)at + 1)) = (void *)value;
  return value;
}

/* ", key = n" of a positive optional keyword. */
static void put_count(PtoFn *f, const Expr *call, const char *key, Buf *b) {
  if (!pto_has_kwarg(f, call, key)) return;
  int64_t n = pto_kwarg_int(f, call, key, 0);
  if (n <= 0) pto_error(f, call->span, "%s must be positive, not %" PRId64, key, n);
  buf_printf(b, ", %s = %" PRId64, key, n);
}

void form_init_pipe(PtoFn *f, const PtoOp *op, Expr *call) {
  int64_t dir = pto_kwarg_int(f, call, "dir_mask", -1),
          size = pto_kwarg_int(f, call, "slot_size", -1);
  if (dir < 0 || size <= 0) {
    pto_error(f, call->span, "a pipe needs dir_mask and a positive slot_size");
    return;
  }
  Name to_vector = buffer_operand(f, call->u.call.args[0]);
  Name to_cube = buffer_operand(f, call->u.call.args[1]);
  if (!to_vector || !to_cube) return;
  Buf b = {0};
  buf_printf(&b, "pto.%s_initialize_pipe {", op->word);
  put_id(f, call, &b);
  buf_printf(&b, "dir_mask = %" PRId64 ", slot_size = %" PRId64, dir, size);
  put_count(f, call, "slot_num", &b);
  put_count(f, call, "local_slot_num", &b);
  buf_putc(&b, '}');
  Name ptr = pipe_pointer(f, pto_kwarg_int(f, call, "id", 0), dir);
  if (ptr)
    buf_printf(&b, "\n      (gm_slot_buffer = %s : !pto.ptr<f32>, ", ptr);
  else
    buf_puts(&b, " (");
  pto_line(f, "%sc2v_consumer_buf = %s : i32, v2c_consumer_buf = %s : i32)", buf_str(&b), to_vector,
           to_cube);
  buf_free(&b);
}

/* A name that goes into the text as it is; reports a missing or unsafe one. */
static const char *safe_name(PtoFn *f, const Expr *call, const char *key) {
  const char *s = pto_kwarg_str(f, call, key);
  size_t ok = s ? strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") : 0;
  if (s && *s && !s[ok]) return s;
  pto_error(f, call->span, "%s of '%s' must be a name of letters, digits and underscores", key,
            expr_op(call)->name);
  return NULL;
}

void form_reserve_buffer(PtoFn *f, const PtoOp *op, Expr *call) {
  const char *name = safe_name(f, call, "name");
  int64_t size = pto_kwarg_int(f, call, "size", -1), base = pto_kwarg_int(f, call, "base", -1);
  if (!name) return;
  if (size <= 0 || (f->m->addresses && base < 0)) {
    pto_error(f, call->span,
              size <= 0 ? "the size of a reserved buffer must be positive"
                        : "the reserved buffer has not been placed");
    return;
  }
  const char *space = f->func->type == FUNC_AIC   ? "mat"
                      : f->func->type == FUNC_AIV ? "vec"
                                                  : "undefined";
  Name value = f->res ? f->res : pto_new_named(f, "%s", name);
  Buf b = {0};
  buf_printf(&b,
             "%s = %s {name = \"%s\", size = %" PRId64
             ", location = #pto.address_space<%s>, auto = %s",
             value, op->inst, name, size, space, f->m->addresses ? "false" : "true");
  if (f->m->addresses) buf_printf(&b, ", base = %" PRId64, base);
  pto_line(f, "%s} -> i32", buf_str(&b));
  buf_free(&b);
}

void form_import_buffer(PtoFn *f, const PtoOp *op, Expr *call) {
  const char *name = safe_name(f, call, "name"), *peer = safe_name(f, call, "peer_func");
  if (!name || !peer) return;
  Name value = f->res ? f->res : pto_new_named(f, "%s_import", name);
  pto_line(f, "%s = %s {name = \"%s\", peer_func = @%s} -> i32", value, op->inst, name, peer);
}

/* ---- events and barriers ---- */

void form_sync_event(PtoFn *f, const PtoOp *op, Expr *call) {
  int64_t pipe = pto_kwarg_int(f, call, "pipe", -1);
  bool fixed = pto_has_kwarg(f, call, "event_id"), computed = call->u.call.nargs == 1;
  if (pipe < 0 || pipe >= PIPE_COUNT || fixed == computed) {
    pto_error(f, call->span, "'%s' needs a pipe and one event id", expr_op(call)->name);
    return;
  }
  Buf b = {0};
  buf_printf(&b, "pto.sync.%s <PIPE_%s>, ", op->word, enum_name(ENUM_PIPE, (int)pipe));
  if (fixed) {
    int64_t id = pto_kwarg_int(f, call, "event_id", -1);
    if (id < 0 || id >= SYNC_EVENTS)
      pto_error(f, call->span, "event_id must be 0 to 13, not %" PRId64, id);
    buf_int(&b, id);
  } else {
    Expr *id = call->u.call.args[0];
    if (id->type->kind != TYPE_SCALAR || id->type->dtype != DT_INDEX)
      pto_error(f, call->span, "a computed event id must be INDEX");
    buf_puts(&b, pto_value(f, id));
  }
  if (pto_has_kwarg(f, call, "ffts_mode")) {
    int64_t mode = pto_kwarg_int(f, call, "ffts_mode", -1);
    if (mode < 0 || mode >= SYNC_FFTS_MODES || strcmp(op->word, "set") != 0)
      pto_error(f, call->span, "ffts_mode belongs to sync_set and must be 0 to 2");
    buf_printf(&b, " {ffts_mode = %" PRId64 " : i32}", mode);
  }
  pto_line(f, "%s", buf_str(&b));
  buf_free(&b);
}

void form_set_ffts(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  const Expr *ws = call->u.call.args[0];
  int64_t n = 0;
  if (!type_is_tensor(ws->type) || ws->type->dtype != DT_INT64 || ws->type->rank != 1 ||
      !expr_const_int(ws->type->shape[0], &n) || n < SYNC_FFTS_WORDS) {
    pto_error(f, call->span,
              "system.set_ffts needs a one-dimensional INT64 tensor of at least %d elements",
              SYNC_FFTS_WORDS);
    return;
  }
  pto_line(f, "%s %s : !pto.ptr<i64>", op->inst, pto_var_value(f, ws));
}

/* The soft barrier's workspace: at least 16 INT32 elements where its size is known. */
static bool workspace_fits(PtoFn *f, const Expr *call) {
  enum { WORDS = 16 };
  const Type *t = call->u.call.args[0]->type;
  if (t->kind != TYPE_TENSOR || t->rank < 1 || t->dtype != DT_INT32) {
    pto_error(f, call->span, "the workspace of system.syncall must be an INT32 tensor");
    return false;
  }
  int64_t elems = type_num_elements(t);
  bool dynamic = false;
  for (int i = 0; i < t->rank; i++) dynamic |= !expr_const_int(t->shape[i], NULL);
  if (dynamic || elems < 0 || elems >= WORDS) return true;
  pto_error(f, call->span, "the workspace of system.syncall needs %d elements, it has %" PRId64,
            WORDS, elems);
  return false;
}

void form_syncall(PtoFn *f, const PtoOp *op, Expr *call) {
  const char *mode = pto_kwarg_str(f, call, "mode"), *cores = pto_kwarg_str(f, call, "core_type");
  if (!mode) mode = "hard";
  if (!cores) cores = "mix";
  bool soft = strcmp(mode, "soft") == 0;
  if ((!soft && strcmp(mode, "hard") != 0) ||
      (soft ? call->u.call.nargs < 1 : call->u.call.nargs > 0)) {
    pto_error(f, call->span, "system.syncall is hard without operands, or soft with a workspace");
    return;
  }
  if (strcmp(cores, "aiv_only") != 0 && strcmp(cores, "aic_only") != 0 &&
      strcmp(cores, "mix") != 0) {
    pto_error(f, call->span, "core_type must be aiv_only, aic_only or mix, not '%s'", cores);
    return;
  }
  Buf b = {0};
  if (soft) {
    if (!pto_need_var(f, call, 0) || !workspace_fits(f, call)) return;
    const Expr *ws = call->u.call.args[0];
    PtoArg args[2] = {pto_full_partition(f, ws, pto_name(f, "%s_syncgm", ws->u.var.name))};
    int n = call->u.call.nargs;
    if (n == 2) {
      Expr *used = call->u.call.args[1];
      if (used->type->kind != TYPE_SCALAR || used->type->dtype != DT_INT32)
        pto_error(f, call->span, "the number of cores of system.syncall must be INT32");
      args[1] = (PtoArg){pto_value(f, used), ir_name(f->ir, "i32")};
    }
    for (int i = 0; i < n; i++) buf_printf(&b, "%s%s", i ? ", " : "", args[i].value);
    pto_put_types(&b, args, n);
  }
  pto_line(f, "%s(%s) mode = #pto.sync_all_mode<%s>, core_type = #pto.sync_core_type<%s>", op->inst,
           buf_str(&b), mode, cores);
  buf_free(&b);
}
