/* expand.c -- writes the program that a shape describes, about N statements long, to standard output.
 *
 *   expand SHAPE N
 *
 * A shape is a .pir text in parts. "%once" begins a part that is written as it stands, "%each S" one that
 * is written again and again and has S statements; all parts of the second kind have as many copies as
 * it takes to come to N statements together. In either, {k} is the number of the copy, from 0, and {n}
 * the number of copies; {k%256*16} or {k+1} calculates with integers from left to right. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long copies;

static void refuse(const char *what, const char *text) {
  fprintf(stderr, "expand: %s: %.40s\n", what, text);
  exit(2);
}

static long operand(const char **s, long k) {
  if (**s == 'k') return (*s)++, k;
  if (**s == 'n') return (*s)++, copies;
  if (!isdigit((unsigned char)**s)) refuse("not a number", *s);
  return strtol(*s, (char **)s, 10);
}

/* The value of what stands in braces; *s is put behind the closing one. */
static long value(const char **s, long k) {
  long v = operand(s, k);
  while (**s != '}') {
    char op = *(*s)++;
    long w = operand(s, k);
    if (strchr("%/", op) && w == 0) refuse("division by zero", *s);
    switch (op) {
      case '+': v += w; break;
      case '-': v -= w; break;
      case '*': v *= w; break;
      case '/': v /= w; break;
      case '%': v %= w; break;
      default: refuse("not an operator", *s - 1);
    }
  }
  ++*s;
  return v;
}

static void copy(const char *s, const char *end, long k) {
  while (s < end) {
    if (s[0] == '{' && (s[1] == 'k' || s[1] == 'n')) {
      s++;
      printf("%ld", value(&s, k));
    } else {
      putchar(*s++);
    }
  }
}

static char *read_all(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) refuse("cannot read", path);
  char *text = NULL;
  size_t len = 0, cap = 0;
  do {
    cap = cap * 2 + 4096;
    text = realloc(text, cap);
    if (!text) refuse("no memory for", path);
    len += fread(text + len, 1, cap - len - 1, f);
  } while (len == cap - 1);
  fclose(f);
  text[len] = '\0';
  return text;
}

/* The line after the one at s. */
static const char *next_line(const char *s) {
  s += strcspn(s, "\n");
  return *s ? s + 1 : s;
}

/* The end of the part whose first line is at s. */
static const char *part_end(const char *s) {
  while (*s && *s != '%') s = next_line(s);
  return s;
}

int main(int argc, char **argv) {
  if (argc != 3) refuse("usage", "expand SHAPE N");
  const char *text = read_all(argv[1]);
  long statements = 0;
  for (const char *s = text; *s; s = next_line(s))
    if (strncmp(s, "%each ", 6) == 0) statements += atol(s + 6);
  copies = statements > 0 ? (atol(argv[2]) + statements - 1) / statements : 1;
  for (const char *s = text; *s;) {
    long times = strncmp(s, "%each ", 6) == 0 ? copies : 1;
    const char *begin = next_line(s), *end = part_end(begin);
    for (long k = 0; k < times; k++) copy(begin, end, k);
    s = end;
  }
  return 0;
}
