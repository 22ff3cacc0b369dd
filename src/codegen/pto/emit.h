/* emit.h -- state and helpers shared by the files of PTO code generation; not for others.
 *
 * SSA values and texts of types are Names: "%x", "!pto.tile_buf<...>".  NULL stands for "none".
 */
#ifndef PYPTOC_CODEGEN_PTO_EMIT_H
#define PYPTOC_CODEGEN_PTO_EMIT_H

#include "base/map.h"
#include "base/vec.h"
#include "codegen/base/artifacts.h"
#include "ir/op.h"
#include "ir/print.h"
#include "ir/view.h"
#include "ir/visit.h"

/* A window of a tile that has not been copied out: what a slice leaves behind. */
typedef struct PtoWindow {
  Name source, source_type;
  Name row, col;            /* offsets */
  Name target, target_type; /* the buffer it goes to when an instruction cannot read a window */
  MemSpace space;
  int64_t source_cols; /* 0: not constant */
  int64_t rows, cols;
  bool const_offset;
  bool copied; /* `target` holds the data now */
  int align32; /* byte offset modulo 32; -1 unknown */
} PtoWindow;

/* What is known of an SSA value. */
typedef struct PtoValue {
  Name tile_type; /* the type it was defined with */
  Name base_ptr;  /* of a tensor view: the pointer it was made from */
  PtoWindow *window;
  bool is_view;  /* made by subview or treshape: the valid shape is part of the type */
  bool declared; /* an alloc_tile stands somewhere */
} PtoValue;

/* What is known of a variable of the function at work. */
typedef struct PtoVar {
  Name value;
  Name view;      /* tensor: its view */
  Name base_ptr;  /* tensor: the pointer under the view */
  Name ctx;       /* distributed tensor: its communication context */
  bool allocated; /* the alloc_tile of this variable was dealt with */
  bool
      apart; /* result of a branch without addresses: no other name of the same memory has its handle */
  bool producer; /* defined by an operator that writes a buffer, a loop or a branch */
  uint32_t def;  /* number of the statement that defines it; 0: not in the body */
  Expr **parts;  /* tuple: the variables its elements are assigned to, or NULL each */
} PtoVar;

/* A handle that must be declared before the body. */
typedef struct PtoHeadTile {
  Name value, type, addr, row, col;
} PtoHeadTile;

/* An allocation of several slots under a planner that leaves placement to ptoas. */
typedef struct PtoRegion {
  Expr *base;
  Name value, type, slot_type, row, col;
} PtoRegion;

/* Variables that share allocation, offset and size share one handle when no addresses are printed.
 */
typedef struct PtoIdentity {
  const Expr *base, *offset;
  int64_t offset_value;
  uint64_t size;
  Name value, type;
  bool mixed; /* their tile types differ */
  struct PtoIdentity *next;
} PtoIdentity;

/* Numbers of the statements inside an `if`'s branches: first of then, first of else, one past. */
typedef struct PtoRange {
  uint32_t begin, middle, end;
} PtoRange;

typedef struct PtoPipe {
  int64_t id, dir;
  int64_t slot_size, slots;
  int64_t offset; /* bytes from the start of the pipe buffer */
} PtoPipe;

/* One file to write. */
typedef struct PtoUnit {
  Name name;
  bool is_group;
  Function **funcs; /* sorted by name */
  int nfuncs;
} PtoUnit;

typedef struct PtoModule {
  Ir *ir;
  const Target *target;
  bool addresses;   /* the planner has placed the buffers: print where */
  const char *path; /* escaped, for locations; NULL: without */
  Buf *out;
  Map tile_types; /* const Type* -> Name */
  Name type_names[DT_COUNT];
  VEC(PtoPipe) pipes;
  Name gm_pipe_name;
  bool deferred; /* some function registers deferred completion */
} PtoModule;

/* Hidden parameters that the body needs. */
typedef struct PtoNeeds {
  bool sdma, deferred, block, subblock;
} PtoNeeds;

