#include "libteam/report/report_page.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/report/graph_drawing.h"
#include "libteam/report/report_messages.h"
#include "libteam/report/report_style.h"
#include "libteam/report/report_timeline.h"
#include "libteam/report/xml.h"

namespace team {

namespace {

constexpr std::size_t kMostRows = 500;  // of a table

struct Column {
  enum class Kind { text, word, number };  // a word is not broken

  std::string_view heading;
  Kind kind = Kind::text;
};

constexpr auto kWord = Column::Kind::word;
constexpr auto kNumber = Column::Kind::number;

std::string_view class_of(const Column& column) {
  switch (column.kind) {
    case Column::Kind::text: return "";
    case Column::Kind::word: return " class=\"fixed\"";
    case Column::Kind::number: return " class=\"number\"";
  }
  return "";
}

class HtmlTable {
 public:
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Cells with text and numbers. A table is cut after kMostRows.
  void row(const std::vector<std::string>& cells, std::string_view kind = "") {
    if (++count_ <= kMostRows) rows_ += line(cells, kind);
  }
  void sum(const std::vector<std::string>& cells) { sum_ = "<tfoot>" + line(cells, "") + "</tfoot>\n"; }

  std::string html() const {
    std::string head;
    for (const Column& column : columns_) {
      head += fmt::format("<th{}>{}</th>", class_of(column), column.heading);
    }
    const std::string rest =
        count_ > kMostRows ? fmt::format("<p class=\"note\">… and {} more.</p>\n", count_ - kMostRows) : std::string();
    return fmt::format("<table><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>{}</table>\n{}", head, rows_, sum_, rest);
  }

 private:
  std::string line(const std::vector<std::string>& cells, std::string_view kind) const {
    std::string text = kind.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", kind);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("<td{}>{}</td>", class_of(columns_[i]), to_xml(cells[i]));
    }
    return text + "</tr>\n";
  }

  std::vector<Column> columns_;
  std::string rows_, sum_;
  std::size_t count_ = 0;
};

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : std::string("-");
}

std::string describe_cost(const std::optional<double>& cost) { return cost ? fmt::format("${:.4f}", *cost) : "-"; }

std::string total(std::string_view name, const std::string& value, const std::string& note) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name, to_xml(value), to_xml(note));
}

std::string show_totals(const Report& report) {
  const History& history = report.history;
  const BoardStatus& tasks = report.status.tasks;
  double idle = 0, plans = 0, paused = 0, errors = 0;
  for (const MemberHistory& member : history.members) {
    idle += member.idle;
    plans += member.plan_pending;
    paused += member.paused;
    errors += member.error;
  }
  std::size_t most = 0;
  for (const BoardMoment& moment : history.moments) most = std::max(most, moment.working);
  const bool is_used = team::total(report.status.usage) > 0;
  const std::string cost = report.status.cost ? "cost " + describe_cost(report.status.cost) : "cost not known";
  std::string totals = "<dl class=\"totals\">\n";
  totals += total("Elapsed", describe_duration(history.elapsed()),
                  "from the first event to " + std::string(history.goes_on ? "now" : "the last"));
  totals += total("Tasks completed", fmt::format("{} of {}", tasks.completed, tasks.total),
                  fmt::format("{} failed, {} in progress, {} ready, {} blocked", tasks.failed, tasks.in_progress,
                              tasks.ready, tasks.blocked));
  totals += total("Work", describe_duration(history.worked()), "of all members on tasks");
  totals += total("Parallelism", fmt::format("{:.2f}", history.parallelism()),
                  fmt::format("work / elapsed; at most {} at once", most));
  totals += total("Critical path", describe_duration(history.critical_time),
                  fmt::format("{} tasks, {} of the time elapsed", history.critical_path.size(),
                              percent(history.critical_time, history.elapsed())));
  totals += total("Lost: ready, not taken", describe_duration(history.untaken()), "of all tasks");
  totals += total("Lost: members blocked", describe_duration(history.idle_blocked),
                  fmt::format("of {} idle: tasks open, none ready", describe_duration(idle)));
  totals += total("Lost: held up", describe_duration(plans + paused + errors),
                  fmt::format("plans {}, paused {}, errors {}", describe_duration(plans), describe_duration(paused),
                              describe_duration(errors)));
  totals += total("Messages", std::to_string(history.messages.size()), "sent");
  totals += total("Tokens", describe_count(team::total(report.status.usage)), is_used ? cost : "no model was used");
  return totals + "</dl>\n";
}

