/* test_syntax.c -- tokens, places and the syntax tree. */
#include "parser/syntax.h"

#include <string.h>

#include "lexer/lexer.h"

#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

/* The places and numbers of the tokens of `text`, as "line:col" words; block marks as words. */
static const char *places(const char *text) {
  Lexer lx;
  Buf out = {0};
  YYSTYPE value;
  YYLTYPE at;
  lexer_init(&lx, f.ir.arena, &f.ir.names, &f.diag, text, strlen(text), (Span){1, 1}, false);
  for (int t; (t = lexer_next(&value, &at, &lx)) > 0 && !lx.failed;) {
    if (t == START_MODULE) continue;
    if (out.len) buf_putc(&out, ' ');
    if (t == NEWLINE)
      buf_puts(&out, ";");
    else if (t == INDENT)
      buf_puts(&out, "{");
    else if (t == DEDENT)
      buf_puts(&out, "}");
    else
      buf_printf(&out, "%d:%d", at.first_line, at.first_column);
  }
  lexer_free(&lx);
  const char *s = arena_strndup(f.ir.arena, buf_str(&out), out.len);
  buf_free(&out);
  return s;
}

START_TEST(lines_and_columns) {
  ck_assert_str_eq(places("a = b\n"), "1:1 1:3 1:5 ;");
  ck_assert_str_eq(places("a = b"), "1:1 1:3 1:5 ;");
  ck_assert_str_eq(places("\n\n  # only a comment\na\n"), "4:1 ;");
  ck_assert_str_eq(places("größe = 'öö' + x\n"), "1:1 1:7 1:9 1:14 1:16 ;");
  ck_assert_str_eq(places("a = (b +\n  c)\n"), "1:1 1:3 1:5 1:6 1:8 2:3 2:4 ;");
  ck_assert_str_eq(places("a = b + \\\n  c\n"), "1:1 1:3 1:5 1:7 2:3 ;");
  ck_assert_str_eq(places("a = '''x\ny''' + b\n"), "1:1 1:3 1:5 2:6 2:8 ;");
}
END_TEST

START_TEST(blocks) {
#define HEAD "@d\nclass a:\n"
#define HEAD_AT "1:1 1:2 ; 2:1 2:7 2:8 ; "
  ck_assert_str_eq(places(HEAD "  b\n  c\nd = 1\n"), HEAD_AT "{ 3:3 ; 4:3 ; } 5:1 5:3 5:5 ;");
  ck_assert_str_eq(places(HEAD "  if b:\n    c\n"), HEAD_AT "{ 3:3 3:6 3:7 ; { 4:5 ; } }");
  ck_assert_str_eq(places(HEAD "  b\n\n# at the margin\n  c\n"), HEAD_AT "{ 3:3 ; 6:3 ; }");
  ck_assert_str_eq(places(HEAD "  b(\nc)\n"), HEAD_AT "{ 3:3 3:4 4:1 4:2 ; }");
}
END_TEST

/* The module as it is printed again, one statement a line. */
static const char *again(const char *text) {
  f.source.text = text;
  f.source.len = strlen(text);
  const SynModule *m = syntax_parse(f.ir.arena, &f.ir.names, &f.diag, &f.source);
  if (!m) return fixture_messages(&f);
  Buf out = {0};
  for (size_t i = 0; i < m->body.len; i++) {
    if (i) buf_putc(&out, '\n');
    syn_print_stmt(&out, m->body.stmts[i], 0);
  }
  const char *s = arena_strndup(f.ir.arena, buf_str(&out), out.len);
  buf_free(&out);
  return s;
}

static void prints(const char *text, const char *wanted) { ck_assert_str_eq(again(text), wanted); }

START_TEST(precedence) {
  prints("x = a + b * c\n", "x = a + b * c");
  prints("x = (a + b) * c\n", "x = (a + b) * c");
  prints("x = -a ** -b\n", "x = -a ** -b");
  prints("x = (-a) ** b ** c\n", "x = (-a) ** b ** c");
  prints("x = a | b ^ c & d << e\n", "x = a | b ^ c & d << e");
  prints("x = not a and b or c\n", "x = not a and b or c");
  prints("x = a if b else (c if d else e)\n", "x = a if b else c if d else e");
  prints("x = a < b == c\n", "x = a < b == c");
}
END_TEST

START_TEST(forms) {
  prints("x = a[1:2, ::3, :]\n", "x = a[1:2, ::3, :]");
  prints("f(a, *b, c=d, **e)\n", "f(a, *b, c=d, **e)");
  prints("x = [i * j for i in a if i for j in b]\n", "x = [i * j for i in a if i for j in b]");
  prints("x, (y, z) = a\n", "x, (y, z) = a");
  prints("x = f((a,))\n", "x = f((a,))");
  prints("x = a, b\n", "x = (a, b)");
  prints("x = {'a': 1, **b}\n", "x = {'a': 1, **b}");
  prints("x = 0x10 + 1_000 + 0b11\n", "x = 16 + 1000 + 3");
  prints("x = 'a' \"b\"\n", "x = 'ab'");
  prints("x: T = 3\nx += 1\n", "x: T = 3\nx += 1");
}
END_TEST

static void refuses(const char *text, const char *message) {
  const char *said = again(text);
  ck_assert_msg(strstr(said, message) != NULL, "'%s' is not in: %s", message, said);
}

START_TEST(refused) { refuses("x = 'a\n", "this string is not closed"); }
END_TEST

START_TEST(refused_bracket) { refuses("x = (a]\n", "']' does not close '('"); }
END_TEST

START_TEST(refused_nesting) {
  char text[1300] = "x = ";
  memset(text + 4, '(', 600);
  text[604] = 'a';
  memset(text + 605, ')', 600);
  text[1205] = '\n';
  text[1206] = '\0';
  refuses(text, "nested deeper");
}
END_TEST

START_TEST(refused_chain) {
  Buf text = {0};
  buf_puts(&text, "x = a");
  for (int i = 0; i < 100000; i++) buf_puts(&text, ".a");
  buf_putc(&text, '\n');
  refuses(buf_str(&text), "nested");
  buf_free(&text);
}
END_TEST

Suite *suite_syntax(void) {
  Suite *s = suite_create("syntax");
  TCase *t = tcase_create("syntax");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, lines_and_columns);
  tcase_add_test(t, blocks);
  tcase_add_test(t, precedence);
  tcase_add_test(t, forms);
  tcase_add_test(t, refused);
  tcase_add_test(t, refused_bracket);
  tcase_add_test(t, refused_nesting);
  tcase_add_test(t, refused_chain);
  suite_add_tcase(s, t);
  return s;
}
