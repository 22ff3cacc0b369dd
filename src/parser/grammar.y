/* grammar.y -- the grammar of the language: the part of Python that kernels are written in.
 *
 * One expression grammar by operator precedence; comparisons and and/or chains
 * are flattened while they are read.  The first token says what is read, so
 * that the fields of f-strings can be read by the same parser.
 */
%code requires {
#include "lexer/syntax_nodes.h"

typedef struct Lexer Lexer;

/* Arrays that double: full whenever n is a power of two. */
typedef struct SynExprList {
  SynExpr **items;
  size_t n;
} SynExprList;

typedef struct SynStmtList {
  SynStmt *head, *tail;
  size_t n;
} SynStmtList;

typedef struct SynArgs {
  SynExprList items;
  SynKeyword *kwargs; /* doubles, too */
  size_t n;
} SynArgs;

typedef struct SynClauses {
  SynClause *head, *tail;
  size_t n;
} SynClauses;

typedef struct SynParams {
  SynParam *head, *tail;
  size_t n;
} SynParams;

typedef struct SynItems {
  SynWithItem *head, *tail;
  size_t n;
} SynItems;

/* What a parse gives: a module or an expression. */
typedef struct SynResult {
  SynBlock module;
  SynExpr *expr;
} SynResult;
}

%code {
#include "lexer/lexer.h"
#include "lexer/syntax_make.h"

#define yylex lexer_next
/* Deep enough for every text within SYN_MAX_DEPTH and SYN_MAX_NEST; beyond it a clear error. */
#define YYMAXDEPTH 20000

static void yyerror(const YYLTYPE *at, Lexer *lx, SynResult *result, const char *message);

#define AT(loc) ((Span){(uint32_t)(loc).first_line, (uint32_t)(loc).first_column})
#define END(loc) ((uint32_t)(loc).last_line)
/* A maker returns NULL after it has reported an error. */
#define MAKE(lhs, value)     \
  do {                       \
    (lhs) = (value);         \
    if (!(lhs)) YYABORT;     \
  } while (0)
/* The same for an argument list, of which `failed` is said by the lexer. */
#define MAKE_ARGS(lhs, value)  \
  do {                         \
    (lhs) = (value);           \
    if (lx->failed) YYABORT;   \
  } while (0)
}

%define api.pure full
%define api.push-pull pull
%define parse.error custom
%define parse.lac full
%locations
%param {Lexer *lx}
%parse-param {SynResult *result}
%expect 0

%union {
  Name name;
  uint64_t integer;
  double real;
  SynOp op;
  const char *text;
  SynExpr *expr;
  SynStmt *stmt;
  SynExprList exprs;
  SynStmtList stmts;
  SynBlock block;
  SynArgs args;
  SynKeyword *keyword;
  SynClause *clause;
  SynClauses clauses;
  SynParam *param;
  SynParams params;
  SynWithItem *item;
  SynItems items;
  SynDef *def;
}

%token START_MODULE "start of the file" START_EXPR "start of the expression"
%token NEWLINE "end of line" INDENT "indentation" DEDENT "end of the block"
%token HOST_CODE "host code"
%token <name> NAME "name"
%token <integer> INTEGER "integer"
%token <real> REAL "number"
%token <expr> STRING "string"
%token <op> AUGASSIGN "augmented assignment"
%token ELLIPSIS "'...'" ARROW "'->'" POW "'**'" FLOORDIV "'//'" SHL "'<<'" SHR "'>>'"
%token EQ "'=='" NE "'!='" LE "'<='" GE "'>='" WALRUS "':='"
%token KW_FALSE "'False'" KW_NONE "'None'" KW_TRUE "'True'" KW_AND "'and'" KW_AS "'as'"
%token KW_ASSERT "'assert'" KW_ASYNC "'async'" KW_AWAIT "'await'" KW_BREAK "'break'"
%token KW_CLASS "'class'" KW_CONTINUE "'continue'" KW_DEF "'def'" KW_DEL "'del'" KW_ELIF "'elif'"
%token KW_ELSE "'else'" KW_EXCEPT "'except'" KW_FINALLY "'finally'" KW_FOR "'for'" KW_FROM "'from'"
%token KW_GLOBAL "'global'" KW_IF "'if'" KW_IMPORT "'import'" KW_IN "'in'" KW_IS "'is'"
%token KW_LAMBDA "'lambda'" KW_NONLOCAL "'nonlocal'" KW_NOT "'not'" KW_OR "'or'" KW_PASS "'pass'"
%token KW_RAISE "'raise'" KW_RETURN "'return'" KW_TRY "'try'" KW_WHILE "'while'" KW_WITH "'with'"
%token KW_YIELD "'yield'"

