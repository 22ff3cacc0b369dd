#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
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
  static const char *const alike[] = {"",    "1",    "2",    "12",   "21",   "1a",    "a1",
                                      "a1b", "a1b2", "a2b1", "a11b", "a12b", "a1__b3"};
  enum { ALIKE = sizeof alike / sizeof *alike };
  for (int i = 0; i < ALIKE; i++) {
    ck_assert_str_eq(ir_name(&f.ir, alike[i]), alike[i]);
    for (int k = 0; k < i; k++)
      ck_assert_ptr_ne(ir_name(&f.ir, alike[i]), ir_name(&f.ir, alike[k]));
  }
  fixture_free(&f);
}
END_TEST

START_TEST(attribute_keys_are_names) {
  Fixture f, g;
  fixture_init(&f);
  fixture_init(&g);
  ck_assert_ptr_null(key_name(KEY_NONE));
  ck_assert_str_eq(key_name(KEY_SPLIT_AIV), "split_aiv");
  for (int k = KEY_NONE + 1; k < NUM_ATTR_KEYS; k++) {
    char copy[80];
    snprintf(copy, sizeof copy, "%s", key_name((AttrKey)k));
    ck_assert_ptr_eq(ir_name(&f.ir, copy), key_name((AttrKey)k));
    ck_assert_ptr_eq(ir_name(&g.ir, copy), key_name((AttrKey)k));
    for (int j = KEY_NONE + 1; j < k; j++) ck_assert_str_ne(copy, key_name((AttrKey)j));
  }
  fixture_free(&g);
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

/* What comes piece by piece, put together. */
static bool gather(void *to, const char *s, size_t len) {
  buf_write(to, s, len);
  return true;
}

static bool refuse(void *count, const char *s, size_t len) {
  (void)s;
  (void)len;
  ++*(int *)count;
  return false;
}

/* `lines` numbered lines, spilled on the way. */
static void number_lines(Buf *b, Arena *a, int from, int lines) {
  for (int i = from; i < from + lines; i++) {
    buf_printf(b, "%d\n", i);
    if (a) buf_spill(b, a);
  }
}

START_TEST(spilled_text_stays_in_order) {
  enum { LINES = 400000 }; /* some megabytes */
  Arena a;
  arena_init(&a);
  Buf all = {0}, more = {0}, twice = {0}, joined = {0}, wanted = {0};
  buf_puts(&all, "head\n");
  number_lines(&more, &a, 0, LINES);
  ck_assert_uint_lt(more.cap, 1024 * 1024);
  buf_take(&all, &more); /* short text before long text */
  number_lines(&all, &a, LINES, LINES);
  buf_puts(&more, "tail");
  buf_take(&all, &more); /* short text behind it */
  buf_append(&twice, &all);
  buf_append(&twice, &all);
  ck_assert(buf_each(&twice, gather, &joined));
  for (int i = 0; i < 2; i++) {
    buf_puts(&wanted, "head\n");
    number_lines(&wanted, NULL, 0, 2 * LINES);
    buf_puts(&wanted, "tail");
  }
  ck_assert_uint_eq(joined.len, wanted.len);
  ck_assert_int_eq(memcmp(buf_str(&joined), buf_str(&wanted), wanted.len), 0);
  int calls = 0;
  ck_assert(!buf_each(&twice, refuse, &calls));
  ck_assert_int_eq(calls, 1);
  buf_free(&all);
  buf_free(&twice);
  buf_free(&joined);
  buf_free(&wanted);
  arena_free(&a);
}
END_TEST

START_TEST(blocks_of_an_arena_are_used_again) {
  Arena a, b;
  size_t first, second;
  arena_init(&a);
  arena_init(&b);
  char *kept = arena_strndup(&b, "kept", 4);
  memset(arena_block(&a, &first), 1, 1);
  void *block = arena_block(&a, &first);
  memset(block, 1, first);
  arena_recycle(&b, &a);
  void *again = arena_block(&b, &second), *other = arena_block(&b, &second);
  ck_assert(again == block || other == block);
  ck_assert_uint_eq(first, second);
  memset(again, 2, second);
  char *next = arena_alloc(&b, 8);
  ck_assert(next > kept && next < kept + 100); /* the newest block goes on being filled */
  ck_assert_str_eq(kept, "kept");
  arena_free(&b);
}
END_TEST

START_TEST(interned_items_are_found_among_equal_hashes) {
  InternSet s = {0};
  static const int items[1000];
  for (size_t i = 0; i < 1000; i++) {
    InternProbe p = intern_begin(&s, i % 7);
    size_t others = 0;
    while (intern_next(&s, &p)) others++;
    ck_assert_uint_eq(others, i / 7); /* all of that hash, and no other */
    ck_assert_ptr_eq(intern_add(&s, p, &items[i]), &items[i]);
  }
  InternProbe p = intern_begin(&s, 3);
  ck_assert_ptr_eq(intern_next(&s, &p), &items[3]);
  ck_assert_ptr_eq(intern_next(&s, &p), &items[10]);
  p = intern_begin(&s, 7);
  ck_assert_ptr_null(intern_next(&s, &p));
  intern_free(&s);
}
END_TEST

START_TEST(diag_shows_line_and_caret) {
  Fixture f;
  fixture_init(&f);
  f.source.text = "a = 1\n\xc3\xa9\xc3\xa9 = b\n";
  f.source.len = strlen(f.source.text);
  diag_error(&f.diag, (Span){2, 6}, "unknown name '%s'", "b");
  ck_assert_str_eq(fixture_messages(&f),
                   "test.pir:2:6: error: unknown name 'b'\n"
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
  tcase_add_test(c, attribute_keys_are_names);
  tcase_add_test(c, map_keeps_insertion_order);
  tcase_add_test(c, buf_prints_numbers);
  tcase_add_test(c, spilled_text_stays_in_order);
  tcase_add_test(c, blocks_of_an_arena_are_used_again);
  tcase_add_test(c, interned_items_are_found_among_equal_hashes);
  tcase_add_test(c, diag_shows_line_and_caret);
  tcase_add_test(c, suggestions_are_close);
  tcase_add_test(c, types_are_interned);
  tcase_add_test(c, four_bit_types_are_packed);
  suite_add_tcase(s, c);
  return s;
}
