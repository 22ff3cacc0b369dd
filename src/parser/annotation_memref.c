/* annotation_memref.c -- memory references in annotations.
 *
 *   pl.MemRef(), pl.MemRef("name"), with slots=N   an allocation that the author declares
 *   DECLARED[k]                                    one slot of it
 *   pl.MemRef(base, offset, size), with slots=N    a place in an allocation, as dumps have it
 *   pl.MemRef(offset, size, id), pl.MemRef(pl.Mem.X, offset, size, id)   older forms of it
 */
#include <ctype.h>
#include <inttypes.h>

#include "parser/annotation_int.h"

void annot_free(Annot *a) {
  map_free(&a->bases);
  map_free(&a->declared);
  map_free(&a->owners);
}

/* The allocation of that name without regard to variables: names that authors declare are their own. */
static Expr *own_base(Annot *a, Name name, Span at) {
  void **base = map_at(&a->bases, name);
  if (!*base) *base = expr_var(a->ir, name, type_simple(a->ir, TYPE_PTR), at);
  return *base;
}

Expr *annot_base(Annot *a, Name name, Span at) {
  Expr *var = a->variable ? a->variable(a->ctx, name) : NULL;
  if (var && var->type->kind == TYPE_PTR) return var;
  return own_base(a, name, at);
}

bool annot_is_memref(Annot *a, const SynExpr *e) {
  e = annot_bound(a, e);
  if (e->kind == SYN_SUBSCRIPT) return annot_is_memref(a, e->lhs);
  return annot_is_call(a, e, "MemRef");
}

/* slots=N; 1 when it is not given, 0 after an error. */
static uint64_t slots_of(Annot *a, const SynExpr *call) {
  int64_t slots = 1;
  for (size_t i = 0; i < call->nkwargs; i++) {
    const SynKeyword *k = &call->kwargs[i];
    if (k->name != ir_name(a->ir, "slots")) {
      diag_error(a->ir->diag, k->at, "pl.MemRef has no argument '%s'", k->name ? k->name : "**");
      return 0;
    }
    if (!annot_int(a, k->value, "slots", 1, &slots)) return 0;
  }
  return (uint64_t)slots;
}

/* The label of a declared allocation: the string it was given, else the Python name that refers to it.
 * Later passes tell allocations apart by label alone.  So one declaration keeps the label it was first
 * seen with, and no label serves two declarations.  NULL after an error. */
static Name declared_name(Annot *a, const SynExpr *call, const SynExpr *ref) {
  Name name = ref->kind == SYN_NAME ? ref->name : NULL;
  if (call->nitems)
    name = name_ofn(&a->ir->names, call->items[0]->str.data, call->items[0]->str.len);
  if (!name) {
    diag_error(a->ir->diag, call->at,
               "a pl.MemRef() without a name takes that of the variable it is bound to: bind it "
               "outside of the function, or give it one, pl.MemRef(\"scratch\")");
    return NULL;
  }
  if (ref->kind != SYN_NAME) return name; /* written in place: the name alone says which */
  Name seen = map_get(&a->declared, call);
  if (seen && seen != name) {
    diag_error(
        a->ir->diag, ref->at,
        "this pl.MemRef was called '%s' before and is called '%s' here; one declaration has one "
        "name",
        seen, name);
    return NULL;
  }
  const SynExpr *owner = map_get(&a->owners, name);
  if (owner && owner != call) {
    diag_error(a->ir->diag, ref->at, "the name '%s' belongs to another pl.MemRef already", name);
    return NULL;
  }
  map_set(&a->declared, call, (void *)name);
  map_set(&a->owners, name, (void *)call);
  return name;
}

static bool declared(Annot *a, const SynExpr *call, const SynExpr *ref, MemRef *out) {
  if (call->nitems && (call->items[0]->kind != SYN_STR || !call->items[0]->str.len)) {
    diag_error(a->ir->diag, call->items[0]->at,
               "the name of a declared allocation is a string, like pl.MemRef(\"scratch\")");
    return false;
  }
  uint64_t slots = slots_of(a, call);
  Name name = slots ? declared_name(a, call, ref) : NULL;
  if (!name) return false;
  *out = (MemRef){.base = own_base(a, name, call->at),
                  .offset = expr_index(a->ir, 0),
                  .pinned = true,
                  .slots = slots};
  return true;
}

