/* syntax_print.c -- the tree as Python text, in the form that Python's own `ast.unparse` writes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/syntax.h"

/* How tight an expression binds; an operand that binds less stands in parentheses. */
enum {
  P_TUPLE,
  P_TEST, /* conditional expression, lambda */
  P_OR,
  P_AND,
  P_NOT,
  P_COMPARE,
  P_BITOR,
  P_BITXOR,
  P_BITAND,
  P_SHIFT,
  P_ARITH,
  P_TERM,
  P_FACTOR,
  P_POWER,
  P_ATOM,
};

static const struct {
  const char *text;
  int level;
} operators[SYN_OP_COUNT] = {
    [SYN_OP_ADD] = {"+", P_ARITH},
    [SYN_OP_SUB] = {"-", P_ARITH},
    [SYN_OP_MUL] = {"*", P_TERM},
    [SYN_OP_DIV] = {"/", P_TERM},
    [SYN_OP_FLOORDIV] = {"//", P_TERM},
    [SYN_OP_MOD] = {"%", P_TERM},
    [SYN_OP_POW] = {"**", P_POWER},
    [SYN_OP_MATMUL] = {"@", P_TERM},
    [SYN_OP_SHL] = {"<<", P_SHIFT},
    [SYN_OP_SHR] = {">>", P_SHIFT},
    [SYN_OP_BITAND] = {"&", P_BITAND},
    [SYN_OP_BITOR] = {"|", P_BITOR},
    [SYN_OP_BITXOR] = {"^", P_BITXOR},
    [SYN_OP_EQ] = {"==", P_COMPARE},
    [SYN_OP_NE] = {"!=", P_COMPARE},
    [SYN_OP_LT] = {"<", P_COMPARE},
    [SYN_OP_LE] = {"<=", P_COMPARE},
    [SYN_OP_GT] = {">", P_COMPARE},
    [SYN_OP_GE] = {">=", P_COMPARE},
    [SYN_OP_IN] = {"in", P_COMPARE},
    [SYN_OP_NOT_IN] = {"not in", P_COMPARE},
    [SYN_OP_IS] = {"is", P_COMPARE},
    [SYN_OP_IS_NOT] = {"is not", P_COMPARE},
    [SYN_OP_AND] = {"and", P_AND},
    [SYN_OP_OR] = {"or", P_OR},
    [SYN_OP_NEG] = {"-", P_FACTOR},
    [SYN_OP_POS] = {"+", P_FACTOR},
    [SYN_OP_NOT] = {"not ", P_NOT},
    [SYN_OP_INVERT] = {"~", P_FACTOR},
};

static int level_of(const SynExpr *e) {
  switch (e->kind) {
    case SYN_TUPLE: return e->nitems ? P_TUPLE : P_ATOM;
    case SYN_COND:
    case SYN_LAMBDA: return P_TEST;
    case SYN_BOOL:
    case SYN_UNARY:
    case SYN_BINARY: return operators[e->op].level;
    case SYN_COMPARE: return P_COMPARE;
    default: return P_ATOM;
  }
}

static void print(Buf *out, const SynExpr *e, int least);

static void print_list(Buf *out, SynExpr *const *items, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (i) buf_puts(out, ", ");
    print(out, items[i], P_TEST);
  }
}

/* The shortest decimal that reads back as the same double, as Python's repr() writes it. */
static void print_real(Buf *out, double v) {
  if (isinf(v)) { /* how unparse spells what no literal can say */
    buf_puts(out, "1e309");
    return;
  }
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    if (strtod(text, NULL) == v) break;
  }
  char *e = strchr(text, 'e');
  int exponent = atoi(e + 1);
  int digits = (int)(e - text) - (strchr(text, '.') ? 1 : 0) - (text[0] == '-');
  if (exponent < -4 || exponent >= 16) {
    *e = '\0';
    buf_printf(out, "%se%c%02d", text, exponent < 0 ? '-' : '+', abs(exponent));
  } else {
    int decimals = digits - 1 - exponent;
    buf_printf(out, "%.*f", decimals > 0 ? decimals : 1, v);
  }
}

static void print_char(Buf *out, unsigned char c, char quote) {
  switch (c) {
    case '\n': buf_puts(out, "\\n"); return;
    case '\r': buf_puts(out, "\\r"); return;
    case '\t': buf_puts(out, "\\t"); return;
    case '\\': buf_puts(out, "\\\\"); return;
    default: break;
  }
  if (c == (unsigned char)quote)
    buf_printf(out, "\\%c", c);
  else if (c < 0x20 || c == 0x7f)
    buf_printf(out, "\\x%02x", c);
  else
    buf_putc(out, (char)c);
}

