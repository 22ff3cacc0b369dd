#include "pto_check.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* How the text behind an operation's name looks.  Literal, except:
 *   $v  a value            $x $i $l $b $e  a value of type index, i32, i64, i1, and a scalar of any
 * type $p  a pointer          $t $w $q $a $m  a tile, a tensor view, a partition, an array, slots
 *   $v* ... values with commas between them (also none); $c: an i1 that does not count below
 *   $n  an integer         $f a number     $k a word     $s a quoted text
 *   $1 .. $9  the type of the value that came 1st .. 9th
 *   $R  any type, which the result gets    $S  the type of all values, which the result gets
 *   $O  the type of all values
 *   $T* the types of all values so far, in order, with commas between them
 *   $r  the type of the last value         $A  {key = number, ...} without the braces
 *   [? ?]  what stands between may be missing */
typedef struct Form {
  const char *op, *form;
  const char *result; /* type of the result; NULL: $R or $S says it; "": there is none */
} Form;

#define INS(op, n) \
  { op, "ins(" n " : $T*) outs($t : $r)", "" }
#define CAST(op) \
  { op, "$e : $1 to $R", NULL }
#define ARITH(op) \
  { op, "$e, $e : $S", NULL }

static const Form forms[] = {
    {"arith.constant", "$f : $R", NULL},
    {"arith.constant", "dense<0> : vector<4xi16>", "vector<4xi16>"},
    {"builtin.unrealized_conversion_cast", "$e : $1 to $R", NULL},
    ARITH("arith.addi"),
    ARITH("arith.subi"),
    ARITH("arith.muli"),
    ARITH("arith.divsi"),
    ARITH("arith.divui"),
    ARITH("arith.remsi"),
    ARITH("arith.minsi"),
    ARITH("arith.minui"),
    ARITH("arith.maxsi"),
    ARITH("arith.maxui"),
    ARITH("arith.andi"),
    ARITH("arith.ori"),
    ARITH("arith.xori"),
    ARITH("arith.shli"),
    ARITH("arith.shrsi"),
    ARITH("arith.shrui"),
    ARITH("arith.addf"),
    ARITH("arith.subf"),
    ARITH("arith.mulf"),
    ARITH("arith.divf"),
    ARITH("arith.remf"),
    ARITH("arith.minimumf"),
    ARITH("arith.maximumf"),
    {"arith.cmpi", "$k, $e, $e : $O", "i1"},
    {"arith.cmpf", "$k, $e, $e : $O", "i1"},
    {"arith.select", "$b, $e, $e : $3", "index"},
    {"arith.negf", "$e : $S", NULL},
    {"math.absf", "$e : $S", NULL},
    {"math.absi", "$e : $S", NULL},
    CAST("arith.index_cast"),
    CAST("arith.extsi"),
    CAST("arith.extui"),
    CAST("arith.trunci"),
    CAST("arith.extf"),
    CAST("arith.truncf"),
    CAST("arith.sitofp"),
    CAST("arith.uitofp"),
    CAST("arith.fptosi"),
    CAST("arith.fptoui"),
    {"func.call", "@$k($p, $p, $l, $l) : ($T*) -> ()", ""},
    {"scf.yield", "$v* : $T*", ""},
    {"scf.yield", "", ""},
    {"scf.condition", "($c)[? $v* : $T*?]", ""},

    {"pto.make_tensor_view", "$p, shape = [$x*], strides = [$x*] {layout = #pto.layout<$k>} : $R",
     NULL},
    {"pto.partition_view", "$w, offsets = [$x*], sizes = [$x*] : $1 -> $R", NULL},
    {"pto.addptr", "$p, $x : $1 -> $R", NULL},
    {"pto.addptr", "$p, $x : <f32> -> <f32>", "!pto.ptr<f32>"},
    {"pto.load_scalar", "$p[$x] : $1 -> $R", NULL},
    {"pto.store_scalar", "$e, $p[$x] : $2, $1", ""},
    {"pto.tload", "ins($q : $1) outs($t : $2)[? {layout = #pto.layout<$k>}?]", ""},
    {"pto.tstore", "ins($t : $1) outs($q : $2)[? {atomicType = #pto<atomic_type $k>}?]", ""},
    {"pto.mgather",
     "ins($q, $v : $1, $2) outs($t : $3) {coalesce = #pto<coalesce $k>"
     "[?, gatherOob = #pto<gather_oob $k>?]}",
     ""},
    {"pto.mgather",
     "ins($q, $q, $q : $1, $2, $3) outs($t : $4) {coalesce = #pto<coalesce $k>"
     "[?, gatherOob = #pto<gather_oob $k>?]}",
     ""},
    {"pto.mscatter", "ins($t, $t : $1, $2) outs($q : $3)", ""},
    {"pto.cmo.cacheinvalid", "$q single_cache_line : $1", ""},
    {"pto.cmo.cacheinvalid", "all #pto.address_space<gm>", ""},
    {"pto.fence.barrier_all", "#pto.fence_scope<gm>", ""},

    {"pto.alloc_tile", "[?addr = $e ?][?valid_row = $x ?][?valid_col = $x ?]: $R", NULL},
    {"pto.alloc_multi_tile", "valid_row = $x valid_col = $x : $R", NULL},
    {"pto.multi_tile_get", "$m[$x] : $1 -> $R", NULL},
    {"pto.subview", "$t[$x, $x] sizes [$n, $n][? valid [$x, $x]?] : $1 -> $R", NULL},
    {"pto.treshape", "$t : $1 -> $R", NULL},
    {"pto.set_validshape", "$t, $x, $x : $1", ""},
    {"pto.tgetval", "ins($t, $x : $1, index) outs : $R", NULL},
    {"pto.tsetval", "ins($x, $e : index, $2) outs($t : $3)", ""},
    {"pto.ttri", "($i, $t) {upperOrLower = $n : i32} : ($T*) -> ()", ""},
    {"pto.trandom", "ins($i, $i, $i, $i, $i, $i : $T*) outs($t : $r)", ""},
    {"pto.trandom", "($i, $i, $i, $i, $i, $i, $t) {rounds = $n : i32} : ($T*) -> ()", ""},

#define UNARY(op) INS(op, "$t")
#define BINARY(op) INS(op, "$t, $t")
#define TERNARY(op) INS(op, "$t, $t, $t")
#define SCALAR(op) INS(op, "$t, $e")
    UNARY("pto.tabs"),
    UNARY("pto.texp"),
    UNARY("pto.tsqrt"),
    UNARY("pto.trsqrt"),
    BINARY("pto.trsqrt"),
    UNARY("pto.tneg"),
    UNARY("pto.tnot"),
    UNARY("pto.trelu"),
    UNARY("pto.tcolmax"),
    UNARY("pto.tcolmin"),
    UNARY("pto.tcolprod"),
    UNARY("pto.tfillpad"),
    UNARY("pto.tfillpad_expand"),
    UNARY("pto.tcolexpand"),
    UNARY("pto.trowexpand"),
    UNARY("pto.tcolsum"),
    UNARY("pto.tmov"),
    UNARY("pto.tget_scale_addr"),
    INS("pto.texpands", "$e"),
    BINARY("pto.tadd"),
    BINARY("pto.tsub"),
    BINARY("pto.tmul"),
    BINARY("pto.tmax"),
    BINARY("pto.tmin"),
    BINARY("pto.tfmod"),
    BINARY("pto.tpartadd"),
    BINARY("pto.tpartmul"),
    BINARY("pto.tpartmax"),
    BINARY("pto.tpartmin"),
    BINARY("pto.tand"),
    BINARY("pto.tor"),
    BINARY("pto.tshl"),
    BINARY("pto.tshr"),
    BINARY("pto.trowsum"),
    BINARY("pto.trowmax"),
    BINARY("pto.trowmin"),
    BINARY("pto.trowprod"),
    BINARY("pto.trowargmax"),
    BINARY("pto.trowargmin"),
    BINARY("pto.tcolargmax"),
    BINARY("pto.tcolargmin"),
    BINARY("pto.tcolexpandadd"),
    BINARY("pto.tcolexpandsub"),
    BINARY("pto.tcolexpandmul"),
    BINARY("pto.tcolexpanddiv"),
    BINARY("pto.tcolexpandmax"),
    BINARY("pto.tcolexpandmin"),
    BINARY("pto.tcolexpandexpdif"),
    BINARY("pto.trowexpandadd"),
    TERNARY("pto.trowexpandadd"),
    BINARY("pto.trowexpandsub"),
    BINARY("pto.trowexpandmul"),
    BINARY("pto.trowexpanddiv"),
    BINARY("pto.trowexpandmax"),
    BINARY("pto.trowexpandmin"),
    BINARY("pto.trowexpandexpdif"),
    BINARY("pto.tconcat"),
    BINARY("pto.tsort32"),
    BINARY("pto.tgatherb"),
    BINARY("pto.tscatter"),
    BINARY("pto.ttrans"),
    BINARY("pto.tmatmul"),
    TERNARY("pto.trem"),
    TERNARY("pto.txor"),
    TERNARY("pto.taddc"),
    TERNARY("pto.tsubc"),
    TERNARY("pto.tgather"),
    TERNARY("pto.tprelu"),
    TERNARY("pto.tmatmul.acc"),
    TERNARY("pto.tmatmul.bias"),
    INS("pto.tsel", "$t, $t, $t, $t"),
    INS("pto.tmatmul.mx", "$t, $t, $t, $t"),
    INS("pto.tmatmul.mx.acc", "$t, $t, $t, $t, $t"),
    INS("pto.tmatmul.mx.bias", "$t, $t, $t, $t, $t"),
    SCALAR("pto.tadds"),
    SCALAR("pto.tsubs"),
    SCALAR("pto.tmuls"),
    SCALAR("pto.tdivs"),
    SCALAR("pto.tmaxs"),
    SCALAR("pto.tmins"),
    SCALAR("pto.tfmods"),
    SCALAR("pto.tlrelu"),
    INS("pto.tands", "$t, $i"),
    INS("pto.tors", "$t, $i"),
    INS("pto.tshls", "$t, $i"),
    INS("pto.tshrs", "$t, $i"),
    INS("pto.txors", "$t, $i, $t"),
    INS("pto.trems", "$t, $e, $t"),
    INS("pto.taddsc", "$t, $e, $t"),
    INS("pto.tsubsc", "$t, $e, $t"),
    INS("pto.tsels", "$t, $t, $t, $e"),
    INS("pto.tmrgsort", "$t, $i"),
    INS("pto.textract", "$t, $e, $e"),
    INS("pto.tinsert", "$t, $x, $x"),
    {"pto.tcolsum", "ins($t, $t  {isBinary = true} : $T*) outs($t : $r)", ""},
    {"pto.tcmp", "ins($t, $t {cmpMode = #pto<cmp $k>} : $T*) outs($t : $r)", ""},
    {"pto.tcmps", "ins($t, $e {cmpMode = #pto<cmp $k>} : $T*) outs($t : $r)", ""},
    {"pto.tcvt", "ins($t {rmode = #pto<round_mode $k>} : $T*) outs($t : $r)", ""},
    {"pto.tdiv", "ins($t, $t : $T*) outs($t : $r)[? {precisionType = #pto<div_precision $k>}?]",
     ""},
    {"pto.tlog", "ins($t : $T*) outs($t : $r)[? {precisionType = #pto<log_precision $k>}?]", ""},
    {"pto.trecip", "ins($t : $T*) outs($t : $r)[? {precisionType = #pto<recip_precision $k>}?]",
     ""},
    {"pto.tgemv", "ins($t, $t : $T*) outs($t : $r)[? {accPhase = #pto<acc_phase $k>}?]", ""},
    {"pto.tgemv.acc", "ins($t, $t, $t : $T*) outs($t : $r)[? {accPhase = #pto<acc_phase $k>}?]",
     ""},
    {"pto.tgemv.bias", "ins($t, $t, $t : $T*) outs($t : $r)[? {accPhase = #pto<acc_phase $k>}?]",
     ""},
    {"pto.tci", "ins($e : $1) outs($t : $r) {descending = $k}", ""},
    {"pto.tgather", "ins($t, {maskPattern = #pto.mask_pattern<$k>} : $1, \"row\") outs($t : $r)",
     ""},
    {"pto.tscatter", "ins($t, {maskPattern = #pto.mask_pattern<$k>} : $1, \"row\") outs($t : $r)",
     ""},
    {"pto.tgather",
     "ins($t, $e, $t : $T*) outs($t, $t : $4, $5) {cmpMode = #pto<cmp $k>, offset = $n : i32}", ""},
    {"pto.tmrgsort", "ins($t, $t, $t {exhausted = $k} : $T*) outs($t, $v : $4, $5)", ""},
    {"pto.tmrgsort", "ins($t, $t, $t, $t {exhausted = $k} : $T*) outs($t, $v : $5, $6)", ""},
    {"pto.tmrgsort", "ins($t, $t, $t, $t, $t {exhausted = $k} : $T*) outs($t, $v : $6, $7)", ""},

    {"pto.reserve_buffer",
     "{name = $s, size = $n, location = #pto.address_space<$k>, auto = $k"
     "[?, base = $n?]} -> $R",
     NULL},
    {"pto.import_reserved_buffer", "{name = $s, peer_func = @$k} -> $R", NULL},
#define PIPE_BUFS "c2v_consumer_buf = $i : i32, v2c_consumer_buf = $i : i32)"
    {"pto.aic_initialize_pipe", "{$A} ([?gm_slot_buffer = $p : !pto.ptr<f32>, ?]" PIPE_BUFS, ""},
    {"pto.aiv_initialize_pipe", "{$A} ([?gm_slot_buffer = $p : !pto.ptr<f32>, ?]" PIPE_BUFS, ""},
    {"pto.tpush_to_aic", "($t : $1) {$A}", ""},
    {"pto.tpush_to_aiv", "($t : $1) {$A}", ""},
    {"pto.tpop_from_aic", "[?($x, $x) ?]{$A} -> $R", NULL},
    {"pto.tpop_from_aiv", "[?($x, $x) ?]{$A} -> $R", NULL},
    {"pto.tfree_from_aic", "{$A}", ""},
    {"pto.tfree_from_aiv", "{$A}", ""},
    {"pto.sync.set", "<PIPE_$k>, $n[? {ffts_mode = $n : i32}?]", ""},
    {"pto.sync.set", "<PIPE_$k>, $x[? {ffts_mode = $n : i32}?]", ""},
    {"pto.sync.wait", "<PIPE_$k>, $n", ""},
    {"pto.sync.wait", "<PIPE_$k>, $x", ""},
    {"pto.set_ffts", "$p : $1", ""},
    {"pto.barrier", "<PIPE_$k>", ""},
    {"pto.syncall",
     "([?$v* : $T*?]) mode = #pto.sync_all_mode<$k>, core_type = #pto.sync_core_type<$k>", ""},

    {"pto.comm.tnotify", "($q, $i : $T*) {notifyOp = #pto<notify_op $k>}", ""},
    {"pto.comm.twait", "($q, $i : $T*) {cmp = #pto<wait_cmp $k>}", ""},
    {"pto.comm.tput", "($q, $q, buf($v*) : $T*) {atomicType = #pto<atomic_type $k>}", ""},
    {"pto.comm.tget", "($q, $q, buf($v*) : $T*)", ""},
    {"pto.make_prefetch_async_context", "($p : $1) -> $R", NULL},
    {"pto.tprefetch_async", "($q, $v : $T*) -> $R", NULL},
    {"pto.get_prefetch_async_session", "$v : $1 -> $R", NULL},
    {"pto.comm.wait_async_event", "($v, $v : $T*) -> $R", NULL},
    {"pto.declare_local_array", "-> $R", NULL},
    {"pto.local_array_get", "$a[$x] : $1 -> $R", NULL},
    {"pto.local_array_set", "$a[$x], $e : $1, $3", ""},
};

