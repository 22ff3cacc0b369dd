/* print_int.h -- what the files of the printer share.  See docs/printing.md for the printed form. */
#ifndef PYPTOC_IR_PRINT_INT_H
#define PYPTOC_IR_PRINT_INT_H

#include "base/buf.h"
#include "base/map.h"
#include "ir/ir.h"
#include "ir/op.h"
#include "ir/print.h"
#include "ir/visit.h"

/* Names with a meaning to the printer, interned once: X(field, text). */
/* clang-format off */
#define PRINT_KEYS(X) \
  X(mode) X(soft) X(core_type) X(coalesce) X(dtype) X(name) X(split) X(device) X(dump_vars) \
  X(arg_directions) X(manual_dep_edges) X(dummy_task) X(allow_physical_tail_padding) \
  X(task_id_var) X(devices) X(arg_direction_overrides_vars) X(allow_early_resolve) X(predicate) \
  X(windowize) X(slot_num) X(pipeline_stages) X(auto_scope) X(external_source)
/* clang-format on */

typedef struct PrintKeys {
#define X(key) Name key;
  PRINT_KEYS(X)
#undef X
} PrintKeys;

typedef struct Printer {
  Ir *ir;
  Buf *out;
  PrintOptions opts;
  PrintKeys keys;
  const Program *program; /* NULL: a function's call is printed without `self.` */
  int indent;             /* levels of four spaces */
  int split_regions;      /* pl.split_aiv loops around us */
  Map names;              /* variable -> Name, where it differs from its own */
  Map dyn_names;          /* dynamic dimension -> Name, for the whole program */
  Map free_vars;          /* used in this function, bound nowhere */
  Map body_defs;          /* bound in this function's body */
  bool has_buffers;       /* the program has a type that `import pypto` makes readable */
  bool in_signature;      /* the body's variables do not exist yet */
  bool typed_consts;      /* INDEX constants need their type, too */
  bool own_names;         /* only dynamic dimensions are renamed */
} Printer;

/* Levels of binding; the operators between stand in scalar_ops.def. */
enum { PREC_CALL = 16, PREC_ATOM = 17 };

/* Names: fills names, free_vars and body_defs for one function or block. */
void print_name_function(Printer *p, const Function *f);
void print_name_block(Printer *p, Block b);
/* Fills dyn_names for the program. */
void print_name_dims(Printer *p);
/* The functions of the program, callees before callers; arena array. */
Function **print_order(Ir *ir, const Program *prog);

void print_indent(Printer *p);
void print_var(Printer *p, const Expr *var);
/* The text in double quotes, with quotes and backslashes escaped. */
void print_quoted(Printer *p, const char *s, char quote);
void print_float(Buf *out, double v);

void print_type_in(Printer *p, const Type *t);
void print_expr_in(Printer *p, const Expr *e);
void print_attr_value(Printer *p, const AttrValue *v);
/* `, attrs={"key": value, ...}` of those attributes that `keep` accepts; nothing if there are none. */
void print_attrs(Printer *p, AttrList attrs, bool (*keep)(Printer *p, Name key),
                 const char *separator);

/* A statement with its comments, the indentation of the first line included. */
void print_stmt_in(Printer *p, Stmt *s);
/* The statements of a block, without a newline at the end; `results` take a closing yield's values. */
void print_block(Printer *p, Block b, Expr *const *results, int nresults);
/* The statements of a function's body, where a yield is a return. */
void print_body(Printer *p, Block b);

#endif
