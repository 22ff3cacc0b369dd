/* form_compute.c -- instructions that compute tiles from tiles. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "codegen/pto/forms.h"
#include "ir/ops/deduce_common.h"

void form_nothing(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)f;
  (void)op;
  (void)call;
}

void form_plain(PtoFn *f, const PtoOp *op, Expr *call) {
  pto_ins_outs(f, op->inst, pto_args(f, call), call->u.call.nargs, NULL, NULL);
}

void form_one(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg a = pto_arg(f, call->u.call.args[op->param]);
  pto_ins_outs(f, op->inst, &a, 1, NULL, NULL);
}

void form_i32_operand(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg *args = NEW_ARRAY(f->ir->arena, PtoArg, call->u.call.nargs);
  for (int i = 0; i < call->u.call.nargs; i++) {
    Expr *e = call->u.call.args[i];
    args[i] = pto_arg(f, e);
    if (i != op->param) continue;
    args[i] = (PtoArg){pto_to_i32(f, e, args[i].value), ir_name(f->ir, "i32")};
  }
  pto_ins_outs(f, op->inst, args, call->u.call.nargs, NULL, NULL);
}

/* ---- windows as operands ---- */

PtoArg pto_whole_operand(PtoFn *f, Expr *e) {
  PtoArg a = pto_arg(f, e);
  PtoValue *known = pto_value_known(f, a.value);
  PtoWindow *w = expr_is_var(e) && known ? known->window : NULL;
  if (!w) return a;
  if (!w->copied) {
    /* The copy goes into the window's own memory, so it must be the identity there. */
    if (w->space == MEM_MAT || !w->const_offset ||
        (w->source_cols && w->rows != 1 && w->cols != w->source_cols)) {
      pto_error(f, e->span,
                "'%s' is a window that this operator cannot read and that cannot be copied "
                "in place; it should be a tile.extract",
                e->u.var.name);
      return a;
    }
    pto_line(f, "pto.textract ins(%s, %s, %s : %s, index, index) outs(%s : %s)", w->source, w->row,
             w->col, w->source_type, w->target, w->target_type);
    w->copied = true;
  }
  return (PtoArg){w->target, w->target_type};
}

void form_colexpand(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg args[2];
  for (int i = 0; i < 2; i++) args[i] = pto_whole_operand(f, call->u.call.args[i]);
  pto_ins_outs(f, op->inst, args, 2, NULL, NULL);
}

/* ---- attributes chosen by keywords ---- */

typedef struct Modes {
  const char *key, *kind; /* {key = #pto<kind NAME>} */
  const char *names[8];
} Modes;

static const Modes modes[] = {
    [MODE_CMP] = {"cmpMode", "cmp", {"eq", "ne", "lt", "le", "gt", "ge"}},
    [MODE_ROUND] = {"rmode",
                    "round_mode",
                    {"NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT"}},
};

static const char *mode_name(const Modes *m, int64_t i) {
  return i >= 0 && i < 8 ? m->names[i] : NULL;
}

const char *pto_cmp_name(int64_t mode) { return mode_name(&modes[MODE_CMP], mode); }

/* The mode that a keyword names, by number or by name; NULL if there is none such. */
static const char *chosen_mode(PtoFn *f, const Expr *call, const Modes *m, const char *key) {
  const char *word = pto_kwarg_str(f, call, key);
  if (!word) return mode_name(m, pto_kwarg_int(f, call, key, -1));
  for (int i = 0; i < 8 && m->names[i]; i++)
    if (strcasecmp(m->names[i], word) == 0) return m->names[i];
  return NULL;
}

void form_modal(PtoFn *f, const PtoOp *op, Expr *call) {
  const Modes *m = &modes[op->param];
  const char *name = chosen_mode(f, call, m, op->word);
  if (!name) {
    pto_error(f, call->span, "'%s' has no such '%s'", expr_op(call)->name, op->word);
    return;
  }
  char inner[64];
  snprintf(inner, sizeof inner, "{%s = #pto<%s %s>}", m->key, m->kind, name);
  pto_ins_outs(f, op->inst, pto_args(f, call), call->u.call.nargs, inner, NULL);
}

