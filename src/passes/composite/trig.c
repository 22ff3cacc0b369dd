/* trig.c -- sine and cosine of a tile. */
#include "passes/composite/rules.h"

/* pi to be subtracted part by part, pi/2 in two parts. */
static const float pi_parts[] = {3.140625f, 0.0009670257568359375f, 6.2771141529083251953125e-7f,
                                 1.21644916362129151821e-10f, -1.0290623200529979163e-13f};
static const char *const part_names[] = {"k_pi_v2", "k_pi_c1", "k_pi_c2", "k_pi_c3", "k_pi_c4"};
static const float one_over_pi = 0.31830988732818603515625f;
static const float half_pi = 1.57079637050628662109375f, half_pi_rest = -4.371139000189375e-8f;
/* From the highest power down. */
static const float coefficients[] = {2.604926501e-6f, -1.980894471e-4f, 8.333049340e-3f,
                                     -1.666665792e-1f};

static Expr *with_number(Emit *e, OpId op, const char *what, Expr *tile, float n) {
  return comp_bind(e, what,
                   comp_call(e, op, (AttrList){0}, 2, tile, expr_float(e->ir, n, DT_FP32, e->at)));
}
static Expr *times(Emit *e, const char *what, Expr *tile, float n) {
  return with_number(e, OP_TILE_MULS, what, tile, n);
}
static Expr *plus(Emit *e, const char *what, Expr *tile, float n) {
  return with_number(e, OP_TILE_ADDS, what, tile, n);
}
static Expr *both(Emit *e, OpId op, const char *what, Expr *a, Expr *b) {
  return comp_bind(e, what, comp_call(e, op, (AttrList){0}, 2, a, b));
}
static Expr *convert(Emit *e, const char *what, Expr *tile, DType to, const char *mode) {
  AttrList kw = comp_kw(e, (AttrList){0}, "target_type", attr_of_dtype(to));
  kw = comp_kw(e, kw, "mode", attr_of_str(ir_name(e->ir, mode)));
  return comp_bind(e, what, comp_call(e, OP_TILE_CAST, kw, 1, tile));
}

static Expr *multiple_of_pi(Emit *e, Expr *x, bool cosine) {
  Expr *k = times(e, "pi_inv_x", x, one_over_pi);
  if (cosine) k = plus(e, "k_pre", k, 0.5f);
  k = convert(e, "k_i", k, DT_INT32, cosine ? "rint" : "round");
  return convert(e, "k_f", k, DT_FP32, "none");
}

static Expr *within_half_period(Emit *e, Expr *x, Expr *k, bool cosine) {
  Expr *t = x;
  for (int i = 0; i < (int)(sizeof pi_parts / sizeof *pi_parts); i++) {
    Expr *part = times(e, part_names[i], k, pi_parts[i]);
    t = both(e, OP_TILE_SUB, arena_printf(e->ir->arena, "t%d", i), t, part);
    if (cosine && i == 1) t = plus(e, "t1h", t, half_pi);
  }
  return cosine ? plus(e, "t4t", t, half_pi_rest) : t;
}

static Expr *sign_of(Emit *e, Expr *k) {
  Expr *half = times(e, "half_k", k, 0.5f);
  half = convert(e, "floor_hk_i", half, DT_INT32, "floor");
  half = convert(e, "floor_hk_f", half, DT_FP32, "none");
  Expr *four = times(e, "floor_x4", half, 4.0f);
  Expr *minus = times(e, "neg2_k", k, -2.0f);
  return plus(e, "sign", both(e, OP_TILE_ADD, "sign_pre", four, minus), 1.0f);
}

static Expr *polynomial(Emit *e, Expr *t) {
  Arena *a = e->ir->arena;
  Expr *u = both(e, OP_TILE_MUL, "t2sq", t, t);
  Expr *p = times(e, "p_r0", u, coefficients[0]);
  for (int i = 1; i < 4; i++) {
    p = plus(e, arena_printf(a, "p_r%d", i), p, coefficients[i]);
    p = both(e, OP_TILE_MUL, arena_printf(a, "p_t2_r%d", i), p, u);
  }
  return both(e, OP_TILE_MUL, "t_p", t, plus(e, "p_one", p, 1.0f));
}

static Expr *sine(Emit *e, const Expr *call, bool cosine) {
  Expr *x = call->u.call.args[0];
  if (x->type->dtype != DT_FP32)
    return composite_error(e, call, "%s is for tiles of FP32, not of %s", expr_op(call)->name,
                           dtype_name(x->type->dtype));
  Expr *k = multiple_of_pi(e, x, cosine);
  Expr *t = within_half_period(e, x, k, cosine);
  Expr *sign = sign_of(e, k);
  return comp_call(e, OP_TILE_MUL, (AttrList){0}, 2, sign, polynomial(e, t));
}

Expr *composite_sin(Emit *e, const Expr *call) { return sine(e, call, false); }
Expr *composite_cos(Emit *e, const Expr *call) { return sine(e, call, true); }
