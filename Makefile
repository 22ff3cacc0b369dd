# pyptoc: a standalone compiler for PyPTO IR.
#
#   make            build/pyptoc
#   make demo       installs what is missing, builds, compiles examples/
#   make check      unit tests, text cases, command-line tests
#   make sanitize   the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make bench      speed and memory on generated programs; SECTIONS=NAME for one table
#   make fuzz       libFuzzer on the front end, FUZZ_SECONDS long, from FUZZ_SEEDS (folders)
#   make fuzz-pipeline  the same through all passes and code generation
#   make format     writes every C file as .clang-format has it; make format-check tells which are not
#   make install    DESTDIR= PREFIX=
#
# BUILD=DIR builds elsewhere, CC=clang with another compiler.

# The built-in rules would make lexer.c anew from lexer.l.
MAKEFLAGS += --no-builtin-rules

BUILD ?= build
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# The command line decides over what configure found.
CONFIG = build/config.mk
ifeq ($(filter clean distclean packages help,$(MAKECMDGOALS)),)
-include $(CONFIG)
endif
ifeq ($(PREFIX),NONE)
PREFIX = /usr/local
endif

CPPFLAGS += -Isrc -I$(BUILD)/gen -D_POSIX_C_SOURCE=200809L -DPYPTOC_VERSION='"$(VERSION)"'
WARN      = -std=c11 -Wall -Wextra $(WERROR)

