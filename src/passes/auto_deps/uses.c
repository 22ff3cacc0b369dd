/* Who used a buffer, and who must wait for whom: sections Edges and Names of the page. */
#include <string.h>

#include "passes/auto_deps/auto_deps.h"

void auto_deps_fail(Derive *d) { d->failed = true; }

Uses *auto_deps_uses(Derive *d, const Expr *root) {
  Uses *u = map_get(&d->uses, root);
  if (!u) {
    u = NEW(d->ir->arena, Uses);
    map_set(&d->uses, root, u);
  }
  return u;
}

Use auto_deps_use(const Derive *d, Expr *id, const Region *region) {
  return (Use){.id = id,
               .block = vec_last(&d->blocks),
               .loop = vec_last(&d->loops),
               .frame = vec_last(&d->frames),
               .region = region};
}

static bool holds(const int *list, size_t n, int block) {
  while (n > 0)
    if (list[--n] == block) return true;
  return false;
}

static bool is_excluded(const Derive *d, int block) {
  for (size_t i = 0; i + 1 < d->excluded.len; i += 2)
    if (block >= d->excluded.data[i] && block < d->excluded.data[i + 1]) return true;
  return false;
}

/* Does the name's id have a variable of its own, declared before all scopes? */
static bool has_home(const Derive *d, const Expr *id) {
  const char *name = id->u.var.name, *end = strstr(name, "__");
  Name base = end ? name_ofn(&d->ir->names, name, (size_t)(end - name)) : id->u.var.name;
  return d->homes && !map_has(d->loop_bases, base);
}

/* Can an edge here say that it waits for this? */
static bool is_nameable(const Derive *d, const Use *u) {
  return u->id && holds(d->loops.data, d->loops.len, u->loop) &&
         (holds(d->frames.data, d->frames.len, u->frame) || has_home(d, u->id));
}

static bool wait_for_list(Derive *d, Task *task, const UseList *l, const Region *region) {
  bool any = false;
  if (l->len > MAX_LIVE_USES) auto_deps_fail(d);
  for (size_t i = 0; i < l->len && !d->failed; i++) {
    const Use *u = &l->data[i];
    if (!regions_meet(region, u->region) || is_excluded(d, u->block)) continue;
    any = true;
    if (!is_nameable(d, u))
      auto_deps_fail(d);
    else if (map_set(&d->waited, u->id, NULL))
      vec_push(&task->edges, u->id);
  }
  return any;
}

bool auto_deps_wait(Derive *d, Task *task, Place place, bool writes) {
  const Uses *u = auto_deps_uses(d, place.root);
  bool any = wait_for_list(d, task, &u->writes, place.region);
  return (writes && wait_for_list(d, task, &u->reads, place.region)) || any;
}

/* What is in a block further out may be met again where the task at hand has not run. */
static void retire_list(UseList *l, const Region *region, int block) {
  size_t n = 0;
  for (size_t i = 0; i < l->len; i++)
    if (l->data[i].block < block || !region_covers(region, l->data[i].region))
      l->data[n++] = l->data[i];
  l->len = n;
}

void auto_deps_retire(Derive *d, Expr *root, const Region *region) {
  Uses *u = auto_deps_uses(d, root);
  retire_list(&u->reads, region, vec_last(&d->blocks));
  retire_list(&u->writes, region, vec_last(&d->blocks));
}

void auto_deps_record(Derive *d, Expr *root, Use use, bool writes) {
  Uses *u = auto_deps_uses(d, root);
  if (writes) auto_deps_retire(d, root, use.region);
  vec_push(writes ? &u->writes : &u->reads, use);
  if (d->loops.len > 1) vec_push(&d->touched, root);
}