%left KW_OR
%left KW_AND
%right KW_NOT
%left KW_IN KW_IS EQ NE LE GE '<' '>'
%left '|'
%left '^'
%left '&'
%left SHL SHR
%left '+' '-'
%left '*' '/' FLOORDIV '%' '@'
%precedence UNARY
%right POW

%type <stmts> statements statement simple_line simples clauses_tail
%type <stmt> simple compound if_rest except_clause definition
%type <block> suite
%type <expr> test expr primary atom strings tests tests_star star_test slice subscripts
%type <expr> opt_test target target_tuple lambda
%type <exprs> test_list star_list del_list decorators slice_list target_list
%type <args> args arg_list dict_items dict_list
%type <stmt> assignment
%type <clause> comp_for
%type <clauses> comp_fors
%type <params> params param_list
%type <param> param
%type <item> with_item
%type <items> with_items
%type <text> dotted import_names import_list import_name
%type <def> func_header class_header

%start input

%%

input
  : START_MODULE statements { result->module = syn_block(lx, $2); }
  | START_EXPR tests        { result->expr = $2; }
  ;

/* ---------------------------------------------------------------- statements */

statements
  : %empty               { $$ = (SynStmtList){0}; }
  | statements statement { $$ = syn_stmts_join($1, $2); }
  ;

statement
  : simple_line
  | compound  { $$ = syn_stmts_one($1); }
  | HOST_CODE { $$ = syn_stmts_one(syn_stmt(lx, SYN_HOST, AT(@1), END(@1))); }
  | NEWLINE   { $$ = (SynStmtList){0}; }
  ;

simple_line
  : simples NEWLINE
  | simples ';' NEWLINE
  ;

simples
  : simple             { $$ = syn_stmts_one($1); }
  | simples ';' simple { $$ = syn_stmts_join($1, syn_stmts_one($3)); }
  ;

