/* op.h -- the operator table: everything the compiler knows of an operator stands in its row.
 *
 * Rows live in ops/FAMILY.def, one OP(...) each, with designated initialisers:
 *
 *   OP(TILE_ADD, "tile.add",
 *      .args = "lhs:tile rhs:tile", .deduce = deduce_tile_binary,
 *      .in_mem = "Vec Vec", .out_mem = "Vec", .affinity = AFFINITY_VECTOR)
 *
 * At least one field must stand; one left out has its zero meaning.  The strings are read once per
 * Ir, by ops_init.
 */
#ifndef PYPTOC_IR_OP_H
#define PYPTOC_IR_OP_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum OpId {
  OP_NONE,
#define OP(id, ...) OP_##id,
#include "ir/ops/all.def"
#undef OP
  OP_COUNT
} OpId;

typedef enum OpFamily {
  FAMILY_TENSOR,
  FAMILY_TILE,
  FAMILY_ARRAY,
  FAMILY_SYSTEM,
  FAMILY_PREFETCH,
  FAMILY_PLD,
  FAMILY_BUILTIN,
  FAMILY_BUFFER,
  FAMILY_REG,
} OpFamily;

/* Which core runs it. */
typedef enum {
  AFFINITY_AUTO,
  AFFINITY_CUBE,
  AFFINITY_VECTOR,
  AFFINITY_SHARED,
  AFFINITY_MIXED
} OpAffinity;
/* What happens to an argument's memory. */
typedef enum { EFFECT_READ, EFFECT_WRITE, EFFECT_READ_WRITE, EFFECT_NONE } OpEffect;
typedef enum { CHANNEL_NONE, CHANNEL_DMA, CHANNEL_SCALAR } OpChannel;
typedef enum { CROSS_NONE, CROSS_PUSH, CROSS_POP, CROSS_FREE, CROSS_INIT_PIPE } OpCrossRole;
/* Does running it touch memory beyond what its arguments say? */
typedef enum { ACCESS_UNKNOWN, ACCESS_FUNCTIONAL, ACCESS_NONE } OpAccess;

/* How a call is written where it is not just operands, then keywords; see docs/printing.md. */
typedef enum OpPrint {
  PRINT_CALL,
  PRINT_ADDS,        /* another name, print_as, when the second operand is a constant */
  PRINT_REINTERPRET, /* dtype= before the shape, which becomes shape= */
  PRINT_FULL,        /* dtype= before the value, which becomes value= and loses its type */
  PRINT_SYNCALL,     /* the soft form has keywords only */
  PRINT_GATHER_ROW,  /* the sixth operand is valid_shape= */
  PRINT_MGATHER,     /* operands after the second are scratch= and valid_shape= */
  PRINT_ALLOC,       /* the first operand is a memory space */
  PRINT_TASK_DUMMY,  /* deps=[...] from its attributes */
  PRINT_NO_NAME,     /* without name=, which is that of the variable assigned */
  PRINT_NO_SPLIT,    /* without split= inside pl.split_aiv, which says the same */
  PRINT_REMOTE_LOAD, /* another name, print_as, with allow_physical_tail_padding=True */
} OpPrint;

enum OpFlags {
  OPF_NOT_INPLACE = 1 << 0,   /* the output must not share a buffer with any input */
  OPF_NO_DUPLICATE = 1 << 1,  /* running it twice is not the same as once */
  OPF_INTERNAL = 1 << 2,      /* not written by people */
  OPF_NO_MEMORY = 1 << 3,     /* no rule about memory spaces */
  OPF_NO_ARG_WRITES = 1 << 4, /* surely writes none of its arguments */
  OPF_A5_ONLY = 1 << 5,       /* ascend950 only */
  OPF_WRITTEN = 1 << 6,       /* a name only: its bind function picks the operator that is meant */
};

/* A call on its way: arguments in the operator's order. */
typedef struct OpCall {
  Ir *ir;
  const Op *op;
  Expr **args;
  int nargs;
  AttrList kwargs;
  Span span;
} OpCall;

/* The result type, or NULL after op_error. */
typedef const Type *(*OpDeduce)(OpCall *c);

/* Is `type` possible for this call?  For operators whose result's type is written, not deduced; false after
 * op_error. */
typedef bool (*OpCheckType)(OpCall *c, const Type *type);

/* A call as written: positional and keyword values before they become arguments.
 *   a list or tuple literal         ATTR_LIST of such values, in either position
 *   positional number               ATTR_EXPR, a constant: INDEX for an integer, FP32 for a float
 *   keyword number, bool, text      ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STR; -1 is a number, too
 *   keyword None                    ATTR_NONE; a positional None is a call of system.task_invalid
 *   element type, enumeration       ATTR_DTYPE, ATTR_ENUM, in either position; math.inf: ATTR_FLOAT
 *   a module constant               as if its value stood there
 *   anything else                   ATTR_EXPR */