static void print_string(Buf *out, SynText s) {
  bool single = memchr(s.data, '\'', s.len), twice = memchr(s.data, '"', s.len);
  char quote = single && !twice ? '"' : '\'';
  buf_putc(out, quote);
  for (size_t i = 0; i < s.len; i++) print_char(out, (unsigned char)s.data[i], quote);
  buf_putc(out, quote);
}

static void print_fstring_parts(Buf *out, const SynExpr *e, char quote) {
  for (size_t i = 0; i < e->nitems; i++) {
    const SynExpr *part = e->items[i];
    if (part->kind == SYN_FFIELD) {
      buf_putc(out, '{');
      print(out, part->field, P_TEST);
      buf_write(out, part->str.data, part->str.len);
      buf_putc(out, '}');
      continue;
    }
    for (size_t k = 0; k < part->str.len; k++) {
      char c = part->str.data[k];
      if (c == '{' || c == '}') buf_putc(out, c);
      print_char(out, (unsigned char)c, quote);
    }
  }
}

static void print_fstring(Buf *out, const SynExpr *e) {
  Buf body = {0};
  print_fstring_parts(&body, e, '\0');
  char quote = body.len && memchr(body.data, '\'', body.len) && !memchr(body.data, '"', body.len)
                   ? '"'
                   : '\'';
  buf_printf(out, "f%c%s%c", quote, buf_str(&body), quote);
  buf_free(&body);
}

static void print_call(Buf *out, const SynExpr *e) {
  print(out, e->lhs, P_ATOM);
  buf_putc(out, '(');
  print_list(out, e->items, e->nitems);
  for (size_t i = 0; i < e->nkwargs; i++) {
    if (i || e->nitems) buf_puts(out, ", ");
    buf_printf(out, e->kwargs[i].name ? "%s=" : "**", e->kwargs[i].name);
    print(out, e->kwargs[i].value, P_TEST);
  }
  buf_putc(out, ')');
}

static void print_dict(Buf *out, const SynExpr *e) {
  buf_putc(out, '{');
  for (size_t i = 0; i < e->nkwargs; i++) {
    if (i) buf_puts(out, ", ");
    if (e->kwargs[i].key) {
      print(out, e->kwargs[i].key, P_TEST);
      buf_puts(out, ": ");
    } else {
      buf_puts(out, "**");
    }
    print(out, e->kwargs[i].value, P_TEST);
  }
  buf_putc(out, '}');
}

static void print_comprehension(Buf *out, const SynExpr *e) {
  buf_putc(out, e->bracket);
  print(out, e->lhs, P_TEST);
  if (e->rhs) {
    buf_puts(out, ": ");
    print(out, e->rhs, P_TEST);
  }
  for (size_t i = 0; i < e->nkwargs; i++) {
    const SynClause *c = &e->clauses[i];
    buf_puts(out, " for ");
    print(out, c->target, P_TUPLE);
    buf_puts(out, " in ");
    print(out, c->iter, P_OR);
    for (size_t k = 0; k < c->ntests; k++) {
      buf_puts(out, " if ");
      print(out, c->tests[k], P_OR);
    }
  }
  buf_putc(out, e->bracket == '(' ? ')' : e->bracket == '[' ? ']' : '}');
}

static void print_slice(Buf *out, const SynExpr *e) {
  if (e->lhs) print(out, e->lhs, P_TEST);
  buf_putc(out, ':');
  if (e->rhs) print(out, e->rhs, P_TEST);
  if (!e->third) return;
  buf_putc(out, ':');
  print(out, e->third, P_TEST);
}

static void print_subscript(Buf *out, const SynExpr *e) {
  print(out, e->lhs, P_ATOM);
  buf_putc(out, '[');
  if (e->rhs->kind == SYN_TUPLE && e->rhs->nitems) {
    print_list(out, e->rhs->items, e->rhs->nitems);
    if (e->rhs->nitems == 1) buf_putc(out, ',');
  } else {
    print(out, e->rhs, P_TEST);
  }
  buf_putc(out, ']');
}

static void print_operators(Buf *out, const SynExpr *e) {
  int level = level_of(e);
  switch (e->kind) {
    case SYN_UNARY:
      buf_puts(out, operators[e->op].text);
      print(out, e->lhs, level);
      break;
    case SYN_BINARY: /* ** binds to the right, all others to the left */
      print(out, e->lhs, e->op == SYN_OP_POW ? level + 1 : level);
      buf_printf(out, " %s ", operators[e->op].text);
      print(out, e->rhs, e->op == SYN_OP_POW ? P_FACTOR : level + 1);
      break;
    case SYN_BOOL:
      for (size_t i = 0; i < e->nitems; i++) {
        if (i) buf_printf(out, " %s ", operators[e->op].text);
        print(out, e->items[i], level + 1);
      }
      break;
    default:
      for (size_t i = 0; i < e->nitems; i++) {
        if (i) buf_printf(out, " %s ", operators[e->ops[i - 1]].text);
        print(out, e->items[i], P_COMPARE + 1);
      }
  }
}