simple
  : assignment
  | tests_star
      { $$ = syn_stmt_value(lx, SYN_EXPR_STMT, AT(@1), END(@1), $1); }
  | tests_star AUGASSIGN tests
      { MAKE($$, syn_aug_assign(lx, $1, $2, $3, END(@3))); }
  | tests_star ':' test
      { MAKE($$, syn_ann_assign(lx, $1, $3, NULL, END(@3))); }
  | tests_star ':' test '=' tests_star
      { MAKE($$, syn_ann_assign(lx, $1, $3, $5, END(@5))); }
  | KW_RETURN             { $$ = syn_stmt(lx, SYN_RETURN, AT(@1), END(@1)); }
  | KW_RETURN tests_star  { $$ = syn_stmt_value(lx, SYN_RETURN, AT(@1), END(@2), $2); }
  | KW_BREAK              { $$ = syn_stmt(lx, SYN_BREAK, AT(@1), END(@1)); }
  | KW_CONTINUE           { $$ = syn_stmt(lx, SYN_CONTINUE, AT(@1), END(@1)); }
  | KW_PASS               { $$ = syn_stmt(lx, SYN_PASS, AT(@1), END(@1)); }
  | KW_RAISE              { $$ = syn_stmt(lx, SYN_RAISE, AT(@1), END(@1)); }
  | KW_RAISE test         { $$ = syn_stmt_value(lx, SYN_RAISE, AT(@1), END(@2), $2); }
  | KW_RAISE test KW_FROM test
      { $$ = syn_stmt_value(lx, SYN_RAISE, AT(@1), END(@4), $2); $$->message = $4; }
  | KW_ASSERT test        { $$ = syn_stmt_value(lx, SYN_ASSERT, AT(@1), END(@2), $2); }
  | KW_ASSERT test ',' test
      { $$ = syn_stmt_value(lx, SYN_ASSERT, AT(@1), END(@4), $2); $$->message = $4; }
  | KW_DEL del_list       { $$ = syn_stmt_targets(lx, SYN_DEL, AT(@1), END(@2), $2); }
  | KW_GLOBAL import_list { $$ = syn_stmt_text(lx, SYN_GLOBAL, AT(@1), END(@2), "global ", $2); }
  | KW_NONLOCAL import_list
      { $$ = syn_stmt_text(lx, SYN_GLOBAL, AT(@1), END(@2), "nonlocal ", $2); }
  | KW_IMPORT import_list { $$ = syn_stmt_text(lx, SYN_IMPORT, AT(@1), END(@2), "import ", $2); }
  | KW_FROM dotted KW_IMPORT import_names
      { $$ = syn_stmt_text(lx, SYN_IMPORT, AT(@1), END(@4),
                           arena_printf(lx->arena, "from %s import ", $2), $4); }
  ;

assignment
  : tests_star '=' tests_star { MAKE($$, syn_assign(lx, $1, $3, END(@3))); }
  | assignment '=' tests_star { MAKE($$, syn_assign_more(lx, $1, $3, END(@3))); }
  ;

del_list
  : target              { $$ = syn_exprs_one(lx, $1); }
  | del_list ',' target { $$ = syn_exprs_add(lx, $1, $3); }
  ;

dotted
  : NAME            { $$ = $1; }
  | '.'             { $$ = "."; }
  | ELLIPSIS        { $$ = "..."; }
  | '.' dotted      { $$ = arena_printf(lx->arena, ".%s", $2); }
  | NAME '.' dotted { $$ = arena_printf(lx->arena, "%s.%s", $1, $3); }
  ;

import_names
  : import_list
  | '(' import_list ')'     { $$ = $2; }
  | '(' import_list ',' ')' { $$ = $2; }
  | '*'                     { $$ = "*"; }
  ;

import_list
  : import_name
  | import_list ',' import_name { $$ = arena_printf(lx->arena, "%s, %s", $1, $3); }
  ;

import_name
  : dotted
  | dotted KW_AS NAME { $$ = arena_printf(lx->arena, "%s as %s", $1, $3); }
  ;

suite
  : simple_line                      { $$ = syn_block(lx, $1); }
  | NEWLINE INDENT statements DEDENT { $$ = syn_block(lx, $3); }
  ;

compound
  : KW_IF test ':' suite if_rest
      { MAKE($$, syn_if(lx, AT(@1), $2, $4, $5)); }
  | KW_WHILE test ':' suite
      { MAKE($$, syn_while(lx, AT(@1), $2, $4)); }
  | KW_FOR target_tuple KW_IN tests ':' suite
      { MAKE($$, syn_for(lx, AT(@1), $2, $4, $6)); }
  | KW_WITH with_items ':' suite
      { MAKE($$, syn_with(lx, AT(@1), $2, $4)); }
  | KW_TRY ':' suite clauses_tail
      { MAKE($$, syn_try(lx, AT(@1), $3, $4)); }
  | definition
  ;

/* What follows the first branch: an elif is an `if` by itself. */
if_rest
  : %empty           { $$ = NULL; }
  | KW_ELSE ':' suite { $$ = syn_else(lx, AT(@1), $3); }
  | KW_ELIF test ':' suite if_rest
      { MAKE($$, syn_if(lx, AT(@1), $2, $4, $5)); }
  ;

