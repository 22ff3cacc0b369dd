/* unit.h -- the suites of all unit test files, and what they share. */
#ifndef PYPTOC_TESTS_UNIT_H
#define PYPTOC_TESTS_UNIT_H

#include <check.h>

#include "ir/ir.h"

/* A fresh context for a test, messages going to a memory stream. */
typedef struct Fixture {
  Arena arena;
  Source source;
  Diag diag;
  Ir ir;
  char *messages; /* what was reported so far; valid after fixture_messages */
  size_t messages_len;
} Fixture;

void fixture_init(Fixture *f);
void fixture_free(Fixture *f);
/* Everything reported so far. */
const char *fixture_messages(Fixture *f);

/* Each file gives one suite and names it in suites.def: SUITE(names) declares suite_names(). */
#define SUITE(name) Suite *suite_##name(void);
#include "suites.def"
#undef SUITE

#endif
