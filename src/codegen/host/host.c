/* The Python of a host orchestration. */
#include "codegen/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/host/host_int.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "target/runtime.h"

/* ---- domains ---- */

static const char *device_list(Host *h, const Stmt *scope) {
  const AttrValue *v = key_get(scope->u.scope.attrs, KEY_DEVICES);
  if (!v || v->kind != ATTR_LIST || v->u.list.len == 0) return "[*range(world_size)]";
  Buf b = {0};
  for (int i = 0; i < v->u.list.len; i++)
    buf_printf(&b, "%s%lld", i ? ", " : "", (long long)v->u.list.items[i].u.i);
  const char *text = host_text(h, "[%s]", buf_str(&b));
  buf_free(&b);
  return text;
}

static const char *aligned(Host *h, const char *bytes) {
  return host_text(h, "(((%s + %d) // %d) * %d)", bytes, RUNTIME_WINDOW_ALIGNMENT - 1,
                   RUNTIME_WINDOW_ALIGNMENT, RUNTIME_WINDOW_ALIGNMENT);
}

static void block(Host *h, Block b);

static void domain_stmt(Host *h, const Stmt *s) {
  int n = s->u.scope.nwindows;
  const char **bytes = NEW_ARRAY(h->ir->arena, const char *, n);
  Buf sum = {0};
  h->inline_values = true; /* sizes stand before the statements that bind their variables */
  for (int i = 0; i < n; i++) {
    bytes[i] = host_expr(h, s->u.scope.windows[i]->size);
    buf_printf(&sum, "%s(%s)", i ? " + " : "", aligned(h, bytes[i]));
  }
  h->inline_values = false;
  host_line(h, "with (_domain_provider or orch.allocate_domain)(");
  h->indent += 4;
  host_line(h, "name=\"%s\",", s->u.scope.name);
  host_line(h, "workers=%s,", device_list(h, s));
  host_line(h, "window_size=%s,", buf_str(&sum));
  host_line(h, "buffers=[");
  h->indent += 4;
  for (int i = 0; i < n; i++)
    host_line(h, "CommBufferSpec(name=\"%s\", dtype=\"opaque\", count=%s, nbytes=%s),",
              host_name(h, s->u.scope.windows[i]->name), bytes[i], aligned(h, bytes[i]));
  h->indent -= 4;
  host_line(h, "],");
  h->indent -= 4;
  host_line(h, ") as %s:", host_domain(h, s));
  h->indent += 4;
  vec_push(&h->domains, s);
  block(h, s->u.scope.body);
  h->domains.len--;
  h->indent -= 4;
  buf_free(&sum);
}

/* ---- tensors ---- */

static const char *range_text(Host *h, const Expr *offset, const char *extent) {
  int64_t zero;
  const char *o = host_expr(h, offset);
  if (expr_const_int(offset, &zero) && zero == 0) return host_text(h, "0:%s", extent);
  return host_text(h, "%s:%s + %s", o, o, extent);
}

static bool drops(const Expr *call, int axis) {
  const Expr *dims = call->u.call.nargs == 5 ? call->u.call.args[4] : NULL;
  int64_t v;
  for (int i = 0; dims && dims->kind == EXPR_TUPLE && i < dims->u.tuple.len; i++)
    if (expr_const_int(dims->u.tuple.elems[i], &v) && v == axis) return true;
  return false;
}

static void slice(Host *h, const Expr *call, const char *x) {
  const Expr *shape = call->u.call.args[1], *offset = call->u.call.args[2];
  if (shape->kind != EXPR_TUPLE || offset->kind != EXPR_TUPLE ||
      shape->u.tuple.len != offset->u.tuple.len) {
    host_error(h, call->span,
               "tensor.slice on the host needs its shape and offsets as lists of one length");
    return;
  }
  Buf b = {0};
  for (int i = 0; i < shape->u.tuple.len; i++) {
    const Expr *at = offset->u.tuple.elems[i];
    buf_puts(&b, i ? ", " : "");
    buf_puts(&b, drops(call, i) ? host_expr(h, at)
                                : range_text(h, at, host_expr(h, shape->u.tuple.elems[i])));
  }
  host_line(h, "tensors[\"%s\"] = tensors[\"%s\"][%s]", x, host_expr(h, call->u.call.args[0]),
            buf_str(&b));
  buf_free(&b);
}

