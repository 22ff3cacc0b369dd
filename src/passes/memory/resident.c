#include "passes/memory/resident.h"

#include <string.h>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/memory/read_only.h"
#include "passes/memory/reserve.h"

enum { MAX_VIEWS = 100 }; /* of views of views that are followed */

/* A loop, numbered in order of the text. */
typedef struct Loop {
  int behind; /* number of the first loop that is not inside this one */
  int parent;
  bool ordered; /* something inside orders iterations, or may */
} Loop;

typedef struct Use {
  const Expr *call;
  int arg;
} Use;

/* What is known of a variable. */
typedef struct Facts {
  const Expr *call; /* that gives it, or NULL */
  int loop;         /* that binds it, or -1 */
  int nuses;        /* anywhere */
  VEC(Use) args;    /* as an argument of a call */
  VEC(int) yields;  /* loops with a yield of it */
  bool movable;     /* belongs to a chain that can leave a loop as a whole */
  bool panel;       /* a load that can leave although what reads it stays */
} Facts;

typedef struct Resident {
  PassCtx *ctx;
  Ir *ir;
  Name mark;
  const Map *safe; /* parameters that share memory with nothing written */
  const Function *f;
  Storage storage;
  Map written; /* storage written in the function */
  Map facts;   /* variable -> Facts */
  Map results; /* call -> variable it is assigned to */
  VEC(Loop) loops;
  Map loop_of; /* loop statement -> number + 1 */
  int loop;    /* of the walk, -1 outside */
  int pipelines;
  uint64_t used[MEM_COUNT];
  bool unknown
      [MEM_COUNT]; /* a tile without constant size, or one in a pipeline that multiplies it */
  bool reserves;
  VEC(Facts *) owned;
} Resident;

/* ---------------------------------------------------------------- facts */

static Facts *facts_of(Resident *r, const Expr *var) {
  Facts *f = map_get(&r->facts, var);
  if (f) return f;
  f = NEW(r->ir->arena, Facts);
  f->loop = -1;
  map_set(&r->facts, var, f);
  vec_push(&r->owned, f);
  return f;
}

static void bind(Resident *r, const Expr *var) { facts_of(r, var)->loop = r->loop; }

/* Does the call order what comes before and after it, or may it? */
static bool orders(const Expr *call) {
  const Op *op = expr_op(call);
  if (!op) return true;
  switch (op->id) {
    case OP_PLD_SYSTEM_GET_COMM_CTX:
    case OP_SYSTEM_TASK_INVALID:
    case OP_SYSTEM_TASK_DUMMY:
    case OP_SYSTEM_TASK_IS_VALID:
    case OP_SYSTEM_AVAILABLE_CLUSTER_COUNT:
    case OP_SYSTEM_AVAILABLE_AIV_COUNT: return false;
    case OP_TILE_AIV_SHARD:
    case OP_TILE_AIC_GATHER:
    case OP_TENSOR_AIV_SHARD:
    case OP_TENSOR_AIC_GATHER: return true;
    default: break;
  }
  if (op->cross_role != CROSS_NONE) return true;
  return op->family != FAMILY_TILE && op->family != FAMILY_TENSOR && op->family != FAMILY_ARRAY;
}

static void note_writes(Resident *r, const Expr *call) {
  if ((expr_is_op(call, OP_TILE_STORE) || expr_is_op(call, OP_TILE_MSCATTER)) &&
      call->u.call.nargs >= 3) {
    map_set(&r->written, storage_root(&r->storage, call->u.call.args[2]), r);
    return;
  }
  const Function *f =
      call->u.call.callee ? program_func(r->storage.roots.program, call->u.call.callee) : NULL;
  for (int i = 0; f && i < f->nparams && i < call->u.call.nargs; i++)
    if (f->dirs[i] != PARAM_IN)
      map_set(&r->written, storage_root(&r->storage, call->u.call.args[i]), r);
}