clauses_tail
  : except_clause              { $$ = syn_stmts_one($1); }
  | clauses_tail except_clause { $$ = syn_stmts_join($1, syn_stmts_one($2)); }
  ;

except_clause
  : KW_EXCEPT ':' suite        { $$ = syn_clause(lx, AT(@1), "except", NULL, NULL, $3); }
  | KW_EXCEPT tests ':' suite  { $$ = syn_clause(lx, AT(@1), "except", $2, NULL, $4); }
  | KW_EXCEPT test KW_AS NAME ':' suite
      { $$ = syn_clause(lx, AT(@1), "except", $2, $4, $6); }
  | KW_ELSE ':' suite          { $$ = syn_clause(lx, AT(@1), "else", NULL, NULL, $3); }
  | KW_FINALLY ':' suite       { $$ = syn_clause(lx, AT(@1), "finally", NULL, NULL, $3); }
  ;

with_items
  : with_item                { $$ = (SynItems){$1, $1, 1}; }
  | with_items ',' with_item { $$ = syn_items_add($1, $3); }
  ;

with_item
  : test              { $$ = syn_with_item(lx, $1, NULL); }
  | test KW_AS target { $$ = syn_with_item(lx, $1, $3); }
  ;

definition
  : func_header ':' suite  { MAKE($$, syn_definition(lx, SYN_DEF, AT(@1), (SynExprList){0}, $1, $3)); }
  | class_header ':' suite { MAKE($$, syn_definition(lx, SYN_CLASS, AT(@1), (SynExprList){0}, $1, $3)); }
  | decorators func_header ':' suite  { MAKE($$, syn_definition(lx, SYN_DEF, AT(@2), $1, $2, $4)); }
  | decorators class_header ':' suite { MAKE($$, syn_definition(lx, SYN_CLASS, AT(@2), $1, $2, $4)); }
  ;

decorators
  : '@' test NEWLINE            { $$ = syn_exprs_one(lx, $2); }
  | decorators '@' test NEWLINE { $$ = syn_exprs_add(lx, $1, $3); }
  ;

class_header
  : KW_CLASS NAME               { $$ = syn_def(lx, $2, AT(@2), (SynParams){0}, NULL); }
  | KW_CLASS NAME '(' args ')'  { $$ = syn_def(lx, $2, AT(@2), (SynParams){0}, NULL); }
  ;

func_header
  : KW_DEF NAME '(' params ')'            { $$ = syn_def(lx, $2, AT(@2), $4, NULL); }
  | KW_DEF NAME '(' params ')' ARROW test { $$ = syn_def(lx, $2, AT(@2), $4, $7); }
  ;

params
  : %empty         { $$ = (SynParams){0}; }
  | param_list
  | param_list ','
  ;

param_list
  : param                { $$ = (SynParams){$1, $1, 1}; }
  | param_list ',' param { $$ = syn_params_add($1, $3); }
  ;

param
  : NAME                   { $$ = syn_param(lx, AT(@1), 0, $1, NULL, NULL); }
  | NAME ':' test          { $$ = syn_param(lx, AT(@1), 0, $1, $3, NULL); }
  | NAME '=' test          { $$ = syn_param(lx, AT(@1), 0, $1, NULL, $3); }
  | NAME ':' test '=' test { $$ = syn_param(lx, AT(@1), 0, $1, $3, $5); }
  | '*'                    { $$ = syn_param(lx, AT(@1), '|', NULL, NULL, NULL); }
  | '/'                    { $$ = syn_param(lx, AT(@1), '/', NULL, NULL, NULL); }
  | '*' NAME               { $$ = syn_param(lx, AT(@1), '*', $2, NULL, NULL); }
  | '*' NAME ':' test      { $$ = syn_param(lx, AT(@1), '*', $2, $4, NULL); }
  | POW NAME               { $$ = syn_param(lx, AT(@1), '2', $2, NULL, NULL); }
  | POW NAME ':' test      { $$ = syn_param(lx, AT(@1), '2', $2, $4, NULL); }
  ;

