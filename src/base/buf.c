#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void reserve(Buf *b, size_t more) {
  if (b->cap - b->len > more) return;
  size_t cap = b->cap ? b->cap * 2 : 256;
  while (cap - b->len <= more) cap *= 2;
  b->data = xrealloc(b->data, cap);
  b->cap = cap;
}

void buf_free(Buf *b) {
  free(b->data);
  *b = (Buf){0};
}

void buf_write(Buf *b, const char *s, size_t len) {
  reserve(b, len);
  if (len) memcpy(b->data + b->len, s, len);
  b->len += len;
  b->data[b->len] = '\0';
}

/* ---------------------------------------------------------------- spilling */

enum { LONG = 256 * 1024 }; /* what the second-level cache holds beside all else */

typedef struct BufPiece {
  const char *text;
  size_t len;
  struct BufPiece *next;
} BufPiece;

struct BufPieces {
  Arena *arena;
  BufPiece *first, *last;
  char *free; /* room behind the last piece */
  size_t room;
};

static struct BufPieces *pieces_of(Buf *b, Arena *arena) {
  if (b->before) return b->before;
  b->before = NEW(arena, struct BufPieces);
  b->before->arena = arena;
  return b->before;
}

static void add_piece(struct BufPieces *p, const char *text, size_t len) {
  BufPiece *piece = NEW(p->arena, BufPiece);
  *piece = (BufPiece){text, len, NULL};
  if (p->last)
    p->last->next = piece;
  else
    p->first = piece;
  p->last = piece;
}

static void spill(Buf *b, Arena *arena) {
  struct BufPieces *p = pieces_of(b, arena);
  for (const char *s = b->data; b->len;) {
    if (!p->room) p->free = arena_block(p->arena, &p->room);
    size_t n = b->len < p->room ? b->len : p->room;
    memcpy(p->free, s, n);
    add_piece(p, p->free, n);
    p->free += n;
    p->room -= n;
    s += n;
    b->len -= n;
  }
}

void buf_spill(Buf *b, Arena *arena) {
  if (b->len >= LONG) spill(b, arena);
}

void buf_append(Buf *b, const Buf *from) {
  if (from->before) {
    spill(b, from->before->arena);
    for (const BufPiece *p = from->before->first; p; p = p->next)
      add_piece(b->before, p->text, p->len);
  }
  buf_write(b, from->len ? from->data : "", from->len);
}

bool buf_each(const Buf *b, bool (*put)(void *ctx, const char *s, size_t len), void *ctx) {
  for (const BufPiece *p = b->before ? b->before->first : NULL; p; p = p->next)
    if (!put(ctx, p->text, p->len)) return false;
  return b->len == 0 || put(ctx, b->data, b->len);
}

/* ---------------------------------------------------------------- */

void buf_take(Buf *b, Buf *from) {
  if (b->before || from->before) {
    buf_append(b, from);
  } else if (from->len > b->len) {
    reserve(from, b->len);
    memmove(from->data + b->len, from->data, from->len + 1);
    if (b->len) memcpy(from->data, b->data, b->len);
    from->len += b->len;
    Buf small = *b;
    *b = *from;
    *from = small;
  } else {
    buf_append(b, from);
  }
  buf_free(from);
}

void buf_putc(Buf *b, char c) { buf_write(b, &c, 1); }
void buf_puts(Buf *b, const char *s) { buf_write(b, s, strlen(s)); }

void buf_int(Buf *b, int64_t v) {
  char digits[24], *p = digits + sizeof digits;
  uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
  do *--p = (char)('0' + u % 10);
  while (u /= 10);
  if (v < 0) *--p = '-';
  buf_write(b, p, (size_t)(digits + sizeof digits - p));
}

void buf_indent(Buf *b, int spaces) {
  for (int i = 0; i < spaces; i++) buf_putc(b, ' ');
}

void buf_vprintf(Buf *b, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  reserve(b, 128);
  int n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
  if ((size_t)n >= b->cap - b->len) {
    reserve(b, (size_t)n + 1);
    vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
  }
  b->len += (size_t)n;
  va_end(again);
}

void buf_printf(Buf *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  buf_vprintf(b, fmt, ap);
  va_end(ap);
}

const char *buf_str(const Buf *b) { return b->len ? b->data : ""; }

/* Bytes of the UTF-8 character at `s`; 0 if it is none, or one that XML can't hold. */
static int character_length(const unsigned char *s) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = s[0] < 0x80   ? 1
          : s[0] < 0xc0 ? 0
          : s[0] < 0xe0 ? 2
          : s[0] < 0xf0 ? 3
          : s[0] < 0xf8 ? 4
                        : 0;
  if (n == 1) return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
  uint32_t code = n ? s[0] & (0x7fu >> n) : 0;
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (s[i] & 0x3f);
  }
  if (n == 0 || code < least[n] || code > 0x10ffff) return 0;
  return (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe ? 0 : n;
}

void buf_xml(Buf *b, const char *s) {
  while (*s) {
    int n = character_length((const unsigned char *)s);
    switch (*s) {
      case '<': buf_puts(b, "&lt;"); break;
      case '>': buf_puts(b, "&gt;"); break;
      case '&': buf_puts(b, "&amp;"); break;
      case '"': buf_puts(b, "&quot;"); break;
      default: buf_write(b, n ? s : "?", n ? (size_t)n : 1);
    }
    s += n ? n : 1;
  }
}
