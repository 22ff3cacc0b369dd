/* build.h -- from the syntax tree to typed IR: what the files build_*.c share.
 *
 * A function that gives NULL or false has reported the error.  The first error
 * ends the function it stands in; the next function of the program is read all
 * the same, so one run reports at most one error for each.
 */
#ifndef PYPTOC_PARSER_BUILD_H
#define PYPTOC_PARSER_BUILD_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "ir/op.h"
#include "parser/annotation.h"
#include "parser/syntax.h"

/* Names with a meaning to the language, interned once: X(field), X2(field, text). */
/* clang-format off */
#define BUILD_NAMES(X, X2) \
  X(pl) X(pld) X(self) X(math) X(inf) X(function) X(program) X(jit) X(type) X(level) X(role) \
  X(attrs) X(auto_scope) X(external_source) X(strict_ssa) X(func_attr) X(yield_) X(cond) \
  X(submit) X(spmd_submit) X(range) X(parallel) X(unroll) X(pipeline) X(while_) X(spmd) \
  X(split_aiv) X(init_values) X(stage) X(mode) X(at) X(cluster) X(scope) X(manual_scope) \
  X(reg_scope) X(optimizations) X(deps) X(no_dep_args) X(dumps) X(name_hint) X(windowize) \
  X(allow_early_resolve) X(core_num) X(sync_start) X(predicate) X(device) X(split) \
  X(cross_core_slot) X(slot_num) X(adir) X(no_dep) X(static_print) X(static_assert) X(dump_tag) \
  X(dynamic) X(get_byte) X(tensor) X(tile) X(system) X(array) X(prefetch) X(alloc) X(pinned) \
  X(builtin) X(dim) X(axis) X(task_dummy) X(alloc_window_buffer) X(world_size) X(aiv_shard) \
  X(aic_gather) X(lane_stride) X(dtype) X(shape) X(name) X(base) X(peer_func) X(reserve_buffer) \
  X(import_peer_buffer) X(get_block_idx) X(hardware_loop_policy) X(task_id_var) \
  X(manual_dep_edges) X(dump_vars) X(arg_direction_overrides_vars) X(arg_direction_overrides) \
  X(arg_directions) X(dummy_task) X(pipeline_stages) X(incore) X(min) X(max) X(abs) X(cast) \
  X(Ptr) X(MemRef) X(MemRefType) X(TensorView) X(TileView) X(UnknownType) X(drop_dims) X(host) \
  X2(const_, "const") X2(inline_, "inline") X2(tuple_tmp, "_tuple_tmp") \
  X2(submit_tmp, "_submit_tmp") X2(deps_buf, "_submit_deps_buf") X2(Tensor, "Tensor")
/* clang-format on */

typedef struct BuildNames {
#define X(id) Name id;
#define X2(id, text) Name id;
  BUILD_NAMES(X, X2)
#undef X
#undef X2
} BuildNames;

/* ---- variables in scope ---- */

typedef struct Scope Scope;
struct Scope {
  Map vars; /* Name -> Expr* (a variable, or any value inside an inlined body) */
  Scope *outer;
};

/* ---- comments on their way to a statement ---- */

typedef struct PendingComment {
  uint32_t line, col;
  Name text;
  struct PendingComment *next;
} PendingComment;

typedef struct Leading { /* comments that wait for the first statement put into `target` */
  Name *lines;
  int n;
  StmtList *target;
} Leading;

/* ---- a function being read ---- */

typedef enum LoopKind {
  LOOP_RANGE,
  LOOP_PARALLEL,
  LOOP_UNROLL,
  LOOP_PIPELINE,
  LOOP_WHILE,
  LOOP_SPLIT_AIV
} LoopKind;

/* The yields that a loop body or the branches of an `if` assign. */
typedef struct Yields {
  VEC(Name) names;
  Map types;     /* Name -> Type, of the first yield to that name */
  Map annotated; /* Name -> Type that is printed for it, in a loop */
  struct Yields *outer;
} Yields;

/* Which launch writes a variable: the task id it was bound to, and how often that had been bound. */
typedef struct Producer {
  Expr *tid;
  intptr_t generation;
} Producer;