std::string name_unseen(const History& history) {
  constexpr std::size_t kMostNames = 20;
  std::vector<std::string> names;
  for (const MemberHistory& member : history.members) {
    if (member.states.empty() && member.works.empty()) names.push_back(member.name);
  }
  if (names.empty()) return "";
  const std::size_t rest = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - rest);
  return fmt::format("<p class=\"note\">Never seen at work: {}{}.</p>\n", to_xml(join(names, ", ")),
                     rest > 0 ? fmt::format(" and {} more", rest) : "");
}

std::string show_timeline(const History& history) {
  // Each picture has its own axis, so that an axis is always near, on a screen and on paper.
  constexpr std::size_t kMembersEach = 40;
  const auto members = seen_members(history);
  if (members.empty()) return "<p class=\"note\">Nobody has worked yet.</p>\n";
  std::string page;
  for (std::size_t i = 0; i < members.size(); i += kMembersEach) {
    const auto first = members.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = members.begin() + static_cast<std::ptrdiff_t>(std::min(i + kMembersEach, members.size()));
    page += fmt::format("<div class=\"picture timeline\">{}</div>\n", draw_timeline(history, {first, last}, ""));
  }
  return page + name_unseen(history);
}

std::string show_members(const Report& report) {
  std::map<std::string, const MemberStatus*> now;
  for (const MemberStatus& member : report.status.members) now[member.name] = &member;
  HtmlTable table({{"member"},
                   {"role"},
                   {"now", kWord},
                   {"completed", kNumber},
                   {"failed", kNumber},
                   {"on tasks", kNumber},
                   {"idle", kNumber},
                   {"plan_pending", kNumber},
                   {"paused", kNumber},
                   {"error", kNumber}});
  for (const MemberHistory& member : report.history.members) {
    const auto found = now.find(member.name);
    const auto count = [&](WorkInterval::End end) {
      return std::to_string(std::count_if(member.works.begin(), member.works.end(),
                                          [&](const WorkInterval& work) { return work.end == end; }));
    };
    const auto length = [](double seconds) { return seconds > 0 ? describe_duration(seconds) : std::string("-"); };
    table.row({member.name, found == now.end() ? "-" : found->second->role.value_or("-"),
               found == now.end() ? "gone" : found->second->state, count(WorkInterval::End::completed),
               count(WorkInterval::End::failed), length(member.worked), length(member.idle),
               length(member.plan_pending), length(member.paused), length(member.error)});
  }
  return table.html();
}

void print_graph_of(Output& out, const Report& report) {
  if (report.board.nodes().empty()) {
    out.text("<p class=\"note\">The board is empty.</p>\n");
    return;
  }
  out.text("<div class=\"picture graph\">");
  out.text(draw_svg(report.board, report.history.critical_path, ""));
  out.text("</div>\n");
}

std::string show_critical_path(const Report& report) {
  const History& history = report.history;
  if (history.critical_path.empty()) return "";
  HtmlTable table(
      {{"task"}, {"subject"}, {"owner"}, {"outcome", kWord}, {"worked on", kNumber}, {"waited ready", kNumber}});
  for (const TaskId id : history.critical_path) {
    const GraphTask& task = report.board.nodes()[*report.board.place_of(id)].task;
    const TaskHistory& past = history.tasks.at(id);
    table.row({fmt::format("#{}", id), task.subject, task.owner.value_or("-"), std::string(name_of(task.status)),
               describe_duration(past.worked), describe_duration(past.waited)},
              name_of(task.status));
  }
  return "<h3>The critical path: the chain of tasks whose work took longest</h3>\n" + table.html();
}