/* Older forms have a number; the allocation is named as the compiler names its own. */
static Expr *numbered_base(Annot *a, MemSpace space, int64_t id, Span at) {
  char lower[32];
  size_t n = 0;
  for (const char *s = mem_name(space == MEM_NONE ? MEM_DDR : space); *s && n < sizeof lower - 1;
       s++)
    lower[n++] = (char)tolower((unsigned char)*s);
  lower[n] = 0;
  return annot_base(a, name_printf(&a->ir->names, "mem_%s_%" PRId64, lower, id), at);
}

static bool numbered(Annot *a, const SynExpr *call, size_t first, MemSpace space, MemRef *out) {
  int64_t size, id;
  Expr *offset = annot_index(a, call->items[first], "the offset of a MemRef");
  if (!offset || !annot_int(a, call->items[first + 1], "the size of a MemRef", 0, &size) ||
      !annot_int(a, call->items[first + 2], "the number of a MemRef", 0, &id))
    return false;
  *out = (MemRef){.base = numbered_base(a, space, id, call->at),
                  .offset = offset,
                  .size = (uint64_t)size,
                  .slots = 1};
  return true;
}

static bool placed(Annot *a, const SynExpr *call, MemRef *out) {
  const SynExpr *base = call->items[0];
  int64_t size;
  Name name =
      base->kind == SYN_NAME ? base->name : name_ofn(&a->ir->names, base->str.data, base->str.len);
  uint64_t slots = slots_of(a, call);
  Expr *offset = slots ? annot_index(a, call->items[1], "the offset of a MemRef") : NULL;
  if (!offset || !annot_int(a, call->items[2], "the size of a MemRef", 0, &size)) return false;
  *out = (MemRef){.base = annot_base(a, name, base->at),
                  .offset = offset,
                  .size = (uint64_t)size,
                  .slots = slots};
  return true;
}

/* `call` is the pl.MemRef(...), `ref` what was written in its place: itself, or a name. */
static bool from_call(Annot *a, const SynExpr *call, const SynExpr *ref, MemSpace space,
                      MemRef *out) {
  int written = call->nitems == 4 ? annot_enum(a, call->items[0], ENUM_MEM, false) : 0;
  if (written < 0) return false;
  switch (call->nitems) {
    case 0:
    case 1: return declared(a, call, ref, out);
    case 3: {
      SynExprKind k = call->items[0]->kind;
      if (k == SYN_NAME || k == SYN_STR) return placed(a, call, out);
      return numbered(a, call, 0, space, out);
    }
    case 4: return numbered(a, call, 1, (MemSpace)written, out);
    default:
      diag_error(a->ir->diag, call->at,
                 "pl.MemRef takes a name, or base, offset and size, not %u arguments",
                 call->nitems);
      return false;
  }
}

static bool with_slot(Annot *a, const SynExpr *e, MemRef *m) {
  int64_t k;
  if (m->slots <= 1) {
    diag_error(a->ir->diag, e->at,
               "'%s' has a single slot and cannot be subscripted: declare it with "
               "slots=N",
               m->base->u.var.name);
    return false;
  }
  m->slot = annot_index(a, e->rhs, "a slot index");
  if (!m->slot) return false;
  if (!expr_const_int(m->slot, &k) || (k >= 0 && (uint64_t)k < m->slots)) return true;
  diag_error(a->ir->diag, e->rhs->at, "slot %" PRId64 " of '%s' is not below its %" PRIu64 " slots",
             k, m->base->u.var.name, m->slots);
  return false;
}

static bool build(Annot *a, const SynExpr *ref, MemSpace space, MemRef *out) {
  const SynExpr *e = annot_bound(a, ref);
  if (e->kind == SYN_SUBSCRIPT) return build(a, e->lhs, space, out) && with_slot(a, e, out);
  return from_call(a, e, ref, space, out);
}

const MemRef *annot_memref(Annot *a, const SynExpr *e, MemSpace space) {
  MemRef m;
  return build(a, e, space, &m) ? memref_intern(a->ir, &m) : NULL;
}
