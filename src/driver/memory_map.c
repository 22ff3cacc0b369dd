/* --memory-map: where the tiles lie, and when, as a picture.
 *
 * A band for each function; in it a panel for each space, addresses from left to
 * right.  All panels of a band share the rows, one for each statement, with the
 * source beside them.  Between reading and writing a statement lies the middle of
 * its row, so that a tile which takes another's place begins where that one ends.
 */
#include <string.h>

#include "driver/memory_plan.h"

enum {
  MARGIN = 16,
  SOURCE = 330, /* width of the source column */
  PANEL = 330,  /* width of a panel */
  GAP = 28,     /* between panels */
  HEAD = 92,    /* of a band, above the rows */
  FOOT = 34,
  GAUGE = 8,    /* height of the bar that shows how full a space is */
  TALLEST = 18, /* row, in pixels */
  TOTAL = 2400, /* rows of a long function share this height */
  LABEL = 11,   /* least height of a label */
  LEGEND = 30,
  SOURCE_CHARS = 44,
  CHAR = 6, /* width of a character of a label */
};

typedef struct Band {
  const PlannedFunc *f;
  const char *source; /* text of the program */
  double row;         /* height */
  double top;         /* of the rows */
  int height;         /* of all */
} Band;

static double row_height(const PlannedFunc *f) {
  size_t n = f->rows.len ? f->rows.len : 1;
  double h = (double)TOTAL / (double)n;
  return h > TALLEST ? TALLEST : h;
}

static Band band_of(const MemoryPlan *m, const PlannedFunc *f, double y) {
  Band b = {.f = f, .source = m->ir->diag->source->text, .row = row_height(f), .top = y + HEAD};
  b.height = HEAD + (int)(b.row * (double)f->rows.len + 0.5) + FOOT;
  return b;
}

static int band_width(const PlannedFunc *f) {
  int panels = f->spaces.len ? (int)f->spaces.len : 1;
  return MARGIN + SOURCE + panels * (PANEL + GAP) + MARGIN;
}

/* ---------------------------------------------------------------- text */

static void put_text(Buf *out, double x, double y, const char *class, const char *text) {
  buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s%s%s>", x, y, class ? " class=\"" : "",
             class ? class : "", class ? "\"" : "");
  buf_xml(out, text);
  buf_puts(out, "</text>\n");
}

/* The first `chars` characters of `len` bytes, cut with an ellipsis. */
static char *cut(const MemoryPlan *m, const char *s, size_t len, int chars) {
  size_t end = 0,
         whole =
             0; /* behind the last character that fits, behind the one that fits with an ellipsis */
  int n = 0;
  while (end < len && n < chars) {
    if (n == chars - 1) whole = end;
    end++;
    while (end < len && ((unsigned char)s[end] & 0xc0) == 0x80) end++;
    n++;
  }
  if (end == len) return arena_strndup(m->ir->arena, s, len);
  return arena_printf(m->ir->arena, "%.*s\xe2\x80\xa6", (int)whole, s);
}

/* The line at `from`, without indentation. */
static const char *source_line(const MemoryPlan *m, const char *from) {
  while (*from == ' ') from++;
  return cut(m, from, strcspn(from, "\r\n"), SOURCE_CHARS);
}

/* "131072", "128 K" where it is round. */
static const char *bytes_str(const MemoryPlan *m, uint64_t n) {
  if (n && n % 1024 == 0)
    return arena_printf(m->ir->arena, "%llu K", (unsigned long long)(n / 1024));
  return arena_printf(m->ir->arena, "%llu", (unsigned long long)n);
}

/* ---------------------------------------------------------------- the source column */

static void put_rows(Buf *out, const MemoryPlan *m, const Band *b) {
  double free_from = -1e9;
  uint32_t line = 0, at = 1; /* the line that `text` begins */
  const char *text = b->source;
  for (size_t i = 0; i < b->f->rows.len; i++) {
    uint32_t next = b->f->rows.data[i].line;
    double y = b->top + (double)i * b->row;
    if (next == 0 || next == line || y < free_from) continue;
    line = next;
    free_from = y + LABEL;
    if (line < at) at = 1, text = b->source; /* most often the lines only go up */
    for (; at < line && *text; at++) {
      const char *end = strchr(text, '\n');
      text = end ? end + 1 : text + strlen(text);
    }
    buf_printf(out, "<text x=\"%d\" y=\"%.1f\" class=\"n\">%u</text>\n", MARGIN + 34,
               y + b->row / 2 + 3.5, line);
    put_text(out, MARGIN + 42, y + b->row / 2 + 3.5, "s", source_line(m, text));
  }
}

/* ---------------------------------------------------------------- panels */

typedef struct Panel {
  const Band *b;
  const PlannedSpace *s;
  double x;
  uint64_t scale; /* bytes across */
} Panel;

/* A space that is hardly used is shown as far as it is. */
static uint64_t scale_of(const PlannedSpace *s) {
  uint64_t all = s->capacity > s->high ? s->capacity : s->high;
  return s->high < all / 4 && s->high ? s->high : all ? all : 1;
}

static double across(const Panel *p, uint64_t byte) {
  return p->x + (double)byte / (double)p->scale * PANEL;
}

