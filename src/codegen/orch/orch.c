/* The frame of an orchestration's C++ file. */
#include "codegen/orch/orch.h"

#include <ctype.h>
#include <string.h>

#include "ir/visit.h"

void orch_line(Orch *o, const char *fmt, ...) {
  va_list ap;
  buf_indent(o->out, o->indent);
  va_start(ap, fmt);
  buf_vprintf(o->out, fmt, ap);
  va_end(ap);
  buf_putc(o->out, '\n');
}

OrchPlace orch_write_at(Orch *o, OrchPlace place) {
  OrchPlace before = {o->out, o->indent};
  o->out = place.out;
  o->indent = place.indent;
  return before;
}

void orch_blank(Orch *o) { buf_putc(o->out, '\n'); }

const char *orch_text(Orch *o, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *s = arena_vprintf(o->ir->arena, fmt, ap);
  va_end(ap);
  return s;
}

void orch_error(Orch *o, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(o->ir->diag, DIAG_ERROR, at, fmt, ap);
  va_end(ap);
  o->failed = true;
}

/* ---- what is known before the first line ---- */

static void note_tuple(Orch *o, const Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  bool made = value->kind == EXPR_TUPLE ||
              (expr_is_call(value) && !value->u.call.op && value->type->kind == TYPE_TUPLE);
  if (made) map_set(&o->tuples, var, NEW(o->ir->arena, TupleItems));
  if (value->kind != EXPR_TUPLE_GET) return;
  TupleItems *items = map_get(&o->tuples, value->u.get.tuple);
  if (!items) return;
  /* Kept sorted: items are taken in the order of the tuple, whatever the order of the statements.
   */
  vec_push(items, (TupleItem){value->u.get.index, var});
  for (size_t i = items->len - 1; i > 0 && items->data[i - 1].index > items->data[i].index; i--) {
    TupleItem t = items->data[i];
    items->data[i] = items->data[i - 1];
    items->data[i - 1] = t;
  }
}

static bool collect_stmt(Visitor *v, Stmt *s) {
  Orch *o = v->ctx;
  if (s->kind == STMT_ASSIGN) note_tuple(o, s);
  return s->kind != STMT_RETURN;
}

static bool collect_expr(Visitor *v, Expr *e) {
  Orch *o = v->ctx;
  if (expr_is_var(e)) map_set(&o->used, e, o);
  return true;
}

static void collect(Orch *o) {
  Visitor v = {.ctx = o, .stmt = collect_stmt, .expr = collect_expr};
  visit_block(&v, o->func->body);
  orch_collect_derived(o);
}

/* The n-th distributed parameter goes with the n-th context parameter. */
static bool pair_contexts(Orch *o) {
  const Function *f = o->func;
  int c = 0;
  for (int i = 0; i < f->nparams; i++) {
    if (f->params[i]->type->kind != TYPE_DIST_TENSOR) continue;
    while (c < f->nparams && f->params[c]->type->kind != TYPE_COMM_CTX) c++;
    if (c == f->nparams) {
      orch_error(
          o, f->params[i]->span,
          "distributed tensor '%s' has no context parameter; run MaterializeDistTensorCtx first",
          f->params[i]->u.var.name);
      return false;
    }
    map_set(&o->context_of, orch_name(o, f->params[i]), (void *)orch_name(o, f->params[c++]));
  }
  return true;
}

static bool check_loop(Visitor *v, Stmt *s) {
  Orch *o = v->ctx;
  if (s->kind == STMT_FOR && s->u.loop.ncarried > 0 &&
      !key_get(s->u.loop.attrs, KEY_ITER_ARG_REBIND_0))
    orch_error(o, s->span,
               "the loop's carried values are not classified; run ClassifyIterArgCarry first");
  return true;
}

static bool is_prepared(Orch *o) {
  const Function *f = o->func;
  if (key_bool(f->attrs, KEY_AUTO_SCOPE, true))
    orch_error(
        o, f->span,
        "the scopes of orchestration '%s' are not placed; run MaterializeRuntimeScopes first",
        f->name);
  Visitor v = {.ctx = o, .stmt = check_loop};
  visit_block(&v, f->body);
  return !o->failed;
}

