/* syntax_nodes.h -- the syntax tree: what the text says, before any name is looked up.
 *
 * The grammar builds these nodes bottom-up in the compilation's arena; the
 * builder (build_*.c) and the annotation resolver (annotation.c) read them.  A
 * node keeps the place where it begins and the line where it ends; the latter
 * decides which comments belong to a statement.
 */
#ifndef PYPTOC_LEXER_SYNTAX_NODES_H
#define PYPTOC_LEXER_SYNTAX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/name.h"

enum {
  SYN_MAX_DEPTH = 500,              /* nesting of an expression, operator chains included */
  SYN_MAX_INDENT = 100,             /* nesting of blocks by indentation */
  SYN_MAX_NEST = 300,               /* nesting of statements, chains of elif included */
  SYN_MAX_KEYWORDS = (1 << 22) - 1, /* of one call or dict */
};

typedef struct SynExpr SynExpr;
typedef struct SynStmt SynStmt;

/* ---------------------------------------------------------------- expressions */

typedef enum {
  SYN_NAME,  /* name */
  SYN_INT,   /* integer */
  SYN_FLOAT, /* real */
  SYN_STR,   /* str */
  SYN_TRUE,
  SYN_FALSE,
  SYN_NONE,
  SYN_ELLIPSIS,
  SYN_FSTRING,   /* items: SYN_STR for text, SYN_FFIELD for {...} */
  SYN_FFIELD,    /* field, str = conversion and format as written ("" when plain) */
  SYN_ATTR,      /* lhs.name */
  SYN_SUBSCRIPT, /* lhs[rhs]; rhs is SYN_SLICE, SYN_TUPLE or any expression */
  SYN_SLICE,     /* lhs:rhs:third, each may be NULL */
  SYN_CALL,      /* lhs(items, kwargs) */
  SYN_UNARY,     /* op lhs */
  SYN_BINARY,    /* lhs op rhs */
  SYN_COMPARE,   /* items[0] ops[0] items[1] ... */
  SYN_BOOL,      /* items joined by op (SYN_OP_AND or SYN_OP_OR) */
  SYN_TUPLE,     /* items */
  SYN_LIST,      /* items */
  SYN_SET,       /* items */
  SYN_DICT,      /* kwargs: key and value; key NULL for **value */
  SYN_COND,      /* lhs if third else rhs */
  SYN_LAMBDA,    /* lambda ...: lhs; parameters are dropped, only host code has them */
  SYN_COMP,      /* [lhs for ...]; rhs: the value of a dict's; clauses */
  SYN_STAR,      /* *lhs */
  SYN_WALRUS,    /* name := lhs */
} SynExprKind;

typedef enum {
  SYN_OP_ADD,
  SYN_OP_SUB,
  SYN_OP_MUL,
  SYN_OP_DIV,
  SYN_OP_FLOORDIV,
  SYN_OP_MOD,
  SYN_OP_POW,
  SYN_OP_MATMUL,
  SYN_OP_SHL,
  SYN_OP_SHR,
  SYN_OP_BITAND,
  SYN_OP_BITOR,
  SYN_OP_BITXOR,
  SYN_OP_EQ,
  SYN_OP_NE,
  SYN_OP_LT,
  SYN_OP_LE,
  SYN_OP_GT,
  SYN_OP_GE,
  SYN_OP_IN,
  SYN_OP_NOT_IN,
  SYN_OP_IS,
  SYN_OP_IS_NOT,
  SYN_OP_AND,
  SYN_OP_OR,
  SYN_OP_NEG,
  SYN_OP_POS,
  SYN_OP_NOT,
  SYN_OP_INVERT,
  SYN_OP_COUNT
} SynOp;

/* name=value in a call; key: value in a dict.  NULL for **value. */
typedef struct SynKeyword {
  Span at;
  union {
    Name name;    /* calls */
    SynExpr *key; /* dicts */
  };
  SynExpr *value;
} SynKeyword;

/* for target in iter if test if test ... */
typedef struct SynClause {
  Span at;
  SynExpr *target, *iter;
  SynExpr **tests;
  size_t ntests;
  struct SynClause *next;
} SynClause;

/* Text of a string literal; may hold NUL bytes. */
typedef struct SynText {
  const char *data;
  size_t len;
} SynText;

