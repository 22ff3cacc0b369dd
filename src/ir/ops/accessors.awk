# accessors.awk -- a name and an accessor for every operand of every operator, made from the rows in src/ir/ops/*.def.
#
#   awk -f accessors.awk *.def >op_args.h       ARG_TILE_STORE_OFFSETS, tile_store_offsets(call)
#
# Understood are rows OP(ID, "name", ... .args = "name:kind ...", .kwargs = "..." ...) that begin a line, and
# macros for such rows (#define NAME(id, ...) OP(PREFIX_##id, ...)), whose body or use gives the strings.

function fail(what) {
  print FILENAME ":" FNR ": " what >"/dev/stderr"
  failed = 1
  exit 1
}

# The text of `.field = "..." "..."` in a row; "" if it has none.
function field(row, name, at, text) {
  if (!match(row, "[.]" name "[ ]*=[ ]*\"")) return ""
  row = substr(row, RSTART + RLENGTH)
  text = ""
  while ((at = index(row, "\"")) > 0) {
    text = text substr(row, 1, at - 1)
    row = substr(row, at + 1)
    if (!match(row, /^[ ]*"/)) break
    row = substr(row, RLENGTH + 1)
  }
  return text
}

# "valid_shape:list?": its name; sets `skippable` where the operand may be left out with no other in its place.
function param_name(word, name) {
  name = word
  sub(/[:?=*].*/, "", name)
  skippable = word ~ /\?$/ || word ~ /\*$/
  if (name !~ /^[a-z][a-z0-9_]*$/) fail("operand '" word "'")
  return name
}

function put_operand(id, name, i, may_move) {
  calls = calls "static inline Expr *" tolower(id) "_" name "(const Expr *call) {\n" \
          "  return op_operand_" (may_move ? "found" : "at") "(call, OP_" id ", " i ");\n}\n"
}

function put_row(id, args, words, n, i, list, name, skipped) {
  n = split(args, words, " ")
  list = ""
  skipped = 0
  for (i = 1; i <= n; i++) {
    name = param_name(words[i])
    list = list (i > 1 ? ", " : "") "ARG_" id "_" toupper(name) " = " (i - 1)
    if (skippable && i < n) skipped = 1 # another may stand at its place
    put_operand(id, name, i - 1, skipped)
  }
  if (n) calls = calls "enum { " list " };\n\n"
}

function end_row(id, head) {
  if (row == "") return
  match(row, /^[A-Z_0-9]+\(/)
  head = substr(row, 1, RLENGTH - 1)
  id = substr(row, RLENGTH + 1)
  sub(/,.*/, "", id)
  if (head == "OP")
    put_row(id, field(row, "args"))
  else
    put_row(prefix[head] id, field(row, "args") field(body[head], "args"))
  row = ""
}

function end_macro(name, id) {
  name = macro
  sub(/^#define /, "", name)
  sub(/\(.*/, "", name)
  id = macro
  if (!sub(/^.*[ ]OP\(/, "", id)) fail("macro " name " makes no OP(...)")
  sub(/##.*/, "", id)
  prefix[name] = id
  body[name] = macro
  macro = ""
}

{ sub(/\/\*.*\*\//, "") }
/^#define [A-Z_]+\(/ { end_row(); macro = " " }
macro != "" {
  line = $0
  goes_on = sub(/[ ]*\\$/, "", line)
  macro = (macro == " " ? "" : macro) line " "
  if (!goes_on) end_macro()
  next
}
/^#/ { end_row(); next }
match($0, /^[A-Z_]+\(/) {
  word = substr($0, 1, RLENGTH - 1) # before end_row, which matches something else
  end_row()
  if (word != "OP" && !(word in prefix)) fail("no row begins with " word)
}
/^[A-Z_]+\(/ || row != "" { row = row $0 " " }

END {
  if (failed) exit 1
  end_row()
  print "/* Made from the operator rows by src/ir/ops/accessors.awk; do not edit. */"
  print "#ifndef PYPTOC_OP_ARGS_H\n#define PYPTOC_OP_ARGS_H\n\n#include \"ir/op.h\"\n"
  printf "%s", calls
  print "#endif"
}
