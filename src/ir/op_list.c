#include "ir/op_list.h"

#include <string.h>

#include "ir/op.h"

static const char *const family_names[] = {
    [FAMILY_TENSOR] = "tensor",   [FAMILY_TILE] = "tile",         [FAMILY_ARRAY] = "array",
    [FAMILY_SYSTEM] = "system",   [FAMILY_PREFETCH] = "prefetch", [FAMILY_PLD] = "pld",
    [FAMILY_BUILTIN] = "builtin", [FAMILY_BUFFER] = "buffer",     [FAMILY_REG] = "reg",
};
enum { FAMILIES = sizeof family_names / sizeof family_names[0] };

static const char *const core_names[] = {"", "cube", "vector", "shared", "mixed"};
static const char *const channel_names[] = {"", "dma", "scalar"};
static const char *const access_names[] = {"", "operands", "none"};

static const char *text(const char *s) { return s ? s : ""; }
static const char *or_dash(const char *s) { return s && *s ? s : "-"; }

static const char *targets_of(const Op *op) {
  return op->flags & OPF_A5_ONLY ? "ascend950" : "ascend910b ascend950";
}

/* ---- one operator in words ---- */

/* "tensor, offsets, shapes, valid_shape=shapes, target_memory=Vec": as people write it. */
static void put_signature(Buf *out, const Op *op) {
  int n = op->nwritten ? op->nwritten : op->nargs + op->nkwargs;
  buf_putc(out, '(');
  for (int i = 0; i < n; i++) {
    const OpParam *p = op->nwritten    ? &op->written_params[i]
                       : i < op->nargs ? &op->arg_params[i]
                                       : &op->kwarg_params[i - op->nargs];
    if (i) buf_puts(out, ", ");
    if (p->variadic) buf_putc(out, '*');
    buf_puts(out, p->name);
    if (p->dflt)
      buf_printf(out, "=%s", p->dflt);
    else if (p->optional)
      buf_puts(out, "=None");
  }
  buf_putc(out, ')');
}

static void put_note(Buf *out, size_t start, const char *fmt, const char *arg) {
  if (out->len > start) buf_puts(out, "; ");
  buf_printf(out, fmt, arg);
}

/* What else is to be known: places, buffers, cores. */
static void put_notes(Buf *out, const Op *op) {
  size_t start = out->len;
  if (op->reuses_input)
    put_note(out, start, "result is '%s'", op->arg_params[op->reuses_input - 1].name);
  for (int i = 0; i < op->nargs; i++)
    if (op->no_alias >> i & 1)
      put_note(out, start, "result apart from '%s'", op->arg_params[i].name);
  if (op->flags & OPF_NOT_INPLACE) put_note(out, start, "%s", "not in place");
  if (op->affinity) put_note(out, start, "%s", core_names[op->affinity]);
  if (op->flags & OPF_NO_DUPLICATE) put_note(out, start, "%s", "on one core only");
  if (op->channel) put_note(out, start, "writes by %s", channel_names[op->channel]);
  if (op->flags & OPF_A5_ONLY) put_note(out, start, "%s", "ascend950 only");
  if (op->flags & OPF_INTERNAL) put_note(out, start, "%s", "internal");
  if (op->flags & OPF_WRITTEN) put_note(out, start, "%s", "a way of writing");
  if (op->also) put_note(out, start, "also %s", op->also);
}

/* The effect on each operand that is not only read, "output_tensor: w". */
static void put_effects(Buf *out, const Op *op) {
  const char *s = text(op->effects);
  size_t start = out->len;
  for (int i = 0; *s; i++) {
    size_t len = strcspn(s, " ");
    if (i < op->nargs && memchr(s, 'w', len))
      buf_printf(out, "%s%.*s '%s'", out->len > start ? ", " : "", (int)len, s,
                 op->arg_params[i].name);
    s += len + strspn(s + len, " ");
  }
  if (op->effect_fn) buf_printf(out, "%sby keywords", out->len > start ? ", " : "");
}

/* ---- text ---- */

void op_list_text(Buf *out, Ir *ir) {
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    const Op *op = op_get(ir, i);
    buf_printf(out, "%s\t%s\t(%s)\t[%s]\teffects: %s%s\tin: %s\tout: %s\t%s\t%s\n", op->name,
               family_names[op->family], text(op->args), text(op->kwargs), or_dash(op->effects),
               op->effect_fn ? " by keywords" : "", or_dash(op->in_mem), or_dash(op->out_mem),
               targets_of(op), text(op->doc));
  }
}

/* ---- JSON; table strings hold no character that must be escaped ---- */

static void json_text(Buf *out, const char *key, const char *value) {
  buf_printf(out, ", \"%s\": \"%s\"", key, text(value));
}

