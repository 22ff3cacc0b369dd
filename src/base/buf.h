/* buf.h -- a growing text buffer: everything the compiler prints is gathered in one.
 *
 * A text of many megabytes can be spilled on the way: what is complete lies in pieces of an arena then, in memory
 * that the process has touched before, and only its end in the buffer.  Of spilled texts ask nothing but to grow,
 * to be added to others, and to be given away piece by piece.
 */
#ifndef PYPTOC_BASE_BUF_H
#define PYPTOC_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct Buf {
  char *data; /* NUL-terminated once anything was put in; use buf_str */
  size_t len, cap;
  struct BufPieces *before; /* what was spilled; NULL: nothing */
} Buf;

void buf_free(Buf *b);
void buf_putc(Buf *b, char c);
void buf_puts(Buf *b, const char *s);
void buf_write(Buf *b, const char *s, size_t len);
/* Puts the text of `from` behind that of `b`; pieces are shared. */
void buf_append(Buf *b, const Buf *from);
/* The same, and frees `from`; the larger of the two stays in its memory. */
void buf_take(Buf *b, Buf *from);
/* Spills what is there if it has become long; the pieces live as long as the arena. */
void buf_spill(Buf *b, Arena *arena);
/* Gives the text to `put`, piece by piece, until that returns false. */
bool buf_each(const Buf *b, bool (*put)(void *ctx, const char *s, size_t len), void *ctx);
void buf_printf(Buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *b, const char *fmt, va_list ap);
void buf_int(Buf *b, int64_t v); /* decimal, faster than buf_printf */
void buf_indent(Buf *b, int spaces);
/* Text as XML and HTML have it, also within double quotes; bytes that are no text become "?". */
void buf_xml(Buf *b, const char *s);
/* The text, never NULL; of one that was not spilled. */
const char *buf_str(const Buf *b);

#endif