static bool note_expr(Visitor *v, Expr *e) {
  Resident *r = v->ctx;
  if (expr_is_var(e)) {
    facts_of(r, e)->nuses++;
    return true;
  }
  if (!expr_is_call(e)) return true;
  if (r->loop >= 0 && orders(e)) r->loops.data[r->loop].ordered = true;
  if (expr_is_op(e, OP_SYSTEM_RESERVE_BUFFER)) r->reserves = true;
  note_writes(r, e);
  for (int i = 0; e->kind == EXPR_CALL && i < e->u.call.nargs; i++)
    if (expr_is_var(e->u.call.args[i]))
      vec_push(&facts_of(r, e->u.call.args[i])->args, (Use){e, i});
  return true;
}

static void note(Resident *r, Expr *e) {
  Visitor v = {.ctx = r, .expr = note_expr};
  visit_expr(&v, e);
}

/* Counts the bytes of a tile that lies in an allocation of its own. */
static void note_tile(Resident *r, const Expr *var, const Expr *value) {
  const Type *t = var->type;
  const Op *op = expr_op(value);
  if (!type_is_tile(t) || t->space == MEM_NONE || expr_is_var(value) ||
      (op && op_result_is_arg(op)))
    return;
  int64_t bytes = type_num_bytes(t);
  if (bytes <= 0 || r->pipelines)
    r->unknown[t->space] = true;
  else
    r->used[t->space] =
        align_address(r->ctx->opts->target, t->space, r->used[t->space] + (uint64_t)bytes);
}

static void note_block(Resident *r, Block b);

static void note_loop(Resident *r, Stmt *s) {
  for (int i = 0; i < s->u.loop.nresults; i++) bind(r, s->u.loop.results[i]);
  int outer = r->loop;
  if (s->kind == STMT_FOR) {
    r->loop = (int)r->loops.len;
    vec_push(&r->loops, (Loop){.parent = outer});
    map_set(&r->loop_of, s, map_int(r->loop + 1));
    note(r, s->u.loop.start);
    note(r, s->u.loop.stop);
    note(r, s->u.loop.step);
    bind(r, s->u.loop.var);
  }
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    bind(r, s->u.loop.iter_args[i]);
    note(r, s->u.loop.iter_args[i]->u.var.init);
  }
  if (s->kind == STMT_WHILE) note(r, s->u.loop.cond);
  bool pipeline = s->kind == STMT_FOR && s->u.loop.kind == FOR_PIPELINE;
  r->pipelines += pipeline;
  note_block(r, s->u.loop.body);
  r->pipelines -= pipeline;
  if (s->kind != STMT_FOR) return;
  r->loops.data[r->loop].behind = (int)r->loops.len;
  if (outer >= 0 && r->loops.data[r->loop].ordered) r->loops.data[outer].ordered = true;
  r->loop = outer;
}

static void note_assign(Resident *r, Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  bind(r, var);
  note_tile(r, var, value);
  if (value->kind == EXPR_CALL) {
    facts_of(r, var)->call = value;
    map_set(&r->results, value, var);
  }
  note(r, value);
}

static void note_stmt(Resident *r, Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: note_assign(r, s); break;
    case STMT_EVAL: note(r, s->u.eval); break;
    case STMT_YIELD:
    case STMT_RETURN:
      for (int i = 0; i < s->u.ret.len; i++) {
        note(r, s->u.ret.values[i]);
        if (s->kind == STMT_YIELD && r->loop >= 0 && expr_is_var(s->u.ret.values[i]))
          vec_push(&facts_of(r, s->u.ret.values[i])->yields, r->loop);
      }
      break;
    case STMT_IF:
      for (int i = 0; i < s->u.if_.nresults; i++) bind(r, s->u.if_.results[i]);
      note(r, s->u.if_.cond);
      note_block(r, s->u.if_.then_body);
      note_block(r, s->u.if_.else_body);
      break;
    case STMT_FOR:
    case STMT_WHILE: note_loop(r, s); break;
    case STMT_SCOPE: note_block(r, s->u.scope.body); break;
    default: break;
  }
}

