load helper

# add FILE INCLUDE…: makes a file that includes these.
add() {
  mkdir -p "${1%/*}"
  printf '// a file\n' >"$1"
  printf '#include %s\n' "${@:2}" >>"$1"
}

setup_tree() {
  add libteam/base/error.h '<string>'
  add libteam/base/json.h '<nlohmann/json_fwd.hpp>'
  add libteam/record/json_fields.h '"libteam/base/json.h"'
  add libteam/store/board.cc '"libteam/system/lock.h"' '"libteam/record/json_fields.h"'
  add libteam/agent/model/http.cc '<curl/curl.h>' '"libteam/store/board.h"'
  add libteam/cli/line_parser.cc '<CLI/App.hpp>' '"libteam/cli/line_parser.h"'
  add libteam/cli/command.cc '"libteam/store/board.h"' '"libteam/cli/command.h"'
  add cmd/task-claim.cc '<optional>' '"libteam/cli/command.h"'
}

# refused LINE…: exactly these violations.
refused() {
  run --separate-stderr "$PROJECT/scripts/check-layers" .

  as_expected 1 "$(printf '%s\n' "$@")" ''
}

@test "says nothing of a tree in order" {
  setup_tree

  run --separate-stderr "$PROJECT/scripts/check-layers" .

  as_expected 0 '' ''
}

@test "says nothing of this tree" {
  run --separate-stderr "$PROJECT/scripts/check-layers"

  as_expected 0 '' ''
}

@test "refuses an include of a later layer" {
  setup_tree
  add libteam/base/text.cc '<string>' '"libteam/system/file.h"'
  add libteam/store/roster.h '"libteam/cli/output.h"'

  refused 'libteam/base/text.cc:3: base does not know system' 'libteam/store/roster.h:2: store does not know cli'
}

@test "refuses that agent and cli know each other" {
  setup_tree
  add libteam/agent/tools.cc '"libteam/cli/output.h"'
  add libteam/cli/context.cc '"libteam/agent/http.h"'

  refused 'libteam/agent/tools.cc:2: agent does not know cli' 'libteam/cli/context.cc:2: cli does not know agent'
}

@test "refuses modules that include each other" {
  setup_tree
  add libteam/system/file.h '<string>'
  add libteam/system/file.cc '"libteam/system/file.h"' '"libteam/system/trace.h"'
  add libteam/system/trace.h '"libteam/system/lock.h"'
  add libteam/system/lock.h '"libteam/system/file.h"'
  add libteam/system/watch.cc '"libteam/system/file.h"'

  refused 'libteam/system/file.cc:3: libteam/system/file includes libteam/system/trace in a cycle of modules' \
    'libteam/system/lock.h:2: libteam/system/lock includes libteam/system/file in a cycle of modules' \
    'libteam/system/trace.h:2: libteam/system/trace includes libteam/system/lock in a cycle of modules'
}

@test "lets serve use the report and the lives of teammates, but no command line and no model" {
  setup_tree
  add libteam/serve/page.cc '"libteam/report/report_page.h"' '"libteam/agent/life/spawn.h"' '"libteam/store/board.h"'
  add libteam/serve/tools.cc '"libteam/agent/model/lead.h"' '"libteam/cli/output.h"'
  add libteam/report/page.cc '"libteam/serve/http.h"'
  add libteam/view/top.cc '"libteam/serve/http.h"'

  refused 'libteam/report/page.cc:2: report does not know serve' \
    'libteam/serve/tools.cc:2: of agent, serve knows agent/life only' \
    'libteam/serve/tools.cc:3: serve does not know cli: it prints nothing and parses no command line' \
    'libteam/view/top.cc:2: view does not know serve'
}

@test "refuses Beast outside of one source file of serve" {
  setup_tree
  add libteam/agent/model/socket.cc '<boost/asio.hpp>'
  add libteam/serve/http.cc '<boost/beast/http.hpp>' '<boost/asio/ip/tcp.hpp>'
  add libteam/serve/http.h '<boost/beast/core.hpp>'
  add libteam/serve/sse.cc '<boost/beast/http.hpp>'

  refused 'libteam/agent/model/socket.cc:2: only one .cc of serve knows Beast' \
    'libteam/serve/http.h:2: only one .cc of serve knows Beast' \
    'libteam/serve/sse.cc:2: Beast is included in libteam/serve/http.cc only'
}

