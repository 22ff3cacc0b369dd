/* --memory-report: where the tiles lie, and when, as a table. */
#include <string.h>

#include "driver/memory_plan.h"

/* Columns are as wide as their widest cell. */
typedef struct Widths {
  int address, bytes, name, type, lines;
} Widths;

static int digits(uint64_t v) {
  int n = 1;
  for (; v >= 10; v /= 10) n++;
  return n;
}

/* Characters, not bytes. */
static int text_width(const char *s) {
  int n = 0;
  for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

static void at_least(int *width, int n) {
  if (*width < n) *width = n;
}

static uint32_t line_of(const PlannedFunc *f, int row) {
  size_t last = f->rows.len ? f->rows.len - 1 : 0;
  return f->rows.len ? f->rows.data[(size_t)row < last ? (size_t)row : last].line : 0;
}

static const char *lines_of(const MemoryPlan *m, const PlannedFunc *f, const PlannedTile *t) {
  uint32_t from = line_of(f, t->from), to = line_of(f, t->to);
  /* copies before a yield stand where the value is defined */
  if (to <= from) return arena_printf(m->ir->arena, "%u", from);
  return arena_printf(m->ir->arena, "%u-%u", from, to);
}

static Widths widths_of(const MemoryPlan *m, const PlannedFunc *f, const PlannedSpace *s) {
  Widths w = {(int)strlen("address"), (int)strlen("bytes"), (int)strlen("tile"),
              (int)strlen("type"), (int)strlen("lines")};
  for (size_t i = 0; i < s->tiles.len; i++) {
    const PlannedTile *t = &s->tiles.data[i];
    at_least(&w.address, digits(t->begin));
    at_least(&w.bytes, digits(t->end - t->begin));
    at_least(&w.name, text_width(t->name));
    at_least(&w.type, text_width(t->type));
    at_least(&w.lines, text_width(lines_of(m, f, t)));
  }
  return w;
}

static void put_padded(Buf *out, const char *s, int width) {
  buf_puts(out, s);
  buf_indent(out, width - text_width(s));
}

static void put_space(Buf *out, const MemoryPlan *m, const PlannedFunc *f, const PlannedSpace *s) {
  Widths w = widths_of(m, f, s);
  buf_printf(out, "\n  %s: high-water mark %llu", mem_name(s->space), (unsigned long long)s->high);
  if (s->capacity)
    buf_printf(out, " of %llu bytes (%.1f %%)", (unsigned long long)s->capacity,
               (double)s->high * 100.0 / (double)s->capacity);
  else
    buf_puts(out, " bytes");
  if (s->reserved) buf_printf(out, ", the first %llu reserved", (unsigned long long)s->reserved);
  buf_printf(out, "\n    %*s  %*s  %-*s  %-*s  lines\n", w.address, "address", w.bytes, "bytes",
             w.name, "tile", w.type, "type");
  for (size_t i = 0; i < s->tiles.len; i++) {
    const PlannedTile *t = &s->tiles.data[i];
    buf_printf(out, "    %*llu  %*llu  ", w.address, (unsigned long long)t->begin, w.bytes,
               (unsigned long long)(t->end - t->begin));
    put_padded(out, t->name, w.name + 2);
    put_padded(out, t->type, w.type + 2);
    put_padded(out, lines_of(m, f, t), t->source || t->overlaps || t->unread ? w.lines + 2 : 0);
    if (t->source) buf_printf(out, "%s %s", t->view ? "view of" : "another name for", t->source);
    if (t->unread) buf_printf(out, "%snever read", t->source ? ", " : "");
    if (t->overlaps)
      buf_printf(out, "%soverlaps another value", t->source || t->unread ? ", " : "");
    buf_putc(out, '\n');
  }
}

void memory_report(Buf *out, const MemoryPlan *m) {
  static const char *const planners[] = {"pypto", "dsa-rp", "ptoas"};
  for (size_t i = 0; i < m->funcs.len; i++) {
    const PlannedFunc *f = &m->funcs.data[i];
    buf_printf(out, "%sfunction %s, on %s by the planner %s\n", i ? "\n" : "", f->func->name,
               m->opts->target->name, planners[m->opts->planner]);
    for (size_t k = 0; k < f->spaces.len; k++) put_space(out, m, f, &f->spaces.data[k]);
    if (f->spaces.len == 0) buf_puts(out, "\n  no tiles\n");
  }
  if (m->funcs.len == 0) buf_puts(out, "the program has no on-chip functions\n");
}