typedef struct PtoFn {
  PtoModule *m;
  Ir *ir;
  const Function *func;
  Buf body, consts, head;
  Buf *out; /* one of the three */
  int indent;
  Span loc;

  Map vars;    /* Expr* -> PtoVar* */
  Map values;  /* Name -> PtoValue* */
  Map used;    /* Name, "%x" */
  Map by_name; /* Name of a variable -> its first value, for variables that stand for one another */
  Map const_names[DT_COUNT]; /* integer -> Name */
  Map float_names[DT_COUNT]; /* bits -> Name */
  int nconsts;
  int next_temp;

  VEC(Expr *) tile_vars; /* with an allocation, in order of assignment */
  VEC(PtoHeadTile) head_tiles;
  VEC(PtoRegion) regions;
  Map region_of;  /* base -> index + 1 */
  Map identities; /* hash -> PtoIdentity list */
  Map ranges;     /* Stmt* (if) -> PtoRange* */
  Map ffts;       /* parameters that are FFTS workspaces */
  PtoNeeds needs;
  bool dual_vector;

  Name raw_args, sdma_arg, block_idx_arg, block_num_arg, subblock_arg;
  Name pipe_buffer; /* parameter %argN, or NULL */
  Map pipe_regions; /* index of pipe + 1 -> Name */

  /* The statement at work. */
  Expr *res_var;
  Name res;
  const Type *res_tile; /* type of res_var if it is a tile */
  Name expr_value;      /* set by calls that stand inside expressions */
  VEC(Name) yields;
} PtoFn;

typedef struct PtoOp PtoOp;
typedef void (*PtoForm)(PtoFn *f, const PtoOp *op, Expr *call);

/* One row of ops.def. */
struct PtoOp {
  PtoForm form; /* NULL: not an operator of kernels */
  const char *inst;
  int min, max;     /* operands; max 0: as min */
  int param;        /* meaning depends on the form */
  const char *word; /* the same */
  bool in_place;    /* a result in the same allocation as operand 0 is written into its handle */
};

/* ---- module.c ---- */

/* Writes a module; false after errors. */
bool pto_write_unit(CodegenCtx *ctx, const PtoUnit *unit, Buf *out);
/* make_tensor_view of a tensor's memory at `ptr`, as shape, strides and layout of the type say.
 * value NULL: a new number.  hint: names of products, NULL: numbers.  peer: another card's memory.
 * Gives the value. */
Name pto_print_view(PtoFn *f, Name value, Name ptr, const Type *t, const char *hint, bool peer);
void pto_print_view_line(PtoFn *f, Name value, Name ptr, const Name *shape, const Name *stride,
                         int rank, TensorLayout layout, Name type);

/* ---- text.c: types, lines, values ---- */