void form_precision(PtoFn *f, const PtoOp *op, Expr *call) {
  char outer[96];
  snprintf(outer, sizeof outer, "{precisionType = #pto<%s high_precision>}", op->word);
  pto_ins_outs(f, op->inst, pto_args(f, call), call->u.call.nargs, NULL,
               pto_kwarg_bool(f, call, "high_precision", false) ? outer : NULL);
}

void form_col_sum(PtoFn *f, const PtoOp *op, Expr *call) {
  /* Scratch and attribute go together.  The second blank is what ptoas's own printer writes. */
  pto_ins_outs(f, op->inst, pto_args(f, call), call->u.call.nargs,
               call->u.call.nargs == 2 ? " {isBinary = true}" : NULL, NULL);
}

/* ---- matrix products ---- */

/* {accPhase = ...}, or NULL; *ok false after an error. */
static const char *acc_phase(PtoFn *f, const Expr *call, bool *ok) {
  const char *phase = pto_kwarg_str(f, call, "acc_phase");
  *ok = true;
  if (!phase || strcmp(phase, "unspecified") == 0) return NULL;
  if (strcmp(phase, "partial") == 0) return "{accPhase = #pto<acc_phase partial>}";
  if (strcmp(phase, "final") == 0) return "{accPhase = #pto<acc_phase final>}";
  pto_error(f, call->span, "acc_phase must be unspecified, partial or final, not '%s'", phase);
  *ok = false;
  return NULL;
}

void form_gemv(PtoFn *f, const PtoOp *op, Expr *call) {
  bool ok;
  const char *phase = acc_phase(f, call, &ok);
  if (ok) pto_ins_outs(f, op->inst, pto_args(f, call), call->u.call.nargs, NULL, phase);
}

void form_accumulate(PtoFn *f, const PtoOp *op, Expr *call) {
  bool ok;
  const char *phase = acc_phase(f, call, &ok);
  if (!ok) return;
  PtoArg args[3] = {
      {f->res, NULL}, pto_arg(f, call->u.call.args[1]), pto_arg(f, call->u.call.args[2])};
  args[0].type = pto_res_type(f);
  if (call->u.call.nargs == 3) {
    pto_ins_outs(f, op->inst, args, 3, NULL, phase);
    return;
  }
  Expr *start = call->u.call.args[3];
  if (start->kind == EXPR_INT) {
    if (start->u.i)
      pto_ins_outs(f, op->word, args + 1, 2, NULL, phase);
    else
      pto_ins_outs(f, op->inst, args, 3, NULL, phase);
    return;
  }
  pto_region_line(f, "scf.if %s {", pto_value(f, start));
  f->indent++;
  pto_ins_outs(f, op->word, args + 1, 2, NULL, phase);
  f->indent--;
  pto_region_line(f, "} else {");
  f->indent++;
  pto_ins_outs(f, op->inst, args, 3, NULL, phase);
  f->indent--;
  pto_region_line(f, "}");
}

void form_accumulate_mx(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg args[5] = {{f->res, pto_res_type(f)}};
  for (int i = 1; i < 5; i++) args[i] = pto_arg(f, call->u.call.args[i]);
  pto_ins_outs(f, op->inst, args, 5, NULL, NULL);
}

/* ---- moves ---- */

void form_move(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg a = pto_arg(f, call->u.call.args[0]);
  const Type *from = call->u.call.args[0]->type, *to = f->res_tile;
  if (!f->m->addresses && a.value == f->res) return; /* one buffer: nothing to move */
  if (f->m->addresses && to && from->memref && to->memref && from->space == to->space &&
      expr_same(from->memref->offset, to->memref->offset)) {
    pto_error(f, call->span,
              "tile.move needs two places in %s, but both tiles have the same address",
              mem_name(to->space));
    return;
  }
  pto_ins_outs(f, op->inst, &a, 1, NULL, NULL);
}

