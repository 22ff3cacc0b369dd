/* tiling.h -- matrix products cut into pieces; see docs/passes/auto-tile-matmul-l0.md. */
#ifndef PYPTOC_PASSES_L0_TILING_TILING_H
#define PYPTOC_PASSES_L0_TILING_TILING_H

#include "ir/ir.h"
#include "passes/l0_tiling/choose.h"
#include "target/options.h"

/* A product that must be cut. */
typedef struct Product {
  Ir *ir;
  const Stmt *s; /* assigns it */
  Expr *left, *right;
  Expr *acc;  /* tile.matmul_acc: what it adds to; else NULL */
  Expr *bias; /* tile.matmul_bias; else NULL */
  const Expr *
      bias_load; /* the load of the bias, to be repeated for some columns of it; NULL: they cannot be cut */
  bool left_in_vec; /* the left operand goes through Mat first */
  int64_t M, N, K;
  Expr *valid_m, *valid_n; /* of the result */
  int64_t box_m, box_n;    /* of the operands' layouts, if they were asked for */
  bool advise;             /* why the product stays as it is, is worth a hint */
  L0Tiling t;
} Product;

/* Is the bias loaded anew for the columns of every piece? */
static inline bool product_cuts_bias(const Product *p) { return p->bias && p->t.n != p->N; }
static inline bool product_in_grid(const Product *p) { return p->t.m != p->M || p->t.n != p->N; }

typedef enum { PRODUCT_FINE, PRODUCT_CUT, PRODUCT_WRONG } ProductState;

/* Which tilings count. */
typedef enum {
  ANALYZE_ALL, /* and only here hints are given */
  ANALYZE_OUTPUT_HELD,
  ANALYZE_AUTHOR_LOOP, /* the output is held, and pieces occupy whole boxes of the operands */
} AnalyzeMode;

/* Says why the product stays as it is, if its author can do something about it: a hint with that code. */
void product_hint(const Product *p, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Is this a load of one whole row at two offsets into Mat, so that parts of it can be loaded in the same way? */
bool is_row_load(const Expr *call);

/* Does it assign a product that this pass may cut? */
bool stmt_is_product(const Stmt *s);

/* Must the product that `s` assigns be cut, and how?  `bias_load`: the load that its bias
 * can be had from once more, or NULL.  PRODUCT_WRONG after an error. */
ProductState product_analyze(Ir *ir, const CompileOptions *opts, const Stmt *s, AnalyzeMode mode,
                             const Expr *bias_load, Product *p);

/* Where the pieces of a result go. */
typedef struct Place {
  bool in_scratch;        /* into a tile in Mat, else to the tensor */
  Expr *target;           /* the tensor; in_scratch: set by place_begin */
  Expr *row, *col;        /* tensor: offsets of the whole */
  AttrList kwargs, attrs; /* tensor: of the store */
  DType dtype;            /* scratch */
  int64_t rows, cols;     /* scratch */
  Name base;              /* of the names of its versions */
  Span at;
} Place;

/* Creates the scratch tile if there is one; gives what the pieces are put into, NULL after an error. */
Expr *place_begin(Ir *ir, const Place *p, StmtList *out);

/* A piece of a result, its offset in the whole, and its number, which names the version that has it. */
typedef struct Patch {
  Expr *value; /* NULL after an error */
  Expr *row, *col;
  int step;
} Patch;

/* Puts a piece into `whole`; gives the next version of it, NULL after an error. */
Expr *place_put(Ir *ir, const Place *p, Patch patch, Expr *whole, StmtList *out);

/* The sum of two offsets. */
Expr *add_offset(Ir *ir, Expr *base, Expr *delta, Span at);

/* A tile in Acc for a sum to begin with; its contents are never read. */
typedef struct AccTile {
  Name name;
  DType dtype;
  int64_t extent[2]; /* rows and columns */
  Expr *valid_rows, *valid_cols;
  Span at;
} AccTile;

/* Creates the tile; gives its variable, NULL after an error. */
Expr *acc_begin(Ir *ir, const AccTile *a, StmtList *out);

/* The product as a loop over K; gives the result.  NULL after an error. */
Expr *product_loop(const Product *p, StmtList *out);
/* The product as a grid of pieces; gives the whole.  NULL after an error. */
Expr *product_grid(const Product *p, const Place *place, StmtList *out);

#endif
