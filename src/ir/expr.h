/* expr.h -- values: variables, constants, arithmetic, calls.
 *
 * Nodes are immutable once built.  A variable *is* its Expr node: every use
 * points to the same node, and two variables of one name are two variables.
 */
#ifndef PYPTOC_IR_EXPR_H
#define PYPTOC_IR_EXPR_H

#include "ir/type.h"

typedef struct Op Op;

typedef enum ExprKind {
  EXPR_VAR,
  EXPR_INT,
  EXPR_FLOAT,
  EXPR_BOOL,
#define BINARY(id, ...) EXPR_##id,
#define UNARY(id, ...) EXPR_##id,
#include "ir/scalar_ops.def"
#undef BINARY
#undef UNARY
  EXPR_CALL,      /* an operator (call.op) or a function of the program (call.callee) */
  EXPR_SUBMIT,    /* a task launch; the same fields and call.launch */
  EXPR_TUPLE,     /* (a, b): call shape lists, multiple results */
  EXPR_TUPLE_GET, /* t[0] of a tuple */
} ExprKind;

/* ---- attributes: keyword arguments and metadata with typed values ---- */

typedef enum AttrKind {
  ATTR_NONE, /* None */
  ATTR_BOOL,
  ATTR_INT,
  ATTR_FLOAT,
  ATTR_STR,   /* u.str */
  ATTR_DTYPE, /* u.dtype */
  ATTR_ENUM,  /* enum_id and u.i */
  ATTR_EXPR,  /* u.expr, a variable included */
  ATTR_LIST,  /* u.list: integers, directions, variables, ... */
} AttrKind;

typedef struct AttrValue AttrValue;
struct AttrValue {
  AttrKind kind;
  EnumId enum_id; /* ATTR_ENUM */
  union {
    bool b;
    int64_t i;
    double f;
    Name str;
    DType dtype;
    Expr *expr;
    struct {
      AttrValue *items;
      int len;
    } list;
  } u;
  Span span;     /* where it was written */
  bool is_tuple; /* ATTR_LIST written with parentheses */
};

typedef struct Attr {
  Name key;
  AttrValue value;
  Span span;
} Attr;

/* In the order written. */
typedef struct AttrList {
  Attr *items;
  int len;
} AttrList;

/* The value of `key`, or NULL. */
const AttrValue *attr_get(AttrList list, Name key);
bool attr_bool(AttrList list, Name key, bool otherwise);
/* Integers, enumerations, and expressions that are integer constants. */
int64_t attr_int(AttrList list, Name key, int64_t otherwise);
/* A copy of `list` with `key` set (in place, or appended) or removed. */
AttrList attr_with(Ir *ir, AttrList list, Name key, AttrValue value);
AttrList attr_without(Ir *ir, AttrList list, Name key);
bool attr_equal(const AttrValue *a, const AttrValue *b);

/* The keys that the compiler itself knows (ir/attrs.def).  No key is 0: NULL, a name that is missing,
 * cannot be taken for one. */
typedef enum AttrKey {
  KEY_NONE,
#define ATTR_KEY(id, text) KEY_##id,
#include "ir/attrs.def"
#undef ATTR_KEY
  NUM_ATTR_KEYS
} AttrKey;

/* The name of a key, the same in every Ir; NULL for KEY_NONE. */
Name key_name(AttrKey key);
/* Enters the names of all keys into the table of a new Ir. */
void attr_keys_init(Ir *ir);

/* What attr_get, attr_bool, ... do, for a key that the compiler knows. */
const AttrValue *key_get(AttrList list, AttrKey key);
bool key_bool(AttrList list, AttrKey key, bool otherwise);
int64_t key_int(AttrList list, AttrKey key, int64_t otherwise);
AttrList key_with(Ir *ir, AttrList list, AttrKey key, AttrValue value);
AttrList key_without(Ir *ir, AttrList list, AttrKey key);

AttrValue attr_of_bool(bool b);
AttrValue attr_of_int(int64_t i);
AttrValue attr_of_float(double f);
AttrValue attr_of_str(Name s);
AttrValue attr_of_dtype(DType t);
AttrValue attr_of_enum(EnumId e, int value);
AttrValue attr_of_expr(Expr *e);
AttrValue attr_of_list(AttrValue *items, int len);

/* ---- nodes ---- */

