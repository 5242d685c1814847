#include "libteam/cli/exit.h"

#include <unistd.h>

#include <new>
#include <string>

#include "libteam/base/terminal_text.h"
#include "libteam/system/file.h"

namespace team {

namespace {

std::string error_line(const Choices& choices, Code code, std::string_view text) {
  const std::string line = one_line(text);
  if (!choices.json) return fmt::format("{}: {}: {}\n", program_invocation_short_name, name_of(code), line);
  std::string quoted;
  for (const char c : line) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return fmt::format("{{\"status\":\"error\",\"code\":\"{}\",\"error\":\"{}\"}}\n", name_of(code), quoted);
}

}  // namespace

int report_error(const Choices& choices, Code code, std::string_view text) {
  write_all(STDERR_FILENO, error_line(choices, code, text));
  return static_cast<int>(code);
}

Exit no(const Context& context, std::string_view reason) {
  report_error(context.choices(), Code::no, reason);
  return Exit::no;
}

int run_verb(Context& context, const Verb& verb) {
  Code code = Code::no;
  std::string text;
  try {
    const Exit exit = verb(context);
    context.out().finish(context.may_have_changed() ? Output::Reader::must_stay : Output::Reader::may_leave);
    return static_cast<int>(exit);
  } catch (const Error& error) {
    code = error.code();
    text = error.what();
  } catch (const std::bad_alloc&) {
    code = Code::io;
    text = "out of memory";
  } catch (const std::exception& error) {
    code = Code::unknown;
    text = fmt::format("this should not happen: {}", error.what());
  }
  if (context.has_made() && (code == Code::io || code == Code::again)) {
    code = Code::unknown;
    text = "the change is made, but " + text;
  }
  // The output before the failure is valid and must not be lost.
  context.out().flush();
  return report_error(context.choices(), code, text);
}

}  // namespace team
