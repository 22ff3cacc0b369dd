#include <stdlib.h>

#include "unit.h"

void fixture_init(Fixture *f) {
  arena_init(&f->arena);
  f->source = (Source){.path = "test.pir", .text = ""};
  diag_init(&f->diag, &f->arena, &f->source);
  f->diag.out = open_memstream(&f->messages, &f->messages_len);
  f->diag.color = COLOR_NEVER;
  ir_init(&f->ir, &f->arena, &f->diag);
}

void fixture_free(Fixture *f) {
  fclose(f->diag.out);
  free(f->messages);
  ir_free(&f->ir);
  arena_free(&f->arena);
}

const char *fixture_messages(Fixture *f) {
  fflush(f->diag.out);
  return f->messages;
}

int main(void) {
  SRunner *runner = srunner_create(NULL);
#define SUITE(name) srunner_add_suite(runner, suite_##name());
#include "suites.def"
#undef SUITE
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