typedef struct FuncState {
  const SynDef *def;
  FuncType type;
  Level level;
  bool auto_scope;
  Scope *scope;
  StmtList *out; /* where statements go */
  VEC(Leading) leading;
  PendingComment *comments; /* sorted by line */
  Yields *yields;
  VEC(LoopKind) loops;
  VEC(ScopeKind) scopes;
  VEC(SplitMode) split_modes; /* of the pl.split_aiv bodies around us */
  bool has_user_split;        /* the InCore scope around us was written with pl.split(...) */
  SplitMode user_split;
  int manual_depth;
  Map producers;      /* variable -> Producer: which task writes it (see predicate=) */
  Map generations;    /* task id variable -> how often a launch has bound it */
  VEC(Expr *) dumped; /* marked by pl.dump_tag */
  Map buffer_meta;    /* Name of a variable -> its buffer's keywords */
  Map foreign_dims;   /* Name -> variable of a function called here, in the type of its result */
  Map dim_symbols;    /* dynamic dimensions that are an extent of a tensor parameter */
  Annot annot;
  Map loop_vars;  /* Name -> the last loop variable of that name */
  Map dyn_params; /* Name -> parameter that stands for the dynamic dimension of that name */
  bool in_inline; /* inside a @pl.inline body: `return` gives its value */
  Expr *inline_result;
  int inline_depth;
} FuncState;

typedef struct Builder {
  Ir *ir;
  BuildNames n;
  const SynModule *module;
  Map consts; /* Name -> Const*: names of the module */
  Name
      comp_name; /* of the comprehension being written out, hides a variable of that name; or NULL */
  Map dyn_vars;  /* Name in pl.dynamic("...") -> variable, one for the whole program */
  Map methods;   /* Name -> SynStmt*: functions of the program's class */
  Map built;     /* Name -> Function*: those read so far */
  Map externals; /* Name -> Function*: functions outside of the class that are called */
  VEC(Function *) external_list;
  Map returns;      /* Function -> ReturnTypes derived from its body */
  Map started;      /* Name: functions outside of the class whose reading has begun */
  Map windows;      /* Name: window buffers declared so far */
  Name window_name; /* while the call of alloc_window_buffer is read: the variable it is bound to */
  Annot annot;      /* what annotations of all functions share */
  size_t inlined;   /* statements of @pl.inline functions written out */
  Span last_error;
  bool verbatim; /* the text is our own print: see parse_printed; is_printed asks less */
  bool in_signature;
  bool in_annotation; /* in the arithmetic of an extent */
  bool strict_ssa;
  bool jit; /* functions stand beside each other, decorated with @pl.jit */
  FuncState *f;
} Builder;

