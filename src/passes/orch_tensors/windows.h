/* windows.h -- rule 5 of OptimizeOrchTensors: parameters narrowed to the boxes that a kernel touches. */
#ifndef PYPTOC_PASSES_ORCH_TENSORS_WINDOWS_H
#define PYPTOC_PASSES_ORCH_TENSORS_WINDOWS_H

#include "arith/analyzer.h"
#include "base/map.h"
#include "ir/op.h"

/* A box: so many elements from there on, one expression of each per dimension. */
typedef struct Window {
  Expr *const *shape, *const *at;
  int rank; /* -1: the two differ in length, so it is the window of nothing */
} Window;

/* An output that is narrowed. */
typedef struct OutWindow {
  int param, position; /* the parameter, and where it is returned */
  Window *pieces;      /* one, or one for each iteration of the loop */
  int npieces;
  bool whole; /* one loop writes all of the parameter */
} OutWindow;

typedef struct InWindow {
  int param;
  Window window;
} InWindow;

/* What of a kernel's parameters is narrowed. */
typedef struct WindowPlan {
  const Function *kernel;
  int loop; /* index in the body of the loop that writes the outputs; -1: none does */
  VEC(OutWindow) outs;
  VEC(InWindow) ins;
  Function *narrow; /* the narrow copy */
  bool used;        /* some call uses it */
} WindowPlan;

typedef struct WindowPass {
  Ir *ir;
  Analyzer *an;
  const Program *program;
  Map plans; /* kernel's name -> WindowPlan* */
  int temps; /* variables made so far for calls in offsets */
} WindowPass;

/* The program with narrow copies of the kernels that ask for them, where calls use them. */
Program *narrow_to_windows(Ir *ir, Program *p);

/* ---- bounds.c: distances, loops, boxes ---- */

/* a - b if that is known. */
bool known_distance(WindowPass *w, Expr *a, Expr *b, int64_t *out);
/* By how much `e` grows with `var`, if it is linear in it. */
bool linear_in(const Expr *e, const Expr *var, int64_t *out);
/* How often the loop runs; also if only the distance of its bounds is known. */
bool known_trips(WindowPass *w, const Stmt *loop, int64_t *out);
/* The loop variable's value in iteration `trip`, of a loop with known trips. */
Expr *value_at_trip(WindowPass *w, const Stmt *loop, int64_t trip);
/* `e` with `var` being `value`, simplified. */
Expr *with_value(WindowPass *w, Expr *e, Expr *var, Expr *value);
/* The least and the greatest value of `e`, linear in the loop's variable, given its first and last value. */
typedef struct LoopOffsets {
  Expr *least, *most;
} LoopOffsets;
bool loop_offsets(WindowPass *w, Expr *e, const Stmt *loop, Expr *first, Expr *last,
                  LoopOffsets *out);
Expr *simplified_sum(WindowPass *w, Expr *a, Expr *b);
Expr *simplified_difference(WindowPass *w, Expr *a, Expr *b);

/* The least box around boxes; zeroed, it is around none. */
typedef struct BoundingBox {
  Expr **least, **end;
  int rank;
} BoundingBox;

/* Dimension `i` reaches from `from` to `to` at least; false if that cannot be compared with what it did. */
bool bounding_add(WindowPass *w, BoundingBox *b, int rank, int i, Expr *from, Expr *to);
/* The box's constant extent, or false. */
bool bounding_extent(WindowPass *w, const BoundingBox *b, int i, int64_t *out);
/* False if its extents are not known. */
bool bounding_window(WindowPass *w, const BoundingBox *b, Window *out);
bool window_same(const Window *a, const Window *b);
/* The whole of a tensor of that type. */
bool window_is_whole(const Window *win, const Type *tensor);
/* Do the boxes cover `bounds` exactly, each element once?  Only boxes that are contiguous in it count. */
bool windows_cover(WindowPass *w, const Window *list, size_t n, const Window *bounds);
bool windows_apart(WindowPass *w, const Window *a, const Window *b);
/* Constant positive extents? */
bool window_is_constant(const Window *win);
/* INDEX constants 0, `n` of them. */
Expr **zero_offsets(Ir *ir, int n);

/* ---- accesses.c: what a kernel does with a tensor ---- */

/* An operator that touches a box of a tensor: its arguments, or -1. */
typedef struct Access {
  Expr *tensor;
  int tensor_arg, offset_arg;
  bool write;
  Window window; /* as the kernel writes it */
} Access;

/* Does the call touch a box of a variable? */
bool access_of(const Expr *call, Access *out);
/* Is the box just what it touches?  A load may fill its tile only partly. */
bool access_is_exact(const Expr *call);

/* Where a kernel's body mentions a tensor: it, or carried values that start as it. */
typedef struct Mentions {
  Map names; /* those variables */
  Map count; /* statement -> how often, its inner statements included */
  size_t total;
} Mentions;

void mentions_find(Mentions *m, Block body, const Expr *tensor);
void mentions_free(Mentions *m);
static inline size_t mentions_in(const Mentions *m, const Stmt *s) {
  return (size_t)map_get_int(&m->count, s);
}

/* Scalars and what they stand for, as far as that stays small. */
typedef struct Scalars {
  WindowPass *w;
  Map values; /* variable -> Expr* */
} Scalars;

Expr *scalars_expand(Scalars *s, Expr *e);
/* Notes an assignment of a scalar; `simplify`: its value is simplified. */
void scalars_note(Scalars *s, const Stmt *assign, bool simplify);

/* Does the expression mean the same to a caller: parameters (and `also`, may be NULL), and no call that
 * depends on where it runs? */
bool caller_can_compute(const Function *f, const Expr *also, const Expr *e);
bool caller_can_compute_window(const Function *f, const Window *win);

/* The type that a parameter of type `tensor` has when narrowed, or NULL.  `output`: strides may also mention
 * variables of the tensor's own type. */
const Type *window_type(Ir *ir, const Type *tensor, const Window *win, bool output);

/* ---- plans ---- */

/* What can be narrowed in kernels that ask for it; entered in w->plans. */
void plan_windows(WindowPass *w);
/* Inputs by what the whole body reads. */
void find_read_windows(WindowPass *w, WindowPlan *plan);
/* Inputs, not yet found, by what the plan's loop sweeps. */
void find_swept_windows(WindowPass *w, WindowPlan *plan);
/* The parameter's window by one store; false if it has none such. */
bool find_stored_window(WindowPass *w, const Function *f, int param, OutWindow *out);
/* Outputs that one loop writes, those written as a whole included; sets plan->loop. */
void find_looped_windows(WindowPass *w, WindowPlan *plan);

/* ---- rewriting ---- */

/* `e` with each call in it bound to a variable first. */
Expr *calls_to_temps(WindowPass *w, Expr *e, Name prefix, StmtList *out);
/* The narrow copy, or NULL. */
Function *narrow_kernel(WindowPass *w, const WindowPlan *plan);
/* The orchestration with its calls narrowed. */
Function *narrow_calls(WindowPass *w, Function *f);

#endif