/* ---------------------------------------------------------------- expressions */

/* What may be assigned to: a name, attribute, subscript, or a list of such in brackets. */
target
  : primary
  | '*' primary { MAKE($$, syn_wrap(lx, SYN_STAR, AT(@1), $2)); }
  ;

target_tuple
  : target
  | target_list ','         { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@2), $1)); }
  | target_list ',' target  { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@3),
                                                    syn_exprs_add(lx, $1, $3))); }
  ;

target_list
  : target                 { $$ = syn_exprs_one(lx, $1); }
  | target_list ',' target { $$ = syn_exprs_add(lx, $1, $3); }
  ;

/* One test, or a tuple without parentheses. */
tests
  : test
  | test_list ','      { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@2), $1)); }
  | test_list ',' test { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@3), syn_exprs_add(lx, $1, $3))); }
  ;

test_list
  : test               { $$ = syn_exprs_one(lx, $1); }
  | test_list ',' test { $$ = syn_exprs_add(lx, $1, $3); }
  ;

tests_star
  : star_test
  | star_list ','           { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@2), $1)); }
  | star_list ',' star_test { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@3),
                                                    syn_exprs_add(lx, $1, $3))); }
  ;

star_list
  : star_test               { $$ = syn_exprs_one(lx, $1); }
  | star_list ',' star_test { $$ = syn_exprs_add(lx, $1, $3); }
  ;

star_test
  : test
  | '*' expr { MAKE($$, syn_wrap(lx, SYN_STAR, AT(@1), $2)); }
  ;

test
  : expr
  | expr KW_IF expr KW_ELSE test { MAKE($$, syn_cond(lx, $1, $3, $5)); }
  | lambda
  ;

lambda
  : KW_LAMBDA ':' test            { MAKE($$, syn_wrap(lx, SYN_LAMBDA, AT(@1), $3)); }
  | KW_LAMBDA param_plain ':' test { MAKE($$, syn_wrap(lx, SYN_LAMBDA, AT(@1), $4)); }
  ;

param_plain
  : plain
  | param_plain ',' plain
  ;

plain
  : NAME          { (void)$1; }
  | NAME '=' test { (void)$1; }
  | '*' NAME      { (void)$2; }
  | POW NAME      { (void)$2; }
  ;

