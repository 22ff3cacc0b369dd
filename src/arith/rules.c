/* rules.c -- reads the rules of rules.def and applies them. */
#include <ctype.h>
#include <string.h>

#include "arith/fold.h"
#include "arith/state.h"

typedef enum { PAT_ANY, PAT_CONST, PAT_NUMBER, PAT_BOOL, PAT_UNARY, PAT_BINARY } PatKind;

typedef struct Pattern Pattern;
struct Pattern {
  PatKind kind;
  ExprKind op;
  int slot;      /* PAT_ANY: x y z are 0 1 2; PAT_CONST: c d e are 3 4 5 */
  int64_t value; /* PAT_NUMBER, PAT_BOOL */
  int flip; /* 1 + number of this operator among those that match in either order; 0: as written */
  Pattern *a, *b;
};

struct Rule {
  ExprKind kind;
  Pattern *from, *to;
  int flips;         /* how many operators match in either order */
  int line;          /* of rules.def, for the condition */
  uint64_t lhs, rhs; /* the kinds, as bits, that the operands may have */
};

enum { SLOTS = 6 };

typedef struct Match {
  Expr *bound[SLOTS];
  unsigned flipped; /* bit i: the i-th operator that may is matched the other way round */
} Match;

/* ---- reading ---- */

typedef struct Reader {
  Arena *arena;
  Diag *diag;
  const char *text, *at;
  int flips;
} Reader;

static Pattern *read_level(Reader *r, int level);

static void skip_blanks(Reader *r) {
  while (*r->at == ' ') r->at++;
}

static bool accept(Reader *r, const char *token) {
  skip_blanks(r);
  size_t len = strlen(token);
  if (strncmp(r->at, token, len) != 0) return false;
  if (isalpha((unsigned char)*token) && isalnum((unsigned char)r->at[len])) return false;
  r->at += len;
  return true;
}

static void expect(Reader *r, const char *token) {
  if (!accept(r, token))
    diag_internal(r->diag, "rule '%s': expected '%s' at '%s'", r->text, token, r->at);
}

static Pattern *pattern(Reader *r, PatKind kind, ExprKind op, Pattern *a, Pattern *b) {
  Pattern *p = NEW(r->arena, Pattern);
  *p = (Pattern){.kind = kind, .op = op, .a = a, .b = b};
  return p;
}

/* "min(" or "min~(" was read up to the name. */
static Pattern *read_function(Reader *r, ExprKind op) {
  int flip = accept(r, "~") ? ++r->flips : 0;
  expect(r, "(");
  Pattern *a = read_level(r, 0);
  expect(r, ",");
  Pattern *p = pattern(r, PAT_BINARY, op, a, read_level(r, 0));
  p->flip = flip;
  expect(r, ")");
  return p;
}

static Pattern *read_primary(Reader *r) {
  if (accept(r, "(")) {
    Pattern *p = read_level(r, 0);
    expect(r, ")");
    return p;
  }
  if (accept(r, "-")) return pattern(r, PAT_UNARY, EXPR_NEG, read_primary(r), NULL);
  if (accept(r, "min")) return read_function(r, EXPR_MIN);
  if (accept(r, "max")) return read_function(r, EXPR_MAX);
  Pattern *p = pattern(r, PAT_ANY, EXPR_VAR, NULL, NULL);
  if (accept(r, "true") || accept(r, "false")) {
    p->kind = PAT_BOOL;
    p->value = r->at[-1] == 'e' && r->at[-2] == 'u';
  } else if (isdigit((unsigned char)*r->at)) {
    p->kind = PAT_NUMBER;
    p->value = *r->at++ - '0';
  } else {
    const char *slots = "xyzcde", *slot = *r->at ? strchr(slots, *r->at) : NULL;
    if (!slot) diag_internal(r->diag, "rule '%s': what is '%s'", r->text, r->at);
    p->slot = (int)(slot - slots);
    p->kind = p->slot < 3 ? PAT_ANY : PAT_CONST;
    r->at++;
  }
  return p;
}

/* Binary operators, loosest first; `not` binds between `and` and the comparisons.  Longer symbols stand
 * before those they begin with. */
enum { LEVEL_NOT = 2, LEVEL_PRIMARY = 6 };
static const struct {
  int level;
  const char *symbol;
  ExprKind op;
} operators[] = {
    {0, "or", EXPR_OR},        {1, "and", EXPR_AND}, {3, "==", EXPR_EQ},       {3, "!=", EXPR_NE},
    {3, "<=", EXPR_LE},        {3, "<", EXPR_LT},    {4, "+", EXPR_ADD},       {4, "-", EXPR_SUB},
    {5, "//", EXPR_FLOOR_DIV}, {5, "*", EXPR_MUL},   {5, "%", EXPR_FLOOR_MOD},
};

