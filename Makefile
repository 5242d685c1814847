# teamkit: make, make demo, make check. Adding a command needs no change here: cmd/X.cc becomes build/bin/X, a hard link
# to one of two executables. V=1 shows the commands that make runs.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
CXX ?= g++
JOBS := $(shell nproc 2>/dev/null || echo 2)

BUILD := build
CXXFLAGS ?= -O2
ALL_CXXFLAGS := -std=c++20 -Wall -Wextra -ffunction-sections -fdata-sections -I. \
	-DTEAMKIT_VERSION='"$(VERSION)"' $(CXXFLAGS)
# Every operation is a new process: a static program starts in a third of the time of a dynamic one. One segment less to
# map saves up to 2 % more; LTO, -Os, gold, ICF and no RELRO made no measurable difference. gcc's -static is not used:
# it leaves out the table that finds the frame of an exception, and the first throw of a process would sort all frames
# of the program, 10 million instructions.
STATIC := -no-pie -nodefaultlibs -Wl,-static
# libpq, which needs two libraries that Debian keeps in another package.
POSTGRES := $(BUILD)/postgres
POSTGRES_LIBRARIES := $(POSTGRES)/libpgcommon_shlib.a $(POSTGRES)/libpgport_shlib.a
STATIC_LIBRARIES = -Wl,--start-group $(LIBRARY) -lpq -L$(POSTGRES) -lpgcommon_shlib -lpgport_shlib -lssl -lcrypto -lstdc++ -lm \
	-lgcc -lgcc_eh -lc -Wl,--end-group
ALL_LDFLAGS := -Wl,--gc-sections -Wl,-z,noseparate-code $(LDFLAGS)

ifdef DEVELOPER
ALL_CXXFLAGS += -g -Werror -Wshadow -Wnon-virtual-dtor
else
ALL_LDFLAGS += -s
endif
# Builds for proofs, each in its own folder: SANITIZE=address (with undefined behaviour) or thread, COVERAGE=1 and
# FUZZ=1. clang builds with sanitizers in half the time of gcc. It counts the branches of the source; gcc also counts
# every exit of a call by an exception.
SANITIZERS_address := address,undefined
SANITIZERS_thread := thread
ifdef SANITIZE
BUILD := build/sanitize-$(SANITIZE)
CXX := clang++
ALL_CXXFLAGS += -O1 -gline-tables-only -fsanitize=$(SANITIZERS_$(SANITIZE)) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
ALL_LDFLAGS := -fsanitize=$(SANITIZERS_$(SANITIZE)) $(LDFLAGS)
STATIC :=
STATIC_LIBRARIES := -lpq
endif
ifdef COVERAGE
BUILD := build/coverage
CXX := clang++
# The counters are in mapped files, so that those of a killed process count too. Many processes update them at once.
ALL_CXXFLAGS += -O0 -fprofile-instr-generate=$(CURDIR)/$(BUILD)/profile/%m%c.profraw -fcoverage-mapping \
	-mllvm -runtime-counter-relocation -fprofile-update=atomic
ALL_LDFLAGS := -fprofile-instr-generate $(LDFLAGS)
STATIC := -static
endif
ifdef FUZZ
BUILD := build/fuzz
CXX := clang++
FUZZ_SANITIZERS := address,undefined,float-cast-overflow
ALL_CXXFLAGS += -O1 -gline-tables-only -fno-omit-frame-pointer -fno-sanitize-recover=all \
	-fsanitize=fuzzer-no-link,$(FUZZ_SANITIZERS)
ALL_LDFLAGS := -fsanitize=fuzzer,$(FUZZ_SANITIZERS) $(LDFLAGS)
STATIC :=
STATIC_LIBRARIES := -lpq
endif

# gcc and clang read the common headers once and keep them in a form that loads quickly, which halves the CPU time of a
# build. ccache needs no such help, and would not cache files that are compiled with it. PRECOMPILE= turns it off, to
# see that every file includes what it uses.
PRECOMPILE ?= $(if $(findstring ccache,$(CXX)),,1)

# These layers wait for people, models and networks. They are compiled for size, which saves a third of their code,
# unless CXXFLAGS says how to optimize.
SMALL := $(if $(SANITIZE)$(COVERAGE)$(FUZZ)$(filter-out -O2,$(CXXFLAGS)),,$(addprefix libteam/,agent/% serve/% report/% view/%))