expr
  : primary
  | expr KW_OR expr      { MAKE($$, syn_bool(lx, SYN_OP_OR, $1, $3)); }
  | expr KW_AND expr     { MAKE($$, syn_bool(lx, SYN_OP_AND, $1, $3)); }
  | KW_NOT expr          { MAKE($$, syn_unary(lx, SYN_OP_NOT, AT(@1), $2)); }
  | expr '<' expr        { MAKE($$, syn_compare(lx, SYN_OP_LT, $1, $3)); }
  | expr '>' expr        { MAKE($$, syn_compare(lx, SYN_OP_GT, $1, $3)); }
  | expr EQ expr         { MAKE($$, syn_compare(lx, SYN_OP_EQ, $1, $3)); }
  | expr NE expr         { MAKE($$, syn_compare(lx, SYN_OP_NE, $1, $3)); }
  | expr LE expr         { MAKE($$, syn_compare(lx, SYN_OP_LE, $1, $3)); }
  | expr GE expr         { MAKE($$, syn_compare(lx, SYN_OP_GE, $1, $3)); }
  | expr KW_IN expr      { MAKE($$, syn_compare(lx, SYN_OP_IN, $1, $3)); }
  | expr KW_NOT KW_IN expr %prec KW_IN
                         { MAKE($$, syn_compare(lx, SYN_OP_NOT_IN, $1, $4)); }
  | expr KW_IS expr      { MAKE($$, syn_compare(lx, SYN_OP_IS, $1, $3)); }
  | expr '|' expr        { MAKE($$, syn_binary(lx, SYN_OP_BITOR, $1, $3)); }
  | expr '^' expr        { MAKE($$, syn_binary(lx, SYN_OP_BITXOR, $1, $3)); }
  | expr '&' expr        { MAKE($$, syn_binary(lx, SYN_OP_BITAND, $1, $3)); }
  | expr SHL expr        { MAKE($$, syn_binary(lx, SYN_OP_SHL, $1, $3)); }
  | expr SHR expr        { MAKE($$, syn_binary(lx, SYN_OP_SHR, $1, $3)); }
  | expr '+' expr        { MAKE($$, syn_binary(lx, SYN_OP_ADD, $1, $3)); }
  | expr '-' expr        { MAKE($$, syn_binary(lx, SYN_OP_SUB, $1, $3)); }
  | expr '*' expr        { MAKE($$, syn_binary(lx, SYN_OP_MUL, $1, $3)); }
  | expr '/' expr        { MAKE($$, syn_binary(lx, SYN_OP_DIV, $1, $3)); }
  | expr FLOORDIV expr   { MAKE($$, syn_binary(lx, SYN_OP_FLOORDIV, $1, $3)); }
  | expr '%' expr        { MAKE($$, syn_binary(lx, SYN_OP_MOD, $1, $3)); }
  | expr '@' expr        { MAKE($$, syn_binary(lx, SYN_OP_MATMUL, $1, $3)); }
  | expr POW expr        { MAKE($$, syn_binary(lx, SYN_OP_POW, $1, $3)); }
  | '-' expr %prec UNARY { MAKE($$, syn_unary(lx, SYN_OP_NEG, AT(@1), $2)); }
  | '+' expr %prec UNARY { MAKE($$, syn_unary(lx, SYN_OP_POS, AT(@1), $2)); }
  | '~' expr %prec UNARY { MAKE($$, syn_unary(lx, SYN_OP_INVERT, AT(@1), $2)); }
  ;

primary
  : atom
  | primary '.' NAME           { MAKE($$, syn_attr(lx, $1, $3, END(@3))); }
  | primary '(' args ')'       { MAKE($$, syn_call(lx, $1, $3, END(@4))); }
  | primary '[' subscripts ']' { MAKE($$, syn_subscript(lx, $1, $3, END(@4))); }
  ;

args
  : %empty { $$ = (SynArgs){0}; }
  | arg_list
  | arg_list ','
  | test comp_fors
      { SynExpr *e;
        MAKE(e, syn_comprehension(lx, '(', AT(@1), END(@2), $1, NULL, $2));
        $$ = syn_args_add(lx, (SynArgs){0}, e); }
  ;

arg_list
  : test                        { $$ = syn_args_add(lx, (SynArgs){0}, $1); }
  | '*' test                    { SynExpr *e; MAKE(e, syn_wrap(lx, SYN_STAR, AT(@1), $2));
                                  $$ = syn_args_add(lx, (SynArgs){0}, e); }
  | POW test                    { $$ = syn_args_key(lx, (SynArgs){0}, AT(@1), NULL, NULL, $2); }
  | NAME '=' test               { $$ = syn_args_key(lx, (SynArgs){0}, AT(@1), $1, NULL, $3); }
  | arg_list ',' test           { MAKE_ARGS($$, syn_args_pos(lx, $1, $3)); }
  | arg_list ',' '*' test       { SynExpr *e; MAKE(e, syn_wrap(lx, SYN_STAR, AT(@3), $4));
                                  $$ = syn_args_add(lx, $1, e); }
  | arg_list ',' POW test       { $$ = syn_args_key(lx, $1, AT(@3), NULL, NULL, $4); }
  | arg_list ',' NAME '=' test  { MAKE_ARGS($$, syn_args_named(lx, $1, AT(@3), $3, $5)); }
  ;

subscripts
  : slice
  | slice_list ','       { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@2), $1)); }
  | slice_list ',' slice { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@3), syn_exprs_add(lx, $1, $3))); }
  ;