typedef struct Written {
  Ir *ir;
  const Op *op;
  /* Values by position: expressions, lists, element types, enumerations, ...  A bare number may be an
   * ATTR_INT or the INDEX (FP32) constant that it stands for. */
  AttrValue *pos;
  int npos;
  /* Values by keyword; bare numbers are ATTR_INT and ATTR_FLOAT.  None is ATTR_NONE: not given. */
  AttrList kw;
  Span span;
  /* Set by op_resolve_short: */
  Name short_name;      /* the parameters are those of this short name; NULL: the operator's own */
  ExprKind scalar_form; /* no operator, but arithmetic on the values, which are scalars; 0: none */
  const Type *result;   /* set by a bind function: the result type that the call itself writes */
} Written;

/* Turns a written call into arguments and kwargs in *c where the generic rule is not enough; false
 * after op_error. */
typedef bool (*OpBind)(Written *w, OpCall *c);
/* Effect on argument `i` where it depends on the call. */
typedef OpEffect (*OpEffectFn)(const Expr *call, int i);

/* One operand or keyword of a row, read from .args, .kwargs or .written. */
typedef struct OpParam {
  Name name;
  Name
      kind; /* what stands behind the colon: "tile", "tensor", "index", "list", "dtype", "mem", ... */
  Name dflt;     /* what stands behind "=", as text; NULL if none */
  bool optional; /* "?", or a default */
  bool elide;    /* "?=": a keyword that is not kept when it has its default value */
  bool variadic; /* "*" */
  uint8_t code;  /* kind as a number, see ops/bind.h */
  /* Operands of operators: */
  uint32_t spaces;      /* allowed spaces, a bit set of 1 << MEM_*; 0: no rule */
  MemSpace space;       /* the preferred one, named first; MEM_NONE: no rule */
  OpEffect effect;      /* on its memory, where no effect_fn says otherwise */
  OpEffect meta_effect; /* on a buffer's valid extents */
} OpParam;

/* Where a result tile goes that the deduction left open. */
typedef enum OpPlaceKind {
  PLACE_NONE,       /* the row does not say */
  PLACE_SPACE,      /* into one space */
  PLACE_FIRST_TILE, /* beside the first tile argument that has a space */
  PLACE_KEYWORD,    /* where a keyword says, else into the default, else as PLACE_FIRST_TILE */
} OpPlaceKind;

typedef struct OpPlace {
  OpPlaceKind kind;
  MemSpace space; /* the one, or the keyword's default; MEM_NONE: no default */
  Name keyword;
} OpPlace;

struct Op {
  OpId id;
  Name name; /* "tile.add" */
  OpFamily family;
  /* Operands in order, "name:kind" with "?" for optional and "*" for any number:
   * "tensor:tensor offsets:list shapes:list valid_shape:list?" */
  const char *args;
  /* Keywords kept on the call, in the order they are kept and printed: "name:kind" (must be given),
   * "name:kind?" (kept if given), "name:kind=default" (always kept), "name:kind?=default" (kept if
   * not the default). */
  const char *kwargs;
  /* Parameters as people write them, in Python's order, where that differs from args then kwargs; a
   * "*" alone begins those that are given by keyword only. */
  const char *written;
  const char *also; /* other names people write it by, without the family: "arange" */
  OpId
      scalar_form; /* the operator meant where the second argument is a scalar: tile.add, tile.adds */
  const char *doc; /* one line for --list-ops and docs/operators.md */
  OpDeduce deduce;
  OpCheckType check_type; /* instead of deduce */
  OpBind bind;
  int param;           /* for shared deduction functions: which of its variants */
  const char *effects; /* one of r, w, rw, - (no memory) per argument; missing ones are r */
  const char *meta;    /* buffers: the same for their valid extents */
  OpEffectFn effect_fn;
  OpChannel channel;
  OpAccess access;
  /* Allowed space per argument: "Vec", "Left|Right", "-" for any; "" means no rule. */
  const char *in_mem;
  /* Space of a result tile that the deduction left open: "Vec"; "=" as the first tile argument that has
   * one; "kw:target_memory" by that keyword, "kw:target_memory=Vec" with a default; NULL: none. */
  const char *out_mem;
  int reuses_input;  /* 1 + index of the argument whose buffer the result is; 0: none */
  uint32_t no_alias; /* bit i: the result must not share argument i's buffer */
  uint32_t
      row_major; /* bit i: argument i must lie in rows in vector memory; ROW_MAJOR_RESULT: the result */
  OpAffinity affinity;
  OpCrossRole cross_role;
  uint32_t flags;
  const char *template_dir; /* builtin collectives */
  OpPrint print;
  const char *print_as;

  /* Read from the strings above by op_read_row. */
  OpParam *arg_params;   /* the operands, then the keywords */
  OpParam *kwarg_params; /* those */
  OpParam *written_params;
  int nargs, nkwargs, nwritten;
  OpPlace place;
};

/* Reads the table; called by ir_init.  A row with a fault is an internal error. */
void ops_init(Ir *ir);
/* Fills in the fields of a row that are read from its strings.  NULL, or the row's fault: a space, an effect or a
 * keyword that does not exist, or a word for an operand that is not there. */
const char *op_read_row(Ir *ir, Op *op);