/* ---- the state of a check ---- */

enum { MAX_VALUES = 64 };

/* A region at work: what was defined in it, and what its end will define. */
typedef struct Region {
  size_t first; /* of the values defined in it */
  Name results[MAX_VALUES], types[MAX_VALUES];
  int nresults;
  bool is_function, may_else;
} Region;

typedef struct State {
  PtoCheck *c;
  Map types; /* values in scope -> type */
  Map given; /* names given in this function */
  VEC(Name) scope;
  VEC(Region) regions;
  int line;
} State;

/* One operation while it is matched. */
typedef struct Match {
  State *s;
  Name types[MAX_VALUES]; /* of the values, in order */
  int n;
  Name result;
} Match;

static bool fail(State *s, const char *fmt, ...) {
  if (s->c->why) return false;
  va_list ap;
  va_start(ap, fmt);
  const char *what = arena_vprintf(s->c->arena, fmt, ap);
  va_end(ap);
  s->c->why = arena_printf(s->c->arena, "line %d: %s", s->line, what);
  return false;
}

static bool define(State *s, Name value, Name type) {
  if (!map_set(&s->given, value, NULL)) return fail(s, "%s is defined twice", value);
  map_set(&s->types, value, (void *)type);
  vec_push(&s->scope, value);
  return true;
}

