/* buf.h -- a growing text buffer: everything the compiler prints is gathered in one. */
#ifndef PYPTOC_BASE_BUF_H
#define PYPTOC_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Buf {
  char *data; /* NUL-terminated once anything was put in; use buf_str */
  size_t len, cap;
} Buf;

void buf_free(Buf *b);
void buf_putc(Buf *b, char c);
void buf_puts(Buf *b, const char *s);
void buf_write(Buf *b, const char *s, size_t len);
/* Puts the text of `from` behind that of `b` and frees it; the larger of the two stays in its memory. */
void buf_take(Buf *b, Buf *from);
void buf_printf(Buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *b, const char *fmt, va_list ap);
void buf_int(Buf *b, int64_t v); /* decimal, faster than buf_printf */
void buf_indent(Buf *b, int spaces);
/* Text as XML and HTML have it, also within double quotes; bytes that are no text become "?". */
void buf_xml(Buf *b, const char *s);
/* The text, never NULL. */
const char *buf_str(const Buf *b);

#endif