/* Reports at a place; gives NULL so that a caller can return it. */
void *build_error(Builder *b, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void build_note(Builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- build_eval.c: what is known before the program runs ---- */

/* What a name of the module level stands for. */
typedef struct Const {
  enum {
    CONST_VALUE,   /* value: a number, text, list, element type, enumeration, dynamic dimension */
    CONST_SYNTAX,  /* syntax: pl.MemRef(), pl.TensorView(...), a type: only annotations read it */
    CONST_FUNC,    /* func: a decorated function outside of the program's class */
    CONST_UNKNOWN, /* host code that pyptoc does not run */
  } kind;
  AttrValue value;
  const SynExpr *syntax;
  const SynStmt *func;
  bool
      implicit; /* a dynamic dimension that no line declares: it is hidden by a variable of its name */
  bool defined; /* that was found to be such a variable, see parse_printed */
  Span at;
} Const;

typedef enum { EVAL_OK, EVAL_UNKNOWN, EVAL_ERROR } EvalResult;

/* The value of `e` over the module's names.  EVAL_UNKNOWN says nothing; EVAL_ERROR has reported. */
EvalResult eval_expr(Builder *b, const SynExpr *e, AttrValue *out);
/* The same while `name` stands for `value`; the name may be NULL. */
EvalResult eval_with(Builder *b, const SynExpr *e, Name name, const AttrValue *value,
                     AttrValue *out);
/* Enters the names that a line of the module binds.  False after an error. */
bool eval_module_stmt(Builder *b, const SynStmt *s);
const Const *const_lookup(Builder *b, Name name);
/* The IR of a value; NULL after the error that it has none. */
Expr *value_to_expr(Builder *b, const AttrValue *v, Span at);
/* The variable of the dynamic dimension of that name. */
Expr *dyn_var(Builder *b, Name name, Span at);
/* An enumeration value `pl.Level.HOST` or `Level.HOST`; -1 after the error. */
int eval_enum(Builder *b, const SynExpr *e, EnumId id);
/* True or False as written; false after the error. */
bool eval_bool_literal(Builder *b, const SynExpr *e, const char *what, bool *out);
const char *value_kind_name(const AttrValue *v);

/* ---- build_emit.c: scopes, statements, comments ---- */

/* Does the text have the head line of printed IR? */
bool is_printed(const Builder *b);
/* The dynamic dimension of that name, made when there is none: dumps leave out the line that declares it. */
Expr *declare_dim(Builder *b, Name name, Span at);

void scope_enter(Builder *b);
/* `leak`: its names stay visible in the scope around it. */
void scope_exit(Builder *b, bool leak);
void scope_define(Builder *b, Name name, Expr *value);
Expr *scope_lookup(Builder *b, Name name);
/* Adds a statement to the current block; it takes the comments that wait for one. */
void emit(Builder *b, Stmt *s);
/* Binds a new variable of that name. */
Expr *emit_let(Builder *b, Name name, Expr *value, const Type *type, Span at);
/* Assigns: the variable of that name again if it has one of the same type, else a new one.  `type`
 * overrides the value's; NULL: none.  Also defines the name.  NULL after an error. */
Expr *emit_bind(Builder *b, Name name, Expr *value, const Type *type, Span at);
/* Are the types alike but for memory references and spelling of dimensions? */
bool types_match(Builder *b, const Type *x, const Type *y);

void comments_start(Builder *b, uint32_t first_line, uint32_t last_line);
/* Comments that belong to the statement, in order; *n of them. */
Name *comments_take(Builder *b, const SynStmt *s, int *n);
void comments_put_back(Builder *b, const SynStmt *s, Name *lines, int n);
void comments_drop_tail(Builder *b, const SynBlock *body, uint32_t last_line);
void comments_drop_stale(Builder *b, const SynStmt *next);
void leading_push(Builder *b, Name *lines, int n);
Leading leading_pop(Builder *b);

/* ---- build_func.c ---- */

/* Reads a function whose comments may stand up to `last_line`.  NULL after an error. */
Function *build_function(Builder *b, const SynStmt *def, uint32_t last_line);
/* The decorator `word`, `x.word` or a call of it; NULL if there is none. */
/* The program of these functions and of those outside of it that they call. */
Program *build_finish(Builder *b, Name name, const SynStmt *at, Function **funcs, int n);
const SynExpr *find_decorator(Builder *b, const SynDef *def, Name word);

/* What the decorator of a function says. */
typedef struct Decorator {
  int type, level, role; /* -1: not said */
  bool auto_scope;
  const SynExpr *attrs;
  const SynExpr *external_source;
} Decorator;

/* ---- build_jit.c ---- */

/* The program of functions decorated with @pl.jit: the one with @pl.jit itself is the entry. */
Program *build_jit(Builder *b, const SynStmt *const *defs, size_t n);
bool is_jit(Builder *b, const SynDef *def);
bool read_jit_decorator(Builder *b, const SynDef *def, Decorator *d);
/* f(a, out=b) of a function of a @pl.jit program. */
Expr *build_jit_call(Builder *b, const SynExpr *call);
/* a.shape, a.dtype in such a program; false for anything else. */
bool eval_jit_attribute(Builder *b, const SynExpr *e, AttrValue *out);
/* M, N = a.shape and M = a.shape[0]: names for extents.  *done: `s` was one of these; false after an error. */
bool build_jit_shape(Builder *b, const SynStmt *s, bool *done);

/* ---- build_stmt.c ---- */

bool build_block(Builder *b, const SynBlock *body);
bool build_stmt(Builder *b, const SynStmt *s);
/* Reports a condition that is no BOOL. */
bool check_condition(Builder *b, const Expr *cond, const char *word, Span at);
/* Statements of `body` into a new block, `last_line` being the last one that may hold its comments. */
bool build_nested(Builder *b, const SynBlock *body, uint32_t last_line, Block *out);

/* ---- build_loop.c, build_with.c ---- */

bool build_for(Builder *b, const SynStmt *s);
bool build_while(Builder *b, const SynStmt *s);
bool build_with(Builder *b, const SynStmt *s);
bool build_spmd_for(Builder *b, const SynStmt *s);
bool build_split_aiv(Builder *b, const SynStmt *s);
bool in_scope_kind(Builder *b, ScopeKind kind);

/* ---- build_expr.c ---- */

Expr *build_expr(Builder *b, const SynExpr *e);
/* Scalar arithmetic with the language's typing: both sides of one class, the wider dtype wins. */
Expr *build_binary(Builder *b, ExprKind kind, Expr *lhs, Expr *rhs, Span at);
Expr *build_list(Builder *b, const SynExpr *e);
enum { MAX_TUPLE = 65536 }; /* Type.nelems counts in 16 bits */
/* A tuple, bounded in size and depth: tuples of tuples grow faster than the text. */
Expr *build_tuple(Builder *b, Expr *const *items, int n, Span at);
bool is_scalar_of(const Expr *e, DType dtype);

/* ---- build_call.c ---- */

Expr *build_call(Builder *b, const SynExpr *e);
/* A call of that operator from ready arguments; its type is deduced. */
Expr *build_op(Builder *b, OpId id, Expr *const *args, int nargs, AttrList kwargs, Span at);
/* x op= e, a binary expression whose left side may also be a tensor or tile. */
Expr *build_augmented(Builder *b, const SynExpr *e);
/* The base address that the peer's pl.reserve_buffer gives the buffer; NULL if it gives none. */
const AttrValue *peer_buffer_base(Builder *b, const SynExpr *import_call);
/* attrs={...} of a call or func_attr: keys are strings, values by their syntax. */
bool build_attrs(Builder *b, const SynExpr *dict, const char *what, AttrList *out);
bool build_attr_value(Builder *b, const char *what, Name key, const SynExpr *e, AttrValue *out);
void attrs_set(Builder *b, AttrList *list, Name key, AttrValue value, Span at);

/* ---- build_returns.c ---- */

/* The return types of a function, or those of the first values it returns where it declares none; NULL
 * if there are none. */
const Type **effective_returns(Builder *b, const Function *f, int *n);
/* Replaces in types[0..ntypes) the dynamic dimensions of `params` by what `args` have there. */
bool build_return_types(Builder *b, const Function *f, Expr *const *params, Expr *const *args,
                        int n, const Type **types, int ntypes, Span at);

/* ---- build_kernel.c, build_deps.c: calls of functions, launches ---- */

typedef struct KernelCall {
  const SynExpr *call;   /* the whole call */
  const SynExpr *kernel; /* self.name */
  SynExpr **args;
  size_t nargs;
  bool submit, spmd;
} KernelCall;

Expr *build_kernel_call(Builder *b, const KernelCall *k);
/* out, tid = pl.submit(...) */
bool build_submit_unpack(Builder *b, const SynStmt *s, bool spmd);
/* The launch by itself, a tuple. */
Expr *build_submit(Builder *b, const SynExpr *call, bool spmd);
/* deps=[...]: variables of task ids or arrays of them; *n of them, arena. */
bool build_deps(Builder *b, const char *what, const SynKeyword *k, Span at, Expr ***deps, int *n);
Expr *build_predicate(Builder *b, const char *what, const SynKeyword *k);
bool check_predicate_deps(Builder *b, const char *what, Expr *predicate, Expr **deps, int ndeps,
                          bool deps_accepted, Span at);
void record_producer(Builder *b, Expr *var, Expr *tid);
void record_launch(Builder *b, Expr *tid);
Expr *build_core_num(Builder *b, const SynExpr *e);
/* ---- build_external.c: functions outside of the program's class ---- */

Expr *build_external_call(Builder *b, const SynExpr *call, const SynStmt *callee);

/* ---- build_subscript.c ---- */

Expr *build_subscript(Builder *b, const SynExpr *e);
bool build_subscript_assign(Builder *b, const SynExpr *target, const SynExpr *value);

#endif