/* ---- words ---- */

static size_t value_length(const char *t) {
  size_t n = 1;
  if (*t != '%') return 0;
  while (isalnum((unsigned char)t[n]) || (t[n] && strchr("_.$", t[n]))) n++;
  return n > 1 ? n : 0;
}

/* Up to a comma, a parenthesis, a brace or a blank outside <>. */
static size_t type_length(const char *t) {
  size_t n = 0;
  int depth = 0;
  for (; t[n]; n++) {
    if (t[n] == '<') depth++;
    if (t[n] == '>' && depth-- == 0) break;
    if (!depth && strchr(", ){[", t[n])) break;
  }
  return n;
}

static bool starts(const char *t, const char *prefix) {
  return strncmp(t, prefix, strlen(prefix)) == 0;
}

static bool is_scalar(const char *t) {
  static const char *const other[] = {"index", "f16", "f32", "bf16", "f8E4M3FN", "f8E5M2", NULL};
  for (int i = 0; other[i]; i++)
    if (strcmp(t, other[i]) == 0) return true;
  if (*t == 'u') t++;
  return *t == 'i' && isdigit((unsigned char)t[1]);
}

/* Is `type` what the letter of a form asks for? */
static bool fits(char letter, const char *type) {
  switch (letter) {
    case 'v': return true;
    case 'x': return strcmp(type, "index") == 0;
    case 'i': return strcmp(type, "i32") == 0;
    case 'l': return strcmp(type, "i64") == 0;
    case 'b':
    case 'c': return strcmp(type, "i1") == 0;
    case 'e': return is_scalar(type);
    case 'p': return starts(type, "!pto.ptr<");
    case 't': return starts(type, "!pto.tile_buf<");
    case 'w': return starts(type, "!pto.tensor_view<");
    case 'q': return starts(type, "!pto.partition_tensor_view<");
    case 'a': return starts(type, "!pto.local_array<");
    case 'm': return starts(type, "!pto.multi_tile_buf<");
    default: return false;
  }
}