static Pattern *read_level(Reader *r, int level) {
  if (level == LEVEL_PRIMARY) return read_primary(r);
  if (level == LEVEL_NOT) {
    if (accept(r, "not")) return pattern(r, PAT_UNARY, EXPR_NOT, read_level(r, level), NULL);
    return read_level(r, level + 1);
  }
  Pattern *left = read_level(r, level + 1);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    if (operators[i].level != level || !accept(r, operators[i].symbol)) continue;
    int flip = accept(r, "~") ? ++r->flips : 0;
    left = pattern(r, PAT_BINARY, operators[i].op, left, read_level(r, level + 1));
    left->flip = flip;
    i = (size_t)-1; /* look for another operator of this level */
  }
  return left;
}

static Pattern *read_pattern(Arena *arena, Diag *diag, const char *text, int *flips) {
  Reader r = {arena, diag, text, text, 0};
  Pattern *p = read_level(&r, 0);
  skip_blanks(&r);
  if (*r.at) diag_internal(diag, "rule '%s': '%s' is left over", text, r.at);
  *flips = r.flips;
  return p;
}

/* The names of rules.def. */
enum {
  KIND_ADD = EXPR_ADD,
  KIND_SUB = EXPR_SUB,
  KIND_MUL = EXPR_MUL,
  KIND_FLOORDIV = EXPR_FLOOR_DIV,
  KIND_FLOORMOD = EXPR_FLOOR_MOD,
  KIND_MIN = EXPR_MIN,
  KIND_MAX = EXPR_MAX,
  KIND_EQ = EXPR_EQ,
  KIND_NE = EXPR_NE,
  KIND_LT = EXPR_LT,
  KIND_LE = EXPR_LE,
  KIND_NOT = EXPR_NOT,
  KIND_AND = EXPR_AND,
  KIND_OR = EXPR_OR,
  KIND_NEG = EXPR_NEG,
};

/* The kinds of expression that a pattern can match, as bits. */
static uint64_t kinds_of(const Pattern *p) {
  _Static_assert(EXPR_KINDS <= 64, "kinds of expressions fit a word");
  switch (p->kind) {
    case PAT_ANY: return UINT64_MAX;
    case PAT_CONST:
    case PAT_NUMBER: return UINT64_C(1) << EXPR_INT;
    case PAT_BOOL: return UINT64_C(1) << EXPR_BOOL;
    case PAT_UNARY:
    case PAT_BINARY: break;
  }
  return UINT64_C(1) << p->op;
}

/* What the operands of the node must be; either, if they match in either order. */
static void note_operands(Rule *rule) {
  const Pattern *p = rule->from;
  rule->lhs = kinds_of(p->a);
  rule->rhs = p->kind == PAT_BINARY ? kinds_of(p->b) : UINT64_MAX;
  if (p->flip) rule->lhs = rule->rhs = rule->lhs | rule->rhs;
}

/* Files the rule under all kinds of first operand that it may have. */
static void sort_in(RuleSet *set, Arena *arena, const Rule *rule) {
  for (int kind = 0; kind < EXPR_KINDS; kind++) {
    if (!(rule->lhs >> kind & 1)) continue;
    RuleList *list = &set->rules_for[rule->kind][kind];
    RuleLink *link = NEW(arena, RuleLink);
    link->rule = rule;
    *(list->first ? &list->last->next : &list->first) = link;
    list->last = link;
  }
}

void rules_init(RuleSet *set, Arena *arena, Ir *ir) {
  static const struct {
    ExprKind kind;
    const char *from, *to;
    int line;
  } table[] = {
#define RULE(op, from, to, cond) {(ExprKind)KIND_##op, from, to, __LINE__},
#include "arith/rules.def"
#undef RULE
  };
  int n = sizeof table / sizeof *table;
  Rule *rules = NEW_ARRAY(arena, Rule, n);
  for (int i = 0; i < n; i++) {
    Rule *rule = &rules[i];
    int none;
    rule->kind = table[i].kind;
    rule->line = table[i].line;
    rule->from = read_pattern(arena, ir->diag, table[i].from, &rule->flips);
    rule->to = read_pattern(arena, ir->diag, table[i].to, &none);
    note_operands(rule);
    sort_in(set, arena, rule);
  }
}

/* ---- matching ---- */

static bool bind(Match *m, int slot, Expr *e) {
  if (m->bound[slot]) return expr_same(m->bound[slot], e);
  m->bound[slot] = e;
  return true;
}

static bool matches(const Pattern *p, Expr *e, Match *m) {
  switch (p->kind) {
    case PAT_ANY: return bind(m, p->slot, e);
    case PAT_CONST: return e->kind == EXPR_INT && bind(m, p->slot, e);
    case PAT_NUMBER: return e->kind == EXPR_INT && e->u.i == p->value;
    case PAT_BOOL: return e->kind == EXPR_BOOL && e->u.b == (bool)p->value;
    case PAT_UNARY: return e->kind == p->op && matches(p->a, e->u.operand, m);
    case PAT_BINARY: break;
  }
  if (e->kind != p->op) return false;
  Expr *lhs = e->u.bin.lhs, *rhs = e->u.bin.rhs;
  if (p->flip && (m->flipped >> (p->flip - 1) & 1)) {
    Expr *t = lhs;
    lhs = rhs;
    rhs = t;
  }
  return matches(p->a, lhs, m) && matches(p->b, rhs, m);
}

