#include "passes/util/loop_copies.h"

#include "arith/fold.h"
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/util/clone.h"

enum {
  MAX_COPIES = 1 << 20, /* of statements, in one function */
  MAX_STAGES = 64,      /* beyond, some loops have a message of their own */
};

typedef struct Tagging {
  const StageTag *tag;
  Name membership;
} Tagging;

static void tag_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Tagging *t = r->ctx;
  s = rewrite_stmt_children(r, s);
  vec_push(out, s);
  if (s->kind != STMT_ASSIGN || s->u.assign.value->kind != EXPR_CALL ||
      !type_is_tile(s->u.assign.var->type))
    return;
  if (t->tag->skips && t->tag->skips(t->tag, s)) return;
  Expr *call = s->u.assign.value;
  const AttrValue *old = attr_get(call->u.call.attrs, t->membership);
  const char *before = old && old->kind == ATTR_STR ? old->u.str : "";
  const char *packed = arena_printf(r->ir->arena, "%s%s%d:%d", before, before[0] ? ";" : "",
                                    t->tag->region, t->tag->stage);
  Expr *tagged = expr_copy(r->ir, call);
  AttrList rest = attr_without(r->ir, call->u.call.attrs, t->membership);
  tagged->u.call.attrs = attr_with(r->ir, rest, t->membership, attr_of_str(ir_name(r->ir, packed)));
  out->data[out->len - 1] = stmt_assign(r->ir, s->u.assign.var, tagged, s->span);
}

static void push_tagged(Ir *ir, Block b, const StageTag *tag, StmtList *out) {
  Tagging t = {.tag = tag, .membership = key_name(KEY_PIPELINE_MEMBERSHIP)};
  Rewriter r;
  rewriter_init(&r, ir, &t);
  r.stmt = tag_stmt;
  for (int i = 0; i < b.len; i++) tag_stmt(&r, b.items[i], out);
  rewriter_free(&r);
}

int push_copy(Ir *ir, const Stmt *loop, Block part, Expr *index, Expr **carried,
              const StageTag *tag, StmtList *out) {
  Map subst = {0};
  map_set(&subst, loop->u.loop.var, index);
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    map_set(&subst, loop->u.loop.iter_args[i], carried[i]);
  Block copy = clone_block(ir, part, &subst, CLONE_FRESH_DEFS);
  map_free(&subst);
  Stmt *yield = block_yield(copy);
  if (yield) copy.len--;
  push_tagged(ir, copy, tag, out);
  int n = yield ? yield->u.ret.len : 0;
  for (int i = 0; i < n && i < loop->u.loop.ncarried; i++) carried[i] = yield->u.ret.values[i];
  return n;
}

Expr *index_behind(Ir *ir, Expr *base, int64_t offset, Span at) {
  if (offset == 0) return base;
  if (base->kind == EXPR_INT) return expr_int(ir, base->u.i + offset, DT_INDEX, at);
  return make_binary(ir, EXPR_ADD, base, expr_int(ir, offset, DT_INDEX, at), at);
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

static bool too_many(Ir *ir, Span at) {
  diag_error(ir->diag, at,
             "the stages of pipeline loops expand this function to more than %d statements",
             MAX_COPIES);
  return false;
}

bool may_copy(Ir *ir, int64_t *made, int64_t n, int64_t size, Span at) {
  int64_t total;
  if (__builtin_mul_overflow(n, size ? size : 1, &total) || total > MAX_COPIES - *made)
    return too_many(ir, at);
  *made += total;
  return true;
}

static int64_t least_size(Name stages, Block b);

/* At least so many statements will stand for `s`, counted up to MAX_COPIES + 1. */
static int64_t least_size_of(Name stages, const Stmt *s) {
  int64_t trips, copies = 1;
  switch (s->kind) {
    case STMT_IF:
      return 1 + least_size(stages, s->u.if_.then_body) + least_size(stages, s->u.if_.else_body);
    case STMT_SCOPE: return 1 + least_size(stages, s->u.scope.body);
    case STMT_FOR:
      if (s->u.loop.kind == FOR_PIPELINE) copies = attr_int(s->u.loop.attrs, stages, 1);
      if (copies > 1 && loop_trip_count(s, &trips) && trips < copies)
        copies = trips;
      else if (copies > MAX_STAGES)
        copies = 1; /* refused for another reason, if its bounds are not known */
      break;
    case STMT_WHILE: break;
    default: return 1;
  }
  int64_t size = 1 + least_size(stages, s->u.loop.body);
  return copies > MAX_COPIES / size ? MAX_COPIES + 1 : size * copies;
}

static int64_t least_size(Name stages, Block b) {
  int64_t n = 0;
  for (int i = 0; i < b.len && n <= MAX_COPIES; i++) n += least_size_of(stages, b.items[i]);
  return n;
}

bool copies_may_fit(Ir *ir, const Stmt *loop) {
  return least_size_of(key_name(KEY_PIPELINE_STAGES), loop) <= MAX_COPIES ||
         too_many(ir, loop->span);
}