void pto_line(PtoFn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same without location: lines that open or close a region. */
void pto_region_line(PtoFn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Name pto_name(PtoFn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Errors name the place at work when `at` is nowhere. */
void pto_error(PtoFn *f, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* "f32"; reports types that kernels of the target cannot hold. */
Name pto_dtype(PtoFn *f, DType t);
const char *pto_space(MemSpace s);
const char *pto_layout(TensorLayout l);
/* "!pto.tensor_view<?x?xf32>" */
Name pto_view_type(PtoFn *f, const Type *tensor);
/* "!pto.partition_tensor_view<8x?xf32>" */
Name pto_partition_type(PtoFn *f, Expr *const *dims, int n, DType t);
Name pto_array_type(PtoFn *f, const Type *array);

/* What a tile type prints. */
typedef struct PtoTileText {
  MemSpace space;
  DType dtype;
  int64_t rows, cols;
  int64_t vrow, vcol;
  bool vrow_dynamic, vcol_dynamic;
  TileLayout blayout, slayout;
  uint32_t fractal;
  PadValue pad;
  CompactMode compact;
} PtoTileText;
PtoTileText pto_tile_text(PtoFn *f, const Type *tile);
Name pto_tile_text_type(PtoFn *f, const PtoTileText *t);
/* With `v_row=?, v_col=?`, as alloc_tile has it. */
Name pto_tile_type(PtoFn *f, const Type *tile);
/* With the valid extents where they are constant, as views without operands have it. */
Name pto_tile_view_type(PtoFn *f, const Type *tile);
/* FP4 in Vec counts bytes: is dimension `dim` (0 rows, 1 columns) the packed one? */
bool pto_packed_dim(const TileView *v, const Type *tile, int dim);

/* A new value: the name if it is free, else a number. */
Name pto_new(PtoFn *f);
Name pto_new_named(PtoFn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Name pto_const(PtoFn *f, int64_t value, DType t);
Name pto_const_float(PtoFn *f, double value, DType t);
static inline Name pto_const_index(PtoFn *f, int64_t v) { return pto_const(f, v, DT_INDEX); }

PtoVar *pto_var(PtoFn *f, const Expr *var);      /* made if new */
PtoValue *pto_value_info(PtoFn *f, Name value);  /* made if new */
PtoValue *pto_value_known(PtoFn *f, Name value); /* NULL if nothing is known */
void pto_bind(PtoFn *f, const Expr *var, Name value);
/* The value of a variable, or NULL. */
Name pto_lookup(PtoFn *f, const Expr *var);
/* The same, but reports a variable that has none; never NULL. */
Name pto_var_value(PtoFn *f, const Expr *var);
/* A tensor's view, or NULL; through carried values to the tensor they start from. */
Name pto_find_view(PtoFn *f, const Expr *tensor);
Name pto_tensor_view(PtoFn *f, const Expr *tensor); /* reports a tensor that has none */
Name pto_base_ptr(PtoFn *f, const Expr *tensor);
Name pto_ctx(PtoFn *f, const Expr *tensor); /* or NULL */
/* `var` becomes another name of `tensor`, seen through `view`. */
void pto_alias_tensor(PtoFn *f, const Expr *var, const Expr *tensor, Name view);

/* ---- scalar.c ---- */

/* Writes what computes `e` and gives its value. */
Name pto_value(PtoFn *f, Expr *e);
/* The type printed for `e` at its use, or NULL (tensors). */
Name pto_type_of(PtoFn *f, const Expr *e);
/* Values of type index.  to_index: a variable's cast is named after it; index_operand: it is
 * numbered, and literals become index constants. */
Name pto_to_index(PtoFn *f, Expr *e, Name value);
Name pto_index_operand(PtoFn *f, Expr *e);
/* A dimension: literals become index constants, others go through pto_to_index. */
Name pto_dim(PtoFn *f, Expr *e);
Name pto_to_i32(PtoFn *f, Expr *e, Name value);
/* "a, b, c" into `out`. */
void pto_join(Buf *out, const Name *names, int n);
void pto_dims(PtoFn *f, Expr *const *dims, int n, Name *out);
/* Offsets of partitions, kept from going negative. */
void pto_offsets(PtoFn *f, Expr *const *offsets, int n, Name *out);
/* Element number of `indices` in a row-major container. */
Name pto_flat_offset(PtoFn *f, Expr *const *indices, int n, Expr *const *shape, int rank);

/* ---- tile.c: handles of tiles ---- */

typedef struct PtoAlloc {
  Name type, addr, row, col;
} PtoAlloc;
/* What alloc_tile says of a tile; `full`: the whole box is valid. */
PtoAlloc pto_alloc_of(PtoFn *f, const Type *tile, bool full);
void pto_name_tiles(PtoFn *f);
void pto_alloc_var(PtoFn *f, Expr *var);
/* A handle declared at the head. */
Name pto_head_tile(PtoFn *f, const char *hint, const PtoAlloc *a);
void pto_declare_at_head(PtoFn *f, Name value, const PtoAlloc *a);
/* The shared handle of a buffer, or NULL. */
Name pto_shared_handle(PtoFn *f, const Type *tile);
/* Does the assignment write into the handle of its call's operand 0? */
bool pto_writes_in_place(PtoFn *f, const Stmt *assign);
void pto_plan_regions(PtoFn *f);
void pto_print_head_tiles(PtoFn *f);
/* Reports whether the two places can overlap. */
bool pto_may_overlap(const Type *a, const Type *b);

/* ---- flow.c ---- */

void pto_block(PtoFn *f, Block b);

/* ---- ops.c ---- */

/* The row of the operator on this target, or NULL. */
const PtoOp *pto_op_of(PtoFn *f, const Expr *call);
void pto_call(PtoFn *f, Expr *call);
int64_t pto_kwarg_int(PtoFn *f, const Expr *call, const char *key, int64_t otherwise);
bool pto_kwarg_bool(PtoFn *f, const Expr *call, const char *key, bool otherwise);
/* NULL if missing. */
const char *pto_kwarg_str(PtoFn *f, const Expr *call, const char *key);
bool pto_has_kwarg(PtoFn *f, const Expr *call, const char *key);

/* One operand of an instruction. */
typedef struct PtoArg {
  Name value, type;
} PtoArg;
PtoArg pto_arg(PtoFn *f, Expr *e);
/* inst ins(a, b[inner] : ta, tb) outs(result : type)[outer] */
void pto_ins_outs(PtoFn *f, const char *inst, const PtoArg *args, int n, const char *inner,
                  const char *outer);
/* The type of the statement's result. */
Name pto_res_type(PtoFn *f);
/* Writes a partition of a view and gives its value. */
Name pto_partition(PtoFn *f, const char *hint, Name view, Name view_type, Name type,
                   const Name *offsets, const Name *sizes, int n);
/* A tuple operand's elements; reports anything else. */
Expr **pto_tuple(PtoFn *f, const Expr *call, int arg, int *n);

#endif
