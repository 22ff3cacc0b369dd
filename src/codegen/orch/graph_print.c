/* A task graph as Graphviz text, and as a picture of its own. */
#include <string.h>

#include "codegen/orch/graph.h"

static const char *dir_word(ArgDir d) {
  switch (d) {
    case ADIR_INPUT: return "input";
    case ADIR_OUTPUT: return "output";
    case ADIR_INOUT: return "inout";
    case ADIR_OUTPUT_EXISTING: return "output_existing";
    case ADIR_NO_DEP: return "no_dep";
    default: return "scalar";
  }
}

/* ---- Graphviz ---- */

static void put_dot_use(Buf *b, int task, GraphUse u) {
  bool reads = u.dir == ADIR_INPUT || u.dir == ADIR_INOUT || u.dir == ADIR_NO_DEP;
  if (reads)
    buf_printf(b, "  d%d -> t%d", u.tensor, task);
  else
    buf_printf(b, "  t%d -> d%d", task, u.tensor);
  buf_printf(b, " [label=\"%s\"%s%s];\n", dir_word(u.dir), u.dir == ADIR_INOUT ? ", dir=both" : "",
             u.dir == ADIR_NO_DEP ? ", style=dotted" : "");
}

static const char *edge_word(const TaskGraph *g, GraphEdge e) {
  if (e.kind == EDGE_TRACKED) return g->tensors.data[e.tensor].name;
  return e.kind == EDGE_WRITTEN ? "deps" : "derived";
}

static const char *edge_color(GraphEdge e) {
  static const char *const colors[] = {"blue", "red", "purple"};
  return colors[e.kind];
}

static void put_dot_edge(Buf *b, const TaskGraph *g, GraphEdge e) {
  buf_printf(b, "  t%d -> t%d [label=\"%s\", style=%s, color=%s%s];\n", e.from, e.to,
             edge_word(g, e), e.kind == EDGE_TRACKED ? "dashed" : "bold", edge_color(e),
             e.again ? ", constraint=false" : "");
}

static void put_dot_task(Buf *b, int number, const GraphTask *t) {
  buf_printf(b, "  t%d [label=\"%d: %s", number, number, t->kernel ? t->kernel : "barrier");
  if (*t->loops) buf_printf(b, "\\n%s", t->loops);
  if (t->span.line) buf_printf(b, "\\nline %u", t->span.line);
  buf_printf(b, "\", shape=%s];\n", t->kernel ? "box" : "diamond");
}

void graph_dot(Buf *b, const TaskGraph *g) {
  buf_printf(b, "digraph \"%s\" {\n", g->name);
  buf_puts(b, "  node [fontname=\"monospace\"];\n  edge [fontname=\"monospace\", fontsize=10];\n");
  for (size_t i = 0; i < g->tensors.len; i++)
    buf_printf(b, "  d%d [label=\"%s\", shape=%s];\n", (int)i, g->tensors.data[i].name,
               g->tensors.data[i].param ? "ellipse, style=bold" : "ellipse");
  for (size_t i = 0; i < g->tasks.len; i++) put_dot_task(b, (int)i, &g->tasks.data[i]);
  for (size_t i = 0; i < g->tasks.len; i++) {
    const GraphTask *t = &g->tasks.data[i];
    for (size_t k = 0; k < t->uses.len; k++) put_dot_use(b, (int)i, t->uses.data[k]);
  }
  for (size_t i = 0; i < g->edges.len; i++) put_dot_edge(b, g, g->edges.data[i]);
  buf_puts(b, "}\n");
}

/* ---- SVG: a row for each task, a column for each tensor, dependencies as arcs on the left ---- */

enum {
  ROW = 28,
  COLUMN = 44,
  ARCS = 180,
  LABELS = 330,
  TOP = 150,
  MIN_ARC = 14,
  MAX_ARC = ARCS - 20
};

static int row_y(int task) { return TOP + task * ROW + ROW / 2; }
static int column_x(int tensor) { return ARCS + LABELS + tensor * COLUMN + COLUMN / 2; }

static void put_line(Buf *b, int x1, int y1, int x2, int y2) {
  buf_printf(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#eee\"/>\n", x1, y1, x2,
             y2);
}