static void note_block(Resident *r, Block b) {
  for (int i = 0; i < b.len; i++) note_stmt(r, b.items[i]);
}

/* ---------------------------------------------------------------- chains */

static bool in_space(const Expr *var, MemSpace s) {
  return type_is_tile(var->type) && var->type->space == s;
}

/* Is it the operand of a matrix product that lies in the space of `var`? */
static bool is_operand(const Expr *var, Use u) {
  bool plain = expr_is_op(u.call, OP_TILE_MATMUL) || expr_is_op(u.call, OP_TILE_MATMUL_BIAS);
  if (!plain && !expr_is_op(u.call, OP_TILE_MATMUL_ACC)) return false;
  int left = plain ? 0 : 1;
  if (in_space(var, MEM_LEFT)) return u.arg == left;
  return in_space(var, MEM_RIGHT) && u.arg == left + 1;
}

static bool only_operands(Resident *r, const Expr *var) {
  const Facts *f = facts_of(r, var);
  if (f->args.len == 0 || f->nuses != (int)f->args.len) return false;
  for (size_t i = 0; i < f->args.len; i++)
    if (!is_operand(var, f->args.data[i])) return false;
  return true;
}

static bool brings_operand(const Expr *call) {
  return expr_is_op(call, OP_TILE_MOVE) || expr_is_op(call, OP_TILE_EXTRACT);
}

/* Marks load, views and move as movable if each is used by the next alone. */
static void mark_chain(Resident *r, const Expr *last) {
  const Expr *chain[MAX_VIEWS];
  int n = 0;
  for (const Expr *var = last;;) {
    Facts *f = facts_of(r, var);
    if (n == MAX_VIEWS || !f->call) return;
    chain[n++] = var;
    if (var != last && expr_is_op(f->call, OP_TILE_LOAD)) break;
    if (var != last && !expr_is_op(f->call, OP_TILE_TRANSPOSE_VIEW)) return;
    const Expr *from = f->call->u.call.nargs ? f->call->u.call.args[0] : NULL;
    if (!from || !expr_is_var(from) || !in_space(from, MEM_MAT)) return;
    const Facts *g = facts_of(r, from);
    if (g->nuses != 1 || g->args.len != 1 || g->args.data[0].call != f->call) return;
    var = from;
  }
  for (int i = 0; i < n; i++) facts_of(r, chain[i])->movable = true;
}

/* Do all uses of a tile in Mat, through views, bring operands to matrix products? */
static bool feeds_products(Resident *r, const Expr *var, int depth) {
  const Facts *f = facts_of(r, var);
  if (depth == MAX_VIEWS || f->args.len == 0 || f->nuses != (int)f->args.len) return false;
  for (size_t i = 0; i < f->args.len; i++) {
    Use u = f->args.data[i];
    const Expr *result = u.arg == 0 ? map_get(&r->results, u.call) : NULL;
    if (!result) return false;
    if (brings_operand(u.call)) {
      if (!only_operands(r, result)) return false;
    } else if (!expr_is_op(u.call, OP_TILE_TRANSPOSE_VIEW) || !in_space(result, MEM_MAT) ||
               !feeds_products(r, result, depth + 1)) {
      return false;
    }
  }
  return true;
}

static void find_chains(Resident *r) {
  for (MapEntry *e = NULL; (e = map_next(&r->results, e));) {
    const Expr *call = e->key, *var = e->value;
    if (brings_operand(call) && facts_of(r, var)->nuses == 1 && only_operands(r, var))
      mark_chain(r, var);
    if (expr_is_op(call, OP_TILE_LOAD) && attr_get(call->u.call.attrs, r->mark) &&
        in_space(var, MEM_MAT))
      facts_of(r, var)->panel = feeds_products(r, var, 0);
  }
}