static void assemble(Host *h, const Expr *call, const char *x) {
  const Expr *target = call->u.call.args[0], *source = call->u.call.args[1],
             *offset = call->u.call.args[2];
  int n;
  Expr *const *valid = type_valid_shape(source->type, &n);
  int rank = target->type->rank, lead = rank - n;
  if (key_int(call->u.call.kwargs, KEY_ATOMIC, ATOMIC_NONE) != ATOMIC_NONE)
    host_error(
        h, call->span,
        "an atomic tensor.assemble must lie inside a kernel: the host cannot combine values");
  if (offset->kind != EXPR_TUPLE || offset->u.tuple.len != rank || lead < 0 ||
      target->type->kind != TYPE_TENSOR || source->type->kind != TYPE_TENSOR) {
    host_error(
        h, call->span,
        "tensor.assemble on the host needs plain tensors and one offset per axis of the target");
    return;
  }
  Buf to = {0}, from = {0};
  for (int i = 0; i < rank; i++)
    buf_printf(
        &to, "%s%s", i ? ", " : "",
        range_text(h, offset->u.tuple.elems[i], i < lead ? "1" : host_expr(h, valid[i - lead])));
  for (int i = 0; i < n; i++) buf_printf(&from, "%s0:%s", i ? ", " : "", host_expr(h, valid[i]));
  const char *t = host_expr(h, target);
  host_line(h, "tensors[\"%s\"][%s] = tensors[\"%s\"]%s", t, buf_str(&to), host_expr(h, source),
            n ? host_text(h, "[%s]", buf_str(&from)) : "");
  if (strcmp(x, t) != 0) host_line(h, "tensors[\"%s\"] = tensors[\"%s\"]", x, t);
  buf_free(&to);
  buf_free(&from);
}

/* ---- statements ---- */

/* Does a function of this level and role take calls from the one at work? */
static bool may_call(const Host *h, const Function *callee) {
  if (callee->role == ROLE_SUB_WORKER) return callee->level == h->func->level;
  return callee->role == ROLE_ORCHESTRATOR &&
         level_rank(callee->level) < level_rank(h->func->level);
}

static bool call_stmt(Host *h, const Expr *e, const Expr *target) {
  const Function *callee = expr_is_call(e) ? call_target(h->program, e) : NULL;
  if (!callee) return false;
  if (may_call(h, callee))
    host_call(h, e, callee, target);
  else
    host_error(h, e->span,
               "'%s' may call sub-workers of its own level and orchestrators of the next, but '%s' "
               "is neither",
               h->func->name, callee->name);
  return true;
}

/* Distributed tensors and contexts are taken from their domain where they are used. */
static bool has_no_line(const Expr *var, const Expr *value) {
  bool dist = var->type->kind == TYPE_DIST_TENSOR && value->type->kind == TYPE_DIST_TENSOR;
  if (dist && (!expr_is_call(value) || expr_is_op(value, OP_PLD_TENSOR_WINDOW))) return true;
  return expr_is_op(value, OP_PLD_SYSTEM_GET_COMM_CTX) ||
         expr_is_op(value, OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER) ||
         expr_is_op(value, OP_PLD_TENSOR_WINDOW) || expr_is_op(value, OP_TENSOR_CREATE);
}

static void item_stmt(Host *h, const Stmt *s, const char *x) {
  const Expr *get = s->u.assign.value;
  const HostOutputs *out = map_get(&h->outputs, get->u.get.tuple);
  if (out && get->u.get.index < out->n)
    host_line(h, "tensors[\"%s\"] = tensors[\"%s\"]", x, out->names[get->u.get.index]);
  else
    host_error(h, s->span, "item %d of this tuple is no output of the call", get->u.get.index);
}

static void assign_stmt(Host *h, const Stmt *s) {
  const Expr *var = s->u.assign.var, *value = s->u.assign.value;
  const char *x = host_name(h, var->u.var.name);
  if (value->kind == EXPR_TUPLE_GET)
    item_stmt(h, s, x);
  else if (has_no_line(var, value))
    return;
  else if (call_stmt(h, value, var))
    return;
  else if (var->type->kind == TYPE_TENSOR && expr_is_var(value))
    host_line(h, "tensors[\"%s\"] = tensors[\"%s\"]", x, host_expr(h, value));
  else if (expr_is_op(value, OP_TENSOR_SLICE))
    slice(h, value, x);
  else if (expr_is_op(value, OP_TENSOR_ASSEMBLE))
    assemble(h, value, x);
  else
    host_line(h, "%s = %s", x, host_expr(h, value));
}