/* ---- conditions ---- */

/* How x compares with n by its bounds. */
static Ordering compare_bound(const Analyzer *a, const Expr *x, int64_t n) {
  Bound b = bound_of(a, x);
  if (b.min == n && b.max == n) return ORDER_EQ;
  if (b.min > n) return ORDER_GT;
  if (b.min == n) return ORDER_GE;
  if (b.max < n) return ORDER_LT;
  return b.max == n ? ORDER_LE : ORDER_ANY;
}

static bool proves_within(const Analyzer *a, const Expr *x, int64_t n, Ordering wanted) {
  return (compare_bound(a, x, n) & ~(unsigned)wanted) == 0;
}

static bool proves_difference(Analyzer *a, Expr *x, Expr *y, Ordering wanted) {
  Expr *diff = make_binary(a->ir, EXPR_SUB, x, y, NO_SPAN);
  return diff && proves_within(a, diff, 0, wanted);
}

static int64_t constant(const Match *m, int slot) {
  return m->bound[slot] ? m->bound[slot]->u.i : 0;
}

static bool condition_holds(Analyzer *a, const Rule *rule, const Match *m) {
  Expr *x = m->bound[0], *y = m->bound[1], *z = m->bound[2];
  int64_t c = constant(m, 3), d = constant(m, 4), e = constant(m, 5);
  (void)x, (void)y, (void)z, (void)e;
#define ALWAYS true
#define GE(var, n) proves_within(a, var, n, ORDER_GE)
#define LE(var, n) proves_within(a, var, n, ORDER_LE)
#define LESS(var, n) proves_within(a, var, n, ORDER_LT)
#define GE_DIFF(p, q) proves_difference(a, p, q, ORDER_GE)
#define LE_DIFF(p, q) proves_difference(a, p, q, ORDER_LE)
#define FLOORMOD(p, q) (can_divide(p, q) ? floor_mod(p, q) : (p))
  switch (rule->line) {
#define RULE(op, from, to, cond) \
  case __LINE__:                 \
    return cond;
#include "arith/rules.def"
#undef RULE
    default: return false;
  }
}

/* ---- building ---- */

static Expr *build(Analyzer *a, const Pattern *p, const Match *m, DType number);

/* A number takes the type of what it stands beside. */
static Expr *build_binary(Analyzer *a, const Pattern *p, const Match *m, DType number) {
  Expr *lhs, *rhs;
  if (p->a->kind == PAT_NUMBER && p->b->kind != PAT_NUMBER) {
    rhs = build(a, p->b, m, number);
    lhs = rhs ? build(a, p->a, m, scalar_dtype(rhs)) : NULL;
  } else {
    lhs = build(a, p->a, m, number);
    rhs = lhs ? build(a, p->b, m, p->b->kind == PAT_NUMBER ? scalar_dtype(lhs) : number) : NULL;
  }
  if (!lhs || !rhs) return NULL;
  Expr *folded = fold_binary(a->ir, p->op, lhs, rhs);
  return folded ? folded : make_binary(a->ir, p->op, lhs, rhs, NO_SPAN);
}

/* NULL if the operands do not go together. */
static Expr *build(Analyzer *a, const Pattern *p, const Match *m, DType number) {
  switch (p->kind) {
    case PAT_ANY:
    case PAT_CONST: return m->bound[p->slot];
    case PAT_NUMBER: return expr_int(a->ir, p->value, number, NO_SPAN);
    case PAT_BOOL: return expr_bool(a->ir, p->value != 0, NO_SPAN);
    case PAT_UNARY: {
      Expr *x = build(a, p->a, m, number);
      if (!x) return NULL;
      Expr *folded = fold_unary(a->ir, p->op, x);
      return folded ? folded : make_unary(a->ir, p->op, x, NO_SPAN);
    }
    case PAT_BINARY: return build_binary(a, p, m, number);
  }
  return NULL;
}

static Expr *apply(Analyzer *a, const Rule *rule, Expr *e) {
  for (unsigned flipped = 0; flipped < 1u << rule->flips; flipped++) {
    Match m = {.flipped = flipped};
    if (!matches(rule->from, e, &m) || !condition_holds(a, rule, &m)) continue;
    Expr *result = build(a, rule->to, &m, scalar_dtype(e));
    if (result) return result;
  }
  return NULL;
}

Expr *rules_apply(Analyzer *a, Expr *e) {
  bool binary = expr_is_binary(e);
  uint64_t rhs = binary ? UINT64_C(1) << e->u.bin.rhs->kind : UINT64_MAX;
  ExprKind lhs = (binary ? e->u.bin.lhs : e->u.operand)->kind;
  for (const RuleLink *link = a->rules.rules_for[e->kind][lhs].first; link; link = link->next) {
    if (!(link->rule->rhs & rhs)) continue;
    Expr *result = apply(a, link->rule, e);
    if (result) return result;
  }
  return NULL;
}
