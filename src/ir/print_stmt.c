/* print_stmt.c -- statements, scopes and loops. */
#include <string.h>

#include "ir/print_int.h"

void print_indent(Printer *p) { buf_indent(p->out, 4 * p->indent); }

/* The lines above a statement, each ending where the next one of the same block begins. */
static void print_comments(Printer *p, Name *comments, int n) {
  for (int i = 0; i < n; i++) {
    buf_printf(p->out, "# %s\n", comments[i]);
    print_indent(p);
  }
}

static void print_values(Printer *p, Expr *const *values, int n) {
  for (int i = 0; i < n; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_expr_in(p, values[i]);
  }
}

/* (a, b), one alone with a comma behind. */
static void print_tuple_of(Printer *p, Expr *const *values, int n) {
  buf_putc(p->out, '(');
  print_values(p, values, n);
  buf_puts(p->out, n == 1 ? ",)" : ")");
}

static void print_annotated(Printer *p, const Expr *var) {
  print_var(p, var);
  if (p->opts.concise) return;
  buf_puts(p->out, ": ");
  print_type_in(p, var->type);
}

/* The statements nested in one whose line was just written. */
static void print_nested(Printer *p, Block b, Expr *const *results, int nresults) {
  p->indent++;
  print_block(p, b, results, nresults);
  p->indent--;
}

/* ---------------------------------------------------------------- if and loops */

static void print_if(Printer *p, const Stmt *s) {
  buf_puts(p->out, "if ");
  print_expr_in(p, s->u.if_.cond);
  buf_puts(p->out, ":\n");
  print_nested(p, s->u.if_.then_body, s->u.if_.results, s->u.if_.nresults);
  if (!s->u.if_.has_else) return;
  buf_putc(p->out, '\n');
  print_indent(p);
  buf_puts(p->out, "else:\n");
  print_nested(p, s->u.if_.else_body, s->u.if_.results, s->u.if_.nresults);
}

static void print_inits(Printer *p, const Stmt *s) {
  int n = s->u.loop.ncarried;
  buf_puts(p->out, "init_values=(");
  for (int i = 0; i < n; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    print_expr_in(p, s->u.loop.iter_args[i]->u.var.init);
  }
  buf_puts(p->out, n == 1 ? ",)" : ")");
}

/* A bound that is left out reads as this INDEX constant. */
static bool is_default_bound(const Expr *e, int64_t value) {
  return e->kind == EXPR_INT && e->u.i == value && e->type->dtype == DT_INDEX;
}

static void print_bounds(Printer *p, const Stmt *s) {
  bool unit_step = is_default_bound(s->u.loop.step, 1);
  if (!unit_step || !is_default_bound(s->u.loop.start, 0)) {
    print_expr_in(p, s->u.loop.start);
    buf_puts(p->out, ", ");
  }
  print_expr_in(p, s->u.loop.stop);
  if (unit_step) return;
  buf_puts(p->out, ", ");
  print_expr_in(p, s->u.loop.step);
}

static bool not_stages(Printer *p, Name key) { return key != p->keys.pipeline_stages; }

static void print_for(Printer *p, const Stmt *s) {
  static const char *const ranges[] = {[FOR_RANGE] = "range",
                                       [FOR_PARALLEL] = "parallel",
                                       [FOR_UNROLL] = "unroll",
                                       [FOR_PIPELINE] = "pipeline"};
  bool pipeline = s->u.loop.kind == FOR_PIPELINE;
  buf_puts(p->out, "for ");
  print_var(p, s->u.loop.var);
  if (s->u.loop.ncarried) {
    buf_puts(p->out, ", ");
    print_tuple_of(p, s->u.loop.iter_args, s->u.loop.ncarried);
  }
  buf_printf(p->out, " in pl.%s(", ranges[s->u.loop.kind]);
  print_bounds(p, s);
  if (pipeline) {
    buf_puts(p->out, ", stage=");
    buf_int(p->out, attr_int(s->u.loop.attrs, p->keys.pipeline_stages, 0));
  }
  if (s->u.loop.ncarried) {
    buf_puts(p->out, ", ");
    print_inits(p, s);
  }
  if (s->u.loop.policy != HW_LOOP_AUTO)
    buf_printf(p->out, ", hardware_loop_policy=pl.%s.%s", enum_written(ENUM_HW_LOOP),
               enum_name(ENUM_HW_LOOP, s->u.loop.policy));
  print_attrs(p, s->u.loop.attrs, pipeline ? not_stages : NULL, ", ");
  buf_puts(p->out, "):\n");
  print_nested(p, s->u.loop.body, s->u.loop.results, s->u.loop.nresults);
}

