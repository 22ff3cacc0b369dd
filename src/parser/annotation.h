/* annotation.h -- from a written annotation to a type.
 *
 * The builder makes one Annot for each function and lends it its view of
 * names; the resolver knows the forms that types are written in and their
 * rules, and nothing of statements.
 */
#ifndef PYPTOC_PARSER_ANNOTATION_H
#define PYPTOC_PARSER_ANNOTATION_H

#include "base/map.h"
#include "ir/ir.h"
#include "parser/syntax.h"

typedef struct Annot {
  Ir *ir;
  void *ctx; /* handed to the functions below */
  /* The value of `e` where it is known before the program runs: integers, dtypes, enumerations, lists
   * of values, dynamic dimensions and arithmetic over them (ATTR_EXPR).  False, silently, otherwise. */
  bool (*constant)(void *ctx, const SynExpr *e, AttrValue *out);
  /* What a name outside of functions is bound to, for values that only an annotation can hold
   * (pl.MemRef(), pl.TensorView(...)); NULL if it is bound to nothing, or inside the function. */
  const SynExpr *(*binding)(void *ctx, Name name);
  /* The variable of that name that is visible here, or NULL. */
  Expr *(*variable)(void *ctx, Name name);
  /* The scalar that `e` computes, nothing folded; NULL after the error was reported. */
  Expr *(*expression)(void *ctx, const SynExpr *e);
  /* The dynamic dimension of that name, made when there is none: a dump need not declare those that
   * only stand in views. */
  Expr *(*dimension)(void *ctx, Name name, Span at);
  bool printed; /* by the printer: then the extents are those of the annotation */
  bool
      verbatim; /* see parse_printed: constants keep their types, what is written counts where a value says more */
  /* The value being annotated, or NULL: a call's type may have dimensions that are variables of the
   * function called, and dumps write them by name. */
  const Type *value;
  Map bases;    /* name of an allocation -> its Ptr variable */
  Map declared; /* SynExpr of an author's pl.MemRef(...) -> name it goes by */
  Map owners;   /* that name -> the SynExpr */
} Annot;

void annot_free(Annot *a);

/* The type that an annotation names; NULL after the error was reported.  `pl.UnknownType` and strings
 * give the unknown type: they say nothing. */
const Type *annot_type(Annot *a, const SynExpr *e);
/* The same for a parameter, with pl.Out[...] and pl.InOut[...] taken off. */
const Type *annot_param(Annot *a, const SynExpr *e, ParamDir *dir);
/* The types behind `->`: those of tuple[...], or the one; *n of them, arena array.  NULL after an error. */
const Type **annot_returns(Annot *a, const SynExpr *e, int *n);

/* The variable that stands for the allocation `name`; the statement that allocates it must bind this
 * one, because annotations before it may have named it. */
Expr *annot_base(Annot *a, Name name, Span at);

/* Does the annotation of `name` agree with its value?  False after the error was reported. */
bool annot_check(Annot *a, const Type *annotated, const Expr *value, Name name, Span at);
/* The type a variable gets that is annotated so and assigned `value`: what the annotation says about
 * memory, view and symbolic dimensions, the value's type where it says nothing. */
const Type *annot_merge(Annot *a, const Type *annotated, const Expr *value);

#endif