static double bottom(const Band *b) { return b->top + b->row * (double)b->f->rows.len; }

static void put_tile_title(Buf *out, const Panel *p, const PlannedTile *t) {
  size_t last = p->b->f->rows.len ? p->b->f->rows.len - 1 : 0;
  size_t from = (size_t)t->from < last ? (size_t)t->from : last,
         to = (size_t)t->to < last ? (size_t)t->to : last;
  buf_puts(out, "<title>");
  buf_xml(out, t->var->u.var.name);
  buf_printf(out, "\n%s\nbytes %llu to %llu (%llu)", t->type, (unsigned long long)t->begin,
             (unsigned long long)t->end, (unsigned long long)(t->end - t->begin));
  if (p->b->f->rows.len)
    buf_printf(out, "\nlines %u to %u", p->b->f->rows.data[from].line, p->b->f->rows.data[to].line);
  if (t->source) {
    buf_puts(out, t->view ? "\nview of " : "\nanother name for ");
    buf_xml(out, t->source);
  }
  if (t->overlaps) buf_puts(out, "\noverlaps another value");
  buf_puts(out, "</title>");
}

static void put_tile(Buf *out, const MemoryPlan *m, const Panel *p, const PlannedTile *t) {
  double x = across(p, t->begin), w = across(p, t->end) - x, row = p->b->row;
  double y = p->b->top + ((double)t->from + 0.5) * row, h = (double)(t->to - t->from) * row;
  if (h < row / 2) h = row / 2;
  if (w < 0.7) w = 0.7;
  buf_printf(out, "<g class=\"%s%s c%d\">", t->source ? "v" : "t", t->overlaps ? " o" : "",
             t->value % 8);
  put_tile_title(out, p, t);
  buf_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", x, y, w, h);
  if (t->source)
    buf_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"h\"/>", x,
               y, w, h);
  int chars = (int)((w - 5) / CHAR);
  if (chars >= 2 && h >= LABEL - 1) {
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + LABEL - 1.5);
    buf_xml(out, cut(m, t->name, strlen(t->name), chars));
    buf_puts(out, "</text>");
  }
  buf_puts(out, "</g>\n");
}

static void put_gauge(Buf *out, const MemoryPlan *m, const Panel *p) {
  const PlannedSpace *s = p->s;
  uint64_t all = s->capacity > s->high ? s->capacity : s->high ? s->high : 1;
  double y = p->b->top - HEAD + 44, used = (double)s->high / (double)all * PANEL;
  const char *text =
      s->capacity ? arena_printf(m->ir->arena, "%s: %s of %s (%.1f %%)", mem_name(s->space),
                                 bytes_str(m, s->high), bytes_str(m, s->capacity),
                                 (double)s->high * 100.0 / (double)s->capacity)
                  : arena_printf(m->ir->arena, "%s: %s", mem_name(s->space), bytes_str(m, s->high));
  put_text(out, p->x, y - 5, "p", text);
  buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" class=\"g\"/>\n", p->x, y,
             PANEL, GAUGE);
  buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"u\"/>\n", p->x,
             y, used, GAUGE);
}

/* The frame, a scale of quarters, what is reserved. */
static void put_frame(Buf *out, const MemoryPlan *m, const Panel *p) {
  double top = p->b->top, end = bottom(p->b);
  for (int i = 0; i <= 4; i++) {
    uint64_t byte = p->scale / 4 * (uint64_t)i + p->scale % 4 * (uint64_t)i / 4;
    double x = across(p, byte);
    buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"l\"/>\n", x,
               top - 4, x, end);
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"a\">%s</text>\n", x, top - 8,
               bytes_str(m, byte));
  }
  if (!p->s->reserved) return;
  double wide = across(p, p->s->reserved) - p->x;
  buf_printf(out,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
             "class=\"r\"><title>reserved: %llu bytes"
             "</title></rect>\n",
             p->x, top, wide, end - top, (unsigned long long)p->s->reserved);
  if (wide > 9 * CHAR && end - top > LABEL) put_text(out, p->x + 3, top + LABEL, NULL, "reserved");
}

/* The high-water mark, and the capacity where the picture reaches it. */
static void put_marks(Buf *out, const MemoryPlan *m, const Panel *p) {
  double top = p->b->top, end = bottom(p->b), x = across(p, p->s->high);
  buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"w\"/>\n", x, top,
             x, end + 6);
  buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"wt\">high water %s</text>\n", x, end + 17,
             bytes_str(m, p->s->high));
  if (p->s->capacity && p->scale >= p->s->capacity) {
    x = across(p, p->s->capacity);
    buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"k\"/>\n", x,
               top - 4, x, end);
  }
}

static void put_panel(Buf *out, const MemoryPlan *m, const Band *b, const PlannedSpace *s,
                      double x) {
  Panel p = {b, s, x, scale_of(s)};
  put_gauge(out, m, &p);
  put_frame(out, m, &p);
  /* views lie over what they are views of */
  for (size_t i = 0; i < s->tiles.len; i++)
    if (!s->tiles.data[i].source) put_tile(out, m, &p, &s->tiles.data[i]);
  for (size_t i = 0; i < s->tiles.len; i++)
    if (s->tiles.data[i].source) put_tile(out, m, &p, &s->tiles.data[i]);
  put_marks(out, m, &p);
}