/* ---- matching a form ---- */

static const char *match_value(Match *m, char letter, const char *t) {
  size_t n = value_length(t);
  if (!n || m->n == MAX_VALUES) return NULL;
  Name value = name_ofn(&m->s->c->names, t, n), type = map_get(&m->s->types, value);
  if (!type) {
    fail(m->s, "%s is used but not defined here", value);
    return NULL;
  }
  if (!fits(letter, type)) return NULL;
  if (letter != 'c') m->types[m->n++] = type;
  return t + n;
}

static const char *match_values(Match *m, char letter, const char *t) {
  if (*t != '%') return t;
  while ((t = match_value(m, letter, t)) && starts(t, ", %")) t += 2;
  return t;
}

static const char *match_type(const char *t, Name type) {
  size_t n = strlen(type);
  return strncmp(t, type, n) == 0 ? t + n : NULL;
}

static const char *match_all_types(Match *m, const char *t) {
  for (int i = 0; t && i < m->n; i++) {
    if (i) t = starts(t, ", ") ? t + 2 : NULL;
    if (t) t = match_type(t, m->types[i]);
  }
  return t;
}

static const char *match_one_type(Match *m, char letter, const char *t) {
  if (letter == 'r') return m->n ? match_type(t, m->types[m->n - 1]) : NULL;
  if (isdigit((unsigned char)letter))
    return letter - '0' <= m->n ? match_type(t, m->types[letter - '1']) : NULL;
  size_t n = type_length(t);
  if (!n) return NULL;
  Name type = name_ofn(&m->s->c->names, t, n);
  for (int i = 0; letter != 'R' && i < m->n; i++)
    if (m->types[i] != type) return NULL;
  if (letter != 'O') m->result = type;
  return t + n;
}