LIBRARY_SOURCES := $(wildcard libteam/*/*.cc libteam/*/*/*.cc)
# The web page of team-serve is embedded: build/web_assets.cc holds the files of libteam/web.
LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.cc=$(BUILD)/obj/%.o) $(BUILD)/obj/web_assets.o
WEB_FILES := $(sort $(wildcard libteam/web/*))
LIBRARY := $(BUILD)/libteam.a
# The commands that talk to models need curl, which needs many shared libraries: teamkit-net is not static.
COMMANDS := $(filter-out teamkit,$(patsubst cmd/%.cc,%,$(wildcard cmd/*.cc)))
NET_HEADERS := libteam/agent/(model/model_agent|telemetry/otlp_sender).h
NET_COMMANDS := $(patsubst cmd/%.cc,%,$(shell grep -lE '"$(NET_HEADERS)"' cmd/*.cc))
LOCAL_COMMANDS := $(filter-out $(NET_COMMANDS),$(COMMANDS))
COMMAND_NAMES := teamkit teamkit-net $(COMMANDS)
PROGRAMS := $(COMMAND_NAMES:%=$(BUILD)/bin/%)
# The same for libraries that are preloaded into a program (faketime).
DYNAMIC_PROGRAMS := $(COMMAND_NAMES:%=$(BUILD)/dynamic/bin/%)
UNIT_TESTS := $(patsubst tests/unit/%.cc,$(BUILD)/unit/%,$(wildcard tests/unit/*_test.cc))
FUZZERS := $(patsubst tests/fuzz/%.cc,%,$(wildcard tests/fuzz/*_fuzz.cc))
# The short form of the fuzzers is a unit test: the seeds and some mutations of them.
REPLAYS := $(FUZZERS:%=$(BUILD)/unit/%)
COMPLETION := $(BUILD)/completion/teamkit
PAGES := $(wildcard man/*.[157])

.PHONY: all deps demo demo-exec check check-now check-real torture coverage coverage-now dynamic fuzzers lint format bench install \
	uninstall clean compile_commands.json FORCE
# Not .SECONDARY: with it a new source that is older than the library would not be compiled.
.PRECIOUS: $(BUILD)/obj/%.o $(BUILD)/obj/tests/%.o
.DELETE_ON_ERROR:

all: $(PROGRAMS) $(COMPLETION)

# Installs the missing Debian packages for a build, and prints the command.
deps:
	@scripts/deps

demo:
	@scripts/deps demo
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@scripts/demo $(BUILD)/bin

# Programs as teammates, without any model.
demo-exec:
	@scripts/deps demo-exec
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@scripts/demo-exec $(BUILD)/bin

# All tests; QUICK=1 runs a part of them, in less than a minute once it is built.
check:
	@scripts/deps $(if $(SANITIZE)$(COVERAGE),proofs,check)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_TESTS) $(if $(QUICK),,$(REPLAYS))
	@$(MAKE) --no-print-directory check-now

check-now:
	@scripts/check $(BUILD)

# Against real parts from npm: not a part of check, which needs no registry but Debian's.
check-real:
	@scripts/deps check-real
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/real/model_bodies $(BUILD)/real/mcp_fixture
	@scripts/check-real $(BUILD)

# Tests the guarantees of the pages for TORTURE_MINUTES (20); the short forms are part of check.
torture:
	@scripts/deps proofs
	@$(MAKE) --no-print-directory -j$(JOBS) all dynamic $(addprefix $(BUILD)/unit/,board_model_test engines_test mail_engines_test session_engines_test)
	@$(MAKE) --no-print-directory -j$(JOBS) FUZZ=1 fuzzers
	@scripts/torture $(BUILD)

# The branches of the library that no test takes, with reasons; the figures are printed even if a test fails.
coverage:
	@scripts/deps proofs
	@$(MAKE) --no-print-directory COVERAGE=1 coverage-now

coverage-now:
	@$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_TESTS) $(REPLAYS)
	@scripts/coverage --begin $(BUILD)
	@failed=0; scripts/check $(BUILD) || failed=1; \
	  scripts/torture.d/sweep errors $(BUILD)/bin --seconds 120 >$(BUILD)/sweep.log || true; \
	  scripts/coverage $(BUILD) && exit $$failed

lint:
	@scripts/lint

format:
	clang-format -i $(LIBRARY_SOURCES) $(wildcard libteam/*/*.h libteam/*/*/*.h cmd/*.cc tests/*/*.cc tests/*/*.h)

# The compilation database, for clangd and clang-tidy.
compile_commands.json:
	@scripts/compile-commands $(LIBRARY_SOURCES) $(wildcard cmd/*.cc tests/unit/*.cc tests/fuzz/*.cc) >$@

# Measures the programs against bars and against other tools; scripts/bench explains QUICK=1, SCALE=1, KEEP=1 and
# ONLY=...
bench:
	@scripts/deps bench
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@scripts/bench $(BUILD)

# link_commands DIRECTORY: every command is a hard link to its executable, or a symbolic link where there are none.
define link_commands
	for name in $(LOCAL_COMMANDS); do \
	  ln -f $(1)/teamkit $(1)/$$name 2>/dev/null || ln -sf teamkit $(1)/$$name || exit 1; done
	for name in $(NET_COMMANDS); do \
	  ln -f $(1)/teamkit-net $(1)/$$name 2>/dev/null || ln -sf teamkit-net $(1)/$$name || exit 1; done
endef

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BUILD)/bin/teamkit $(BUILD)/bin/teamkit-net $(DESTDIR)$(PREFIX)/bin
	$(call link_commands,$(DESTDIR)$(PREFIX)/bin)
	for page in $(PAGES); do section=$${page##*.}; \
	  install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$$section/$${page#man/} || exit 1; done
	install -m 644 $(COMPLETION) $(DESTDIR)$(PREFIX)/share/bash-completion/completions/teamkit
	for name in teamkit-net $(COMMANDS); do \
	  ln -sf teamkit $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name || exit 1; done

uninstall:
	for name in $(COMMAND_NAMES); do \
	  rm -f $(DESTDIR)$(PREFIX)/bin/$$name $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name; done
	for page in $(PAGES); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page#man/}; done

clean:
	rm -rf build

# One short line for each file, with a count of the steps so far; the whole command with V=1.
quiet := $(if $(V),,@)
say = $(if $(V),,@printf '%4d %-5s %s\n' $(words $(eval steps += x)$(steps)) $(1) $(2))

# Tests are built more often than they run, except for fuzzers.
TESTS_CXXFLAGS := $(ALL_CXXFLAGS) $(if $(FUZZ),,-O0)

# changed FILE,TEXT: writes the text into the file if it differs from what the file has.
changed = printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $(1) || printf '%s\n' '$(subst ','\'',$(2))' >$(1)

# A change of the flags compiles everything again, and a removed source leaves the library.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@$(call changed,$@,$(filter-out ccache,$(CXX)) $(ALL_CXXFLAGS))

$(BUILD)/objects.list: FORCE
	@mkdir -p $(@D)
	@$(call changed,$@,$(LIBRARY_OBJECTS))

# The precompiled headers, one for the library, one for its layers that are compiled for size, and one for tests, because
# their flags differ. The compiler finds X.gch when it is told to include X. They hold headers of other projects only, so
# no object depends on their contents.
PRECOMPILED := $(BUILD)/precompiled/library.h
SMALL_PRECOMPILED := $(BUILD)/precompiled/small.h
TESTS_PRECOMPILED := $(BUILD)/precompiled/tests.h

$(BUILD)/precompiled/%.h: libteam/base/precompiled.h
	@mkdir -p $(@D)
	@cp $< $@

$(PRECOMPILED).gch $(SMALL_PRECOMPILED).gch $(TESTS_PRECOMPILED).gch: %.gch: % $(BUILD)/flags Makefile
	$(call say,CXX,$@)
	$(quiet)$(CXX) $(if $(findstring tests,$@),$(TESTS_CXXFLAGS),$(ALL_CXXFLAGS)) $(if $(findstring small,$@),-Os) \
	  -MD -MP -MF $@.d -MT $@ -x c++-header $< -o $@

is_small = $(filter $(SMALL),$<)
LIBRARY_PRECOMPILED := $(if $(PRECOMPILE),$(PRECOMPILED).gch $(if $(SMALL),$(SMALL_PRECOMPILED).gch))
$(BUILD)/obj/%.o: %.cc $(BUILD)/flags Makefile | $(LIBRARY_PRECOMPILED)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(quiet)$(CXX) $(ALL_CXXFLAGS) $(if $(is_small),-Os) \
	  $(if $(PRECOMPILE),-include $(if $(is_small),$(SMALL_PRECOMPILED),$(PRECOMPILED))) -MMD -MP -c $< -o $@

$(BUILD)/obj/tests/%.o: tests/%.cc $(BUILD)/flags Makefile $(if $(PRECOMPILE),| $(TESTS_PRECOMPILED).gch)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(quiet)$(CXX) $(TESTS_CXXFLAGS) $(if $(PRECOMPILE),-include $(TESTS_PRECOMPILED)) -MMD -MP -c $< -o $@

$(BUILD)/web_files.list: FORCE
	@mkdir -p $(@D)
	@$(call changed,$@,$(WEB_FILES))

$(BUILD)/web_assets.cc: scripts/embed-web $(BUILD)/web_files.list $(WEB_FILES)
	$(call say,GEN,$@)
	$(quiet)scripts/embed-web $(WEB_FILES) >$@

$(BUILD)/obj/web_assets.o: $(BUILD)/web_assets.cc $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(quiet)$(CXX) $(ALL_CXXFLAGS) -MMD -MP -c $< -o $@

$(POSTGRES_LIBRARIES) &: scripts/postgres-libraries
	$(call say,GEN,$(POSTGRES))
	$(quiet)scripts/postgres-libraries $(POSTGRES)

# Every program that is linked with the library may need them.
$(LIBRARY): $(LIBRARY_OBJECTS) $(BUILD)/objects.list $(if $(findstring -lpgport,$(STATIC_LIBRARIES)),$(POSTGRES_LIBRARIES))
	@rm -f $@
	$(call say,AR,$@)
	$(quiet)$(AR) rcs $@ $(filter %.o,$^)

# The list of commands is rewritten only if it differs.
$(BUILD)/commands.list: FORCE
	@mkdir -p $(@D)
	@scripts/command-list $(wildcard cmd/*.cc) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/obj/teamkit.o $(BUILD)/obj/teamkit-net.o: cmd/teamkit.cc $(BUILD)/commands.list $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(call say,CXX,'$< ($(@F:.o=))')
	$(quiet)$(CXX) $(ALL_CXXFLAGS) $(if $(findstring net,$@),-DTEAMKIT_NET) -DCOMMAND_LIST='"$(BUILD)/commands.list"' \
	  -MMD -MP -c $< -o $@

LOCAL_OBJECTS := $(BUILD)/obj/teamkit.o $(LOCAL_COMMANDS:%=$(BUILD)/obj/cmd/%.o)
NET_OBJECTS := $(BUILD)/obj/teamkit-net.o $(NET_COMMANDS:%=$(BUILD)/obj/cmd/%.o)
link = $(CXX) $(filter %.o,$^) $(LIBRARY) $(ALL_LDFLAGS)

# Copied after linking: a file that is written in one go is mapped in larger pieces, and starts a quarter faster than a
# file that the linker wrote in pieces.
$(BUILD)/bin/teamkit: $(LOCAL_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) $(STATIC) -lncursesw -ltinfo $(STATIC_LIBRARIES) -o $@.linked
	@cp $@.linked $@.new && rm $@.linked && mv $@.new $@

$(BUILD)/bin/teamkit-net: $(NET_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) -lcurl -o $@.linked
	@cp $@.linked $@.new && rm $@.linked && mv $@.new $@

$(LOCAL_COMMANDS:%=$(BUILD)/bin/%): $(BUILD)/bin/teamkit
	@ln -f $< $@

$(NET_COMMANDS:%=$(BUILD)/bin/%): $(BUILD)/bin/teamkit-net
	@ln -f $< $@

$(BUILD)/dynamic/bin/teamkit: $(LOCAL_OBJECTS) $(LIBRARY)
$(BUILD)/dynamic/bin/teamkit-net: $(NET_OBJECTS) $(LIBRARY)
$(BUILD)/dynamic/bin/teamkit $(BUILD)/dynamic/bin/teamkit-net:
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) -Wl,--as-needed -lcurl -lncursesw -ltinfo -o $@

$(LOCAL_COMMANDS:%=$(BUILD)/dynamic/bin/%): $(BUILD)/dynamic/bin/teamkit
	@ln -f $< $@

$(NET_COMMANDS:%=$(BUILD)/dynamic/bin/%): $(BUILD)/dynamic/bin/teamkit-net
	@ln -f $< $@

dynamic: $(DYNAMIC_PROGRAMS)

$(BUILD)/real/%: $(BUILD)/obj/tests/real/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) $(STATIC) $(STATIC_LIBRARIES) -o $@

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) $(STATIC) $(STATIC_LIBRARIES) -o $@

$(BUILD)/unit/http_test: $(BUILD)/obj/tests/unit/http_test.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) -lcurl -o $@

$(REPLAYS): $(BUILD)/unit/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/fuzz/fuzz.o \
		$(BUILD)/obj/tests/fuzz/replay.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) $(STATIC) $(STATIC_LIBRARIES) -o $@

# With FUZZ=1.
fuzzers: $(FUZZERS:%=$(BUILD)/fuzzers/%)

$(BUILD)/fuzzers/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/fuzz/fuzz.o $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(quiet)$(link) -o $@

$(COMPLETION): scripts/completion $(PROGRAMS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(quiet)scripts/completion $(PROGRAMS) > $@

-include $(shell find $(BUILD)/obj $(BUILD)/precompiled -name '*.d' 2>/dev/null)
