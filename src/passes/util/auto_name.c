#include "passes/util/auto_name.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static bool is_role(const char *s, size_t len) {
  static const char *const roles[] = {"ssa", "iter", "rv",    "phi", "tile",
                                      "tmp", "out",  "store", "idx"};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (strlen(roles[i]) == len && memcmp(roles[i], s, len) == 0) return true;
  return false;
}

/* The N of "vN", or -1.  A number too big for a version is part of the qualifier. */
static int version_of(const char *s, size_t len) {
  if (len < 2 || s[0] != 'v') return -1;
  int64_t n = 0;
  for (size_t i = 1; i < len; i++) {
    if (!isdigit((unsigned char)s[i])) return -1;
    n = n * 10 + (s[i] - '0');
    if (n > INT_MAX) return -1;
  }
  return (int)n;
}

/* Where the last token of s[0..len) starts: behind its last underscore. */
static size_t last_token(const char *s, size_t len) {
  size_t at = len;
  while (at > 0 && s[at - 1] != '_') at--;
  return at;
}

AutoName auto_name_parse(Ir *ir, Name name) {
  AutoName n = {.base = name, .qualifier = ir_name(ir, ""), .version = -1};
  const char *bar = strstr(name, "__");
  if (!bar) return n;
  n.suffixed = true;
  n.base = name_ofn(&ir->names, name, (size_t)(bar - name));
  const char *suffix = bar + 2;
  size_t len = strlen(suffix);
  size_t at = last_token(suffix, len);
  n.version = version_of(suffix + at, len - at);
  if (n.version >= 0) len = at ? at - 1 : 0;
  at = last_token(suffix, len);
  if (len > 0 && is_role(suffix + at, len - at)) {
    n.role = name_ofn(&ir->names, suffix + at, len - at);
    len = at ? at - 1 : 0;
  }
  n.qualifier = name_ofn(&ir->names, suffix, len);
  return n;
}

Name auto_name_shown(Ir *ir, Name name) {
  AutoName n = auto_name_parse(ir, name);
  return (n.role || n.version >= 0) && n.base[0] ? n.base : name;
}

Name auto_name_build(Ir *ir, Name base, Name qualifier, const char *role, int version) {
  bool qualified = qualifier && *qualifier;
  if (!qualified && !role && version < 0) return base;
  char number[16] = "";
  if (version >= 0) snprintf(number, sizeof number, "v%d", version);
  return name_printf(&ir->names, "%s__%s%s%s%s%s", base, qualified ? qualifier : "",
                     qualified && (role || *number) ? "_" : "", role ? role : "",
                     role && *number ? "_" : "", number);
}

AutoName auto_name_seed(Ir *ir, Name name) {
  AutoName n = auto_name_parse(ir, name);
  if (n.role || n.version >= 0) return n;
  n.base = name;
  n.qualifier = ir_name(ir, "");
  return n;
}

Name auto_name_version(Ir *ir, Name name, const char *role, int version) {
  AutoName n = auto_name_seed(ir, name);
  if (strstr(n.base, "__")) return NULL;
  return auto_name_build(ir, n.base, n.qualifier, role, version);
}

/* Versions from `first` up to `end` are used. */
typedef struct Tried {
  int first, end;
} Tried;

Name auto_name_fresh(Ir *ir, Name name, const Map *used, Map *tried) {
  AutoName n = auto_name_parse(ir, name);
  const char *role = n.role ? n.role : "ssa";
  Tried none = {0}, *known = &none;
  if (tried) {
    void **slot = map_at(tried, auto_name_build(ir, n.base, n.qualifier, role, -1));
    if (!*slot) *slot = NEW(ir->arena, Tried);
    known = *slot;
  }
  int start = n.version + 1;
  for (int version = start;; version++) {
    if (version >= known->first && version < known->end) version = known->end;
    Name candidate = auto_name_build(ir, n.base, n.qualifier, role, version);
    if (map_has(used, candidate)) continue;
    if (start < known->first || start > known->end) known->first = start;
    known->end = version;
    return candidate;
  }
}

Name auto_name_qualify(Ir *ir, Name name, const char *qualifier) {
  AutoName n = auto_name_parse(ir, name);
  Name full = *n.qualifier ? name_printf(&ir->names, "%s_%s", qualifier, n.qualifier)
                           : ir_name(ir, qualifier);
  return auto_name_build(ir, n.base, full, n.role, n.version);
}
