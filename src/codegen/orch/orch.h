/* orch.h -- inside the orchestration code generator; see docs/codegen-orchestration.md. */
#ifndef PYPTOC_CODEGEN_ORCH_ORCH_H
#define PYPTOC_CODEGEN_ORCH_ORCH_H

#include "base/buf.h"
#include "base/map.h"
#include "codegen/base/artifacts.h"
#include "codegen/orch/result.h"
#include "ir/calls.h"
#include "ir/op.h"

/* What stands for a task id in the C++: one name, or one expression per slot of an array. */
typedef struct TaskId {
  Name *slots;
  int n;
} TaskId;

/* A C array of task ids. */
typedef struct IdArray {
  Name name;
  int64_t size;
} IdArray;

/* One item of a tuple that a statement takes apart. */
typedef struct TupleItem {
  int index;
  Expr *var;
} TupleItem;
typedef VEC(TupleItem) TupleItems;

/* An entry to forget at the end of a scope: what `map` had for `key` before. */
typedef struct Undo {
  Map *map;
  const void *key;
  void *before;
} Undo;

/* A manual scope on its way: its lines are gathered, since some must come before it. */
typedef struct ManualScope {
  struct ManualScope *outer;
  Map local;   /* names first used inside; Name -> anything */
  Buf hoisted; /* lines before the scope */
  int indent;  /* of the scope's own line */
} ManualScope;

typedef VEC(Expr *) ExprList;

typedef struct Orch {
  CodegenCtx *ctx;
  Ir *ir;
  const Program *program;
  const Function *func;
  OrchResult *result;
  bool failed;

  Buf *out;   /* where lines go */
  int indent; /* spaces */

  Map names;         /* variable -> Name */
  Map taken;         /* Name -> 1 + the last number tried behind it */
  Map param_names;   /* Name -> 1 + tensor number, or -1 for another parameter */
  Name first_tensor; /* C++ name of the first tensor parameter, or NULL */
  Map context_of;    /* Name of a distributed parameter -> Name of its context parameter */
  Map returned;      /* cache of returned_params */
  Map used;          /* variables used anywhere but in a return */
  Map read_numbers;  /* variables of the whole program on whose values something depends */
  bool readers_found;

  Map tuples;     /* tuple variable -> TupleItems*, sorted by index */
  Map mutable_in; /* Name of a tensor that is assigned again -> number of the block it lives in */
  VEC(intptr_t) blocks; /* numbers of the C++ blocks around this place */
  intptr_t next_block;
  Map hoisted_carries; /* names of carries declared before a manual scope */

  Map wanted;       /* variables whose ids derived dependencies name */
  Map wanted_bases; /* their base names */
  Map loop_bases;   /* base names of all loop results */
  VEC(const Expr *) wanted_list;
  bool wanted_declared;
  Map id_homes;    /* wanted variable -> Name of the C++ variable made for its id */
  Map lasting_ids; /* variable -> TaskId*, kept when its scope ends */
  Map lists;       /* loop result -> Name of the list that gathers its ids */
  Map list_counts; /* Name of a list -> Name of the number of ids in it */
  bool uses_vector;

  Map ids;          /* variable -> TaskId* */
  Map id_arrays;    /* variable -> IdArray* */
  Map surely_valid; /* names of ids that a submit of this block just gave */
  VEC(Undo) undo;

  ManualScope *manual;
  ExprList results;  /* where the yields at work go; NULL entries: nowhere */
  const char *slot;  /* index of the enclosing loop's iteration, or NULL */
  Map created;       /* create variables that are declared */
  Map batched;       /* statements whose create is part of a batch */
  Map create_sizes;  /* Name of a pipe buffer -> text of its size */
  Map pipe_elements; /* cache of gm_pipe_elements */
  Map kernel_ids;    /* Function -> 1 + its number */
  int tasks, allocs, barriers;
  bool keep_outs; /* the task at work has its outputs captured */

  Name key_directions, key_core_num, key_sync_start, key_early, key_dumps, key_deps, key_derived,
      key_dual;
} Orch;