void form_transpose(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg args[2] = {pto_arg(f, call->u.call.args[0]), pto_arg(f, call->u.call.args[3])};
  if (!args[0].type) args[0].type = args[1].type;
  args[1].type = args[0].type; /* the instruction wants one type for both */
  pto_ins_outs(f, op->inst, args, 2, NULL, NULL);
}

/* ---- generators ---- */

void form_ci(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg a = pto_arg(f, call->u.call.args[0]);
  bool down = pto_kwarg_bool(f, call, "descending", false);
  pto_ins_outs(f, op->inst, &a, 1, NULL, down ? "{descending = true}" : "{descending = false}");
}

static bool has_type(DTypeSet set, DType t) { return (set >> t) & 1; }

void form_tri(PtoFn *f, const PtoOp *op, Expr *call) {
  if (has_type(f->m->target->tri_refused, call->type->dtype)) {
    pto_error(f, call->span, "tile.tri cannot make %s tiles on %s", dtype_name(call->type->dtype),
              f->m->target->name);
    return;
  }
  PtoArg a = pto_arg(f, call->u.call.args[0]);
  pto_line(f, "\"%s\"(%s, %s) {upperOrLower = %d : i32} : (%s, %s) -> ()", op->inst, a.value,
           f->res, pto_kwarg_bool(f, call, "upper", false) ? 1 : 0, a.type, pto_res_type(f));
}

void form_random(PtoFn *f, const PtoOp *op, Expr *call) {
  enum { SEEDS = 6, USUAL_ROUNDS = 10 };
  PtoArg args[SEEDS + 1];
  for (int i = 0; i < SEEDS; i++) args[i] = pto_arg(f, call->u.call.args[i]);
  int64_t rounds = pto_kwarg_int(f, call, "rounds", USUAL_ROUNDS);
  if (rounds == USUAL_ROUNDS) {
    pto_ins_outs(f, op->inst, args, SEEDS, NULL, NULL);
    return;
  }
  /* Only the generic form of the instruction has a place for the attribute. */
  args[SEEDS] = (PtoArg){f->res, pto_res_type(f)};
  Buf values = {0}, types = {0};
  for (int i = 0; i <= SEEDS; i++) {
    buf_printf(&values, "%s%s", i ? ", " : "", args[i].value);
    buf_printf(&types, "%s%s", i ? ", " : "", args[i].type);
  }
  pto_line(f, "\"%s\"(%s) {rounds = %" PRId64 " : i32} : (%s) -> ()", op->inst, buf_str(&values),
           rounds, buf_str(&types));
  buf_free(&values);
  buf_free(&types);
}

/* ---- operators whose operands must not overlap ---- */

/* Reports operands `a` and `b` of the call if they can overlap; index -1 is the result. */
static bool apart(PtoFn *f, const Expr *call, int a, int b, const char *an, const char *bn) {
  const Type *ta = a < 0 ? f->res_tile : call->u.call.args[a]->type;
  const Type *tb = b < 0 ? f->res_tile : call->u.call.args[b]->type;
  if (!ta || !tb || !pto_may_overlap(ta, tb)) return true;
  pto_error(f, call->span, "%s and %s of '%s' must not overlap in memory on %s", an, bn,
            expr_op(call)->name, f->m->target->name);
  return false;
}

void form_sels(PtoFn *f, const PtoOp *op, Expr *call) {
  const Target *t = f->m->target;
  if (!apart(f, call, 0, -1, "mask", "result")) return;
  if (t->scratch_exclusive &&
      (!apart(f, call, 2, 0, "scratch", "mask") || !apart(f, call, 2, 1, "scratch", "source")))
    return;
  form_plain(f, op, call);
}

