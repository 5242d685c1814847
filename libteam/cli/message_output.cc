#include "libteam/cli/message_output.h"

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/input.h"

namespace team {

namespace {

// If somebody removed the content of a large message, only its beginning exists.
bool is_whole(const Mailbox& mailbox, const Message& message) {
  if (message.body_size == 0) return true;
  if (mailbox.has_body(message)) return false;
  warn(fmt::format("warning: the content of message {} is missing but for its beginning", one_line(message.id)));
  return true;
}

void print_json(Output& out, const Mailbox& mailbox, const Message& message) {
  if (is_whole(mailbox, message)) {
    out.line(to_line(message));
    return;
  }
  const SplitLine line = to_split_line(message);
  out.text(line.before);
  mailbox.each_body_piece(message, [&](std::string_view piece) { out.text(escape_json(piece)); });
  out.line(line.after);
}

// For a person: sender, time and summary, then the unchanged text.
void print_letter(Output& out, const Mailbox& mailbox, const Message& message) {
  const std::string kind = message.type == "message" ? "" : fmt::format("  [{}]", message.type);
  out.line(fmt::format("{}  {}{}", out.paint(message.sender, Output::Tone::strong), clock_time(message.timestamp),
                       out.paint(kind, Output::Tone::busy)));
  // Pieces of a large text end anywhere; a line is indented where it starts.
  bool at_start = true;
  const auto print = [&](std::string_view text) {
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(text.size(), end + 1))) {
      end = std::min(text.find('\n'), text.size());
      out.text((at_start ? "  " : "") + one_line(text.substr(0, end)));
      at_start = end < text.size();
      if (at_start) out.text("\n");
    }
  };
  if (is_whole(mailbox, message)) print(message.content);
  else mailbox.each_body_piece(message, print);
  out.text(at_start ? "" : "\n");
  if (message.feedback && message.content.find(*message.feedback) == std::string::npos)
    out.line("  " + one_line(*message.feedback));
  out.line(out.paint("  " + message.id, Output::Tone::faint));
}

void print_record(Output& out, const Mailbox& mailbox, const Message& message) {
  out.text(fmt::format("{}\t{}\t{}\t", message.id.empty() ? "-" : message.id, one_line(message.sender), message.type));
  if (is_whole(mailbox, message)) out.text(one_line(message.content));
  else mailbox.each_body_piece(message, [&](std::string_view piece) { out.text(one_line(piece)); });
  out.text("\n");
}

void print_message(Context& context, const Mailbox& mailbox, const Message& message) {
  if (context.json()) print_json(context.out(), mailbox, message);
  else if (context.out().is_terminal()) print_letter(context.out(), mailbox, message);
  else print_record(context.out(), mailbox, message);
}

}  // namespace

std::size_t receive(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most,
                    Taking taking) {
  const MailOperations operations = context.session().messages();
  const auto deliver = [&](const std::vector<Message>& messages) {
    for (const Message& message : messages) print_message(context, mailbox, message);
    if (!context.out().deliver()) return false;
    context.made();  // from here on a failure, perhaps with the next messages, is no longer "nothing changed"
    return true;
  };
  std::size_t seen = 0;
  bool more = true;
  while (more && seen < most) {
    const auto received = operations.receive(filter, most - seen, taking, deliver);
    if (received) seen += received->count;
    more = received && received->count > 0 && received->more;
  }
  return seen;
}

std::size_t peek(Context& context, const Mailbox& mailbox, const MessageFilter& filter, std::size_t most) {
  std::size_t seen = 0;
  mailbox.peek(filter, most, context.actor().run, [&](const Message& message) {
    print_message(context, mailbox, message);
    ++seen;
  });
  context.out().flush();
  return seen;
}

void read_content(std::string& content, std::function<bool(std::string& piece)>& more) {
  std::string piece;
  while (content.size() <= kLargestContent && read_piece(piece)) content += piece;
  if (content.size() > kLargestContent) {
    more = read_piece;
    return;
  }
  if (content.ends_with('\n')) content.pop_back();
  content = repair_utf8(content);
}

}  // namespace team