/* ---- text ---- */

/* One line at the current indent. */
void orch_line(Orch *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void orch_blank(Orch *o);
/* Where lines go. */
typedef struct OrchPlace {
  Buf *out;
  int indent;
} OrchPlace;
/* Lines go there from now on; returns where they went. */
OrchPlace orch_write_at(Orch *o, OrchPlace place);
/* Text in the arena, for names and pieces of lines. */
const char *orch_text(Orch *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports an error at `at`; the generation ends with the statement. */
void orch_error(Orch *o, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- names: names.c ---- */

/* The part of a name before its first `__`. */
Name orch_base_name(Ir *ir, Name name);
/* The C++ name of a variable; its base name if it has none yet. */
Name orch_name(Orch *o, const Expr *var);
/* The same, choosing a free one at the first call. */
Name orch_define(Orch *o, const Expr *var);
/* A free name. */
Name orch_fresh(Orch *o, Name base);
/* Does C++ keep the word for itself? */
bool orch_is_reserved(Name name);
void orch_rename(Orch *o, const Expr *var, Name name);
/* How a tensor of that name is written: a parameter has `ext_` before it. */
Name orch_tensor_name(Orch *o, Name name);
/* Is the name known outside of the manual scope at work? */
bool orch_known_outside(const Orch *o, Name name);
/* From now on it is: it was declared before that scope. */
void orch_belongs_outside(Orch *o, Name name);
/* Gives names to parameters and to the variables that share their buffers. */
void orch_name_params(Orch *o);

/* ---- expressions: expr.c ---- */

/* The C++ of a scalar expression; "0" after an error. */
const char *orch_expr(Orch *o, const Expr *e);
/* A tensor operand; NULL after an error if it is no variable. */
Name orch_tensor(Orch *o, const Expr *e);
/* The C++ type of a variable: int64_t, PTO2TaskId, ChipTensor, ... */
const char *orch_type(const Type *t);
/* `e` as uint32_t: constants bare. */
const char *orch_u32(Orch *o, const Expr *e);
/* One extent of a tensor's runtime shape: FP4 counts pairs on the last axis. */
const char *orch_extent(Orch *o, const Expr *e, DType dtype, int axis, int rank);
/* The runtime's name of an element type. */
const char *orch_dtype(DType t);
/* Run-time extent of `axis` of the tensor named so. */
const char *orch_shape_dim(Orch *o, Name tensor, DType dtype, int axis, int rank);
/* The same from the text of an extent. */
const char *orch_extent_text(Orch *o, const char *dim, DType dtype, int axis, int rank);

/* ---- operators: op.c ---- */

/* Lines for a tensor or array operator whose result is `name` (NULL: none). */
void orch_op(Orch *o, const Expr *call, Name name, const Expr *var);

/* ---- created tensors: alloc.c ---- */

/* The declaration of a created tensor's shape, without the allocation. */
void orch_create_info(Orch *o, const Expr *call, Name name);
void orch_alloc(Orch *o, const Name *names, int n);
/* Allocates what a block creates; the statements done are entered in `batched`. */
void orch_alloc_batches(Orch *o, Block b);
/* An assignment of a create that is not part of a batch. */
void orch_create(Orch *o, const Expr *call, const Expr *var);

/* ---- tasks: task.c, params.c, deps.c, orch_result.c ---- */

typedef struct TaskParam {
  ArgDir dir;
  const char *value;
  bool dump;
} TaskParam;
typedef VEC(TaskParam) TaskParams;

/* Submits a call of a program function; `keep` captures its outputs even if it is no submit. */
void orch_submit(Orch *o, const Expr *call, bool keep);
/* Arguments of a direct call, tensors before scalars. */
bool orch_call_params(Orch *o, const Expr *call, const Function *callee, TaskParams *out);
/* Arguments of the kernel inside a wrapper; `bridge` is the call between spmd and group, or NULL.
 */
typedef struct WrapperRoute {
  const Function *wrapper; /* whose body has `inner` */
  const Expr *inner;       /* the kernel's call */
  const Function *outer;   /* spmd function around the group, or NULL */
  const Expr *bridge;      /* the group's call in it */
} WrapperRoute;
bool orch_wrapper_params(Orch *o, const Expr *call, const WrapperRoute *route, TaskParams *out);
/* The block count of a launch, NULL if it has none: the call's, else the launched function's.
 * `sync` (may be NULL) gets whether all blocks start together. */
Expr *orch_block_count(Orch *o, const Expr *call, const Function *launched, bool *sync);
const char *orch_block_count_text(Orch *o, const Expr *count);
/* Trailing context parameters of a kernel. */
int orch_context_params(const Function *f);
/* `params_x_deps` and set_dependencies; returns how many can be there at most. */
int orch_deps(Orch *o, const Expr *call, const char *task);
/* The array `task_deps` of those ids that are valid, and the call that hands it over. */
void orch_dep_array(Orch *o, const Name *ids, int n, const char *task);
void orch_dummy_task(Orch *o, const Expr *call, const Expr *var, Name name);
/* The condition of a launch that has one, as the argument of task `task`: predicate.c. */
void orch_predicate(Orch *o, const Expr *call, const char *task);
/* Result `pos` of a call is the number `var`: computed from the call's arguments, or 0 where nobody reads
 * it; else an error. */
void orch_bind_number(Orch *o, const Expr *call, const Expr *var, int pos);
/* Names for what a call gave, after its task was submitted as number `task`. */
void orch_bind_results(Orch *o, const Expr *call, const Expr *var, Name name, int task);

void orch_bind_id(Orch *o, const Expr *var, Name name);
void orch_bind_array(Orch *o, const Expr *var, Name name, int64_t size);
const TaskId *orch_id_of(const Orch *o, const Expr *var);
const IdArray *orch_array_of(const Orch *o, const Expr *var);
/* Forgets what was bound since `mark` (an undo length). */
void orch_forget(Orch *o, size_t mark);
void orch_set(Orch *o, Map *map, const void *key, void *value);

/* ---- derived dependencies: derived.c ---- */

typedef struct LoopText {
  const char *start, *stop, *step;
} LoopText;

/* Notes what derived dependencies anywhere in the program name. */
void orch_collect_derived(Orch *o);
/* Does one of them name this variable, or another version of it? */
bool orch_id_wanted(const Orch *o, const Expr *var);
/* At the start of each scope; only the first does anything. */
void orch_declare_wanted(Orch *o);
/* Submits a call and keeps its id where it is wanted; `var` may be NULL. */
void orch_submit_wanted(Orch *o, const Expr *call, const Expr *var, Name name);
/* Barriers before a loop whose tasks wait for many ids. */
void orch_loop_barriers(Orch *o, const Stmt *loop);
/* A list of ids for a parallel loop of unknown length, what a yield adds, and the barrier after it.
 */
Name orch_declare_list(Orch *o, const LoopText *l, int per_trip);
void orch_yield_to_list(Orch *o, const Stmt *yield, int i);
void orch_list_barrier(Orch *o, Name list, const Expr *const *results, int n);

/* ---- statements: stmt.c, loop.c ---- */

void orch_block(Orch *o, Block b);
void orch_for(Orch *o, const Stmt *s);
void orch_while(Orch *o, const Stmt *s);
void orch_yield(Orch *o, const Stmt *s);
void orch_enter_block(Orch *o);
void orch_leave_block(Orch *o);
/* A tensor variable that a loop or branch assigns.  Directly inside a manual scope it is declared
 * before the scope, since tasks after the scope may read it. */
void orch_declare_mutable(Orch *o, Name name, const char *init);
/* Is this the body of a manual scope itself, not of a loop or branch in it? */
bool orch_at_manual_body(const Orch *o);
void orch_mark_mutable(Orch *o, Name name);
bool orch_is_mutable(const Orch *o, Name name);

#endif