static void print_while(Printer *p, const Stmt *s) {
  if (!s->u.loop.ncarried) {
    buf_puts(p->out, "while ");
    print_expr_in(p, s->u.loop.cond);
    buf_puts(p->out, ":\n");
  } else {
    buf_puts(p->out, "for ");
    print_tuple_of(p, s->u.loop.iter_args, s->u.loop.ncarried);
    buf_puts(p->out, " in pl.while_(");
    print_inits(p, s);
    buf_puts(p->out, "):\n");
    p->indent++;
    print_indent(p);
    p->indent--;
    buf_puts(p->out, "pl.cond(");
    print_expr_in(p, s->u.loop.cond);
    buf_puts(p->out, ")\n");
  }
  print_nested(p, s->u.loop.body, s->u.loop.results, s->u.loop.nresults);
}

/* ---------------------------------------------------------------- scopes */

static const AttrValue *scope_attr(const Stmt *s, Name key) {
  return attr_get(s->u.scope.attrs, key);
}

/* `, deps=[a, b]`; nothing without the attribute or with an empty one. */
static void print_scope_list(Printer *p, const Stmt *s, Name key, const char *keyword) {
  const AttrValue *v = scope_attr(s, key);
  if (!v || v->kind != ATTR_LIST || !v->u.list.len) return;
  buf_printf(p->out, ", %s=", keyword);
  print_attr_value(p, v);
}

static void print_scope_flag(Printer *p, const Stmt *s, Name key, const char *keyword) {
  if (attr_bool(s->u.scope.attrs, key, false)) buf_printf(p->out, ", %s=True", keyword);
}

static void print_name_hint(Printer *p, const Stmt *s, const char *separator) {
  if (!s->u.scope.name || !s->u.scope.name[0]) return;
  buf_printf(p->out, "%sname_hint=", separator);
  print_quoted(p, s->u.scope.name, '"');
}

/* What a scope asks of cross-core transfer, which for a launch stands at the InCore scope inside. */
static void print_optimizations(Printer *p, const Stmt *s) {
  const AttrValue *slots = scope_attr(s, p->keys.slot_num);
  bool split = s->u.scope.split != SPLIT_NONE;
  if (!split && !slots) return;
  buf_puts(p->out, ", optimizations=[");
  if (split)
    buf_printf(p->out, "pl.split(pl.%s.%s)", enum_written(ENUM_SPLIT),
               enum_name(ENUM_SPLIT, s->u.scope.split));
  if (slots) {
    buf_printf(p->out, "%spl.cross_core_slot(slot_num=", split ? ", " : "");
    print_attr_value(p, slots);
    buf_putc(p->out, ')');
  }
  buf_putc(p->out, ']');
}

static const Expr *scope_task_id(Printer *p, const Stmt *s) {
  const AttrValue *v = scope_attr(s, p->keys.task_id_var);
  return v && v->kind == ATTR_EXPR ? v->u.expr : NULL;
}

/* `) as tid:` and the end of the line. */
static void close_with(Printer *p, const Stmt *s) {
  const Expr *tid = scope_task_id(p, s);
  buf_putc(p->out, ')');
  if (tid) {
    buf_puts(p->out, " as ");
    print_var(p, tid);
  }
  buf_puts(p->out, ":\n");
}

