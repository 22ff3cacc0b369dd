/* Every operator with operands and keywords of every sort: it gives a type or a message, never a
 * crash. */
#include <stdlib.h>

#include "op_spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Values by position and by keyword, as in op_spec.h. */
static const char *const operands[] = {
    "T16x32:FP32@Vec",
    "T16x16:FP16@Left",
    "T16x16:FP16@Right",
    "T16x16:FP32@Acc",
    "T1x32:FP32@Vec",
    "T16x1:FP32@Vec",
    "T16x32:INT32@Vec",
    "T2x16x32:BF16@Mat",
    "TNx32:FP32@Vec/Nx8",
    "T0x0:INT8@Vec",
    "T16x16:UINT8@Vec",
    "T64:FP32@Vec",
    "G16x32:FP32",
    "GNxM:FP16/NxM",
    "G64:INT32",
    "G2x3x16x32:BF16",
    "G16x32:FP16^DN",
    "G32x32:INT8^NZ",
    "G1x1:BOOL",
    "W2x64:FP32",
    "W2:INT32",
    "W4x4x16:FP16",
    "A8:INT32",
    "A4:BF16",
    "ptr",
    "comm",
    "prefetch",
    "event",
    "session",
    "S:INT32",
    "S:FP32",
    "S:INDEX",
    "S:BOOL",
    "S:UINT64",
    "S:TASK_ID",
    "0",
    "3",
    "-1",
    "-9223372036854775808",
    "9223372036854775807",
    "3:INT32",
    "1.5",
    "1.5:FP16",
    "[0,0]",
    "[16,32]",
    "[]",
    "[N,8]",
    "[1,2,3,4,5]",
    "[-1,0]",
    "[0]",
    "[256]",
    "[9223372036854775807,9223372036854775807]",
    "[[1,2],[3]]",
    "FP32",
    "INT8",
    "Mem.Vec",
    "Mem.Acc",
    "True",
    "False",
    "None",
    "'row'",
};
static const char *const keywords[] = {
    "0",           "1",          "-1",    "64",
    "2147483647",  "2147483648", "1.5",   "True",
    "False",       "None",       "'eq'",  "'round'",
    "'on'",        "'mesh'",     "FP32",  "BF16",
    "INT32",       "TASK_ID",    "Vec",   "Mat",
    "zero",        "max",        "Add",   "None_",
    "DN",          "row_major",  "MTE1",  "[16,32]",
    "[0]",         "[]",         "[N,8]", "T16x32:FP32@Vec",
    "G16x32:FP32", "S:INT32",
};

static const char *any(Ir *ir, const char *const *values, size_t n) {
  return ir_name(ir, values[(size_t)rand() % n]);
}

/* A line of values that often is nearly right: most operands have the kind that the row wants. */
static const char *fitting(Ir *ir, const char *kind) {
  static const struct {
    const char *kind, *values[6];
  } table[] = {
      {"tile",
       {"T16x32:FP32@Vec", "T16x32:FP32@Vec", "T16x16:FP16@Left", "T16x16:FP16@Right",
        "T16x32:INT32@Vec", "T1x32:FP32@Vec"}},
      {"tensor",
       {"G16x32:FP32", "G16x32:FP32", "G16x32:INT32", "W2x64:FP32", "GNxM:FP16/NxM",
        "G2x3x16x32:BF16"}},
      {"plain",
       {"G16x32:FP32", "G16x32:FP32", "G16x32:INT32", "G64:INT32", "GNxM:FP16/NxM",
        "G2x3x16x32:BF16"}},
      {"window", {"W2x64:FP32", "W2x64:FP32", "W2:INT32", "W4x4x16:FP16", "W64:FP32", "W1:INT32"}},
      {"list", {"[0,0]", "[16,32]", "[N,8]", "[]", "[0]", "[1,2,3,4,5]"}},
      {"list1", {"[0,0]", "[16,32]", "[N,8]", "3", "[0]", "[1,2,3,4,5]"}},
      {"axes", {"[0]", "[1]", "[]", "[0,0]", "[-1]", "[N]"}},
      {"index", {"0", "3", "S:INDEX", "S:INT32", "-1", "9223372036854775807"}},
      {"axis", {"0", "1", "-1", "-2", "7", "-9223372036854775808"}},
      {"scalar", {"0", "1.5", "S:FP32", "S:INT32", "S:BOOL", "S:TASK_ID"}},
      {"array", {"A8:INT32", "A4:BF16", "A8:INT32", "A8:INT32", "A8:INT32", "A1:BOOL"}},
  };
  for (size_t i = 0; i < COUNT(table); i++)
    if (ir_name(ir, table[i].kind) == kind) return ir_name(ir, table[i].values[rand() % 6]);
  return any(ir, operands, COUNT(operands));
}

static const char *line(Ir *ir, const Op *op) {
  const char *text = "";
  int n = op->nargs + rand() % 3 - 1;
  for (int i = 0; i < n; i++) {
    const char *v = i < op->nargs && rand() % 8 ? fitting(ir, op->arg_params[i].kind)
                                                : any(ir, operands, COUNT(operands));
    text = arena_printf(ir->arena, "%s%s%s", text, i ? " " : "", v);
  }
  return text;
}

static const char *keyword_line(Ir *ir, const Op *op) {
  const char *text = "";
  for (int i = 0; i < op->nkwargs; i++) {
    const OpParam *p = &op->kwarg_params[i];
    bool dtype = p->kind == ir_name(ir, "dtype");
    if (rand() % 3 == 0) continue;
    text = arena_printf(ir->arena, "%s%s=%s ", text, p->name,
                        dtype && rand() % 4 ? "FP32" : any(ir, keywords, COUNT(keywords)));
  }
  return text;
}

static void try_operator(Fixture *f, const Op *op) {
  OpCase c = {.op = op->name, .args = line(&f->ir, op), .kwargs = keyword_line(&f->ir, op)};
  int before = f->diag.errors;
  const char *call = op_spec_bind(f, &c);
  ck_assert_msg((call == NULL) == (f->diag.errors > before), "%s %s | %s\n  gives  %s\n  after  %s",
                c.op, c.args, c.kwargs, call ? call : "nothing", fixture_messages(f));
}

START_TEST(operators_take_anything) {
  srand(1);
  for (int id = OP_NONE + 1; id < OP_COUNT; id++) {
    Fixture f;
    fixture_init(&f);
    const Op *op = op_get(&f.ir, (OpId)id);
    for (int i = 0; i < 60 && !op->check_type; i++) try_operator(&f, op);
    fixture_free(&f);
  }
}
END_TEST

Suite *suite_ops_any(void) {
  Suite *s = suite_create("ops_any");
  TCase *t = tcase_create("anything");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, operators_take_anything);
  suite_add_tcase(s, t);
  return s;
}
