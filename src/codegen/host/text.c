/* text.c -- lines, errors and the names of domains in host orchestrations. */
#include "codegen/host/host_int.h"

/* ---- text ---- */

void host_line(Host *h, const char *fmt, ...) {
  va_list ap;
  buf_indent(h->out, h->indent);
  va_start(ap, fmt);
  buf_vprintf(h->out, fmt, ap);
  va_end(ap);
  buf_putc(h->out, '\n');
}

const char *host_text(Host *h, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *s = arena_vprintf(h->ir->arena, fmt, ap);
  va_end(ap);
  return s;
}

void host_error(Host *h, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(h->ir->diag, DIAG_ERROR, at, fmt, ap);
  va_end(ap);
  h->failed = true;
}

/* ---- domains ---- */

const char *host_domain(Host *h, const Stmt *scope) {
  return host_text(h, "__%s", scope->u.scope.name);
}

const Stmt *host_domain_of(Host *h, const WindowBuffer *w, Span at) {
  for (size_t i = h->domains.len; i-- > 0;)
    for (int k = 0; k < h->domains.data[i]->u.scope.nwindows; k++)
      if (h->domains.data[i]->u.scope.windows[k] == w) return h->domains.data[i];
  host_error(h, at, "the buffer '%s' belongs to no communication domain here", w->name);
  return NULL;
}