/* Texts have millions of these, so a node is as short as its kind allows: what stands here behind the
 * fields of its kind is not there.  nitems and nkwargs are there always, and 0 where they mean nothing. */
struct SynExpr {
  SynExprKind kind : 8;
  SynOp op : 8;
  char bracket;          /* of a comprehension: '[', '{' or '(' */
  bool paren : 1;        /* written in parentheses */
  bool big : 1;          /* SYN_INT: 2^63, which only a minus makes fit */
  uint32_t depth : 10;   /* of nested nodes, itself counted */
  uint32_t nkwargs : 22; /* SYN_COMP: number of clauses */
  Span at;
  uint32_t end_line;
  uint32_t nitems;
  union {
    SynText str; /* SYN_STR, SYN_FFIELD */
    struct {
      union {
        Name name;
        int64_t integer;
        double real;
        SynExpr *rhs;
        SynExpr **items;
      };
      SynExpr *lhs;
    };
  };
  union {
    SynExpr *third;
    SynKeyword *kwargs;
    SynClause *clauses;
    uint8_t *ops;   /* nitems - 1 SynOps */
    SynExpr *field; /* SYN_FFIELD */
  };
};

/* ---------------------------------------------------------------- statements */

typedef enum {
  SYN_EXPR_STMT,  /* value */
  SYN_ASSIGN,     /* targets = value */
  SYN_ANN_ASSIGN, /* targets[0]: annotation = value (may be NULL) */
  SYN_AUG_ASSIGN, /* targets[0] op= value */
  SYN_RETURN,     /* value or NULL */
  SYN_BREAK,
  SYN_CONTINUE,
  SYN_PASS,
  SYN_IF,     /* value, body, orelse (an elif is an SYN_IF alone in orelse) */
  SYN_FOR,    /* targets[0] in value, body */
  SYN_WHILE,  /* value, body */
  SYN_WITH,   /* items, body */
  SYN_IMPORT, /* text: as written */
  SYN_RAISE,  /* value or NULL */
  SYN_ASSERT, /* value, message or NULL */
  SYN_TRY,    /* body, then clauses: text "except ...:", "else:", "finally:" as SYN_TRY in orelse */
  SYN_GLOBAL, /* text */
  SYN_DEL,    /* targets */
  SYN_DEF,    /* def */
  SYN_CLASS,  /* def: name, decorators, body */
  SYN_HOST,   /* host code that was passed over */
} SynStmtKind;

typedef struct SynBlock {
  SynStmt **stmts;
  size_t len;
} SynBlock;

typedef struct SynWithItem {
  SynExpr *context, *target; /* target NULL without `as` */
  struct SynWithItem *next;
} SynWithItem;

typedef struct SynParam {
  Span at;
  Name name;
  SynExpr *annotation, *default_value; /* NULL when absent */
  char star; /* '*' for *args, '2' for **kwargs, '/' and '|' for markers */
  struct SynParam *next;
} SynParam;

typedef struct SynDef {
  Name name;
  Span name_at;
  SynExpr **decorators;
  size_t ndecorators;
  SynParam *params; /* functions: an array of nparams */
  size_t nparams;
  SynExpr *returns; /* NULL without -> */
  SynBlock body;
} SynDef;

struct SynStmt {
  SynStmtKind kind;
  SynOp op;
  Span at;
  uint32_t end_line;
  uint32_t else_line; /* SYN_IF: line of `else:`, 0 for elif or none */
  uint16_t depth;     /* of nested statements, itself counted */
  SynExpr **targets;
  size_t ntargets;
  SynExpr *annotation, *value, *message;
  SynBlock body, orelse;
  SynWithItem *items; /* an array of nitems */
  size_t nitems;
  SynDef *def;
  const char *text;
  SynStmt *next; /* while the block is being read */
};

/* A # comment: text after the # and one space. */
typedef struct SynComment {
  uint32_t line, col;
  const char *text;
} SynComment;

typedef struct SynModule {
  SynBlock body;
  SynComment *comments; /* in source order */
  size_t ncomments;
} SynModule;

/* "an integer", "a list", ... : what a value written like this is, for messages. */
const char *syn_kind_name(const SynExpr *e);

#endif