slice_list
  : slice                { $$ = syn_exprs_one(lx, $1); }
  | slice_list ',' slice { $$ = syn_exprs_add(lx, $1, $3); }
  ;

slice
  : test
  | opt_test ':' opt_test              { MAKE($$, syn_slice(lx, AT(@2), END(@3), $1, $3, NULL)); }
  | opt_test ':' opt_test ':' opt_test { MAKE($$, syn_slice(lx, AT(@2), END(@5), $1, $3, $5)); }
  ;

opt_test
  : %empty { $$ = NULL; }
  | test
  ;

atom
  : NAME     { $$ = syn_name(lx, AT(@1), $1); }
  | INTEGER  { $$ = syn_integer(lx, AT(@1), $1); }
  | REAL     { $$ = syn_real(lx, AT(@1), $1); }
  | strings
  | KW_TRUE  { $$ = syn_atom(lx, SYN_TRUE, AT(@1)); }
  | KW_FALSE { $$ = syn_atom(lx, SYN_FALSE, AT(@1)); }
  | KW_NONE  { $$ = syn_atom(lx, SYN_NONE, AT(@1)); }
  | ELLIPSIS { $$ = syn_atom(lx, SYN_ELLIPSIS, AT(@1)); }
  | '(' ')'  { MAKE($$, syn_sequence(lx, SYN_TUPLE, AT(@1), END(@2), (SynExprList){0})); }
  | '(' tests_star ')'     { $$ = syn_paren($2, AT(@1), END(@3)); }
  | '(' NAME WALRUS test ')'
      { MAKE($$, syn_wrap(lx, SYN_WALRUS, AT(@1), $4)); $$->name = $2; }
  | '(' test comp_fors ')' { MAKE($$, syn_comprehension(lx, '(', AT(@1), END(@4), $2, NULL, $3)); }
  | '[' ']'                { MAKE($$, syn_sequence(lx, SYN_LIST, AT(@1), END(@2), (SynExprList){0})); }
  | '[' star_list ']'      { MAKE($$, syn_sequence(lx, SYN_LIST, AT(@1), END(@3), $2)); }
  | '[' star_list ',' ']'  { MAKE($$, syn_sequence(lx, SYN_LIST, AT(@1), END(@4), $2)); }
  | '[' test comp_fors ']' { MAKE($$, syn_comprehension(lx, '[', AT(@1), END(@4), $2, NULL, $3)); }
  | '{' dict_items '}'     { MAKE($$, syn_dict(lx, AT(@1), END(@3), $2)); }
  | '{' star_list '}'      { MAKE($$, syn_sequence(lx, SYN_SET, AT(@1), END(@3), $2)); }
  | '{' star_list ',' '}'  { MAKE($$, syn_sequence(lx, SYN_SET, AT(@1), END(@4), $2)); }
  | '{' test comp_fors '}' { MAKE($$, syn_comprehension(lx, '{', AT(@1), END(@4), $2, NULL, $3)); }
  | '{' test ':' test comp_fors '}'
      { MAKE($$, syn_comprehension(lx, '{', AT(@1), END(@6), $2, $4, $5)); }
  ;

strings
  : STRING
  | strings STRING { $$ = syn_concat(lx, $1, $2); }
  ;

dict_items
  : %empty { $$ = (SynArgs){0}; }
  | dict_list
  | dict_list ','
  ;

dict_list
  : test ':' test               { $$ = syn_args_key(lx, (SynArgs){0}, AT(@1), NULL, $1, $3); }
  | POW test                    { $$ = syn_args_key(lx, (SynArgs){0}, AT(@1), NULL, NULL, $2); }
  | dict_list ',' test ':' test { $$ = syn_args_key(lx, $1, AT(@3), NULL, $3, $5); }
  | dict_list ',' POW test      { $$ = syn_args_key(lx, $1, AT(@3), NULL, NULL, $4); }
  ;

comp_fors
  : comp_for           { $$ = (SynClauses){$1, $1, 1}; }
  | comp_fors comp_for { $$ = syn_clauses_add($1, $2); }
  ;