static const char *match_word(char letter, const char *t) {
  size_t n = 0;
  if (letter == 's') {
    if (*t != '"') return NULL;
    for (n = 1; t[n] && t[n] != '"'; n++) continue;
    return t[n] ? t + n + 1 : NULL;
  }
  if (letter == 'k') {
    while (isalnum((unsigned char)t[n]) || t[n] == '_') n++;
    return n ? t + n : NULL;
  }
  char *end;
  if (letter == 'f')
    strtod(t, &end);
  else
    strtoll(t, &end, 10);
  return end > t ? end : NULL;
}

/* key = number, key = number */
static const char *match_attrs(const char *t) {
  while ((t = match_word('k', t))) {
    if (!starts(t, " = ") || !(t = match_word('n', t + 3))) return NULL;
    if (!starts(t, ", ")) return t;
    t += 2;
  }
  return NULL;
}

static const char *match(Match *m, const char *f, const char *t);

static const char *match_optional(Match *m, const char *f, const char *t) {
  const char *end = strstr(f, "?]");
  char *inner = arena_strndup(m->s->c->arena, f + 2, (size_t)(end - f - 2));
  int n = m->n;
  const char *why = m->s->c->why;
  const char *with = match(m, inner, t);
  const char *rest = with ? match(m, end + 2, with) : NULL;
  if (rest) return rest;
  m->n = n;
  m->s->c->why = why;
  return match(m, end + 2, t);
}

