/* test_compact.c -- what is moved together stays the same program: every text case, read, moved and printed. */
#include "ir/compact.h"

#include <glob.h>
#include <stdlib.h>

#include "arith/lend.h"
#include "base/file.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "unit.h"

static Program *read_file(Fixture *f, const char *path) {
  f->source.path = path;
  f->source.text = file_read(&f->arena, path, &f->source.len);
  ck_assert_msg(f->source.text != NULL, "cannot read %s", path);
  arith_lend(&f->ir);
  Program *p = parse_program(&f->ir);
  arith_take_back(&f->ir);
  return p;
}

static void moved_is_same(const char *path) {
  Fixture f;
  fixture_init(&f);
  Program *p = read_file(&f, path);
  if (p) {
    Buf before = {0}, after = {0};
    print_program(&before, &f.ir, p, &(PrintOptions){0});
    size_t used = f.ir.arena->used;
    p = ir_compact(&f.ir, p);
    ck_assert_msg(f.ir.arena->used < used, "%s: moving gave nothing back", path);
    used = f.ir.arena->used;
    p = ir_compact(&f.ir, p); /* nothing is left of the second place either */
    ck_assert_msg(f.ir.arena->used == used, "%s: moving again takes another size", path);
    print_program(&after, &f.ir, p, &(PrintOptions){0});
    ck_assert_msg(strcmp(buf_str(&before), buf_str(&after)) == 0, "%s: before\n%s\nafter\n%s", path,
                  buf_str(&before), buf_str(&after));
    buf_free(&before);
    buf_free(&after);
  }
  fixture_free(&f);
}

START_TEST(text_cases_stay_the_same) {
  glob_t found;
  ck_assert_int_eq(glob("tests/cases/*/*.pir", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) moved_is_same(found.gl_pathv[i]);
  globfree(&found);
}
END_TEST

START_TEST(types_stay_interned_and_nodes_shared) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Expr *dims[] = {expr_int(ir, 16, DT_INDEX, NO_SPAN), expr_int(ir, 64, DT_INDEX, NO_SPAN)};
  Expr *base = expr_var(ir, ir_name(ir, "mem_vec_0"), type_simple(ir, TYPE_PTR), NO_SPAN);
  const MemRef *memref =
      memref_intern(ir, &(MemRef){.base = base, .offset = dims[0], .size = 4096, .slots = 1});
  const Type *tile = type_with_memref(ir, type_tile(ir, dims, 2, DT_FP32, MEM_VEC), memref);
  Expr *a = expr_var(ir, ir_name(ir, "a"), tile, NO_SPAN),
       *b = expr_var(ir, ir_name(ir, "b"), tile, NO_SPAN);
  Stmt *s = stmt_assign(ir, b, a, NO_SPAN);
  Function fn = {.name = ir_name(ir, "f"),
                 .params = &a,
                 .dirs = (ParamDir[]){0},
                 .nparams = 1,
                 .body = block_of(ir, &s, 1)};
  Program *p = program_new(ir, ir_name(ir, "P"), (Function *[]){&fn}, 1, NO_SPAN);
  p = ir_compact(ir, p);
  s = p->funcs[0]->body.items[0];
  ck_assert_ptr_ne(s->u.assign.value, a);
  ck_assert_ptr_eq(s->u.assign.value, p->funcs[0]->params[0]);
  ck_assert_uint_eq(s->u.assign.value->u.var.id + 1, s->u.assign.var->u.var.id);
  const Type *moved = s->u.assign.var->type;
  ck_assert_ptr_eq(moved, s->u.assign.value->type);
  const MemRef *m = moved->memref;
  ck_assert_ptr_eq(
      m,
      memref_intern(ir, &(MemRef){.base = m->base, .offset = m->offset, .size = 4096, .slots = 1}));
  ck_assert_ptr_eq(moved,
                   type_with_memref(ir, type_tile(ir, moved->shape, 2, DT_FP32, MEM_VEC), m));
  ck_assert_ptr_eq(m->base->type, type_simple(ir, TYPE_PTR));
  fixture_free(&f);
}
END_TEST

Suite *suite_compact(void) {
  Suite *s = suite_create("compact");
  TCase *t = tcase_create("moving");
  tcase_add_test(t, text_cases_stay_the_same);
  tcase_add_test(t, types_stay_interned_and_nodes_shared);
  suite_add_tcase(s, t);
  return s;
}
