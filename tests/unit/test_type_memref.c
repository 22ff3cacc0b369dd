/* test_type_memref.c -- pl.MemRef: placed, declared, slots. */
#include <string.h>

#include "annot_case.h"

#define TILE(memref) "pl.Tile[[64, 64], pl.FP32, " memref ", pl.Mem.Vec]"

START_TEST(placed) {
  ANNOT_SAME(TILE("pl.MemRef(\"mem_vec_0\", 0, 16384)"));
  annot_prints(TILE("pl.MemRef(\"mem_vec_0\", pl.const(512, pl.INT64) + 8, 16384)"),
               TILE("pl.MemRef(\"mem_vec_0\", 520, 16384)"));
  ANNOT_SAME(TILE("pl.MemRef(\"mem_vec_0\", n * 4, 16384)"));
  ANNOT_SAME(TILE("pl.MemRef(\"mem_vec_0\", n % 2 * 512, 1024, slots=2)[n % 2]"));
  annot_prints(TILE("pl.MemRef(mem_vec_0, 0, 16384)"), TILE("pl.MemRef(\"mem_vec_0\", 0, 16384)"));
  ANNOT_SAME("pl.Tensor[[64], pl.FP32, pl.MemRef(\"mem_ddr_1\", 0, 256)]");
  ANNOT_SAME(
      "pl.Tensor[[64], pl.FP32, pl.TensorView(stride=[2], layout=pl.TensorLayout.ND), "
      "pl.MemRef(\"mem_ddr_1\", 0, 256)]");
  annot_prints(TILE("pl.MemRef(0, 16384, 3)"), TILE("pl.MemRef(\"mem_vec_3\", 0, 16384)"));
  annot_prints(TILE("pl.MemRef(pl.Mem.Acc, 0, 16384, 3)"),
               TILE("pl.MemRef(\"mem_acc_3\", 0, 16384)"));
  annot_fails("pl.Tile[[64, 64], pl.FP32, pl.MemRef(\"m\", 0, 16384)]", "needs its memory space");
  annot_fails(TILE("pl.MemRef(\"m\", 0, -1)"), "at least 0");
  annot_fails(TILE("pl.MemRef(\"m\", x, 8)"), "must be an integer");
  annot_fails(TILE("pl.MemRef(\"m\", 0)"), "takes a name, or base, offset and size");
  annot_fails(TILE("pl.MemRef(\"m\", 0, 8, slots=2)[2]"), "slot 2");
  annot_fails(TILE("pl.MemRef(\"m\", 0, 8)[0]"), "a single slot");
}
END_TEST

START_TEST(declared) {
  ANNOT_SAME(TILE("pl.MemRef(\"scratch\")"));
  ANNOT_SAME(TILE("pl.MemRef(\"scratch\", slots=3)[n % 2]"));
  annot_prints(TILE("scratch"), TILE("pl.MemRef(\"scratch\")"));
  annot_prints(TILE("pair[1]"), TILE("pl.MemRef(\"pair\", slots=2)[1]"));
  annot_prints(TILE("pair"), TILE("pl.MemRef(\"pair\", slots=2)"));
  annot_fails(TILE("pair[2]"), "slot 2 of 'pair'");
  annot_fails(TILE("scratch[0]"), "a single slot");
  annot_fails(TILE("pl.MemRef()"), "without a name");
  annot_fails(TILE("pl.MemRef(\"\")"), "is a string");
  annot_fails(TILE("pl.MemRef(\"s\", slots=0)"), "at least 1");
  annot_fails(TILE("pl.MemRef(\"s\", slot=2)"), "no argument 'slot'");
  annot_fails("pl.Tile[[64, 64], pl.FP32, scratch]", "needs its memory space");
}
END_TEST

/* A declaration keeps the name it was first used by. */
START_TEST(one_name_each) {
  AnnotCase c;
  annot_case_init(&c);
  ck_assert_ptr_nonnull(annot_case_read(&c, TILE("pair[0]")));
  ck_assert_ptr_nonnull(annot_case_read(&c, TILE("pair[1]")));
  ck_assert_ptr_null(annot_case_read(&c, TILE("also[1]")));
  ck_assert(strstr(fixture_messages(&c.f), "was called 'pair' before and is called 'also' here") !=
            NULL);
  annot_case_free(&c);
}
END_TEST

START_TEST(same_allocation) {
  AnnotCase c;
  annot_case_init(&c);
  const Type *a = annot_case_read(&c, TILE("pl.MemRef(\"m\", 0, 64)"));
  const Type *b = annot_case_read(&c, TILE("pl.MemRef(\"m\", 64, 64)"));
  ck_assert_ptr_ne(a, b);
  ck_assert_ptr_eq(a->memref->base, b->memref->base);
  ck_assert_ptr_eq(a->memref->base, annot_base(&c.annot, ir_name(&c.f.ir, "m"), NO_SPAN));
  annot_case_free(&c);
}
END_TEST

Suite *suite_type_memref(void) {
  Suite *s = suite_create("memory references");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, placed);
  tcase_add_test(t, declared);
  tcase_add_test(t, one_name_each);
  tcase_add_test(t, same_allocation);
  suite_add_tcase(s, t);
  return s;
}
