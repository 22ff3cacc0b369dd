#include "passes/util/stage_tag.h"

#include "ir/rewrite.h"
#include "ir/visit.h"

typedef struct Tagging {
  const StageTag *tag;
  Name membership;
} Tagging;

static void tag_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Tagging *t = r->ctx;
  s = rewrite_stmt_children(r, s);
  vec_push(out, s);
  if (s->kind != STMT_ASSIGN || s->u.assign.value->kind != EXPR_CALL || !type_is_tile(s->u.assign.var->type)) return;
  if (t->tag->skips && t->tag->skips(t->tag, s)) return;
  Expr *call = s->u.assign.value;
  const AttrValue *old = attr_get(call->u.call.attrs, t->membership);
  const char *before = old && old->kind == ATTR_STR ? old->u.str : "";
  const char *packed = arena_printf(r->ir->arena, "%s%s%d:%d", before, before[0] ? ";" : "", t->tag->region,
                                    t->tag->stage);
  Expr *tagged = expr_copy(r->ir, call);
  AttrList rest = attr_without(r->ir, call->u.call.attrs, t->membership);
  tagged->u.call.attrs = attr_with(r->ir, rest, t->membership, attr_of_str(ir_name(r->ir, packed)));
  out->data[out->len - 1] = stmt_assign(r->ir, s->u.assign.var, tagged, s->span);
}

void push_tagged(Ir *ir, Block b, const StageTag *tag, StmtList *out) {
  Tagging t = {.tag = tag, .membership = ir_name(ir, "pipeline_membership")};
  Rewriter r;
  rewriter_init(&r, ir, &t);
  r.stmt = tag_stmt;
  for (int i = 0; i < b.len; i++) tag_stmt(&r, b.items[i], out);
  rewriter_free(&r);
}

static bool count_stmt(Visitor *v, Stmt *s) {
  (void)s;
  ++*(int64_t *)v->ctx;
  return true;
}

int64_t block_size(Block b) {
  int64_t n = 0;
  Visitor v = {.ctx = &n, .stmt = count_stmt};
  visit_block(&v, b);
  return n;
}