/* Where the text goes on behind the form, or NULL. */
static const char *match(Match *m, const char *f, const char *t) {
  while (t && *f) {
    if (f[0] == '[' && f[1] == '?') return match_optional(m, f, t);
    if (f[0] != '$') {
      t = *t == *f++ ? t + 1 : NULL;
      continue;
    }
    char letter = f[1];
    bool many = f[2] == '*';
    f += many ? 3 : 2;
    if (letter == 'T')
      t = match_all_types(m, t);
    else if (letter == 'A')
      t = match_attrs(t);
    else if (strchr("nfks", letter))
      t = match_word(letter, t);
    else if (strchr("RSOr123456789", letter))
      t = match_one_type(m, letter, t);
    else
      t = many ? match_values(m, letter, t) : match_value(m, letter, t);
  }
  return t;
}

/* ---- operations ---- */

/* The operation's text without its location and, in front, "%r = " taken off. */
static bool operation(State *s, char *t) {
  Name result = NULL;
  size_t n = value_length(t);
  if (n && starts(t + n, " = ")) {
    result = name_ofn(&s->c->names, t, n);
    t += n + 3;
  }
  bool quoted = *t == '"';
  t += quoted;
  n = strcspn(t, quoted ? "\"" : " (");
  Name op = name_ofn(&s->c->names, t, n);
  t += n + quoted;
  if (*t == ' ') t++;
  bool known = false;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(forms[i].op, op) != 0) continue;
    known = true;
    Match m = {.s = s};
    const char *end = match(&m, forms[i].form, t);
    bool gives = !forms[i].result || *forms[i].result;
    if (!end || *end || gives != (result != NULL)) continue;
    map_set(&s->c->seen, op, NULL);
    if (!gives) return true;
    Name type = forms[i].result ? name_of(&s->c->names, forms[i].result) : m.result;
    return define(s, result, type);
  }
  return fail(s, known ? "%s does not keep to its form: %s" : "unknown operation %s: %s", op, t);
}