static void put_band(Buf *out, const MemoryPlan *m, const Band *b) {
  buf_printf(out, "<text x=\"%d\" y=\"%.1f\" class=\"f\">", MARGIN, b->top - HEAD + 16);
  buf_xml(out, b->f->func->name);
  buf_puts(out, "</text>\n");
  put_rows(out, m, b);
  if (b->f->spaces.len == 0) put_text(out, MARGIN + SOURCE, b->top, "s", "no tiles");
  for (size_t i = 0; i < b->f->spaces.len; i++)
    put_panel(out, m, b, &b->f->spaces.data[i], MARGIN + SOURCE + (double)i * (PANEL + GAP));
}

/* ---------------------------------------------------------------- pictures */

static const char style[] =
    "text{font:10px monospace;fill:#222}.f{font:bold 14px sans-serif}.p{font:bold 11px sans-serif}"
    ".n{text-anchor:end;fill:#888}.s{fill:#444}.a{font-size:9px;text-anchor:middle;fill:#666}"
    ".l{stroke:#ddd}.g{fill:#eee;stroke:#999}.u{fill:#5b8}.r{fill:#bbb}"
    ".w{stroke:#c22;stroke-dasharray:4,3}.wt{font-size:9px;text-anchor:middle;fill:#c22}.k{stroke:#"
    "000;stroke-width:2}"
    ".t rect{stroke:#555;stroke-width:.5}.v rect{stroke:#555;stroke-width:.8;stroke-dasharray:3,2}"
    ".v .h{fill:url(#hatch);stroke:none}.o rect{stroke:#e00;stroke-width:2;stroke-dasharray:none}"
    ".c0{fill:#a6cee3}.c1{fill:#b2df8a}.c2{fill:#fdbf6f}.c3{fill:#cab2d6}.c4{fill:#fb9a99}.c5{fill:"
    "#ffff99}"
    ".c6{fill:#9fdcd0}.c7{fill:#e3c9a8}";

static void put_head(Buf *out, int width, int height) {
  buf_printf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
             "%d %d\">\n",
             width, height, width, height);
  buf_printf(out, "<style>%s</style>\n", style);
  buf_puts(out,
           "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
           "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"6\" fill=\"#fff\" "
           "fill-opacity=\".6\"/>"
           "</pattern></defs>\n");
  buf_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
}

/* What the marks mean. */
static void put_legend(Buf *out, double y) {
  static const struct {
    const char *class, *text;
    bool hatched;
  } marks[] = {{"t c0", "tile", false},
               {"v c0", "view of a tile, or another name", true},
               {"t o c0", "overlaps another value at the same time", false}};
  double x = MARGIN;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    buf_printf(out, "<g class=\"%s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"12\"/>",
               marks[i].class, x, y);
    if (marks[i].hatched)
      buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"12\" class=\"h\"/>", x, y);
    buf_puts(out, "</g>");
    put_text(out, x + 24, y + 10, "s", marks[i].text);
    x += 24 + (double)strlen(marks[i].text) * CHAR + 28;
  }
  buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"w\"/>", x, y + 6,
             x + 18, y + 6);
  put_text(out, x + 24, y + 10, "s", "high-water mark");
  x += 24 + 15 * CHAR + 28;
  buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"k\"/>", x, y + 6,
             x + 18, y + 6);
  put_text(out, x + 24, y + 10, "s", "capacity");
}

void memory_map_svg(Buf *out, const MemoryPlan *m) {
  int width = 2 * MARGIN + 880; /* the legend */
  double y = MARGIN + LEGEND;
  for (size_t i = 0; i < m->funcs.len; i++) {
    int w = band_width(&m->funcs.data[i]);
    if (w > width) width = w;
    y += band_of(m, &m->funcs.data[i], y).height;
  }
  put_head(out, width, (int)y + MARGIN);
  put_legend(out, MARGIN);
  y = MARGIN + LEGEND;
  for (size_t i = 0; i < m->funcs.len; i++) {
    Band b = band_of(m, &m->funcs.data[i], y);
    put_band(out, m, &b);
    y += b.height;
  }
  buf_puts(out, "</svg>\n");
}

void memory_map_html(Buf *out, const MemoryPlan *m) {
  Buf report = {0};
  buf_puts(out,
           "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Memory "
           "map of ");
  buf_xml(out, m->ir->diag->source->path);
  buf_puts(out,
           "</title>\n<style>body{font-family:sans-serif;margin:16px}svg{max-width:none}</"
           "style>\n</head>\n<body>\n<h1>"
           "Memory map of ");
  buf_xml(out, m->ir->diag->source->path);
  buf_puts(out, "</h1>\n");
  memory_map_svg(out, m);
  buf_puts(out, "<pre>\n");
  memory_report(&report, m);
  buf_xml(out, buf_str(&report));
  buf_puts(out, "</pre>\n</body>\n</html>\n");
  buf_free(&report);
}
