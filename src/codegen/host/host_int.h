/* host_int.h -- inside the generator of host orchestrations; see docs/codegen-host.md. */
#ifndef PYPTOC_CODEGEN_HOST_HOST_INT_H
#define PYPTOC_CODEGEN_HOST_HOST_INT_H

#include "base/map.h"
#include "codegen/base/artifacts.h"
#include "ir/calls.h"
#include "ir/op.h"

typedef struct Host {
  CodegenCtx *ctx;
  Ir *ir;
  const Program *program;
  const Function *func;
  Buf *out;
  int indent; /* spaces */
  bool failed;
  Map values;                /* variable -> what it is assigned */
  Map returned;              /* cache of returned_params */
  Map outputs;               /* tuple variable -> HostOutputs* */
  VEC(const Stmt *) domains; /* around this place, outermost first */
  bool inline_values;        /* write what variables are bound to, not their names */
  int tasks;
} Host;

/* The written arguments of a call, in order: what its tuple's items are. */
typedef struct HostOutputs {
  const char **names;
  int n;
} HostOutputs;

void host_line(Host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *host_text(Host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void host_error(Host *h, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A name as a Python identifier. */
const char *host_name(Host *h, Name name);
/* A scalar expression in Python; "0" after an error. */
const char *host_expr(Host *h, const Expr *e);
/* "(4, 8)", "(4,)": a tuple. */
const char *host_shape(Host *h, Expr *const *dims, int n);
/* The handle of a domain: "__comm_d0". */
const char *host_domain(Host *h, const Stmt *scope);
/* The domain around this place that has the buffer; NULL after an error. */
const Stmt *host_domain_of(Host *h, const WindowBuffer *w, Span at);

/* A call of a chip orchestration or a sub-worker; `target` is the assigned variable or NULL. */
void host_call(Host *h, const Expr *call, const Function *callee, const Expr *target);
/* A tensor created on the host. */
void host_create(Host *h, const Type *t, const char *name);

/* The module of a sub-worker. */
void host_sub_worker(Host *h, Buf *out, const Function *f);

#endif
