/* kernel_config.py: what the runtime has to load for an orchestration. */
#include <string.h>

#include "codegen/orch/result.h"
#include "ir/op.h"
#include "ir/visit.h"

const char *kernel_external_source(Ir *ir, const Function *f) {
  const AttrValue *v = attr_get(f->attrs, ir_name(ir, "external_source"));
  return v && v->kind == ATTR_STR ? v->u.str : NULL;
}

static bool find_sdma(Visitor *v, Expr *e) {
  if (expr_is_op(e, OP_PREFETCH_MAKE_CONTEXT)) *(bool *)v->ctx = true;
  return true;
}

/* Does a kernel that is translated here use the runtime's workspace for asynchronous copies? */
static bool uses_sdma(Ir *ir, const Program *p) {
  bool found = false;
  Visitor v = {.ctx = &found, .expr = find_sdma};
  for (int i = 0; i < p->nfuncs && !found; i++)
    if (func_is_incore(p->funcs[i]->type) && !kernel_external_source(ir, p->funcs[i]))
      visit_block(&v, p->funcs[i]->body);
  return found;
}

/* A Python string literal as repr() writes it. */
static void put_repr(Buf *b, const char *s, size_t len) {
  char quote = memchr(s, '\'', len) && !memchr(s, '"', len) ? '"' : '\'';
  buf_putc(b, quote);
  for (size_t i = 0; i < len; i++) {
    if (s[i] == quote || s[i] == '\\') buf_putc(b, '\\');
    if (s[i] == '\n')
      buf_puts(b, "\\n");
    else
      buf_putc(b, s[i]);
  }
  buf_putc(b, quote);
}

/* The include directories, kept as a JSON list of strings, as a Python list. */
static void put_include_dirs(Buf *b, const char *json) {
  bool first = true;
  for (const char *p = strchr(json, '"'); p; p = strchr(p, '"')) {
    Buf s = {0};
    for (p++; *p && *p != '"'; p++) {
      if (*p == '\\' && p[1]) p++;
      buf_putc(&s, *p);
    }
    if (*p) p++;
    buf_puts(b, first ? ", \"extra_include_dirs\": [" : ", ");
    put_repr(b, buf_str(&s), s.len);
    buf_free(&s);
    first = false;
  }
  if (!first) buf_putc(b, ']');
}

static void put_signature(Buf *b, const char *const *words, int n) {
  buf_puts(b, "\"signature\": [");
  for (int i = 0; i < n; i++) buf_printf(b, "%s_D.%s", i ? ", " : "", words[i]);
  buf_putc(b, ']');
}

static void put_kernel(Buf *b, Ir *ir, int id, const OrchKernel *k) {
  const char *core = k->cube ? "aic" : "aiv", *source = kernel_external_source(ir, k->func);
  buf_printf(b, "\t{\"func_id\": %d, \"name\": \"%s\", \"source\": ", id, k->func->name);
  if (source)
    put_repr(b, source, strlen(source));
  else
    buf_printf(b, "str(_ROOT_DIR / \"kernels\" / \"%s\" / \"%s.cpp\")", core, k->func->name);
  buf_printf(b, ", \"core_type\": \"%s\"", core);
  if (source) {
    buf_puts(b, ", \"external\": True");
    const AttrValue *dirs = key_get(k->func->attrs, KEY_EXTERNAL_INCLUDE_DIRS);
    if (dirs && dirs->kind == ATTR_STR) put_include_dirs(b, dirs->u.str);
  }
  if (k->nsignature) {
    buf_puts(b, ", ");
    put_signature(b, k->signature, k->nsignature);
  }
  buf_puts(b, "},\n");
}

static bool has_signatures(const OrchResult *r) {
  bool any = r->nsignature > 0;
  for (size_t i = 0; i < r->kernels.len; i++) any = any || r->kernels.data[i].nsignature > 0;
  return any;
}

void kernel_config(Buf *b, CodegenCtx *ctx, const Program *p, const Function *f,
                   const OrchResult *r) {
  const char *runtime =
      ctx->opts->runtime == RUNTIME_HOST_GRAPH ? "host_build_graph" : "tensormap_and_ringbuffer";
  buf_puts(b, "# Kernel and Orchestration Configuration\n\nfrom pathlib import Path\n\n");
  if (has_signatures(r)) buf_puts(b, "from simpler.task_interface import ArgDirection as _D\n\n");
  buf_printf(b,
             "_ROOT_DIR = Path(__file__).parent\n\n"
             "# Runtime configuration for %s.\n"
             "# AICPU thread count 0 selects the runtime's architecture default (a2a3: 4; a5: 5).\n"
             "RUNTIME_CONFIG = {\n\t\"runtime\": \"%s\",\n\t\"aicpu_thread_num\": 0,\n%s}\n\n",
             runtime, runtime, uses_sdma(ctx->ir, p) ? "\t\"enable_sdma\": True,\n" : "");
  buf_printf(b,
             "ORCHESTRATION = {\n\t\"source\": str(_ROOT_DIR / \"orchestration\" / \"%s.cpp\"),\n"
             "\t\"function_name\": \"aicpu_orchestration_entry\",\n",
             f->name);
  if (r->nsignature) {
    buf_putc(b, '\t');
    put_signature(b, r->signature, r->nsignature);
    buf_puts(b, ",\n");
  }
  buf_puts(b, "}\n\nKERNELS = [\n");
  for (size_t i = 0; i < r->kernels.len; i++) put_kernel(b, ctx->ir, (int)i, &r->kernels.data[i]);
  buf_puts(b, "]\n");
}
