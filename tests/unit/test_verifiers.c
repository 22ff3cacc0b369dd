/* test_verifiers.c -- programs that no pass may leave behind, each refused by the verifier of its property. */
#include <string.h>

#include "ir/view.h"
#include "parser/parser.h"
#include "passes/pass.h"
#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

/* A program of one InCore function with these parameters and this body. */
static Program *program_of(const char *params, const char *body) {
  char *text =
      arena_printf(f.ir.arena,
                   "import pypto.language as pl\n@pl.program\nclass P:\n"
                   "    @pl.function(type=pl.FunctionType.InCore)\n    def k(self, %s):\n%s",
                   params, body);
  f.source = (Source){.path = "p.pir", .text = text, .len = strlen(text)};
  f.diag.source = &f.source;
  Program *p = parse_program(&f.ir);
  ck_assert_msg(p != NULL, "%s", fixture_messages(&f));
  return p;
}

/* The verifier's message holds `part`; NULL: there is none. */
static void verified(VerifyFn verify, const Program *p, const char *part) {
  CompileOptions opts = {.target = target_by_name("ascend910b")};
  PassCtx ctx = {.ir = &f.ir, .opts = &opts};
  ck_assert_int_eq(verify(&ctx, p), part == NULL);
  if (part) ck_assert_msg(strstr(fixture_messages(&f), part) != NULL, "%s", fixture_messages(&f));
}

static const char tile[] =
    "t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc], out: pl.Tensor[[16, 16], %s]";

static Program *store_to(const char *dtype) {
  return program_of(arena_printf(f.ir.arena, tile, dtype),
                    "        pl.tile.store(t, [0, 0], out)\n");
}

START_TEST(accumulator_to_fp16) { verified(verify_acc_to_gm_store, store_to("pl.FP16"), NULL); }
END_TEST

START_TEST(accumulator_to_int16) {
  verified(verify_acc_to_gm_store, store_to("pl.INT16"),
           "ascend910b does not store an accumulator to a tensor of INT16");
}
END_TEST

START_TEST(vector_to_int16) {
  Program *p =
      program_of("t: pl.Tile[[16, 16], pl.INT16, pl.Mem.Vec], out: pl.Tensor[[16, 16], pl.INT16]",
                 "        pl.tile.store(t, [0, 0], out)\n");
  verified(verify_acc_to_gm_store, p, NULL);
}
END_TEST

static Program *compact_in(const char *space) {
  return program_of(
      arena_printf(f.ir.arena,
                   "t: pl.Tile[[32, 16], pl.FP32, pl.Mem.%s, pl.TileView(valid_shape=[16, 16], "
                   "compact=pl.CompactMode.normal)]",
                   space),
      "        return\n");
}

START_TEST(compact_accumulator) { verified(verify_acc_compact_valid, compact_in("Acc"), NULL); }
END_TEST

START_TEST(compact_mat) {
  verified(verify_acc_compact_valid, compact_in("Mat"), "cannot be compact");
}
END_TEST

static const char pair[] =
    "x: pl.Tile[[16, 16], pl.FP32, pl.Mem.%s], y: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]";

START_TEST(operands_in_vec) {
  Program *p =
      program_of(arena_printf(f.ir.arena, pair, "Vec"),
                 "        z: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(x, y)\n");
  verified(verify_tile_memory_inferred, p, NULL);
}
END_TEST

START_TEST(operand_in_mat) {
  Program *p =
      program_of(arena_printf(f.ir.arena, pair, "Mat"),
                 "        z: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(x, y)\n");
  verified(verify_tile_memory_inferred, p, "tile.add cannot read operand 0, 'x', from Mat");
}
END_TEST

START_TEST(tile_without_space) {
  Program *p =
      program_of("x: pl.Tile[[16, 16], pl.FP32]", "        z = pl.tile.reshape(x, [8, 32])\n");
  verified(verify_tile_memory_inferred, p, "tile 'z' has no memory space");
}
END_TEST

static const char output[] =
    "t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]"
    ") -> (pl.Tensor[[16, 16], pl.FP32]";

START_TEST(returns_parameter) {
  Program *p =
      program_of(output, "        o = pl.tile.store(t, [0, 0], out)\n        return out\n");
  verified(verify_return_params_explicit, p, NULL);
}
END_TEST

START_TEST(returns_parameter_by_another_name) {
  Program *p = program_of(output, "        o = pl.tile.store(t, [0, 0], out)\n        return o\n");
  verified(verify_return_params_explicit, p,
           "value 0 that 'k' returns is its parameter 'out' by another name");
}
END_TEST

/* No text has such a type, because types are interned without what is implied. */
START_TEST(implied_view) {
  Program *p = program_of("t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]", "        return\n");
  verified(verify_tile_type_coherence, p, NULL);
  Type copy = *p->funcs[0]->params[0]->type;
  TileView view = tile_view_of(&f.ir, &copy);
  copy.tile_view = &view;
  p->funcs[0]->params[0]->type = &copy;
  verified(verify_tile_type_coherence, p, "has a view that is implied");
}
END_TEST

Suite *suite_verifiers(void) {
  Suite *s = suite_create("verifiers");
  TCase *c = tcase_create("properties");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, accumulator_to_fp16);
  tcase_add_test(c, accumulator_to_int16);
  tcase_add_test(c, vector_to_int16);
  tcase_add_test(c, compact_accumulator);
  tcase_add_test(c, compact_mat);
  tcase_add_test(c, operands_in_vec);
  tcase_add_test(c, operand_in_mat);
  tcase_add_test(c, tile_without_space);
  tcase_add_test(c, returns_parameter);
  tcase_add_test(c, returns_parameter_by_another_name);
  tcase_add_test(c, implied_view);
  suite_add_tcase(s, c);
  return s;
}