static void print_bare(Buf *out, const SynExpr *e) {
  switch (e->kind) {
    case SYN_NAME: buf_puts(out, e->name); break;
    case SYN_INT:
      if (e->big)
        buf_puts(out, "9223372036854775808");
      else
        buf_int(out, e->integer);
      break;
    case SYN_FLOAT: print_real(out, e->real); break;
    case SYN_STR: print_string(out, e->str); break;
    case SYN_TRUE: buf_puts(out, "True"); break;
    case SYN_FALSE: buf_puts(out, "False"); break;
    case SYN_NONE: buf_puts(out, "None"); break;
    case SYN_ELLIPSIS: buf_puts(out, "..."); break;
    case SYN_FSTRING:
    case SYN_FFIELD: print_fstring(out, e); break;
    case SYN_ATTR:
      print(out, e->lhs, P_ATOM);
      buf_printf(out, ".%s", e->name);
      break;
    case SYN_SUBSCRIPT: print_subscript(out, e); break;
    case SYN_SLICE: print_slice(out, e); break;
    case SYN_CALL: print_call(out, e); break;
    case SYN_UNARY:
    case SYN_BINARY:
    case SYN_BOOL:
    case SYN_COMPARE: print_operators(out, e); break;
    case SYN_TUPLE:
      if (!e->nitems) buf_puts(out, "()");
      print_list(out, e->items, e->nitems);
      if (e->nitems == 1) buf_putc(out, ',');
      break;
    case SYN_LIST:
    case SYN_SET:
      buf_putc(out, e->kind == SYN_LIST ? '[' : '{');
      print_list(out, e->items, e->nitems);
      buf_putc(out, e->kind == SYN_LIST ? ']' : '}');
      break;
    case SYN_DICT: print_dict(out, e); break;
    case SYN_COND:
      print(out, e->lhs, P_TEST + 1);
      buf_puts(out, " if ");
      print(out, e->third, P_TEST + 1);
      buf_puts(out, " else ");
      print(out, e->rhs, P_TEST);
      break;
    case SYN_LAMBDA:
      buf_puts(out, "lambda: ");
      print(out, e->lhs, P_TEST);
      break;
    case SYN_COMP: print_comprehension(out, e); break;
    case SYN_STAR:
      buf_putc(out, '*');
      print(out, e->lhs, P_BITOR);
      break;
    case SYN_WALRUS:
      buf_printf(out, "(%s := ", e->name);
      print(out, e->lhs, P_TEST);
      buf_putc(out, ')');
      break;
  }
}

static void print(Buf *out, const SynExpr *e, int least) {
  bool paren = level_of(e) < least;
  if (paren) buf_putc(out, '(');
  print_bare(out, e);
  if (paren) buf_putc(out, ')');
}

void syn_print_expr(Buf *out, const SynExpr *e) {
  bool tuple = e->kind == SYN_TUPLE && e->nitems;
  if (tuple) buf_putc(out, '(');
  print_bare(out, e);
  if (tuple) buf_putc(out, ')');
}

/* ---------------------------------------------------------------- statements */

static void print_block(Buf *out, const SynBlock *b, int indent) {
  for (size_t i = 0; i < b->len; i++) {
    buf_putc(out, '\n');
    syn_print_stmt(out, b->stmts[i], indent);
  }
}

static void print_header(Buf *out, const char *word, const SynExpr *e) {
  buf_puts(out, word);
  if (e) {
    buf_putc(out, ' ');
    print(out, e, P_TEST);
  }
}

static void print_if(Buf *out, const SynStmt *s, int indent, const char *word) {
  print_header(out, word, s->value);
  buf_putc(out, ':');
  print_block(out, &s->body, indent + 4);
  if (!s->orelse.len) return;
  buf_putc(out, '\n');
  buf_indent(out, indent);
  if (s->orelse.len == 1 && s->orelse.stmts[0]->kind == SYN_IF) {
    print_if(out, s->orelse.stmts[0], indent, "elif");
  } else {
    buf_puts(out, "else:");
    print_block(out, &s->orelse, indent + 4);
  }
}