/* ---- regions ---- */

static void enter(State *s, Region r) {
  r.first = s->scope.len;
  vec_push(&s->regions, r);
}

static void forget_values(State *s, size_t first) {
  while (s->scope.len > first) map_remove(&s->types, vec_pop(&s->scope));
}

static bool leave(State *s) {
  if (!s->regions.len) return fail(s, "a brace too many");
  Region r = vec_pop(&s->regions);
  forget_values(s, r.first);
  for (int i = 0; i < r.nresults; i++)
    if (!define(s, r.results[i], r.types[i])) return false;
  return true;
}

/* Types between parentheses, "(i32, index)"; how many, or -1. */
static int types_in(State *s, const char *t, Name *out) {
  int n = 0;
  if (*t++ != '(') return -1;
  while (*t && *t != ')' && n < MAX_VALUES) {
    size_t len = type_length(t);
    if (!len) return -1;
    out[n++] = name_ofn(&s->c->names, t, len);
    t += len;
    if (starts(t, ", ")) t += 2;
  }
  return *t == ')' ? n : -1;
}

/* "%a = %x, %b = %y": defines a and b with the types of x and y, which must be `types`. */
static bool carried(State *s, const char *t, const Name *types, int n) {
  for (int i = 0; i < n; i++) {
    size_t a = value_length(t);
    if (!a || !starts(t + a, " = ")) return fail(s, "carried values expected: %s", t);
    size_t b = value_length(t + a + 3);
    Name init = name_ofn(&s->c->names, t + a + 3, b), type = map_get(&s->types, init);
    if (!type) return fail(s, "%s is used but not defined here", init);
    if (type != types[i]) return fail(s, "%s is %s, not %s", init, type, types[i]);
    if (!define(s, name_ofn(&s->c->names, t, a), type)) return false;
    t += a + 3 + b;
    if (starts(t, ", ")) t += 2;
  }
  return true;
}

/* A line that opens a region: "[%r, .. = ]scf.for|if|while ... {". */
static bool opens(State *s, char *t) {
  Region r = {0};
  char *eq = strstr(t, " = scf.");
  if (*t == '%' && eq) {
    for (char *v = t; v < eq;) {
      size_t n = value_length(v);
      if (!n) return fail(s, "results expected: %s", t);
      r.results[r.nresults++] = name_ofn(&s->c->names, v, n);
      v += n;
      if (starts(v, ", ")) v += 2;
    }
    t = eq + 3;
  }
  char *arrow = strstr(t, "-> (");
  if (r.nresults && (!arrow || types_in(s, arrow + 3, r.types) != r.nresults))
    return fail(s, "as many types as results expected: %s", t);
  Match m = {.s = s};
  const char *rest;
  if ((rest = match(&m, "scf.if $b", t))) {
    r.may_else = true;
    enter(s, r);
    return true;
  }
  if (starts(t, "scf.for %")) {
    size_t n = value_length(t + 8);
    Name index = name_ofn(&s->c->names, t + 8, n);
    if (!(rest = match(&m, " = $x to $x step $x", t + 8 + n)))
      return fail(s, "a loop expected: %s", t);
    enter(s, r);
    bool ok = define(s, index, name_of(&s->c->names, "index"));
    return ok && (!r.nresults ||
                  (starts(rest, " iter_args(") && carried(s, rest + 11, r.types, r.nresults)));
  }
  if (starts(t, "scf.while ")) {
    r.may_else = true;
    enter(s, r);
    return !r.nresults || carried(s, t + 11, r.types, r.nresults);
  }
  return fail(s, "this opens no region: %s", t);
}

/* "} else {" and "} do {": the values of the first part go, the results stay. */
static bool continues(State *s) {
  if (!s->regions.len || !vec_last(&s->regions).may_else) return fail(s, "nothing to go on with");
  vec_last(&s->regions).may_else = false;
  forget_values(s, vec_last(&s->regions).first);
  return true;
}

