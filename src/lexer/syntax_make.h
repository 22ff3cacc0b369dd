/* syntax_make.h -- makers of syntax nodes, for the actions of the grammar.
 *
 * They allocate in the lexer's arena.  Makers of nodes that nest return NULL
 * after they have reported that the nesting is too deep.
 */
#ifndef PYPTOC_LEXER_SYNTAX_MAKE_H
#define PYPTOC_LEXER_SYNTAX_MAKE_H

#include "lexer/lexer.h"

/* ---- lists while they are read ---- */
SynExprList syn_exprs_one(Lexer *lx, SynExpr *e);
SynExprList syn_exprs_add(Lexer *lx, SynExprList l, SynExpr *e);
SynStmtList syn_stmts_one(SynStmt *s);
SynStmtList syn_stmts_join(SynStmtList a, SynStmtList b);
SynBlock syn_block(Lexer *lx, SynStmtList l);
SynClauses syn_clauses_add(SynClauses l, SynClause *c);
SynParams syn_params_add(SynParams l, SynParam *p);
SynItems syn_items_add(SynItems l, SynWithItem *i);
SynArgs syn_args_add(Lexer *lx, SynArgs a, SynExpr *e);
SynArgs syn_args_key(Lexer *lx, SynArgs a, Span at, Name name, SynExpr *key, SynExpr *value);
/* The same with Python's rules for calls: nothing positional after a keyword, no keyword twice. */
SynArgs syn_args_pos(Lexer *lx, SynArgs a, SynExpr *e);
SynArgs syn_args_named(Lexer *lx, SynArgs a, Span at, Name name, SynExpr *value);

/* ---- expressions ---- */
SynExpr *syn_name(Lexer *lx, Span at, Name name);
SynExpr *syn_integer(Lexer *lx, Span at, uint64_t value);
SynExpr *syn_real(Lexer *lx, Span at, double value);
SynExpr *syn_string(Lexer *lx, Span at, uint32_t end_line, SynText text);
SynExpr *syn_atom(Lexer *lx, SynExprKind kind, Span at);
SynExpr *syn_concat(Lexer *lx, SynExpr *a, SynExpr *b); /* adjacent literals */
SynExpr *syn_paren(SynExpr *e, Span at, uint32_t end_line);
SynExpr *syn_wrap(Lexer *lx, SynExprKind kind, Span at, SynExpr *e);
/* A field of an f-string with the conversion and format behind it. */
SynExpr *syn_field(Lexer *lx, SynExpr *e, SynText format);
SynExpr *syn_sequence(Lexer *lx, SynExprKind kind, Span at, uint32_t end_line, SynExprList l);
SynExpr *syn_cond(Lexer *lx, SynExpr *then, SynExpr *test, SynExpr *otherwise);
SynExpr *syn_bool(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b);
SynExpr *syn_compare(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b);
SynExpr *syn_binary(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b);
SynExpr *syn_unary(Lexer *lx, SynOp op, Span at, SynExpr *e);
SynExpr *syn_attr(Lexer *lx, SynExpr *e, Name name, uint32_t end_line);
SynExpr *syn_call(Lexer *lx, SynExpr *callee, SynArgs args, uint32_t end_line);
SynExpr *syn_subscript(Lexer *lx, SynExpr *e, SynExpr *index, uint32_t end_line);
SynExpr *syn_slice(Lexer *lx, Span at, uint32_t end_line, SynExpr *a, SynExpr *b, SynExpr *step);
SynExpr *syn_dict(Lexer *lx, Span at, uint32_t end_line, SynArgs items);
SynExpr *syn_comprehension(Lexer *lx, char bracket, Span at, uint32_t end_line, SynExpr *elem,
                           SynExpr *value, SynClauses clauses);
SynClause *syn_comp_for(Lexer *lx, Span at, SynExpr *target, SynExpr *iter);
SynClause *syn_comp_if(Lexer *lx, SynClause *c, SynExpr *test);

/* ---- statements ---- */
SynStmt *syn_stmt(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line);
SynStmt *syn_stmt_value(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, SynExpr *value);
SynStmt *syn_stmt_targets(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, SynExprList l);
SynStmt *syn_stmt_text(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, const char *first,
                       const char *rest);
/* NULL after an error about what cannot be assigned to. */
SynStmt *syn_assign(Lexer *lx, SynExpr *target, SynExpr *value, uint32_t end_line);
SynStmt *syn_assign_more(Lexer *lx, SynStmt *s, SynExpr *value, uint32_t end_line);
SynStmt *syn_ann_assign(Lexer *lx, SynExpr *target, SynExpr *ann, SynExpr *value,
                        uint32_t end_line);
SynStmt *syn_aug_assign(Lexer *lx, SynExpr *target, SynOp op, SynExpr *value, uint32_t end_line);
/* `rest`: an SYN_IF (elif), what syn_else gave, or NULL. */
SynStmt *syn_if(Lexer *lx, Span at, SynExpr *test, SynBlock body, SynStmt *rest);
SynStmt *syn_else(Lexer *lx, Span at, SynBlock body);
SynStmt *syn_while(Lexer *lx, Span at, SynExpr *test, SynBlock body);
SynStmt *syn_for(Lexer *lx, Span at, SynExpr *target, SynExpr *iter, SynBlock body);
SynStmt *syn_with(Lexer *lx, Span at, SynItems items, SynBlock body);
SynWithItem *syn_with_item(Lexer *lx, SynExpr *context, SynExpr *target);
SynStmt *syn_try(Lexer *lx, Span at, SynBlock body, SynStmtList clauses);
SynStmt *syn_clause(Lexer *lx, Span at, const char *word, SynExpr *what, Name name, SynBlock body);
SynParam *syn_param(Lexer *lx, Span at, char star, Name name, SynExpr *ann, SynExpr *dflt);
SynDef *syn_def(Lexer *lx, Name name, Span name_at, SynParams params, SynExpr *returns);
SynStmt *syn_definition(Lexer *lx, SynStmtKind kind, Span at, SynExprList decorators, SynDef *def,
                        SynBlock body);

#endif
