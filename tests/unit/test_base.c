#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "unit.h"

START_TEST(names_are_unique) {
  Fixture f;
  fixture_init(&f);
  Name a = ir_name(&f.ir, "alpha");
  ck_assert_ptr_eq(a, name_printf(&f.ir.names, "al%s", "pha"));
  ck_assert_ptr_ne(a, ir_name(&f.ir, "beta"));
  for (int i = 0; i < 5000; i++) name_printf(&f.ir.names, "n%d", i);
  ck_assert_ptr_eq(a, ir_name(&f.ir, "alpha"));
  fixture_free(&f);
}
END_TEST

START_TEST(map_keeps_insertion_order) {
  Map m = {0};
  int keys[1000];
  for (int i = 0; i < 1000; i++) ck_assert(map_set(&m, &keys[i], map_int(i + 1)));
  ck_assert(!map_set(&m, &keys[3], map_int(77)));
  ck_assert(map_remove(&m, &keys[4]));
  ck_assert(!map_remove(&m, &keys[4]));
  ck_assert_int_eq(map_get_int(&m, &keys[3]), 77);
  ck_assert(!map_has(&m, &keys[4]));
  ck_assert_int_eq((int)m.count, 999);
  int seen = 0, last = -1;
  for (MapEntry *e = NULL; (e = map_next(&m, e)); seen++) {
    int at = (int)((const int *)e->key - keys);
    ck_assert_int_gt(at, last);
    last = at;
  }
  ck_assert_int_eq(seen, 999);
  map_free(&m);
}
END_TEST

START_TEST(buf_prints_numbers) {
  Buf b = {0};
  buf_int(&b, INT64_MIN);
  buf_putc(&b, ' ');
  buf_int(&b, 0);
  buf_printf(&b, " %s", "x");
  ck_assert_str_eq(buf_str(&b), "-9223372036854775808 0 x");
  buf_free(&b);
}
END_TEST

START_TEST(diag_shows_line_and_caret) {
  Fixture f;
  fixture_init(&f);
  f.source.text = "a = 1\n\xc3\xa9\xc3\xa9 = b\n";
  f.source.len = strlen(f.source.text);
  diag_error(&f.diag, (Span){2, 6}, "unknown name '%s'", "b");
  ck_assert_str_eq(fixture_messages(&f), "test.pir:2:6: error: unknown name 'b'\n"
                                         "    2 | \xc3\xa9\xc3\xa9 = b\n"
                                         "      |      ^\n");
  ck_assert_int_eq(f.diag.errors, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(suggestions_are_close) {
  const char *const words[] = {"Tensor", "Tile", "Scalar"};
  ck_assert_str_eq(diag_suggest("Tensr", words, 3), "Tensor");
  ck_assert_ptr_null(diag_suggest("Banana", words, 3));
}
END_TEST

START_TEST(types_are_interned) {
  Fixture f;
  fixture_init(&f);
  Expr *a[] = {expr_index(&f.ir, 64), expr_index(&f.ir, 128)};
  Expr *b[] = {expr_index(&f.ir, 64), expr_int(&f.ir, 128, DT_INDEX, (Span){3, 4})};
  const Type *t = type_tensor(&f.ir, a, 2, DT_FP32);
  ck_assert_ptr_eq(t, type_tensor(&f.ir, b, 2, DT_FP32));
  ck_assert_ptr_ne(t, type_tensor(&f.ir, b, 2, DT_FP16));
  ck_assert_int_eq(type_num_bytes(t), 64 * 128 * 4);
  fixture_free(&f);
}
END_TEST

START_TEST(four_bit_types_are_packed) {
  ck_assert_int_eq(dtype_bytes(DT_INT4, 5), 3);
  ck_assert_int_eq(dtype_get_byte(DT_INT4), 1);
  ck_assert_int_eq(dtype_bytes(DT_FP32, 5), 20);
}
END_TEST

Suite *suite_base(void) {
  Suite *s = suite_create("base");
  TCase *c = tcase_create("base");
  tcase_add_test(c, names_are_unique);
  tcase_add_test(c, map_keeps_insertion_order);
  tcase_add_test(c, buf_prints_numbers);
  tcase_add_test(c, diag_shows_line_and_caret);
  tcase_add_test(c, suggestions_are_close);
  tcase_add_test(c, types_are_interned);
  tcase_add_test(c, four_bit_types_are_packed);
  suite_add_tcase(s, c);
  return s;
}
