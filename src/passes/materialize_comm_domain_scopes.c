/* MaterializeCommDomainScopes: which devices share which window buffers.
 * docs/passes/materialize-comm-domain-scopes.md */
#include <stdlib.h>

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* A set of devices; `all` says whichever there are at run time. */
typedef struct Devices {
  bool all;
  VEC(int64_t) list; /* sorted, each once */
} Devices;

/* One window buffer. */
typedef struct Alloc {
  Expr *var;
  Expr *call;
  Devices devices;
  bool has_window, has_devices;
  const WindowBuffer *buffer;
  int domain;
} Alloc;

typedef struct Domain {
  const Devices *devices;
  VEC(WindowBuffer *) windows;
  Span span;
} Domain;

typedef struct Scopes {
  Ir *ir;
  const Program *program;
  Map allocs;  /* buffer variable -> Alloc*, in text order */
  Map windows; /* window variable -> Alloc* */
  Map values;  /* variable -> what it is assigned */
  VEC(Stmt *) loops;
  bool failed;
  Name key_device;
} Scopes;

static void fail(Scopes *c, Span at, const char *what) {
  diag_error(c->ir->diag, at, "%s", what);
  c->failed = true;
}

/* ---- sets of devices ---- */

static int compare_devices(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void add_devices(Devices *to, const Devices *from) {
  to->all = to->all || from->all;
  for (size_t i = 0; i < from->list.len; i++) vec_push(&to->list, from->list.data[i]);
  if (to->list.len == 0) return;
  sort_array(to->list.data, to->list.len, sizeof *to->list.data, compare_devices);
  size_t n = 1;
  for (size_t i = 1; i < to->list.len; i++)
    if (to->list.data[i] != to->list.data[n - 1]) to->list.data[n++] = to->list.data[i];
  to->list.len = n;
}

static bool same_devices(const Devices *a, const Devices *b) {
  if (a->all || b->all) return a->all == b->all;
  if (a->list.len != b->list.len) return false;
  for (size_t i = 0; i < a->list.len; i++)
    if (a->list.data[i] != b->list.data[i]) return false;
  return true;
}

/* ---- buffers and windows ---- */

static bool collect_stmt(Visitor *v, Stmt *s) {
  Scopes *c = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  map_set(&c->values, var, value);
  if (expr_is_op(value, OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER)) {
    Alloc *a = NEW(c->ir->arena, Alloc);
    a->var = var;
    a->call = value;
    map_set(&c->allocs, var, a);
  } else if (expr_is_op(value, OP_PLD_TENSOR_WINDOW)) {
    Alloc *a = map_get(&c->allocs, value->u.call.args[0]);
    if (!a) return true;
    a->has_window = true;
    map_set(&c->windows, var, a);
  }
  return true;
}

/* The argument that a collective gives back, or -1. */
static int returned_argument(const Expr *e) {
  const Op *op = expr_op(e);
  switch (op ? op->id : OP_NONE) {
    case OP_PLD_TENSOR_ALLREDUCE: return 0;
    case OP_PLD_TENSOR_ALLGATHER:
    case OP_PLD_TENSOR_ALL_TO_ALL:
    case OP_PLD_TENSOR_ALL_TO_ALL_V: return 1;
    default: return -1;
  }
}

/* The buffer of a window under any of its names, or NULL. */
static Alloc *alloc_of(const Scopes *c, const Expr *e) {
  for (size_t steps = 0; e && steps <= c->values.len; steps++) {
    Alloc *a = map_get(&c->windows, e);
    if (a) return a;
    e = expr_is_var(e) ? map_get(&c->values, e) : NULL;
    int at = e ? returned_argument(e) : -1;
    if (at >= 0)
      e = at < e->u.call.nargs ? e->u.call.args[at] : NULL;
    else if (e && !expr_is_var(e))
      return NULL;
  }
  return NULL;
}

/* ---- dispatches ---- */

/* What a variable is bound to, through other names. */
static const Expr *value_of(const Scopes *c, const Expr *e) {
  for (size_t steps = 0; expr_is_var(e) && steps <= c->values.len; steps++) {
    const Expr *next = map_get(&c->values, e);
    if (!next) break;
    e = next;
  }
  return e;
}

static bool loop_devices(Scopes *c, const Stmt *loop, Span at, Devices *out) {
  const Expr *stop = value_of(c, loop->u.loop.stop);
  int64_t from, to, step;
  if (expr_is_op(stop, OP_PLD_SYSTEM_WORLD_SIZE)) {
    out->all = true;
    return true;
  }
  if (!expr_const_int(stop, &to) || !expr_const_int(value_of(c, loop->u.loop.start), &from) ||
      !expr_const_int(value_of(c, loop->u.loop.step), &step)) {
    fail(c, at,
         "the devices of this call are not known: its loop must run over a constant range or "
         "pld.system.world_size()");
    return false;
  }
  if (step != 1 || from < 0 || to < from || to - from > 1 << 20) {
    fail(c, at, "a loop over devices must count from a device upwards by 1");
    return false;
  }
  for (; from < to; from++) vec_push(&out->list, from);
  return true;
}

static bool dispatch_devices(Scopes *c, const Expr *device, Span at, Devices *out) {
  int64_t n;
  if (expr_const_int(device, &n)) {
    if (n < 0)
      fail(c, at, "a device number cannot be negative");
    else
      vec_push(&out->list, n);
    return n >= 0;
  }
  for (size_t i = c->loops.len; i-- > 0;)
    if (c->loops.data[i]->u.loop.var == device) return loop_devices(c, c->loops.data[i], at, out);
  fail(c, at, "device= must be a number or the variable of a loop around the call");
  return false;
}

static Expr *device_of(const Scopes *c, const Expr *call) {
  const AttrValue *v = attr_get(call->u.call.attrs, c->key_device);
  if (!v) v = attr_get(call->u.call.kwargs, c->key_device);
  if (!v) return NULL;
  return v->kind == ATTR_EXPR ? v->u.expr : v->kind == ATTR_INT ? expr_index(c->ir, v->u.i) : NULL;
}

static void scan_dispatch(Scopes *c, const Expr *call) {
  const Function *callee = call_target(c->program, call);
  if (!callee || !func_is_chip_orch(callee)) return;
  Expr *device = device_of(c, call);
  Devices d = {0};
  if (device && dispatch_devices(c, device, call->span, &d))
    for (int i = 0; i < call->u.call.nargs; i++) {
      Alloc *a = alloc_of(c, call->u.call.args[i]);
      if (!a) continue;
      add_devices(&a->devices, &d);
      a->has_devices = true;
    }
  vec_free(&d.list);
}

/* ---- collectives: control buffers share the devices of the data ---- */

typedef struct Roles {
  int data;       /* argument, or -1: a barrier has none */
  int control[2]; /* arguments, or -1 */
} Roles;

static bool roles_of(const Expr *e, Roles *out) {
  const Op *op = expr_op(e);
  switch (op ? op->id : OP_NONE) {
    case OP_PLD_TENSOR_ALLREDUCE:
    case OP_PLD_TENSOR_BROADCAST:
    case OP_PLD_TENSOR_REDUCE_SCATTER: *out = (Roles){0, {1, -1}}; return true;
    case OP_PLD_TENSOR_ALLGATHER:
    case OP_PLD_TENSOR_ALL_TO_ALL: *out = (Roles){1, {2, -1}}; return true;
    case OP_PLD_TENSOR_ALL_TO_ALL_V: *out = (Roles){1, {2, 4}}; return true;
    case OP_PLD_TENSOR_BARRIER: *out = (Roles){-1, {0, -1}}; return true;
    default: return false;
  }
}

typedef struct Share {
  const Expr *call;
  Alloc *data, *control;
} Share;
typedef VEC(Share) Shares;

typedef struct Scan {
  Scopes *c;
  Shares shares;
  int repeats; /* loops around this place */
} Scan;

static Alloc *window_argument(Scopes *c, const Expr *call, int i) {
  Alloc *a = i < call->u.call.nargs ? alloc_of(c, call->u.call.args[i]) : NULL;
  if (!a) {
    diag_error(c->ir->diag, call->span,
               "argument %d of %s must be a window of a buffer allocated in this function", i + 1,
               expr_op(call)->name);
    c->failed = true;
  }
  return a;
}

static void scan_collective(Scan *s, const Expr *call) {
  Roles r;
  if (!roles_of(call, &r)) return;
  if (expr_is_op(call, OP_PLD_TENSOR_ALL_TO_ALL_V) && s->repeats > 0)
    fail(s->c, call->span,
         "pld.tensor.all_to_all_v cannot stand in a loop of a host orchestrator: its signal works "
         "once");
  Alloc *data = r.data >= 0 ? window_argument(s->c, call, r.data) : NULL;
  for (int i = 0; i < 2; i++) {
    if (r.control[i] < 0) continue;
    Alloc *control = window_argument(s->c, call, r.control[i]);
    if (control && (data || r.data < 0)) vec_push(&s->shares, (Share){call, data, control});
  }
}

static bool scan_expr(Visitor *v, Expr *e) {
  Scan *s = v->ctx;
  if (!expr_is_call(e)) return true;
  if (e->u.call.op)
    scan_collective(s, e);
  else
    scan_dispatch(s->c, e);
  return true;
}

static bool scan_stmt(Visitor *v, Stmt *st) {
  Scan *s = v->ctx;
  if (st->kind == STMT_FOR) vec_push(&s->c->loops, st);
  s->repeats += stmt_is_loop(st);
  return true;
}

static void scan_end(Visitor *v, Stmt *st) {
  Scan *s = v->ctx;
  if (st->kind == STMT_FOR) s->c->loops.len--;
  s->repeats -= stmt_is_loop(st);
}

static void scan_uses(Scopes *c, Block body) {
  Scan s = {.c = c};
  Visitor v = {.ctx = &s, .expr = scan_expr, .stmt = scan_stmt, .stmt_end = scan_end};
  visit_block(&v, body);
  for (size_t i = 0; i < s.shares.len; i++) {
    Share sh = s.shares.data[i];
    Alloc *source = sh.data ? sh.data : sh.control;
    if (!source->has_devices) {
      fail(c, sh.call->span,
           "no call with device= uses this collective's buffer, so its devices are not known");
    } else if (sh.data) {
      add_devices(&sh.control->devices, &sh.data->devices);
      sh.control->has_devices = true;
    }
  }
  vec_free(&s.shares);
}

/* ---- domains ---- */

static void check_allocs(Scopes *c) {
  for (MapEntry *e = NULL; (e = map_next(&c->allocs, e));) {
    const Alloc *a = e->value;
    if (a->has_window && a->has_devices) continue;
    diag_error(c->ir->diag, a->call->span,
               a->has_window ? "no call with device= uses the window buffer '%s'"
                             : "the window buffer '%s' has no window",
               a->var->u.var.name);
    c->failed = true;
  }
}

typedef VEC(Domain) Domains;

static void make_domains(Scopes *c, Domains *domains) {
  for (MapEntry *e = NULL; (e = map_next(&c->allocs, e));) {
    Alloc *a = e->value;
    WindowBuffer *w = NEW(c->ir->arena, WindowBuffer);
    *w =
        (WindowBuffer){.base = a->var, .name = a->var->u.var.name, .size = a->call->u.call.args[0]};
    a->buffer = w;
    size_t i = 0;
    while (i < domains->len && !same_devices(domains->data[i].devices, &a->devices)) i++;
    if (i == domains->len)
      vec_push(domains, (Domain){.devices = &a->devices, .span = a->call->span});
    vec_push(&domains->data[i].windows, w);
  }
}

static Block wrap(Scopes *c, Domains *domains, Block body) {
  Ir *ir = c->ir;
  for (size_t i = domains->len; i-- > 0;) {
    Domain *d = &domains->data[i];
    Stmt *s = stmt_new(ir, STMT_SCOPE, d->span);
    s->u.scope.kind = SCOPE_COMM_DOMAIN;
    s->u.scope.name = name_printf(&ir->names, "comm_d%d", (int)i);
    s->u.scope.body = body;
    size_t n = d->devices->all ? 0 : d->devices->list.len;
    AttrValue *items = NEW_ARRAY(ir->arena, AttrValue, n);
    for (size_t k = 0; k < n; k++) items[k] = attr_of_int(d->devices->list.data[k]);
    s->u.scope.attrs = key_with(ir, (AttrList){0}, KEY_DEVICES, attr_of_list(items, (int)n));
    s->u.scope.nwindows = (int)d->windows.len;
    s->u.scope.windows = vec_to_arena(&d->windows, ir->arena);
    body = block_of(ir, &s, 1);
  }
  return body;
}

/* Window variables get a type that names their buffer. */
static Expr *bind_window(Rewriter *r, Expr *var) {
  Scopes *c = r->ctx;
  const Alloc *a = map_get(&c->windows, var);
  Expr *known = map_get(&r->subst, var); /* bound again: before SSA form a variable may be */
  if (known) return known;
  if (!a) return rewrite_def_default(r, var);
  Type t = *var->type;
  t.window = a->buffer;
  Expr *bound = expr_var(c->ir, var->u.var.name, type_intern(c->ir, &t), var->span);
  map_set(&r->subst, var, bound);
  return bound;
}

static Block bind_windows(Scopes *c, Block body) {
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.def = bind_window;
  body = rewrite_block(&r, body);
  rewriter_free(&r);
  return body;
}

static bool has_domain(Block b) {
  return b.len == 1 && b.items[0]->kind == STMT_SCOPE &&
         b.items[0]->u.scope.kind == SCOPE_COMM_DOMAIN;
}

static Function *scope_function(void *ctx, Function *f) {
  Scopes *c = ctx;
  if (!func_is_host_orch(f) || has_domain(f->body)) return f;
  Visitor v = {.ctx = c, .stmt = collect_stmt};
  visit_block(&v, f->body);
  Function *out = f;
  if (c->allocs.count) {
    scan_uses(c, f->body);
    if (!c->failed) check_allocs(c);
    Domains domains = {0};
    if (!c->failed) {
      make_domains(c, &domains);
      out = func_copy(c->ir, f);
      out->body = wrap(c, &domains, bind_windows(c, f->body));
    }
    vec_free(&domains);
  }
  for (MapEntry *e = NULL; (e = map_next(&c->allocs, e));)
    vec_free(&((Alloc *)e->value)->devices.list);
  map_clear(&c->allocs);
  map_clear(&c->windows);
  map_clear(&c->values);
  return c->failed ? NULL : out;
}

Program *materialize_comm_domain_scopes(PassCtx *ctx, Program *p) {
  Scopes c = {.ir = ctx->ir, .program = p, .key_device = key_name(KEY_DEVICE)};
  Program *out = rewrite_program(ctx->ir, p, scope_function, &c);
  map_free(&c.allocs);
  map_free(&c.windows);
  map_free(&c.values);
  vec_free(&c.loops);
  return out;
}