/* "^bb0(%a : T, %b : T):" or the parameters of a function. */
static bool arguments(State *s, const char *t) {
  while (*t == '%') {
    size_t n = value_length(t);
    const char *type = t + n + (t[n] == ' ');
    if (!starts(type, ": ")) return fail(s, "a type expected: %s", t);
    type += 2;
    size_t len = type_length(type);
    if (!define(s, name_ofn(&s->c->names, t, n), name_ofn(&s->c->names, type, len))) return false;
    t = type + len;
    if (starts(t, ", ")) t += 2;
  }
  return *t == ')' || fail(s, "arguments expected: %s", t);
}

static bool function(State *s, char *t) {
  char *open = strchr(t, '(');
  if (!open || s->regions.len != 1) return fail(s, "a function stands in a module: %s", t);
  map_clear(&s->given);
  enter(s, (Region){.is_function = true});
  const char *end = t + strlen(t);
  bool kind = strstr(t, ") attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {") ||
              strstr(t, ") attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {") ||
              strcmp(end - 3, ") {") == 0;
  return (kind || fail(s, "no kernel kind: %s", t)) && arguments(s, open + 1);
}

static bool check_line(State *s, char *t) {
  while (*t == ' ') t++;
  size_t n = strlen(t);
  if (starts(t, "module attributes {pto.target_arch = \"")) {
    enter(s, (Region){0});
    return true;
  }
  if (starts(t, "func.func private @")) return true;
  if (starts(t, "func.func @")) return function(s, t);
  if (strcmp(t, "}") == 0) return leave(s);
  if (strcmp(t, "return") == 0)
    return (s->regions.len && vec_last(&s->regions).is_function) ||
           fail(s, "return inside a region");
  if (strcmp(t, "} else {") == 0 || strcmp(t, "} do {") == 0) return continues(s);
  if (starts(t, "^bb0(")) return arguments(s, t + 5);
  if (s->regions.len < 2) return fail(s, "an operation outside a function: %s", t);
  if (n > 2 && strcmp(t + n - 2, " {") == 0) return opens(s, t);
  return operation(s, t);
}

/* Takes ` loc("...":1:2)` off the end; false if what is there is none. */
static bool strip_location(State *s, char *t) {
  char *at = NULL;
  for (char *p = t; (p = strstr(p, " loc(\"")); p++) at = p;
  if (!at) return true;
  int line, col, end = 0;
  const char *quote = strrchr(at, '"');
  if (sscanf(quote, "\":%d:%d)%n", &line, &col, &end) != 2 || !end || quote[end])
    return fail(s, "no location: %s", at);
  *at = 0;
  return true;
}

void pto_check_init(PtoCheck *c, Arena *arena) {
  *c = (PtoCheck){.arena = arena};
  names_init(&c->names, arena);
}

void pto_check_free(PtoCheck *c) {
  map_free(&c->seen);
  names_free(&c->names);
}

bool pto_check(PtoCheck *c, const char *text) {
  State s = {.c = c};
  c->why = NULL;
  for (const char *t = text; *t && !c->why;) {
    const char *end = strchr(t, '\n');
    if (!end) end = t + strlen(t);
    /* The operands of a pipe stand on a line of their own. */
    if (starts(end, "\n      (gm_slot_buffer")) end = strchr(end + 1, '\n');
    char *line = arena_strndup(c->arena, t, (size_t)(end - t));
    char *broken = strchr(line, '\n');
    if (broken) memmove(broken + 1, broken + 7, strlen(broken + 7) + 1), *broken = ' ';
    s.line++;
    if (strip_location(&s, line)) check_line(&s, line);
    t = *end ? end + 1 : end;
  }
  if (!c->why && s.regions.len) fail(&s, "%zu regions are not closed", s.regions.len);
  map_free(&s.types);
  map_free(&s.given);
  vec_free(&s.scope);
  vec_free(&s.regions);
  return !c->why;
}

bool pto_check_saw(PtoCheck *c, const char *op) {
  return map_has(&c->seen, name_of(&c->names, op));
}

const char *const *pto_check_ops(void) {
  enum { N = sizeof forms / sizeof *forms };
  static const char *names[N + 1];
  for (int i = 0; i < N; i++) names[i] = forms[i].op;
  return names;
}