PASSES  = auto_deps composite cross_core flatten l0_tiling memory orch_tensors outline split_axis tensor_to_tile util verify
CODEGEN = base host orch pto
LAYERS  = base ir ir/ops lexer parser arith target passes $(PASSES:%=passes/%) codegen $(CODEGEN:%=codegen/%) driver
SOURCES = $(sort $(wildcard $(LAYERS:%=src/%/*.c)))
OPROWS  = $(filter-out %/kinds.def %/unified.def %/all.def src/ir/ops/deduce_%,$(sort $(wildcard src/ir/ops/*.def)))
GENSRC  = $(BUILD)/gen/lexer.c $(BUILD)/gen/grammar.c
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(GENSRC:$(BUILD)/gen/%.c=$(BUILD)/obj/gen/%.o)
LIBRARY = $(BUILD)/libpyptoc.a
TESTS   = $(sort $(wildcard tests/unit/*.c))

all: $(BUILD)/pyptoc

$(BUILD)/pyptoc: $(BUILD)/obj/driver/main.o $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

# Everything but main, so that tests and the fuzzer link the same code.
$(LIBRARY): $(filter-out %/driver/main.o,$(OBJECTS))
	@rm -f $@
	$(AR) qcs $@ $^

$(BUILD)/obj/%.o: src/%.c $(CONFIG) | $(BUILD)/gen/grammar.h $(BUILD)/gen/lexer.c $(BUILD)/gen/op_args.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(WARN) -Wno-unused-function -Wno-sign-compare $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/grammar.c $(BUILD)/gen/grammar.h &: src/parser/grammar.y $(CONFIG)
	@mkdir -p $(@D)
	$(BISON) -Werror -Wno-other --defines=$(BUILD)/gen/grammar.h -o $(BUILD)/gen/grammar.c $<

# Accessors of operands by name, from the operator rows.
$(BUILD)/gen/op_args.h: src/ir/ops/accessors.awk $(OPROWS) $(CONFIG)
	@mkdir -p $(@D)
	$(AWK) -f $< $(OPROWS) >$@.new && mv $@.new $@

$(BUILD)/gen/lexer.c: src/lexer/lexer.l $(BUILD)/gen/grammar.h $(CONFIG)
	@mkdir -p $(@D)
	$(FLEX) --header-file=$(BUILD)/gen/lexer_gen.h -o $@ $<

# configure is made from configure.ac on the first build; neither it nor its result is kept in git.
$(CONFIG): configure config.mk.in
	@mkdir -p build/aux
	./configure --quiet

configure: configure.ac
	@command -v autoconf >/dev/null || { echo "autoconf is missing: run 'make packages' or apt-get install autoconf"; exit 1; }
	@mkdir -p build/aux
	@for f in install-sh config.sub config.guess; do \
	  for d in /usr/share/autoconf/build-aux /usr/share/misc; do \
	    [ ! -e $$d/$$f ] || cp -f $$d/$$f build/aux/; done; done
	autoconf

packages:
	sh tests/packages.sh

# ---------------------------------------------------------------- tests

$(BUILD)/tests: $(TESTS) tests/unit/unit.h $(LIBRARY)
	$(CC) $(CPPFLAGS) -Itests/unit $(WARN) $(CFLAGS) $(CHECK_CFLAGS) -o $@ $(TESTS) $(LIBRARY) $(CHECK_LIBS) -lm

check: packages
	$(MAKE) --no-print-directory check-built

check-built: $(BUILD)/pyptoc $(BUILD)/tests
	BUILD=$(BUILD) sh tests/run.sh

sanitize: packages
	ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory BUILD=build/sanitize \
	  CFLAGS="-O1 -g $(SANITIZE)" check-built

bench: $(BUILD)/pyptoc
	BUILD=$(BUILD) sh tests/bench/run.sh

FUZZ_SECONDS ?= 600
FUZZER = front
fuzz: packages
	$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang \
	  CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" build/fuzz/$(FUZZER)
	FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh build/fuzz/$(FUZZER)

fuzz-pipeline:
	$(MAKE) --no-print-directory FUZZER=pipeline fuzz

$(BUILD)/front: tests/fuzz/fuzz.c $(LIBRARY)
	$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ -lm

$(BUILD)/pipeline: tests/fuzz/fuzz.c $(LIBRARY)
	$(CC) $(CPPFLAGS) -DFUZZ_PIPELINE $(WARN) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ -lm

demo: packages
	$(MAKE) --no-print-directory all
	$(MAKE) --no-print-directory -C examples PYPTOC=$(CURDIR)/$(BUILD)/pyptoc

# The page of the operator table; a test checks that it is current.
docs/operators.md: $(BUILD)/pyptoc
	$(BUILD)/pyptoc --list-ops=md >$@.new && mv $@.new $@

# The tables of this page follow the target tables; a test checks that they are current.
docs/passes/legalize-tile-cast.md: $(BUILD)/pyptoc
	{ sed '/^<!-- conversions: made/q' $@; $(BUILD)/pyptoc --list-conversions=md; \
	  echo; sed -n '/^<!-- conversions: end/,$$p' $@; } >$@.new && mv $@.new $@

FORMATTED = $(wildcard $(LAYERS:%=src/%/*.[ch]) tests/unit/*.[ch] tests/fuzz/*.c)
format: $(CONFIG)
	$(CLANG_FORMAT) -i $(FORMATTED)

format-check: $(CONFIG)
	@command -v "$(CLANG_FORMAT)" >/dev/null || { echo "clang-format is missing: apt-get install clang-format"; exit 1; }
	$(CLANG_FORMAT) --dry-run --Werror $(FORMATTED)

install: all
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	$(INSTALL) -m 755 $(BUILD)/pyptoc $(DESTDIR)$(PREFIX)/bin/pyptoc
	$(INSTALL) -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	[ -z "$(wildcard man/*.5)" ] || $(INSTALL) -m 644 $(wildcard man/*.5) $(DESTDIR)$(PREFIX)/share/man/man5/

clean:
	rm -rf $(BUILD)/obj $(BUILD)/gen $(BUILD)/pyptoc $(BUILD)/tests $(BUILD)/sanitize $(BUILD)/fuzz $(LIBRARY)

distclean: clean
	rm -rf build configure autom4te.cache config.log config.status

.PHONY: all packages check check-built format format-check sanitize bench fuzz fuzz-pipeline demo install clean distclean
.DELETE_ON_ERROR:
-include $(OBJECTS:.o=.d)