/* Does the scratch tile of prelu surely have so many rows or columns? */
static bool scratch_has(PtoFn *f, const Expr *scratch, const char *what, Expr *needed, Expr *has) {
  int64_t n, m;
  if (extent_le(f->ir, needed, has)) return true;
  if (expr_const_int(needed, &n) && expr_const_int(has, &m))
    pto_error(f, scratch->span,
              "the scratch tile of tile.prelu needs %" PRId64 " %s, it has %" PRId64, n, what, m);
  else
    pto_error(f, scratch->span,
              "the scratch tile of tile.prelu does not surely have the %s that are needed: %s",
              what, dims_str(f->ir, (Dims){&needed, 1}));
  return false;
}

/* The scratch of prelu has a row more than the source and a bit per column. */
static bool prelu_scratch_fits(PtoFn *f, const Expr *call) {
  const Expr *scratch = call->u.call.args[2];
  if (scratch->type->dtype != DT_UINT8) {
    pto_error(f, scratch->span, "the scratch tile of tile.prelu must be UINT8, not %s",
              dtype_name(scratch->type->dtype));
    return false;
  }
  TileView src = tile_view_of(f->ir, call->u.call.args[0]->type);
  TileView tmp = tile_view_of(f->ir, scratch->type);
  if (src.nvalid < 2 || tmp.nvalid < 2) return true;
  Expr *rows = extent_add(f->ir, src.valid_shape[0], expr_index(f->ir, 1), call->span);
  Expr *cols = extent_ceil_div(f->ir, src.valid_shape[1], 8);
  return scratch_has(f, scratch, "rows", rows, scratch->type->shape[0]) &&
         scratch_has(f, scratch, "valid columns", cols, tmp.valid_shape[1]);
}

void form_prelu(PtoFn *f, const PtoOp *op, Expr *call) {
  static const char *const names[] = {"source", "slope", "scratch"};
  bool exclusive = f->m->target->scratch_exclusive;
  if (exclusive && !prelu_scratch_fits(f, call)) return;
  for (int i = 0; i < 3; i++) {
    if (i == 2 && !exclusive) break;
    if (!apart(f, call, i, -1, names[i], "result")) return;
    for (int j = i + 1; exclusive && j < 3; j++)
      if (!apart(f, call, i, j, names[i], names[j])) return;
  }
  form_plain(f, op, call);
}

void form_gatherb(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *src = call->u.call.args[0];
  Name value = pto_value(f, src);
  const PtoValue *known = pto_value_known(f, value);
  const PtoWindow *w = known ? known->window : NULL;
  int64_t offset = 0;
  bool aligned = !w || w->align32 == 0;
  if (aligned && src->type->memref)
    aligned =
        expr_const_int(src->type->memref->offset, &offset) && (offset < 0 || offset % 32 == 0);
  if (!aligned) {
    pto_error(f, call->span,
              "the source of tile.gatherb must surely start at a multiple of 32 bytes");
    return;
  }
  form_plain(f, op, call);
}

/* ---- sorting ---- */

void form_mrgsort_runs(PtoFn *f, const PtoOp *op, Expr *call) {
  Name i32 = ir_name(f->ir, "i32");
  PtoArg args[2] = {pto_arg(f, call->u.call.args[0]), {NULL, i32}};
  Expr *length = call->u.call.args[1];
  if (length->kind == EXPR_INT)
    args[1].value = pto_const(f, (int32_t)length->u.i, DT_INT32);
  else
    args[1].value = pto_to_i32(f, length, pto_value(f, length));
  pto_ins_outs(f, op->inst, args, 2, NULL, NULL);
}

void form_mrgsort_lists(PtoFn *f, const PtoOp *op, Expr *call) {
  PtoArg *args = pto_args(f, call);
  int n = call->u.call.nargs;
  Name executed = pto_new_named(f, "executed_vec");
  pto_line(f, "%s = arith.constant dense<0> : vector<4xi16>", executed);
  Buf b = {0};
  buf_printf(&b, "%s ins(", op->inst);
  for (int i = 0; i < n; i++) buf_printf(&b, "%s%s", i ? ", " : "", args[i].value);
  buf_printf(&b, " {exhausted = %s}",
             pto_kwarg_bool(f, call, "exhausted", false) ? "true" : "false");
  pto_put_types(&b, args, n);
  pto_line(f, "%s) outs(%s, %s : %s, vector<4xi16>)", buf_str(&b), f->res, executed,
           pto_res_type(f));
  buf_free(&b);
}

