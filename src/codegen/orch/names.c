#include <string.h>

#include "codegen/orch/orch.h"

Name orch_base_name(Ir *ir, Name name) {
  const char *end = strstr(name, "__");
  return end ? name_ofn(&ir->names, name, (size_t)(end - name)) : name;
}

static bool is_version(const char *s, size_t len) {
  if (len < 2 || s[0] != 'v') return false;
  for (size_t i = 1; i < len; i++)
    if (s[i] < '0' || s[i] > '9') return false;
  return true;
}

/* Length of `s` before its last `_`, or 0 if it has none. */
static size_t before_last_word(const char *s, size_t len) {
  while (len > 0 && s[len - 1] != '_') len--;
  return len > 0 ? len - 1 : 0;
}

/* Does the suffix after `__`, less its version, end in the word `out`? */
static bool is_output_name(Name name) {
  const char *s = strstr(name, "__");
  if (!s) return false;
  s += 2;
  size_t len = strlen(s);
  bool one_word = !memchr(s, '_', len);
  size_t cut = one_word ? 0 : before_last_word(s, len);
  const char *last = one_word ? s : s + cut + 1;
  if (is_version(last, len - (size_t)(last - s))) len = cut;
  const char *word = s;
  for (size_t i = 0; i < len; i++)
    if (s[i] == '_') word = s + i + 1;
  return (size_t)(s + len - word) == 3 && strncmp(word, "out", 3) == 0;
}

Name orch_name(Orch *o, const Expr *var) {
  Name known = map_get(&o->names, var);
  return known ? known : orch_base_name(o->ir, var->u.var.name);
}

Name orch_fresh(Orch *o, Name base) {
  intptr_t tried = map_get_int(&o->taken, base); /* 1 + the last number, 0 if the base is free */
  Name name = base;
  for (tried = tried ? tried - 1 : 0; map_has(&o->taken, name);)
    name = name_printf(&o->ir->names, "%s_%d", base, (int)++tried);
  map_set(&o->taken, base, map_int(tried + 1));
  if (name != base) map_set(&o->taken, name, map_int(1));
  if (o->manual) map_set(&o->manual->local, name, o);
  return name;
}

Name orch_define(Orch *o, const Expr *var) {
  Name known = map_get(&o->names, var);
  if (known) return known;
  Name full = var->u.var.name, base = orch_base_name(o->ir, full);
  if (is_output_name(full) || map_has(&o->taken, base)) base = full;
  Name name = orch_fresh(o, base);
  map_set(&o->names, var, (void *)name);
  return name;
}

void orch_rename(Orch *o, const Expr *var, Name name) { map_set(&o->names, var, (void *)name); }

Name orch_tensor_name(Orch *o, Name name) {
  return map_has(&o->param_names, name) ? name_printf(&o->ir->names, "ext_%s", name) : name;
}

bool orch_known_outside(const Orch *o, Name name) {
  return o->manual && !map_has(&o->manual->local, name);
}

void orch_belongs_outside(Orch *o, Name name) {
  map_remove(&o->manual->local, name);
  if (o->manual->outer) map_set(&o->manual->outer->local, name, o);
}

/* ---- parameters under other names ---- */

static void share(Orch *o, const Expr *var, const Expr *source) {
  Name name = expr_is_var(source) ? map_get(&o->names, source) : NULL;
  if (name && !map_has(&o->names, var)) map_set(&o->names, var, (void *)name);
}

/* A call's result is the argument that its callee returns, or the first written one of a parameter.
 */
static void share_call(Orch *o, const Expr *var, const Expr *call) {
  const Function *callee = call_target(o->program, call);
  if (!callee) return;
  int returned = returned_param(o->ir, &o->returned, callee, 0);
  for (int i = 0; i < callee->nparams && i < call->u.call.nargs; i++) {
    if (callee->dirs[i] == PARAM_IN || (returned >= 0 && i != returned)) continue;
    share(o, var, call->u.call.args[i]);
    if (map_has(&o->names, var)) return;
  }
}

static void share_block(Orch *o, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    switch (s->kind) {
      case STMT_ASSIGN:
        if (expr_is_call(s->u.assign.value))
          share_call(o, s->u.assign.var, s->u.assign.value);
        else
          share(o, s->u.assign.var, s->u.assign.value);
        break;
      case STMT_FOR:
      case STMT_WHILE:
        for (int k = 0; k < s->u.loop.ncarried; k++) {
          Expr *init = s->u.loop.iter_args[k]->u.var.init;
          share(o, s->u.loop.iter_args[k], init);
          if (k < s->u.loop.nresults && type_is_tensor(s->u.loop.results[k]->type))
            share(o, s->u.loop.results[k], init);
        }
        share_block(o, s->u.loop.body);
        break;
      case STMT_IF:
        share_block(o, s->u.if_.then_body);
        share_block(o, s->u.if_.else_body);
        break;
      case STMT_SCOPE: share_block(o, s->u.scope.body); break;
      default: break;
    }
  }
}

/* Words that name nothing in C++, and what every orchestration calls its argument. */
static const char *const reserved_words[] = {
    "alignas",  "alignof",  "and",     "asm",     "auto",      "bitand", "bitor",    "bool",
    "break",    "case",     "catch",   "char",    "class",     "compl",  "concept",  "const",
    "continue", "default",  "delete",  "do",      "double",    "else",   "enum",     "explicit",
    "export",   "extern",   "false",   "float",   "for",       "friend", "goto",     "if",
    "inline",   "int",      "long",    "mutable", "namespace", "new",    "noexcept", "not",
    "nullptr",  "operator", "or",      "private", "protected", "public", "register", "requires",
    "return",   "short",    "signed",  "sizeof",  "static",    "struct", "switch",   "template",
    "this",     "throw",    "true",    "try",     "typedef",   "typeid", "typename", "union",
    "unsigned", "using",    "virtual", "void",    "volatile",  "while",  "xor",      "orch_args",
};

bool orch_is_reserved(Name name) {
  for (size_t i = 0; i < sizeof reserved_words / sizeof *reserved_words; i++)
    if (strcmp(reserved_words[i], name) == 0) return true;
  return false;
}

static void reserve_words(Orch *o) {
  for (size_t i = 0; i < sizeof reserved_words / sizeof *reserved_words; i++)
    map_set(&o->taken, ir_name(o->ir, reserved_words[i]), map_int(1));
}

void orch_name_params(Orch *o) {
  const Function *f = o->func;
  int tensors = 0;
  reserve_words(o);
  for (int i = 0; i < f->nparams; i++) {
    Expr *p = f->params[i];
    Name name = orch_base_name(o->ir, p->u.var.name);
    if (map_has(&o->taken, name)) name = orch_fresh(o, name);
    map_set(&o->names, p, (void *)name);
    map_set(&o->taken, name, map_int(1));
    bool tensor = type_is_tensor(p->type);
    if (tensor && !o->first_tensor) o->first_tensor = name;
    map_set(&o->param_names, name, map_int(tensor ? ++tensors : -1));
  }
  if (o->first_tensor) o->first_tensor = orch_tensor_name(o, o->first_tensor);
  share_block(o, f->body);
}