/* ---------------------------------------------------------------- moving */

static bool runs_at_least_once(const Stmt *s) {
  int64_t start, stop, step;
  return s->u.loop.kind == FOR_RANGE && expr_const_int(s->u.loop.start, &start) &&
         expr_const_int(s->u.loop.stop, &stop) && expr_const_int(s->u.loop.step, &step) &&
         step > 0 && start < stop;
}

static bool within(const Resident *r, int loop, int outer) {
  return loop >= outer && loop < r->loops.data[outer].behind;
}

static bool is_yielded(Resident *r, const Expr *var, int loop) {
  const Facts *f = facts_of(r, var);
  for (size_t i = 0; i < f->yields.len; i++)
    if (within(r, f->yields.data[i], loop)) return true;
  return false;
}

typedef struct Invariant {
  Resident *r;
  const Map *moved;
  int loop;
  bool ok;
} Invariant;

static bool check_use(Visitor *v, Expr *e) {
  Invariant *c = v->ctx;
  if (!expr_is_var(e) || map_has(c->moved, e)) return true;
  int at = facts_of(c->r, e)->loop;
  if (at >= 0 && within(c->r, at, c->loop)) c->ok = false;
  return true;
}

static bool is_invariant(Resident *r, Expr *call, int loop, const Map *moved) {
  Invariant c = {r, moved, loop, true};
  Visitor v = {.ctx = &c, .expr = check_use};
  visit_expr(&v, call);
  return c.ok;
}

static bool is_safe_load(Resident *r, const Expr *call, const Expr *var) {
  if (!in_space(var, MEM_MAT) || !attr_bool(call->u.call.attrs, r->mark, false) ||
      call->u.call.nargs == 0)
    return false;
  Expr *from = call->u.call.args[0];
  if (!expr_is_var(from) || !map_has(r->safe, from)) return false;
  Expr *root = storage_root(&r->storage, from);
  return root && !map_has(&r->written, root);
}

/* All tiles of the space together fit, so that none of them suffers from living longer. */
static bool leaves_room(const Resident *r, MemSpace s) {
  int64_t capacity = r->ctx->opts->target->spaces[s].capacity;
  return (s == MEM_MAT || s == MEM_LEFT || s == MEM_RIGHT) && !r->unknown[s] && !r->reserves &&
         capacity > 0 && r->used[s] <= (uint64_t)capacity;
}

static bool may_move(Resident *r, Stmt *s, int loop, const Map *moved) {
  Expr *var = s->u.assign.var, *call = s->u.assign.value;
  if (call->kind != EXPR_CALL || !leaves_room(r, var->type->space)) return false;
  if (expr_is_op(call, OP_TILE_LOAD)) {
    if (!is_safe_load(r, call, var)) return false;
  } else {
    bool chained = expr_is_op(call, OP_TILE_TRANSPOSE_VIEW) || brings_operand(call);
    if (!chained || !facts_of(r, var)->movable || call->u.call.nargs == 0) return false;
    if (!map_has(moved, call->u.call.args[0])) return false;
  }
  return is_invariant(r, call, loop, moved);
}

/* Nothing behind such a statement moves in front of it. */
static bool has_effect(const Expr *value) {
  if (value->kind == EXPR_SUBMIT) return true;
  if (value->kind != EXPR_CALL) return false;
  return orders(value) || expr_is_op(value, OP_TILE_STORE) || expr_is_op(value, OP_TILE_ASSEMBLE);
}