static void put_yield(Host *h, const Stmt *s, Block b) {
  Stmt *y = block_yield(unwrap_auto_scope(h->ir, b));
  for (int i = 0; y && i < s->u.if_.nresults && i < y->u.ret.len; i++) {
    const Expr *result = s->u.if_.results[i];
    const char *x = host_name(h, result->u.var.name), *v = host_expr(h, y->u.ret.values[i]);
    if (type_is_tensor(result->type))
      host_line(h, "tensors[\"%s\"] = tensors[\"%s\"]", x, v);
    else
      host_line(h, "%s = %s", x, v);
  }
}

static void indented(Host *h, Block b, const Stmt *branches) {
  h->indent += 4;
  size_t before = h->out->len;
  block(h, b);
  if (branches) put_yield(h, branches, b);
  if (h->out->len == before) host_line(h, "pass");
  h->indent -= 4;
}

static void statement(Host *h, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: assign_stmt(h, s); return;
    case STMT_EVAL:
      if (!call_stmt(h, s->u.eval, NULL) && !has_no_line(s->u.eval, s->u.eval))
        host_line(h, "%s", host_expr(h, s->u.eval));
      return;
    case STMT_FOR:
      host_line(h, "for %s in range(%s, %s, %s):", host_name(h, s->u.loop.var->u.var.name),
                host_expr(h, s->u.loop.start), host_expr(h, s->u.loop.stop),
                host_expr(h, s->u.loop.step));
      indented(h, s->u.loop.body, NULL);
      return;
    case STMT_IF:
      host_line(h, "if %s:", host_expr(h, s->u.if_.cond));
      indented(h, s->u.if_.then_body, s);
      if (!s->u.if_.has_else) return;
      host_line(h, "else:");
      indented(h, s->u.if_.else_body, s);
      return;
    case STMT_SCOPE:
      if (s->u.scope.kind == SCOPE_COMM_DOMAIN)
        domain_stmt(h, s);
      else
        block(h, s->u.scope.body);
      return;
    case STMT_RETURN:
    case STMT_YIELD: return;
    default: host_error(h, s->span, "this statement has no form in a host orchestration");
  }
}

static void block(Host *h, Block b) {
  for (int i = 0; i < b.len; i++) statement(h, b.items[i]);
}

/* ---- before the body ---- */

static bool collect_value(Visitor *v, Stmt *s) {
  if (s->kind == STMT_ASSIGN)
    map_set(&((Host *)v->ctx)->values, s->u.assign.var, s->u.assign.value);
  return true;
}

/* Tensors must be created before the workers are forked: only the top level of the body may. */
static Block top_level(const Function *f) {
  Block b = f->body;
  while (b.len == 1 && b.items[0]->kind == STMT_SCOPE &&
         b.items[0]->u.scope.kind == SCOPE_COMM_DOMAIN)
    b = b.items[0]->u.scope.body;
  return b;
}

static bool reject_create(Visitor *v, Expr *e) {
  if (expr_is_op(e, OP_TENSOR_CREATE))
    host_error(v->ctx, e->span,
               "a host orchestration can create tensors only at the top level of its body");
  return true;
}

static bool create_top_level(Host *h, Block b) {
  bool any = false;
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
    if (call && expr_is_op(call, OP_TENSOR_CREATE)) {
      host_create(h, call->type, host_name(h, s->u.assign.var->u.var.name));
      any = true;
    } else {
      Visitor v = {.ctx = h, .expr = reject_create};
      visit_stmt(&v, b.items[i]);
    }
  }
  return any;
}

static bool order_tokens(Host *h, Block b) {
  bool any = false;
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind != STMT_SCOPE) continue;
    if (s->u.scope.kind == SCOPE_COMM_DOMAIN) {
      host_line(
          h,
          "tensors[\"%s_ord\"] = [torch.zeros((1,), dtype=torch.int32).share_memory_() for _ in "
          "range(max(world_size, 1))]",
          host_domain(h, s));
      any = true;
    }
    any = order_tokens(h, s->u.scope.body) || any;
  }
  return any;
}

