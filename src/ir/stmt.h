/* stmt.h -- statements, functions, programs. */
#ifndef PYPTOC_IR_STMT_H
#define PYPTOC_IR_STMT_H

#include "base/vec.h"
#include "ir/expr.h"

typedef struct Stmt Stmt;

/* A list of statements; never nested, so a body is always flat. */
typedef struct Block {
  Stmt **items;
  int len;
} Block;

typedef enum StmtKind {
  STMT_ASSIGN,
  STMT_EVAL, /* an expression for its effect */
  STMT_RETURN,
  STMT_YIELD,
  STMT_IF,
  STMT_FOR,
  STMT_WHILE,
  STMT_BREAK,
  STMT_CONTINUE,
  STMT_SCOPE,  /* with ...: see ScopeKind */
  STMT_INLINE, /* the text of a body in another language, kept as it is */
} StmtKind;

typedef enum ForKind { FOR_RANGE, FOR_PARALLEL, FOR_UNROLL, FOR_PIPELINE } ForKind;

typedef enum ScopeKind {
  SCOPE_INCORE,      /* pl.at(level=CORE_GROUP), pl.incore: outlined to an InCore function */
  SCOPE_CLUSTER,     /* pl.cluster: outlined to a Group function */
  SCOPE_HIERARCHY,   /* pl.at(level=.., role=..) */
  SCOPE_SPMD,        /* pl.spmd: outlined to a Spmd function */
  SCOPE_SPLIT_AIV,   /* for i in pl.split_aiv(2, mode=..) */
  SCOPE_RUNTIME,     /* pl.scope(), pl.manual_scope() */
  SCOPE_COMM_DOMAIN, /* a communication domain, printed as a comment and its windows */
  SCOPE_REG,         /* pl.reg_scope() */
} ScopeKind;

/* What holds of every scope of a kind. */
typedef struct ScopeTraits {
  /* Stays where it is written, so that what its body defines and yields is seen around it: the yield
   * that ends a loop's body or a branch may stand in it. */
  bool transparent;
  /* Marks out work (for a kernel, a group, a launch, the lanes), where the others only surround it. */
  bool work;
} ScopeTraits;
const ScopeTraits *scope_traits(ScopeKind kind);

/* In memory it ends behind the fields of its kind: copied by stmt_copy and stmt_load, never by assignment. */
struct Stmt {
  StmtKind kind;
  int ncomments;
  Span span;
  Name *comments; /* lines above the statement, without "# " */
  union {
    struct {
      Expr *var, *value;
    } assign;
    Expr *eval;
    struct {
      Expr **values;
      int len;
    } ret; /* STMT_RETURN and STMT_YIELD */
    struct {
      Expr *cond;
      Block then_body, else_body;
      bool has_else;
      Expr **results; /* variables that the branches' yields give */
      int nresults;
    } if_;
    struct {
      ForKind kind;
      LoopPolicy policy;
      Expr *var; /* FOR only */
      Expr *start, *stop, *step;
      Expr *cond;       /* WHILE only */
      Expr **iter_args; /* carried values, seen in the body (and in cond) */
      Expr **results;   /* their last values, seen after the loop; as many as iter_args */
      int ncarried;
      int nresults; /* == ncarried, except where a pass has stripped results */
      Block body;
      AttrList attrs;
    } loop; /* STMT_FOR and STMT_WHILE */
    struct {
      ScopeKind kind;
      Name name; /* hint, or NULL */
      Block body;
      AttrList attrs;
      SplitMode split;        /* InCore, split_aiv */
      Level level;            /* hierarchy */
      Role role;              /* hierarchy */
      Expr *core_num;         /* spmd */
      bool sync_start;        /* spmd */
      int count;              /* split_aiv: 2 */
      Expr *index;            /* split_aiv, spmd: the variable of the `for` form, or NULL */
      bool manual;            /* runtime */
      WindowBuffer **windows; /* communication domain */
      int nwindows;
    } scope;
    struct {
      Name text; /* verbatim */
    } inline_;
  } u;
};

typedef struct Function {
  Name name;
  FuncType type;
  Level level;
  Role role;
  Expr **params;
  ParamDir *dirs;
  int nparams;
  const Type **returns;
  int nreturns;
  Block body;
  AttrList attrs;
  bool requires_runtime_binding; /* the body is `...`: supplied at run time */
  Name *comments;
  int ncomments;
  Span span;
} Function;

typedef struct Program {
  Name name;
  Function **funcs; /* sorted by name; the printer orders them by use */
  int nfuncs;
  Span span;
  bool lone_function; /* read from a file that holds a function outside of any class: printed so */
} Program;

Stmt *stmt_assign(Ir *ir, Expr *var, Expr *value, Span span);
Stmt *stmt_eval(Ir *ir, Expr *value, Span span);
Stmt *stmt_return(Ir *ir, Expr *const *values, int n, Span span);
Stmt *stmt_yield(Ir *ir, Expr *const *values, int n, Span span);
/* A zeroed statement of a kind, to be filled in before anyone else sees it. */
Stmt *stmt_new(Ir *ir, StmtKind kind, Span span);
/* A shallow copy to change before anyone else sees it. */
Stmt *stmt_copy(Ir *ir, const Stmt *s);
/* The same on the stack; what is to stay is then given to stmt_copy. */
Stmt stmt_load(const Stmt *s);
/* Are the fields of two statements of one kind the same bytes? */
bool stmt_same_fields(const Stmt *a, const Stmt *b);

/* A scope that is transparent (ScopeTraits)? */
bool stmt_is_transparent(const Stmt *s);
static inline bool stmt_is_loop(const Stmt *s) {
  return s->kind == STMT_FOR || s->kind == STMT_WHILE;
}

/* Gathers statements of a new block. */
typedef VEC(Stmt *) StmtList;
Block block_take(Ir *ir, StmtList *list); /* the list becomes empty */
Block block_of(Ir *ir, Stmt *const *items, int n);
/* The yield at the end of a block, or NULL. */
Stmt *block_yield(Block b);
/* The yield that ends the block, also at the end of transparent scopes; NULL if there is none. */
Stmt *block_last_yield(Block b);

Function *func_copy(Ir *ir, const Function *f);
/* Where a function of this type runs by itself; LEVEL_NONE: its text has to say. */
Level func_type_level(FuncType type);
/* The function of that name, or NULL.  Binary search. */
Function *program_func(const Program *p, Name name);
/* A program with these functions (sorted by name here); names must be unique. */
Program *program_new(Ir *ir, Name name, Function *const *funcs, int n, Span span);
/* The only function with FUNC_ORCHESTRATION, or NULL if there is none or more than one. */
Function *program_entry(const Program *p);

#endif