const Op *op_get(const Ir *ir, OpId id);
/* By full name, "tile.add"; NULL if there is none. */
const Op *op_by_name(const Ir *ir, Name name);
/* tile.matmul and its forms, the MX ones included; not gemv, not batch_matmul. */
static inline bool op_is_matmul(const Op *op) {
  switch (op->id) {
    case OP_TILE_MATMUL:
    case OP_TILE_MATMUL_ACC:
    case OP_TILE_MATMUL_BIAS:
    case OP_TILE_MATMUL_MX:
    case OP_TILE_MATMUL_MX_ACC:
    case OP_TILE_MATMUL_MX_BIAS: return true;
    default: return false;
  }
}
static inline bool expr_is_op(const Expr *e, OpId id) {
  const Op *op = expr_op(e);
  return op && op->id == id;
}

/* A call with its type deduced and its memory space set; NULL after the error was reported.
 * `kwargs` must be complete (defaults filled in), as op_bind does. */
Expr *op_call(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs, Span span);
/* The same with defaults of missing keywords filled in, for passes that build calls. */
Expr *op_call_id(Ir *ir, OpId id, Expr *const *args, int nargs, AttrList kwargs, Span span);
/* A call of an operator that takes its type as given (check_type); NULL after the error was reported. */
Expr *op_call_typed(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs,
                    const Type *type, Span span);
/* From a written call to a typed call: matches positional and keyword values to parameters, fills in
 * defaults, converts (integers to INDEX constants, lists to tuples), deduces.  NULL after the error. */
Expr *op_bind(Written *w);
/* The operator that a short name means for these values (`pl.add` of tiles: tile.add), also put into
 * w->op for op_bind; distributed ones are asked for as "pld.rank".  NULL after the error, or silently if
 * no operator has that short name (*known false), or silently if the values are scalars
 * (w->scalar_form says which arithmetic is meant, and the caller builds it). */
const Op *op_resolve_short(Ir *ir, Name short_name, Written *w, bool *known);

/* Reads "name:kind=default ..." into the arena; for ops_init and the short names. */
OpParam *op_read_params(Ir *ir, const char *spec, int *n);
/* Enters short names and other names of operators; called by ops_init. */
void short_names_init(Ir *ir);

/* Reports against the call, naming the operator: "tile.add: ...".  Always returns NULL. */
void *op_error(const OpCall *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The keyword's value, or NULL. */
const AttrValue *op_kwarg(const OpCall *c, const char *name);

/* The operand at place `i` of the row of `id`, whose call this must be; NULL if it was left out.
 * op_operand_at is right where neither it nor one before it can be left out so that others move up,
 * op_operand_found everywhere: it matches the operands to the row's kinds.  Written are the named
 * accessors made from them, tile_store_offsets(call), in op_args.h. */
Expr *op_operand_at(const Expr *call, OpId id, int i);
Expr *op_operand_found(const Expr *call, OpId id, int i);

#define ROW_MAJOR_ARGS(n) ((1u << (n)) - 1) /* the first n */
#define ROW_MAJOR_RESULT (1u << 31)
static inline bool op_wants_row_major(const Op *op, int i) {
  return i < 31 && (op->row_major >> i & 1);
}

/* Does the call of an operator still satisfy its row: operands, and the type that they give (or that was
 * given)?  false after op_error.  A memory reference, a view or a space that a pass has added since is no
 * contradiction. */
bool op_recheck(Ir *ir, const Expr *call);

/* What a call does to its argument `i`. */
OpEffect op_arg_effect(const Expr *call, int i);
/* The same for the valid extents of buffer `i`. */
OpEffect op_arg_meta_effect(const Expr *call, int i);
/* Spaces allowed for argument `i` as a bit set of 1 << MEM_*, 0 for no rule. */
uint32_t op_arg_spaces(const Op *op, int i);
/* The preferred one of them, named first; MEM_NONE for no rule. */
MemSpace op_arg_space(const Op *op, int i);

/* ---- what a row says about the result's memory ---- */

/* The result's memory is that of the first tile argument ("=").  A transpose says so too, though its
 * data must go elsewhere. */
static inline bool op_inherits(const Op *op) { return op->place.kind == PLACE_FIRST_TILE; }
/* The space that the row or the call's keyword gives to the result; MEM_NONE where the operands decide. */
MemSpace op_result_space(const Op *op, AttrList kwargs);
/* A view: the result is argument 0's buffer seen differently. */
static inline bool op_is_view(const Op *op) {
  return op_inherits(op) && !(op->flags & OPF_NOT_INPLACE);
}
/* Index of the argument whose buffer the operator writes into and gives back, or -1. */
static inline int op_written_arg(const Op *op) { return op->reuses_input - 1; }
/* What a load can fill; the other spaces are filled from these. */
static inline bool space_takes_loads(MemSpace s) { return s == MEM_VEC || s == MEM_MAT; }
/* The result lies in an argument's buffer, one way or the other. */
static inline bool op_result_is_arg(const Op *op) { return op_is_view(op) || op->reuses_input; }

#endif