static void alloc_function(Host *h) {
  host_line(h, "def _alloc_intermediates(tensors, world_size=1):");
  h->indent = 4;
  bool any = order_tokens(h, h->func->body);
  any = create_top_level(h, top_level(h->func)) || any;
  if (!any) host_line(h, "pass");
  h->indent = 0;
  buf_putc(h->out, '\n');
}

/* ---- dynamic symbols ---- */

/* The value of `var` when `dim` is known to be `shape`; NULL if that does not determine it. */
static const char *solve(Host *h, const Expr *dim, const Expr *var, const char *shape) {
  int64_t c;
  if (dim == var) return shape;
  if (!expr_is_binary(dim)) return NULL;
  const Expr *l = dim->u.bin.lhs, *r = dim->u.bin.rhs;
  bool left = l == var && expr_const_int(r, &c), right = !left && r == var && expr_const_int(l, &c);
  if (!left && !right) return NULL;
  long long k = (long long)c;
  switch (dim->kind) {
    case EXPR_ADD: return host_text(h, "(%s - %lld)", shape, k);
    case EXPR_SUB:
      return left ? host_text(h, "(%s + %lld)", shape, k) : host_text(h, "(%lld - %s)", k, shape);
    case EXPR_MUL: return c ? host_text(h, "(%s // %lld)", shape, k) : NULL;
    case EXPR_FLOOR_DIV: return left && c ? host_text(h, "(%s * %lld)", shape, k) : NULL;
    default: return NULL;
  }
}

typedef struct Symbols {
  Host *h;
  Map solved; /* variable -> text, in order of appearance; "" where not solved yet */
  const Expr *dim;
  const char *shape;
} Symbols;

static bool note_symbol(Visitor *v, Expr *e) {
  Symbols *s = v->ctx;
  if (!expr_is_var(e)) return true;
  const char *known = map_get(&s->solved, e);
  if (known && *known) return true;
  const char *text = solve(s->h, s->dim, e, s->shape);
  map_set(&s->solved, e, (void *)(text ? text : ""));
  return true;
}

static void bind_symbols(Host *h) {
  Symbols s = {.h = h};
  const Function *f = h->func;
  for (int i = 0; i < f->nparams; i++)
    for (int d = 0; type_is_tensor(f->params[i]->type) && d < f->params[i]->type->rank; d++) {
      s.dim = f->params[i]->type->shape[d];
      s.shape =
          host_text(h, "tensors[\"%s\"].shape[%d]", host_name(h, f->params[i]->u.var.name), d);
      Visitor v = {.ctx = &s, .expr = note_symbol};
      visit_expr(&v, (Expr *)s.dim);
    }
  for (MapEntry *e = NULL; (e = map_next(&s.solved, e));) {
    const Expr *var = e->key;
    if (*(const char *)e->value)
      host_line(h, "%s = %s", host_name(h, var->u.var.name), (const char *)e->value);
    else
      host_error(h, var->span,
                 "the extent '%s' cannot be recovered from the shape of any parameter",
                 var->u.var.name);
  }
  map_free(&s.solved);
}

/* ---- the file ---- */

static const Function *entry_of(const Program *p) {
  const Function *best = NULL;
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    if (f->role == ROLE_ORCHESTRATOR && (!best || level_rank(f->level) > level_rank(best->level)))
      best = f;
  }
  return best;
}

static void entry_function(Host *h) {
  const Function *f = h->func;
  bool host = level_rank(f->level) >= level_rank(LEVEL_HOST);
  if (host) alloc_function(h);
  host_line(h, "def %s(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size%s):",
            f->name, host ? ", _domain_provider=None" : "");
  h->indent = 4;
  size_t before = h->out->len;
  for (int i = 0; i < f->nparams; i++)
    if (type_is_scalar(f->params[i]->type) || f->params[i]->type->kind == TYPE_COMM_CTX)
      host_line(h, "%s = tensors[\"%s\"]", host_name(h, f->params[i]->u.var.name),
                host_name(h, f->params[i]->u.var.name));
  if (host) bind_symbols(h);
  block(h, f->body);
  if (h->out->len == before) host_line(h, "pass");
  h->indent = 0;
  host_line(h, "\n%s._pypto_distributed_entry = True\n", f->name);
}

static void host_module(Host *h) {
  buf_puts(h->out,
           "import torch\n"
           "from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, "
           "TensorArgType\n"
           "from pypto.runtime.tensor_arg import make_tensor_arg\n"
           "from pypto.runtime.distributed_runner import _submit_chip\n\n");
  Visitor v = {.ctx = h, .stmt = collect_value};
  visit_block(&v, h->func->body);
  entry_function(h);
}