static void print_predicate(Printer *p, const Stmt *s) {
  const AttrValue *v = scope_attr(s, p->keys.predicate);
  if (!v) return;
  buf_puts(p->out, ", predicate=(");
  print_attr_value(p, v);
  buf_putc(p->out, ')');
}

static void print_at(Printer *p, const Stmt *s) {
  bool incore = s->u.scope.kind == SCOPE_INCORE;
  buf_printf(p->out, "with pl.at(level=pl.Level.%s",
             enum_name(ENUM_LEVEL, incore ? LEVEL_CORE_GROUP : s->u.scope.level));
  if (incore)
    print_optimizations(p, s);
  else if (s->u.scope.role != ROLE_NONE)
    buf_printf(p->out, ", role=pl.Role.%s", enum_name(ENUM_ROLE, s->u.scope.role));
  print_name_hint(p, s, ", ");
  print_scope_list(p, s, p->keys.manual_dep_edges, "deps");
  print_scope_list(p, s, p->keys.arg_direction_overrides_vars, "no_dep_args");
  print_scope_list(p, s, p->keys.dump_vars, "dumps");
  print_scope_flag(p, s, p->keys.allow_early_resolve, "allow_early_resolve");
  print_scope_flag(p, s, p->keys.windowize, "windowize");
  close_with(p, s);
  print_nested(p, s->u.scope.body, NULL, 0);
}

/* The statement that binds the variable of a `for i in pl.spmd(...)` or `pl.split_aiv(...)`. */
static const Expr *index_binding(Block b, OpId id) {
  if (!b.len || b.items[0]->kind != STMT_ASSIGN) return NULL;
  return expr_is_op(b.items[0]->u.assign.value, id) ? b.items[0]->u.assign.var : NULL;
}

static bool find_block_index(Visitor *v, Expr *e) {
  bool *found = v->ctx;
  *found = *found || expr_is_op(e, OP_TILE_GET_BLOCK_IDX);
  return !*found;
}

/* Would reading the launch with the statements of its InCore scope inline make that scope again? */
static bool rebuilds_incore(Printer *p, const Stmt *incore) {
  if (!incore) return false;
  if (incore->u.scope.split != SPLIT_NONE || scope_attr(incore, p->keys.slot_num)) return true;
  bool found = false;
  Visitor v = {.ctx = &found, .expr = find_block_index};
  visit_block(&v, incore->u.scope.body);
  return found;
}

static void print_launch_head(Printer *p, const Stmt *s) {
  buf_puts(p->out, "pl.spmd(");
  print_expr_in(p, s->u.scope.core_num);
  if (s->u.scope.sync_start) buf_puts(p->out, ", sync_start=True");
  print_name_hint(p, s, ", ");
}

static void print_launch_tail(Printer *p, const Stmt *s) {
  print_scope_flag(p, s, p->keys.allow_early_resolve, "allow_early_resolve");
  print_predicate(p, s);
}

/* The rest of a block after the binding of its loop variable. */
static void print_rest(Printer *p, Block b, int from) {
  if (b.len > from) {
    print_nested(p, (Block){b.items + from, b.len - from}, NULL, 0);
    return;
  }
  p->indent++;
  print_indent(p);
  p->indent--;
  buf_puts(p->out, "pass\n");
}

static void print_spmd(Printer *p, const Stmt *s) {
  Block body = s->u.scope.body;
  const Stmt *incore = body.len == 1 && body.items[0]->kind == STMT_SCOPE &&
                               body.items[0]->u.scope.kind == SCOPE_INCORE
                           ? body.items[0]
                           : NULL;
  const Expr *index = incore ? index_binding(incore->u.scope.body, OP_TILE_GET_BLOCK_IDX) : NULL;
  if (scope_task_id(p, s)) {
    buf_puts(p->out, "with ");
    print_launch_head(p, s);
    if (incore) print_optimizations(p, incore);
    print_scope_list(p, s, p->keys.manual_dep_edges, "deps");
    print_launch_tail(p, s);
    close_with(p, s);
    print_nested(p, rebuilds_incore(p, incore) ? incore->u.scope.body : body, NULL, 0);
  } else if (index) {
    buf_puts(p->out, "for ");
    print_var(p, index);
    buf_puts(p->out, " in ");
    print_launch_head(p, s);
    print_optimizations(p, incore);
    print_launch_tail(p, s);
    buf_puts(p->out, "):\n");
    print_rest(p, incore->u.scope.body, 1);
  } else {
    buf_puts(p->out, "with ");
    print_launch_head(p, s);
    print_launch_tail(p, s);
    buf_puts(p->out, "):\n");
    print_nested(p, body, NULL, 0);
  }
}