std::string show_failures(const Report& report) {
  HtmlTable failed({{"task"}, {"subject"}, {"owner"}, {"attempts", kNumber}, {"reason"}});
  std::set<TaskId> told;
  for (const Failure& failure : report.failures) {
    told.insert(failure.task);
    failed.row({fmt::format("#{}", failure.task), failure.subject, failure.owner.value_or("-"),
                std::to_string(failure.attempts), failure.error.value_or("-")},
               "failed");
  }
  HtmlTable vain({{"task"}, {"subject"}, {"member"}, {"what", kWord}, {"when", kWord}, {"after", kNumber}, {"reason"}});
  bool was_in_vain = false;
  for (const MemberHistory& member : report.history.members) {
    for (const WorkInterval& work : member.works) {
      const bool is_told = work.end == WorkInterval::End::failed && told.contains(work.task);
      if (work.end == WorkInterval::End::completed || work.end == WorkInterval::End::running || is_told) continue;
      was_in_vain = true;
      vain.row({fmt::format("#{}", work.task), work.subject, member.name, std::string(name_of(work.end)),
                clock_time(work.to), describe_duration(work.to - work.from), work.reason.empty() ? "-" : work.reason});
    }
  }
  std::string page = told.empty() ? "<p class=\"note\">No task has failed.</p>\n" : failed.html();
  if (was_in_vain) page += "<h3>Attempts that came to nothing</h3>\n" + vain.html();
  return page;
}

std::string show_usage(const TeamStatus& status) {
  HtmlTable table({{"member"},
                   {"model"},
                   {"input", kNumber},
                   {"output", kNumber},
                   {"cache read", kNumber},
                   {"cache written", kNumber},
                   {"in all", kNumber},
                   {"cost", kNumber}});
  const auto numbers = [](const Usage& usage, const std::optional<double>& cost) {
    return std::vector<std::string>{std::to_string(usage.input),        std::to_string(usage.output),
                                    std::to_string(usage.cache_read),   std::to_string(usage.cache_written),
                                    std::to_string(team::total(usage)), describe_cost(cost)};
  };
  bool is_used = false;
  for (const MemberStatus& member : status.members) {
    if (team::total(member.usage) == 0) continue;
    is_used = true;
    std::vector<std::string> cells = {member.name, member.model.value_or("-")};
    for (std::string& number : numbers(member.usage, member.cost)) cells.push_back(std::move(number));
    table.row(cells);
  }
  if (!is_used) return "<p class=\"note\">No model was used.</p>\n";
  std::vector<std::string> cells = {"all", ""};
  for (std::string& number : numbers(status.usage, status.cost)) cells.push_back(std::move(number));
  table.sum(cells);
  return table.html();
}

std::string show_head(const Report& report) {
  const History& history = report.history;
  std::string head = fmt::format("<h1>{}</h1>\n<p class=\"note\">led by {}; {} to {}{}</p>\n", to_xml(report.team.name),
                                 to_xml(report.team.lead), date_and_time(history.start), date_and_time(history.end),
                                 history.goes_on ? ", still going on" : "");
  if (report.team.summary && !report.team.summary->empty())
    head += fmt::format("<p>{}</p>\n", to_xml(*report.team.summary));
  if (history.starts_in_the_middle) {
    head += "<p class=\"note\">The first events are gone from the log: what went on by then starts with it.</p>\n";
  }
  return head;
}

}  // namespace

std::string timeline_document(const History& history) {
  return std::string(kXmlProlog) + draw_timeline(history, seen_members(history), dark_rules(""));
}

std::string graph_document(const TaskGraph& graph, const std::vector<TaskId>& path) {
  return std::string(kXmlProlog) + draw_svg(graph, path, dark_rules(""));
}

void print_page(Output& out, const Report& report) {
  struct Section {
    std::string_view id, heading;
    std::function<void()> print;
  };
  const std::vector<Section> sections = {
      {"totals", "Totals", [&] { out.text(show_totals(report)); }},
      {"timeline", "Timeline", [&] { out.text(show_timeline(report.history) + show_members(report)); }},
      {"graph", "Tasks",
       [&] {
         print_graph_of(out, report);
         out.text(show_critical_path(report));
       }},
      {"failed", "Failed", [&] { out.text(show_failures(report)); }},
      {"messages", "Messages", [&] { out.text(draw_messages(report.history.messages)); }},
      {"usage", "Usage", [&] { out.text(show_usage(report.status)); }},
  };
  out.text(fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"UTF-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n{}<nav>",
      to_xml(report.team.name), page_rules(), dark_rules("svg "), show_head(report)));
  for (const Section& section : sections) {
    out.text(fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.heading));
  }
  out.text("</nav>\n");
  for (const Section& section : sections) {
    out.text(fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, section.heading));
    section.print();
    out.text("</section>\n");
  }
  out.text("</body>\n</html>\n");
}

}  // namespace team