/* ---- sub-workers ---- */

static void put_params(Host *h, Buf *b, const Function *f) {
  for (int i = 0; i < f->nparams; i++)
    buf_printf(b, "%s%s", i ? ", " : "", host_name(h, f->params[i]->u.var.name));
}

/* Every line that is not blank, indented by 4. */
static void put_indented(Buf *b, const char *text) {
  while (*text) {
    size_t n = strcspn(text, "\n");
    bool blank = strspn(text, " \t\r") >= n;
    if (!blank) buf_indent(b, 4);
    buf_write(b, text, n);
    buf_putc(b, '\n');
    text += n + (text[n] == '\n');
  }
}

void host_sub_worker(Host *h, Buf *b, const Function *f) {
  if (f->requires_runtime_binding) {
    buf_printf(
        b,
        "\"\"\"SubWorker: %s \xe2\x80\x94 runtime-bound callback (no default impl).\"\"\"\n\n\n"
        "def %s(args):\n"
        "    raise RuntimeError(\n"
        "        \"SubWorker '%s' is a runtime-bound callback with no \"\n"
        "        \"default implementation; supply it via \"\n"
        "        \"prepare(callbacks={'%s': <fn>}).\"\n"
        "    )\n",
        f->name, f->name, f->name, f->name);
    return;
  }
  const Stmt *body =
      f->body.len == 1 && f->body.items[0]->kind == STMT_INLINE ? f->body.items[0] : NULL;
  if (!body) {
    host_error(h, f->span, "the body of sub-worker '%s' must be kept as Python text", f->name);
    return;
  }
  buf_printf(
      b,
      "\"\"\"SubWorker: %s \xe2\x80\x94 auto-generated, callable as fn(args: "
      "MappedArgs).\"\"\"\n\nimport torch\n\n"
      "from pypto.runtime.distributed_runner import _tensor_from_continuous\n\n\ndef _user_%s(",
      f->name, f->name);
  put_params(h, b, f);
  buf_puts(b, "):\n");
  if (*body->u.inline_.text)
    put_indented(b, body->u.inline_.text);
  else
    buf_puts(b, "    pass\n");
  buf_printf(b, "\n\ndef %s(args):\n", f->name);
  for (int i = 0; i < f->nparams; i++)
    buf_printf(b, "    %s = _tensor_from_continuous(args[%d])\n",
               host_name(h, f->params[i]->u.var.name), i);
  if (f->nparams == 0) buf_puts(b, "    pass\n");
  buf_printf(b, "    _user_%s(", f->name);
  put_params(h, b, f);
  buf_puts(b, ")\n");
}

/* The names of sub-workers that the user must supply, sorted as the functions are. */
static void put_required(Host *h, ArtifactList *out) {
  Buf b = {0};
  for (int i = 0; i < h->program->nfuncs; i++) {
    const Function *f = h->program->funcs[i];
    if (f->role != ROLE_SUB_WORKER || level_rank(f->level) < level_rank(LEVEL_HOST) ||
        !f->requires_runtime_binding)
      continue;
    buf_printf(&b, "%s\n  \"%s\"", b.len ? "," : "[", f->name);
  }
  if (b.len) buf_printf(artifact_add(out, "sub_workers/__required__.json"), "%s\n]", buf_str(&b));
  buf_free(&b);
}

bool codegen_host(CodegenCtx *ctx, const Program *p, ArtifactList *out) {
  Host h = {.ctx = ctx, .ir = ctx->ir, .program = p, .func = entry_of(p)};
  if (h.func) {
    Buf text = {0};
    h.out = &text;
    host_module(&h);
    Buf *file = artifact_add(out, "orchestration/host_orch.py");
    *file = text;
  } else {
    host_error(&h, p->span, "the program has functions of level HOST but no orchestrator");
  }
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    if (f->role == ROLE_SUB_WORKER && level_rank(f->level) >= level_rank(LEVEL_HOST))
      host_sub_worker(
          &h, artifact_add(out, arena_printf(ctx->ir->arena, "sub_workers/%s.py", f->name)), f);
  }
  put_required(&h, out);
  map_free(&h.values);
  map_free(&h.returned);
  map_free(&h.outputs);
  vec_free(&h.domains);
  return !h.failed;
}