/* ---- the parts of the file ---- */

static void put_config(Buf *b, int args) {
  buf_printf(b,
             "__attribute__((visibility(\"default\")))\n"
             "PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {\n"
             "    (void)orch_args;\n"
             "    return PTO2OrchestrationConfig{\n"
             "        .expected_arg_count = %d,\n"
             "    };\n"
             "}\n\n",
             args);
}

static bool is_scalar_param(const Type *t) { return type_is_scalar(t) || t->kind == TYPE_COMM_CTX; }

static void put_params(Orch *o, Buf *b) {
  const Function *f = o->func;
  int tensors = 0, scalars = 0;
  buf_puts(b, "    // External tensors\n");
  for (int i = 0; i < f->nparams; i++)
    if (type_is_tensor(f->params[i]->type))
      buf_printf(b, "    const ChipTensor& ext_%s = orch_args.tensor(%d).ref();\n",
                 orch_name(o, f->params[i]), tensors++);
  for (int i = 0; i < f->nparams; i++) {
    const Type *t = f->params[i]->type;
    if (!is_scalar_param(t)) continue;
    if (scalars == 0) buf_puts(b, "\n    // Scalar params\n");
    Name x = orch_name(o, f->params[i]);
    if (type_is_scalar(t))
      buf_printf(b, "    %s %s = from_u64<%s>(orch_args.scalar(%d));\n", orch_type(t), x,
                 orch_type(t), scalars++);
    else
      buf_printf(b, "    uint64_t %s = orch_args.scalar(%d);\n", x, scalars++);
  }
}

static int argument_count(const Function *f) {
  int n = 0;
  for (int i = 0; i < f->nparams; i++)
    n += type_is_tensor(f->params[i]->type) || is_scalar_param(f->params[i]->type);
  return n;
}

/* ---- dynamic symbols ---- */

/* The identifiers of C++ text, but for those in comments. */
static void identifiers(Orch *o, const char *text, Map *out) {
  for (const char *p = text; *p;) {
    if (p[0] == '/' && p[1] == '/') {
      p += strcspn(p, "\n");
    } else if (isalnum((unsigned char)*p) || *p == '_') {
      const char *start = p;
      while (isalnum((unsigned char)*p) || *p == '_') p++;
      map_set(out, name_ofn(&o->ir->names, start, (size_t)(p - start)), o);
    } else {
      p++;
    }
  }
}

typedef struct Defined {
  Orch *o;
  Map names;
} Defined;

static void note_def(Visitor *v, Expr *var) {
  Defined *d = v->ctx;
  map_set(&d->names, orch_base_name(d->o->ir, var->u.var.name), d);
}

/* Symbols that the body uses as values: the extent of the first tensor that has them. */
static void put_symbols(Orch *o, Buf *b, const char *body) {
  const Function *f = o->func;
  Defined d = {.o = o};
  Map mentioned = {0};
  bool first = true;
  for (int i = 0; i < f->nparams; i++)
    if (is_scalar_param(f->params[i]->type)) map_set(&d.names, orch_name(o, f->params[i]), o);
  Visitor v = {.ctx = &d, .def = note_def};
  visit_block(&v, f->body);
  identifiers(o, body, &mentioned);
  for (int i = 0; i < f->nparams; i++) {
    const Type *t = f->params[i]->type;
    for (int axis = 0; type_is_tensor(t) && axis < t->rank; axis++) {
      if (!expr_is_var(t->shape[axis])) continue;
      Name symbol = orch_name(o, t->shape[axis]);
      if (!map_set(&d.names, symbol, o) || !map_has(&mentioned, symbol)) continue;
      if (first) buf_puts(b, "\n    // Dynamic-dim symbols (extent of the declaring argument)\n");
      first = false;
      Name tensor = orch_base_name(o->ir, f->params[i]->u.var.name);
      buf_printf(b, "    int64_t %s = %s;\n", symbol,
                 orch_shape_dim(o, tensor, t->dtype, axis, t->rank));
    }
  }
  map_free(&d.names);
  map_free(&mentioned);
}