/* What a task launch has beyond a call. */
typedef struct Launch {
  Expr **deps; /* Scalar[TASK_ID] or Array[N, TASK_ID] variables */
  int ndeps;
  Expr *core_num;  /* SPMD block count; NULL: a plain single-block submit */
  Expr *predicate; /* NULL: none */
  bool sync_start;
  bool allow_early_resolve;
} Launch;

/* In memory it ends behind the fields of its kind: copied by expr_copy, never by assignment. */
struct Expr {
  ExprKind kind;
  const Type *type;
  Span span;
  union {
    struct {
      Name name;   /* as printed, before renaming for uniqueness */
      uint32_t id; /* order of creation; for deterministic orders */
      bool is_iter_arg;
      Expr *init; /* iter arg: value on entry */
    } var;
    int64_t i; /* EXPR_INT; type gives the dtype */
    double f;
    bool b;
    struct {
      Expr *lhs, *rhs;
    } bin;
    Expr *operand; /* unary; EXPR_CAST: to type->dtype */
    struct {
      const Op *op; /* NULL for a function of the program */
      Name callee;  /* NULL for an operator */
      Expr **args;
      int nargs;
      AttrList kwargs;      /* written: target_memory=..., dtype=... */
      AttrList attrs;       /* the compiler's: arg_directions, ... */
      const Launch *launch; /* EXPR_SUBMIT */
    } call;
    struct {
      Expr **elems;
      int len;
    } tuple;
    struct {
      Expr *tuple;
      int index;
    } get;
  } u;
};

static inline bool expr_is_var(const Expr *e) { return e->kind == EXPR_VAR; }
static inline bool expr_is_binary(const Expr *e) {
  return e->kind >= EXPR_ADD && e->kind <= EXPR_SHR;
}
static inline bool expr_is_unary(const Expr *e) {
  return e->kind >= EXPR_ABS && e->kind <= EXPR_CAST;
}
static inline bool expr_is_call(const Expr *e) {
  return e->kind == EXPR_CALL || e->kind == EXPR_SUBMIT;
}
/* The operator called, or NULL. */
static inline const Op *expr_op(const Expr *e) {
  return e->kind == EXPR_CALL ? e->u.call.op : NULL;
}
/* If `e` is an integer constant, stores it and returns true. */
static inline bool expr_const_int(const Expr *e, int64_t *out) {
  if (!e || e->kind != EXPR_INT) return false;
  if (out) *out = e->u.i;
  return true;
}

Expr *expr_var(Ir *ir, Name name, const Type *type, Span span);
Expr *expr_iter_arg(Ir *ir, Name name, const Type *type, Expr *init, Span span);
Expr *expr_int(Ir *ir, int64_t value, DType dtype, Span span);
Expr *expr_index(Ir *ir, int64_t value); /* an INDEX constant from nowhere */
Expr *expr_float(Ir *ir, double value, DType dtype, Span span);
Expr *expr_bool(Ir *ir, bool value, Span span);
/* Builds the node as it is asked for: no folding, no promotion (arith does the first, the parser the
 * second).  `dtype` is the result's. */
Expr *expr_binary(Ir *ir, ExprKind kind, Expr *lhs, Expr *rhs, DType dtype, Span span);
Expr *expr_unary(Ir *ir, ExprKind kind, Expr *operand, DType dtype, Span span);
Expr *expr_cast(Ir *ir, Expr *operand, DType dtype, Span span);
Expr *expr_tuple(Ir *ir, Expr *const *elems, int n, Span span);
Expr *expr_tuple_get(Ir *ir, Expr *tuple, int index, Span span);
/* A call with the type given; see op.h for calls whose type is deduced. */
Expr *expr_call_op(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs,
                   const Type *type, Span span);
Expr *expr_call_func(Ir *ir, Name callee, Expr *const *args, int nargs, AttrList kwargs,
                     AttrList attrs, const Type *type, Span span);
Expr *expr_submit(Ir *ir, Name callee, Expr *const *args, int nargs, AttrList kwargs,
                  AttrList attrs, const Launch *launch, const Type *type, Span span);
/* A shallow copy to change before anyone else sees it. */
Expr *expr_copy(Ir *ir, const Expr *e);

/* Same structure: constants by value and dtype, variables by identity, types by pointer. */
bool expr_same(const Expr *a, const Expr *b);
uint64_t expr_hash(const Expr *e);

/* The operator's symbol ("+", "min") and Python precedence (higher binds tighter; 0: a function). */
const char *scalar_op_symbol(ExprKind kind);
int scalar_op_precedence(ExprKind kind);

#endif