static void put_cell(Buf *b, int task, GraphUse u) {
  static const char *const fill[ADIR_COUNT] = {
      [ADIR_INPUT] = "#fff", [ADIR_OUTPUT] = "#f93", [ADIR_OUTPUT_EXISTING] = "#f93",
      [ADIR_INOUT] = "#c33", [ADIR_NO_DEP] = "none", [ADIR_SCALAR] = "none",
  };
  buf_printf(b, "<circle cx=\"%d\" cy=\"%d\" r=\"8\" fill=\"%s\" stroke=\"#333\"%s>",
             column_x(u.tensor), row_y(task), fill[u.dir],
             u.dir == ADIR_NO_DEP ? " stroke-dasharray=\"2,2\"" : "");
  buf_printf(b, "<title>%s</title></circle>\n", dir_word(u.dir));
}

static void put_arc(Buf *b, const TaskGraph *g, GraphEdge e) {
  int y0 = row_y(e.from), y1 = row_y(e.to), rows = e.to > e.from ? e.to - e.from : e.from - e.to;
  int bow = MIN_ARC + rows * 12 > MAX_ARC ? MAX_ARC : MIN_ARC + rows * 12;
  if (e.from == e.to) y0 -= 6, y1 += 6;
  int x = ARCS, far = ARCS - bow;
  buf_printf(b, "<path d=\"M %d %d C %d %d %d %d %d %d\" fill=\"none\"", x, y0, far, y0, far, y1, x,
             y1);
  buf_printf(b, " stroke=\"%s\" stroke-width=\"%d\"%s marker-end=\"url(#a)\"><title>",
             edge_color(e), e.kind == EDGE_TRACKED ? 1 : 2,
             e.again ? " stroke-dasharray=\"5,3\"" : "");
  buf_xml(b, edge_word(g, e));
  buf_puts(b, "</title></path>\n");
}

static void put_row(Buf *b, const TaskGraph *g, int i) {
  const GraphTask *t = &g->tasks.data[i];
  int y = row_y(i);
  put_line(b, ARCS, y, column_x((int)g->tensors.len), y);
  buf_printf(b, "<text x=\"%d\" y=\"%d\">%d: ", ARCS + 8, y + 4, i);
  buf_xml(b, t->kernel ? t->kernel : "barrier");
  if (*t->loops) {
    buf_puts(b, " (");
    buf_xml(b, t->loops);
    buf_putc(b, ')');
  }
  buf_puts(b, "</text>\n");
}

static void put_column(Buf *b, const TaskGraph *g, int i, int bottom) {
  int x = column_x(i);
  put_line(b, x, TOP, x, bottom);
  buf_printf(b, "<text transform=\"translate(%d,%d) rotate(-45)\"%s>", x, TOP - 6,
             g->tensors.data[i].param ? " font-weight=\"bold\"" : "");
  buf_xml(b, g->tensors.data[i].name);
  buf_puts(b, "</text>\n");
}

static void put_svg_head(Buf *b, const TaskGraph *g, int width, int height) {
  buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", width,
             height);
  buf_puts(b,
           " font-family=\"monospace\" font-size=\"12\">\n"
           "<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
           "orient=\"auto\"><path d=\"M0,0 L7,3 L0,6 z\" fill=\"#333\"/></marker></defs>\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
           "<text x=\"10\" y=\"20\" font-weight=\"bold\">");
  buf_xml(b, g->name);
  buf_puts(
      b,
      "</text>\n"
      "<text x=\"10\" y=\"40\">white: input, orange: output, red: inout, dotted: no_dep</text>\n"
      "<text x=\"10\" y=\"58\">arcs: red deps=[...], purple derived, blue by direction, dashed "
      "later iteration"
      "</text>\n");
}

void graph_svg(Buf *b, const TaskGraph *g) {
  int tasks = (int)g->tasks.len, tensors = (int)g->tensors.len;
  put_svg_head(b, g, column_x(tensors) + 120, row_y(tasks) + ROW);
  for (int i = 0; i < tensors; i++) put_column(b, g, i, row_y(tasks));
  for (int i = 0; i < tasks; i++) put_row(b, g, i);
  for (size_t i = 0; i < g->edges.len; i++) put_arc(b, g, g->edges.data[i]);
  for (int i = 0; i < tasks; i++) {
    const GraphTask *t = &g->tasks.data[i];
    for (size_t k = 0; k < t->uses.len; k++) put_cell(b, i, t->uses.data[k]);
  }
  buf_puts(b, "</svg>\n");
}