static void json_flag(Buf *out, const char *key, bool value) {
  buf_printf(out, ", \"%s\": %s", key, value ? "true" : "false");
}

static void json_params(Buf *out, const char *key, const OpParam *p, int n) {
  buf_printf(out, ",\n   \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    buf_printf(out, "%s{\"name\": \"%s\", \"kind\": \"%s\"", i ? ", " : "", p[i].name, p[i].kind);
    if (p[i].dflt) json_text(out, "default", p[i].dflt);
    if (p[i].optional) json_flag(out, "optional", true);
    if (p[i].variadic) json_flag(out, "variadic", true);
    buf_putc(out, '}');
  }
  buf_putc(out, ']');
}

static void json_op(Buf *out, const Op *op) {
  buf_printf(out, "  {\"name\": \"%s\"", op->name);
  json_text(out, "family", family_names[op->family]);
  json_text(out, "doc", op->doc);
  json_params(out, "args", op->arg_params, op->nargs);
  json_params(out, "kwargs", op->kwarg_params, op->nkwargs);
  buf_puts(out, ",\n   \"written\": \"");
  put_signature(out, op);
  buf_puts(out, "\"");
  json_text(out, "also", op->also);
  json_text(out, "effects", op->effects);
  json_flag(out, "effects_by_keywords", op->effect_fn != NULL);
  json_text(out, "metadata_effects", op->meta);
  json_text(out, "in", op->in_mem);
  json_text(out, "out", op->out_mem);
  json_text(out, "channel", channel_names[op->channel]);
  json_text(out, "accesses", access_names[op->access]);
  if (op->reuses_input) buf_printf(out, ", \"result_is_arg\": %d", op->reuses_input - 1);
  buf_puts(out, ", \"result_apart_from\": [");
  for (int i = 0, n = 0; i < op->nargs; i++)
    if (op->no_alias >> i & 1) buf_printf(out, "%s%d", n++ ? ", " : "", i);
  buf_putc(out, ']');
  json_flag(out, "in_place", !(op->flags & OPF_NOT_INPLACE));
  json_text(out, "core", core_names[op->affinity]);
  json_flag(out, "duplicable", !(op->flags & OPF_NO_DUPLICATE));
  json_flag(out, "internal", op->flags & OPF_INTERNAL);
  json_text(out, "targets", targets_of(op));
  buf_putc(out, '}');
}

void op_list_json(Buf *out, Ir *ir) {
  buf_puts(out, "[\n");
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    json_op(out, op_get(ir, i));
    buf_puts(out, i + 1 < OP_COUNT ? ",\n" : "\n");
  }
  buf_puts(out, "]\n");
}

/* ---- Markdown ---- */

/* A bar would end the cell. */
static void cell(Buf *out, const char *s) {
  for (; *s; s++) {
    if (*s == '|') buf_putc(out, '\\');
    buf_putc(out, *s);
  }
}

static void markdown_row(Buf *out, const Op *op) {
  Buf b = {0};
  put_signature(&b, op);
  buf_printf(out, "| `%s", strchr(op->name, '.') + 1);
  buf_puts(out, buf_str(&b));
  buf_printf(out, "` | %s | ", text(op->doc));
  b.len = 0;
  put_effects(&b, op);
  cell(out, b.len ? buf_str(&b) : "");
  buf_puts(out, " | ");
  cell(out, or_dash(op->in_mem));
  buf_puts(out, " → ");
  cell(out, or_dash(op->out_mem));
  buf_puts(out, " | ");
  b.len = 0;
  put_notes(&b, op);
  cell(out, b.len ? buf_str(&b) : "");
  buf_puts(out, " |\n");
  buf_free(&b);
}

void op_list_markdown(Buf *out, Ir *ir) {
  buf_puts(
      out,
      "# Operators\n\n"
      "Made by `make docs/operators.md` from the operator table (`src/ir/ops/*.def`); do not "
      "edit.\n"
      "How result types follow: [operators/tile.md](operators/tile.md), "
      "[operators/tensor.md](operators/tensor.md).\n\n"
      "*Writes*: operands that are written (`w`) or read and written (`rw`); all others are read.\n"
      "*Spaces*: allowed memory spaces of the operands in order (`-`: any) and that of the result: "
      "`=` as "
      "the first tile operand, `kw:NAME` by a keyword.\n");
  for (int f = 0; f < FAMILIES; f++) {
    buf_printf(
        out,
        "\n## %s\n\n| operator | what it does | writes | spaces | notes |\n|---|---|---|---|---|\n",
        family_names[f]);
    for (int i = OP_NONE + 1; i < OP_COUNT; i++)
      if ((int)op_get(ir, i)->family == f) markdown_row(out, op_get(ir, i));
  }
}