comp_for
  : KW_FOR target_tuple KW_IN expr  { $$ = syn_comp_for(lx, AT(@1), $2, $4); }
  | comp_for KW_IF expr             { $$ = syn_comp_if(lx, $1, $3); }
  ;

%%

/* "'for'" as it stands, "name" and the like without quotes. */
static const char *token_text(Lexer *lx, int symbol) {
  const char *name = yysymbol_name((yysymbol_kind_t)symbol);
  if (name[0] == '\'' || name[0] != '"') return name;
  return arena_strndup(lx->arena, name + 1, strlen(name) - 2);
}

static bool is_symbol(int symbol, char c) {
  const char *name = yysymbol_name((yysymbol_kind_t)symbol);
  return name[0] == '\'' && name[1] == c && name[2] == '\'';
}

/* Could the token `c` stand here? */
static bool expects(const yypcontext_t *ctx, char c) {
  yysymbol_kind_t want[YYNTOKENS];
  int n = yypcontext_expected_tokens(ctx, want, YYNTOKENS);
  for (int i = 0; i < n; i++)
    if (is_symbol(want[i], c)) return true;
  return false;
}

/* What is most likely missing where many tokens could stand, or NULL. */
static const char *likely_missing(const yypcontext_t *ctx, const Lexer *lx, yysymbol_kind_t got, Span at) {
  if (got == YYSYMBOL_NEWLINE && expects(ctx, ':')) return "':'";
  if (!lx->nbrackets || lx->brackets[lx->nbrackets - 1].at.line == at.line) return NULL;
  char open = lx->brackets[lx->nbrackets - 1].open, close = open == '(' ? ')' : open == '[' ? ']' : '}';
  return !expects(ctx, close) ? NULL : close == ')' ? "')'" : close == ']' ? "']'" : "'}'";
}

static int yyreport_syntax_error(const yypcontext_t *ctx, Lexer *lx, SynResult *result) {
  (void)result;
  yysymbol_kind_t got = yypcontext_token(ctx);
  if (lx->failed || got == YYSYMBOL_YYEMPTY || got == YYSYMBOL_YYUNDEF) return 0;
  enum { MAX_EXPECTED = 4 };
  yysymbol_kind_t want[MAX_EXPECTED];
  int n = yypcontext_expected_tokens(ctx, want, MAX_EXPECTED);
  const YYLTYPE *at = yypcontext_location(ctx);
  const char *got_text = got == YYSYMBOL_YYEOF ? "the end of the file" : token_text(lx, got);
  Buf list = {0};
  const char *missing = n ? NULL : likely_missing(ctx, lx, got, AT(*at));
  if (missing) buf_puts(&list, missing);
  for (int i = 0; i < n && n < MAX_EXPECTED; i++) {
    if (i) buf_puts(&list, i + 1 == n ? " or " : ", ");
    buf_puts(&list, token_text(lx, want[i]));
  }
  if (!n && is_symbol(got, '=') && expects(ctx, ':'))
    diag_error(lx->diag, AT(*at), "'=' assigns: write '==' to compare");
  else if (list.len)
    diag_error(lx->diag, AT(*at), "expected %s before %s", buf_str(&list), got_text);
  else
    diag_error(lx->diag, AT(*at), "unexpected %s", got_text);
  buf_free(&list);
  if (lx->nbrackets && lx->brackets[lx->nbrackets - 1].at.line < (uint32_t)at->first_line)
    diag_note(lx->diag, lx->brackets[lx->nbrackets - 1].at, "this '%c' is still open",
              lx->brackets[lx->nbrackets - 1].open);
  lx->failed = true;
  return 0;
}

/* Called when bison's stack is full. */
static void yyerror(const YYLTYPE *at, Lexer *lx, SynResult *result, const char *message) {
  (void)result;
  (void)message;
  if (!lx->failed) diag_error(lx->diag, AT(*at), "the text is nested too deep to be read");
  lx->failed = true;
}