static void print_split_aiv(Printer *p, const Stmt *s) {
  const Expr *index = index_binding(s->u.scope.body, OP_TILE_GET_SUBBLOCK_IDX);
  buf_puts(p->out, "for ");
  if (index)
    print_var(p, index);
  else
    buf_puts(p->out, "aiv_id");
  buf_printf(p->out, " in pl.split_aiv(%d, mode=pl.SplitMode.%s):\n", s->u.scope.count,
             enum_name(ENUM_SPLIT, s->u.scope.split));
  p->split_regions++;
  print_rest(p, s->u.scope.body, index ? 1 : 0);
  p->split_regions--;
}

/* No syntax of its own: the windows are bound by the statements that follow. */
static void print_comm_domain(Printer *p, const Stmt *s) {
  const AttrValue *devices = scope_attr(s, p->keys.devices);
  buf_puts(p->out, "# pld.comm_domain: devices=");
  if (devices && devices->kind == ATTR_LIST && devices->u.list.len)
    print_attr_value(p, devices);
  else
    buf_puts(p->out, "all");
  buf_puts(p->out, ", slots=[");
  for (int i = 0; i < s->u.scope.nwindows; i++) {
    if (i > 0) buf_puts(p->out, ", ");
    buf_puts(p->out, s->u.scope.windows[i]->name);
  }
  buf_puts(p->out, "]\n");
  print_block(p, s->u.scope.body, NULL, 0);
}

/* A runtime or a reg scope, whose last yield names the results of the statement around it. */
static void print_surrounding(Printer *p, const Stmt *s, Expr *const *results, int nresults) {
  if (s->u.scope.kind == SCOPE_REG) {
    buf_puts(p->out, "with pl.reg_scope(");
    print_name_hint(p, s, "");
    print_attrs(p, s->u.scope.attrs, NULL, s->u.scope.name ? ", " : "");
    buf_puts(p->out, "):\n");
  } else {
    buf_puts(p->out, s->u.scope.manual ? "with pl.scope(mode=pl.ScopeMode.MANUAL):\n"
                                       : "with pl.scope():\n");
  }
  print_nested(p, s->u.scope.body, results, nresults);
}

static void print_scope(Printer *p, const Stmt *s) {
  switch (s->u.scope.kind) {
    case SCOPE_INCORE:
    case SCOPE_HIERARCHY: print_at(p, s); break;
    case SCOPE_SPMD: print_spmd(p, s); break;
    case SCOPE_SPLIT_AIV: print_split_aiv(p, s); break;
    case SCOPE_COMM_DOMAIN: print_comm_domain(p, s); break;
    case SCOPE_CLUSTER:
      buf_puts(p->out, "with pl.cluster(");
      print_name_hint(p, s, "");
      buf_puts(p->out, "):\n");
      print_nested(p, s->u.scope.body, NULL, 0);
      break;
    case SCOPE_RUNTIME:
    case SCOPE_REG: print_surrounding(p, s, NULL, 0); break;
  }
}

/* ---------------------------------------------------------------- statements */

/* Verbatim text; its further lines move in with the block. */
static void print_inline(Printer *p, const char *text) {
  for (const char *line = text, *end;; line = end + 1) {
    end = strchr(line, '\n');
    size_t len = end ? (size_t)(end - line) : strlen(line);
    if (line != text) {
      buf_putc(p->out, '\n');
      if (len) print_indent(p);
    }
    buf_write(p->out, line, len);
    if (!end) return;
  }
}