/* ---- all of it ---- */

static void orch_init(Orch *o) {
  o->key_directions = key_name(KEY_ARG_DIRECTIONS);
  o->key_core_num = key_name(KEY_CORE_NUM);
  o->key_sync_start = key_name(KEY_SYNC_START);
  o->key_early = key_name(KEY_ALLOW_EARLY_RESOLVE);
  o->key_dumps = key_name(KEY_DUMP_VARS);
  o->key_deps = key_name(KEY_MANUAL_DEP_EDGES);
  o->key_derived = key_name(KEY_COMPILER_MANUAL_DEP_EDGES);
  o->key_dual = key_name(KEY_DUAL_AIV_DISPATCH);
  vec_push(&o->blocks, ++o->next_block);
}

static void orch_free(Orch *o) {
  Map *maps[] = {&o->names,         &o->taken,           &o->param_names,
                 &o->context_of,    &o->returned,        &o->used,
                 &o->tuples,        &o->mutable_in,      &o->ids,
                 &o->id_arrays,     &o->surely_valid,    &o->created,
                 &o->batched,       &o->hoisted_carries, &o->create_sizes,
                 &o->pipe_elements, &o->kernel_ids,      &o->wanted,
                 &o->read_numbers,  &o->wanted_bases,    &o->loop_bases,
                 &o->id_homes,      &o->lasting_ids,     &o->lists,
                 &o->list_counts};
  for (MapEntry *e = NULL; (e = map_next(&o->tuples, e));) vec_free((TupleItems *)e->value);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) map_free(maps[i]);
  vec_free(&o->blocks);
  vec_free(&o->undo);
  vec_free(&o->wanted_list);
}

static void signature(Orch *o) {
  const Function *f = o->func;
  OrchResult *r = o->result;
  r->signature = NEW_ARRAY(o->ir->arena, const char *, f->nparams);
  for (int i = 0; i < f->nparams; i++)
    if (type_is_tensor(f->params[i]->type))
      r->signature[r->nsignature++] = f->dirs[i] == PARAM_IN    ? "IN"
                                      : f->dirs[i] == PARAM_OUT ? "OUT"
                                                                : "INOUT";
}

static void generate(Orch *o, Buf *b) {
  Buf body = {0};
  o->out = &body;
  o->indent = 4;
  orch_block(o, o->func->body);
  buf_printf(b, "// Orchestration Function: %s\n// Generated by PyPTO IR Compiler\n\n",
             o->func->name);
  buf_puts(b, "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n");
  if (o->uses_vector) buf_puts(b, "#include <vector>\n");
  buf_puts(b, "\n#include \"pto_orchestration_api.h\"\n\n");
  buf_puts(b, "extern \"C\" {\n\n");
  put_config(b, argument_count(o->func));
  buf_puts(b,
           "__attribute__((visibility(\"default\")))\n"
           "void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {\n");
  put_params(o, b);
  put_symbols(o, b, buf_str(&body));
  buf_putc(b, '\n');
  buf_write(b, buf_str(&body), body.len);
  buf_puts(b, "}\n\n}  // extern \"C\"\n");
  buf_free(&body);
}

bool orch_generate(CodegenCtx *ctx, const Program *p, const Function *f, OrchResult *out) {
  Orch o = {.ctx = ctx, .ir = ctx->ir, .program = p, .func = f, .result = out};
  orch_init(&o);
  if (is_prepared(&o)) {
    collect(&o);
    orch_name_params(&o);
    signature(&o);
    if (pair_contexts(&o)) generate(&o, &out->code);
  }
  orch_free(&o);
  return !o.failed;
}

void orch_result_free(OrchResult *r) {
  buf_free(&r->code);
  vec_free(&r->kernels);
}