/* Puts what can leave the loop into `out` and the rest into `rest`; true if anything left. */
static bool split_body(Resident *r, const Stmt *s, StmtList *out, StmtList *rest) {
  int loop = (int)map_get_int(&r->loop_of, s) - 1;
  Map moved = {0};
  bool open = true;
  for (int i = 0; i < s->u.loop.body.len; i++) {
    Stmt *t = s->u.loop.body.items[i];
    if (open && t->kind != STMT_ASSIGN) open = false;
    bool leaves = false;
    if (open) {
      const Facts *f = facts_of(r, t->u.assign.var);
      bool candidate = (f->movable || f->panel) && !is_yielded(r, t->u.assign.var, loop);
      leaves = candidate && may_move(r, t, loop, &moved);
      if (!candidate && has_effect(t->u.assign.value)) open = false;
    }
    if (leaves) map_set(&moved, t->u.assign.var, t);
    vec_push(leaves ? out : rest, t);
  }
  bool any = moved.count != 0;
  map_free(&moved);
  return any;
}

static void resident_stmt(Rewriter *w, Stmt *s, StmtList *out) {
  Resident *r = w->ctx;
  int loop = s->kind == STMT_FOR ? (int)map_get_int(&r->loop_of, s) - 1 : -1;
  if (loop >= 0 && runs_at_least_once(s) && !r->loops.data[loop].ordered) {
    StmtList before = {0}, rest = {0};
    if (split_body(r, s, &before, &rest)) {
      for (size_t i = 0; i < before.len; i++)
        vec_push(out, rewrite_stmt_children(w, before.data[i]));
      s = stmt_copy(r->ir, s);
      s->u.loop.body = block_take(r->ir, &rest);
    }
    vec_free(&before);
    vec_free(&rest);
  }
  vec_push(out, rewrite_stmt_children(w, s));
}

static Expr *strip_mark(Rewriter *w, Expr *e) {
  const Resident *r = w->ctx;
  Expr *n = rewrite_expr_children(w, e);
  if (n->kind != EXPR_CALL || !attr_get(n->u.call.attrs, r->mark)) return n;
  n = expr_copy(w->ir, n);
  n->u.call.attrs = attr_without(w->ir, n->u.call.attrs, r->mark);
  return n;
}

static void resident_init(Resident *r, const Program *p, const Function *f) {
  r->f = f;
  r->loop = -1;
  storage_init(&r->storage, r->ir, p, f);
  note_block(r, f->body);
  find_chains(r);
}

static void resident_free(Resident *r) {
  for (size_t i = 0; i < r->owned.len; i++) {
    vec_free(&r->owned.data[i]->args);
    vec_free(&r->owned.data[i]->yields);
  }
  vec_free(&r->owned);
  vec_free(&r->loops);
  map_free(&r->facts);
  map_free(&r->results);
  map_free(&r->written);
  map_free(&r->loop_of);
  storage_free(&r->storage);
}

Program *keep_operands_resident(PassCtx *ctx, Program *p) {
  Map safe = {0};
  find_read_only_params(ctx->ir, p, &safe);
  Function **funcs = COPY_ARRAY(ctx->ir->arena, Function *, p->funcs, p->nfuncs);
  Name mark = key_name(KEY_COMPILER_TENSOR_TO_TILE_MAT_BRIDGE);
  for (int i = 0; i < p->nfuncs; i++) {
    Resident r = {.ctx = ctx, .ir = ctx->ir, .mark = mark, .safe = &safe};
    bool core = funcs[i]->type == FUNC_INCORE && safe.count;
    if (core) resident_init(&r, p, funcs[i]);
    Rewriter w;
    rewriter_init(&w, ctx->ir, &r);
    w.expr = strip_mark;
    if (core) w.stmt = resident_stmt;
    funcs[i] = rewrite_func(&w, funcs[i]);
    rewriter_free(&w);
    if (core) resident_free(&r);
  }
  map_free(&safe);
  bool same = memcmp(funcs, p->funcs, sizeof *funcs * (size_t)p->nfuncs) == 0;
  return same ? p : program_new(ctx->ir, p->name, funcs, p->nfuncs, p->span);
}