static void print_try(Buf *out, const SynStmt *s, int indent) {
  buf_puts(out, "try:");
  print_block(out, &s->body, indent + 4);
  for (size_t i = 0; i < s->orelse.len; i++) {
    const SynStmt *c = s->orelse.stmts[i];
    const char *name = strchr(c->text, ' ');
    buf_putc(out, '\n');
    buf_indent(out, indent);
    buf_write(out, c->text, name ? (size_t)(name - c->text) : strlen(c->text));
    if (c->value) {
      buf_putc(out, ' ');
      print(out, c->value, P_TEST);
    }
    if (name) buf_printf(out, " as%s", name);
    buf_putc(out, ':');
    print_block(out, &c->body, indent + 4);
  }
}

static void print_def(Buf *out, const SynStmt *s, int indent) {
  const SynDef *d = s->def;
  for (size_t i = 0; i < d->ndecorators; i++) {
    buf_putc(out, '@');
    print(out, d->decorators[i], P_TEST);
    buf_putc(out, '\n');
    buf_indent(out, indent);
  }
  buf_printf(out, "%s %s", s->kind == SYN_CLASS ? "class" : "def", d->name);
  if (s->kind == SYN_DEF) {
    buf_putc(out, '(');
    for (size_t i = 0; i < d->nparams; i++) {
      const SynParam *p = &d->params[i];
      if (i) buf_puts(out, ", ");
      buf_puts(out, p->star == '*' || p->star == '|' ? "*"
                    : p->star == '2'                 ? "**"
                    : p->star                        ? "/"
                                                     : "");
      if (p->name) buf_puts(out, p->name);
      if (p->annotation) {
        buf_puts(out, ": ");
        print(out, p->annotation, P_TEST);
      }
      if (p->default_value) {
        buf_puts(out, p->annotation ? " = " : "=");
        print(out, p->default_value, P_TEST);
      }
    }
    buf_putc(out, ')');
  }
  if (d->returns) {
    buf_puts(out, " -> ");
    print(out, d->returns, P_TEST);
  }
  buf_putc(out, ':');
  print_block(out, &d->body, indent + 4);
}

static void print_targets(Buf *out, const SynStmt *s, const char *between) {
  for (size_t i = 0; i < s->ntargets; i++) {
    if (i) buf_puts(out, between);
    print(out, s->targets[i], P_TUPLE);
  }
}

static void print_simple(Buf *out, const SynStmt *s) {
  switch (s->kind) {
    case SYN_EXPR_STMT: print(out, s->value, P_TEST); break;
    case SYN_ASSIGN:
      print_targets(out, s, " = ");
      buf_puts(out, " = ");
      print(out, s->value, P_TEST);
      break;
    case SYN_ANN_ASSIGN:
      print_targets(out, s, "");
      buf_puts(out, ": ");
      print(out, s->annotation, P_TEST);
      if (!s->value) break;
      buf_puts(out, " = ");
      print(out, s->value, P_TEST);
      break;
    case SYN_AUG_ASSIGN:
      print_targets(out, s, "");
      buf_printf(out, " %s= ", operators[s->op].text);
      print(out, s->value, P_TEST);
      break;
    case SYN_RETURN:
      print_header(out, "return", NULL);
      if (s->value) {
        buf_putc(out, ' ');
        print(out, s->value, P_TEST);
      }
      break;
    case SYN_RAISE:
      print_header(out, "raise", s->value);
      if (s->message) print_header(out, " from", s->message);
      break;
    case SYN_ASSERT:
      print_header(out, "assert", s->value);
      if (s->message) print_header(out, ",", s->message);
      break;
    case SYN_DEL:
      buf_puts(out, "del ");
      print_targets(out, s, ", ");
      break;
    case SYN_BREAK: buf_puts(out, "break"); break;
    case SYN_CONTINUE: buf_puts(out, "continue"); break;
    case SYN_PASS: buf_puts(out, "pass"); break;
    default: buf_puts(out, s->text ? s->text : ""); break;
  }
}

void syn_print_stmt(Buf *out, const SynStmt *s, int indent) {
  buf_indent(out, indent);
  switch (s->kind) {
    case SYN_IF: print_if(out, s, indent, "if"); return;
    case SYN_TRY: print_try(out, s, indent); return;
    case SYN_DEF:
    case SYN_CLASS: print_def(out, s, indent); return;
    case SYN_WHILE: print_header(out, "while", s->value); break;
    case SYN_FOR:
      buf_puts(out, "for ");
      print(out, s->targets[0], P_TUPLE);
      buf_puts(out, " in ");
      print(out, s->value, P_TEST);
      break;
    case SYN_WITH:
      buf_puts(out, "with ");
      for (size_t i = 0; i < s->nitems; i++) {
        if (i) buf_puts(out, ", ");
        print(out, s->items[i].context, P_TEST);
        if (s->items[i].target) print_header(out, " as", s->items[i].target);
      }
      break;
    default: print_simple(out, s); return;
  }
  buf_putc(out, ':');
  print_block(out, &s->body, indent + 4);
}