@test "refuses headers of the storage in files outside of it" {
  setup_tree
  add libteam/store/files/roster.cc '"libteam/store/files/root.h"'
  add libteam/cli/context.cc '"libteam/store/files/file_engine.h"'
  add cmd/team-fsck.cc '"libteam/store/files/fsck.h"'
  add cmd/task-get.cc '"libteam/store/files/root.h"'
  add libteam/cli/context.h '"libteam/store/files/file_engine.h"'
  add libteam/store/memory/board.cc '"libteam/store/files/task_files.h"'
  add libteam/store/mail.h '"libteam/store/engine.h"' '"libteam/store/files/mailbox.h"'

  local rule='a store is used through libteam/store/engine.h'
  refused "cmd/task-get.cc:2: only store/files knows libteam/store/files/root.h; $rule" \
    "libteam/cli/context.h:2: only store/files knows libteam/store/files/file_engine.h; $rule" \
    "libteam/store/mail.h:3: only store/files knows libteam/store/files/mailbox.h; $rule" \
    "libteam/store/memory/board.cc:2: only store/files knows libteam/store/files/task_files.h; $rule"
}

@test "refuses the name of a file of a store outside of its layout" {
  setup_tree
  add libteam/store/files/layout.h '<string>'
  echo 'constexpr const char* kConfig = "config.json";' >>libteam/store/files/layout.h
  add libteam/store/files/roster.cc '<string>'
  echo '// Reads "config.json".' >>libteam/store/files/roster.cc
  echo 'auto lock = "a_inbox.lock";' >>libteam/store/files/roster.cc
  add cmd/team-log.cc '<string>'
  printf '%s\n' 'auto path = team + "/events.jsonl";' 'auto tasks = a("x", options.tasks, "y");' 'auto hooks = "hooks/x";' \
    'auto text = "how hooks run";' 'auto key = "\"x\".teams";' >>cmd/team-log.cc

  local rule='only store/files/layout knows the names of files of a store'
  refused "cmd/team-log.cc:3: \"/events.jsonl\": $rule" "cmd/team-log.cc:5: \"hooks/x\": $rule" \
    "cmd/team-log.cc:7: \"x.teams\": $rule" "libteam/store/files/roster.cc:4: \"a_inbox.lock\": $rule"
}

@test "refuses files in values and JSON in the system" {
  setup_tree
  add libteam/record/task.cc '"libteam/system/file.h"'
  add libteam/system/file.cc '"libteam/base/json.h"'

  refused 'libteam/record/task.cc:2: record does not know system: values have no files and no locks' \
    'libteam/system/file.cc:2: system does not know JSON'
}

@test "refuses a second file with CLI11 and a second one with curl" {
  setup_tree
  add libteam/agent/model/stream.cc '<curl/curl.h>'
  add libteam/cli/output.cc '<CLI/Formatter.hpp>'

  refused 'libteam/agent/model/stream.cc:2: curl is included in libteam/agent/model/http.cc only' \
    'libteam/cli/output.cc:2: CLI11 is included in libteam/cli/line_parser.cc only'
}

@test "refuses ncurses anywhere but in the screen" {
  setup_tree
  add libteam/cli/output.cc '<ncursesw/curses.h>'
  add libteam/view/screen.cc '<ncursesw/curses.h>'

  refused 'libteam/cli/output.cc:2: ncurses is included in libteam/view/screen.cc only'
}

@test "refuses nlohmann/json.hpp in a header" {
  setup_tree
  add libteam/record/task.h '<nlohmann/json.hpp>'

  refused 'libteam/record/task.h:2: a header does not include nlohmann/json.hpp: it takes seconds to compile'
}

@test "refuses a command that includes more than libteam and C++" {
  setup_tree
  add cmd/task-get.cc '<unistd.h>' '"task-claim.h"'

  refused 'cmd/task-get.cc:2: <unistd.h>: a command includes headers of libteam and of C++ only' \
    'cmd/task-get.cc:3: "task-claim.h": a header of ours is named from the top, libteam/...'
}

@test "refuses a folder that is no layer" {
  setup_tree
  add libteam/util/misc.cc '<string>'

  refused 'libteam/util/misc.cc:1: libteam/util is not one of the layers'
}
