#include "ir/op_list.h"

#include <string.h>

#include "ir/op.h"

static const char *const family_names[] = {
    [FAMILY_TENSOR] = "tensor",     [FAMILY_TILE] = "tile",   [FAMILY_ARRAY] = "array",
    [FAMILY_SYSTEM] = "system",     [FAMILY_PREFETCH] = "prefetch", [FAMILY_PLD] = "pld",
    [FAMILY_BUILTIN] = "builtin",   [FAMILY_BUFFER] = "buffer", [FAMILY_REG] = "reg",
};

static const char *targets_of(const Op *op) {
  return op->flags & OPF_A5_ONLY ? "ascend950" : "ascend910b ascend950";
}

static const char *or_dash(const char *s) { return s && *s ? s : "-"; }

void op_list_text(Buf *out, Ir *ir) {
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    const Op *op = op_get(ir, i);
    buf_printf(out, "%s\t%s\t(%s)\t[%s]\teffects: %s\tin: %s\tout: %s\t%s\n", op->name,
               family_names[op->family], op->args ? op->args : "", op->kwargs ? op->kwargs : "",
               or_dash(op->effects), or_dash(op->in_mem), or_dash(op->out_mem), targets_of(op));
  }
}

/* Table strings hold no character that JSON must escape. */
static void field(Buf *out, const char *key, const char *value, bool last) {
  buf_printf(out, "\"%s\": \"%s\"%s", key, value ? value : "", last ? "" : ", ");
}

void op_list_json(Buf *out, Ir *ir) {
  buf_puts(out, "[\n");
  for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
    const Op *op = op_get(ir, i);
    buf_puts(out, "  {");
    field(out, "name", op->name, false);
    field(out, "family", family_names[op->family], false);
    field(out, "args", op->args, false);
    field(out, "kwargs", op->kwargs, false);
    field(out, "effects", op->effects, false);
    field(out, "in", op->in_mem, false);
    field(out, "out", op->out_mem, false);
    field(out, "targets", targets_of(op), true);
    buf_puts(out, i + 1 < OP_COUNT ? "},\n" : "}\n");
  }
  buf_puts(out, "]\n");
}