static void print_plain(Printer *p, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN:
      print_annotated(p, s->u.assign.var);
      buf_puts(p->out, " = ");
      print_expr_in(p, s->u.assign.value);
      break;
    case STMT_EVAL: print_expr_in(p, s->u.eval); break;
    case STMT_RETURN:
      buf_puts(p->out, s->u.ret.len ? "return " : "return");
      print_values(p, s->u.ret.values, s->u.ret.len);
      break;
    case STMT_YIELD:
      buf_puts(p->out, "pl.yield_(");
      print_values(p, s->u.ret.values, s->u.ret.len);
      buf_putc(p->out, ')');
      break;
    case STMT_IF: print_if(p, s); break;
    case STMT_FOR: print_for(p, s); break;
    case STMT_WHILE: print_while(p, s); break;
    case STMT_BREAK: buf_puts(p->out, "break"); break;
    case STMT_CONTINUE: buf_puts(p->out, "continue"); break;
    case STMT_SCOPE: print_scope(p, s); break;
    case STMT_INLINE: print_inline(p, s->u.inline_.text); break;
  }
}

void print_stmt_in(Printer *p, Stmt *s) {
  print_indent(p);
  print_comments(p, s->comments, s->ncomments);
  print_plain(p, s);
}

/* `r = pl.yield_(v)`, the variable annotated when it is alone. */
static void print_result_yield(Printer *p, const Stmt *s, Expr *const *results, int n) {
  print_indent(p);
  print_comments(p, s->comments, s->ncomments);
  if (n == 1)
    print_annotated(p, results[0]);
  else
    print_values(p, results, n);
  buf_puts(p->out, " = ");
  print_plain(p, s);
}

/* `tid = system.task_invalid()` before the scope that binds tid comes back with the scope. */
static bool is_placeholder(Printer *p, Block b, int i) {
  if (i + 1 >= b.len) return false;
  const Stmt *s = b.items[i], *next = b.items[i + 1];
  if (s->kind != STMT_ASSIGN || s->ncomments || next->kind != STMT_SCOPE) return false;
  return expr_is_op(s->u.assign.value, OP_SYSTEM_TASK_INVALID) &&
         s->u.assign.var == scope_task_id(p, next);
}

/* Does the closing yield of a block of `len` statements stand in this scope, its last statement? In an automatic
 * runtime scope it does if that is the whole block. */
static bool holds_yield(const Stmt *s, int len) {
  if (s->kind != STMT_SCOPE) return false;
  if (s->u.scope.kind == SCOPE_RUNTIME) return len == 1 && !s->u.scope.manual;
  return s->u.scope.kind == SCOPE_REG && block_last_yield(s->u.scope.body);
}

void print_block(Printer *p, Block b, Expr *const *results, int nresults) {
  if (!b.len) {
    print_indent(p);
    buf_puts(p->out, "pass");
    return;
  }
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    bool last = i == b.len - 1;
    if (is_placeholder(p, b, i)) continue;
    if (last && s->kind == STMT_YIELD && s->u.ret.len && nresults) {
      print_result_yield(p, s, results, nresults);
    } else if (last && nresults && holds_yield(s, b.len)) {
      print_indent(p);
      print_surrounding(p, s, results, nresults);
    } else {
      print_stmt_in(p, s);
    }
    if (!last) buf_putc(p->out, '\n');
  }
}

void print_body(Printer *p, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (is_placeholder(p, b, i)) continue;
    if (s->kind == STMT_YIELD) {
      print_indent(p);
      print_comments(p, s->comments, s->ncomments);
      buf_puts(p->out, s->u.ret.len ? "return " : "return");
      print_values(p, s->u.ret.values, s->u.ret.len);
    } else {
      print_stmt_in(p, s);
    }
    if (i < b.len - 1) buf_putc(p->out, '\n');
  }
}