/* ---- gathering and scattering inside tiles ---- */

static const char *mask_pattern(PtoFn *f, const Expr *call) {
  static const char *const names[] = {NULL,    "P0101", "P1010", "P0001",
                                      "P0010", "P0100", "P1000", "P1111"};
  int64_t i = pto_kwarg_int(f, call, "mask_pattern", 0);
  if (i >= 1 && i < 8) return names[i];
  pto_error(f, call->span, "mask_pattern must be 1 to 7, not %" PRId64, i);
  return NULL;
}

static void masked(PtoFn *f, const PtoOp *op, Expr *call, Expr *src) {
  const char *pattern = mask_pattern(f, call);
  if (!pattern) return;
  PtoArg a = pto_arg(f, src);
  Buf b = {0};
  buf_printf(&b, "%s ins(%s, {maskPattern = #pto.mask_pattern<%s>}", op->inst, a.value, pattern);
  pto_put_types(&b, &a, 1);
  buf_puts(&b, ", \"row\")");
  pto_put_outs(f, &b);
  pto_line(f, "%s", buf_str(&b));
  buf_free(&b);
}

void form_gather_mask(PtoFn *f, const PtoOp *op, Expr *call) {
  masked(f, op, call, call->u.call.args[0]);
}

/* Does the result lie in operand 0's buffer, as the instruction needs?  Reports it if not. */
static bool result_is_target(PtoFn *f, Expr *call) {
  if (pto_value(f, call->u.call.args[0]) == f->res) return true;
  pto_error(f, call->span, "the result of '%s' must lie in the buffer of its first operand",
            expr_op(call)->name);
  return false;
}

void form_scatter_mask(PtoFn *f, const PtoOp *op, Expr *call) {
  if (result_is_target(f, call)) masked(f, op, call, call->u.call.args[1]);
}

void form_scatter(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!result_is_target(f, call)) return;
  PtoArg args[2] = {pto_arg(f, call->u.call.args[1]), pto_arg(f, call->u.call.args[2])};
  pto_ins_outs(f, op->inst, args, 2, NULL, NULL);
}

void form_scale_addr(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!result_is_target(f, call)) return;
  PtoArg a = pto_arg(f, call->u.call.args[1]);
  pto_ins_outs(f, op->inst, &a, 1, NULL, NULL);
}

void form_gather_compare(PtoFn *f, const PtoOp *op, Expr *call) {
  const PtoVar *v = f->res_var ? map_get(&f->vars, f->res_var) : NULL;
  Expr *dst = v && v->parts ? v->parts[0] : NULL;
  Expr *count = v && v->parts && f->res_var->type->nelems > 1 ? v->parts[1] : NULL;
  if (!dst || !count || !dst->type->memref || !count->type->memref) {
    pto_error(f, call->span, "both results of tile.gather_compare must be assigned to tiles");
    return;
  }
  const char *mode = pto_cmp_name(pto_kwarg_int(f, call, "cmp_mode", 0));
  if (!mode) {
    pto_error(f, call->span, "tile.gather_compare has no such cmp_mode");
    return;
  }
  pto_alloc_var(f, dst);
  pto_alloc_var(f, count);
  PtoArg *args = pto_args(f, call);
  Buf b = {0};
  buf_printf(&b, "%s ins(%s, %s, %s", op->inst, args[0].value, args[1].value, args[2].value);
  pto_put_types(&b, args, 3);
  pto_line(f, "%s) outs(%s, %s : %s, %s) {cmpMode = #pto<cmp %s>, offset = %" PRId64 " : i32}",
           buf_str(&b), pto_var_value(f, dst), pto_var_value(f, count), pto_tile_type(f, dst->type),
           pto_tile_type(f, count->type), mode, pto_kwarg_int(f, call, "offset", 0));
  buf_free(&b);
}
