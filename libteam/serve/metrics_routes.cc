// The endpoint /metrics: counts of the teams and of the server, in the text format of Prometheus.
#include <map>

#include "libteam/base/text.h"
#include "libteam/serve/router.h"
#include "libteam/store/status.h"

namespace team {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\n') {
      escaped += "\\n";
      continue;
    }
    if (letter == '\\' || letter == '"') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

// Collects samples by metric: the samples of a metric must stand together.
class Metrics {
 public:
  void describe(const std::string& name, const char* type, const char* help) {
    families_[name].head = fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    order_.push_back(name);
  }

  template <class Number>
  void add(const std::string& name, const Labels& labels, Number value) {
    std::string sample = name;
    if (!labels.empty()) {
      std::string list;
      for (const auto& [label, text] : labels) {
        list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label, escape(text));
      }
      sample += '{' + list + '}';
    }
    families_[name].samples += fmt::format("{} {}\n", sample, value);
  }

  std::string text() const {
    std::string all;
    for (const std::string& name : order_) {
      const Family& family = families_.at(name);
      if (!family.samples.empty()) all += family.head + family.samples;
    }
    return all;
  }

 private:
  struct Family {
    std::string head, samples;
  };
  std::map<std::string, Family> families_;
  std::vector<std::string> order_;
};

Metrics describe_all() {
  Metrics metrics;
  metrics.describe("teamkit_build_info", "gauge", "The version of the server; always 1.");
  metrics.describe("teamkit_start_time_seconds", "gauge", "Unix time of the start of the server.");
  metrics.describe("teamkit_http_requests_total", "counter", "Requests since the start of the server.");
  metrics.describe("teamkit_http_refused_total", "counter", "Responses with a status of 400 or more.");
  metrics.describe("teamkit_streams", "gauge", "Open event streams.");
  metrics.describe("teamkit_stream_events_total", "counter", "Events sent to streams.");
  metrics.describe("teamkit_team_up", "gauge", "1 if the team and its board can be read.");
  metrics.describe("teamkit_tasks", "gauge", "Tasks by status; ready and blocked ones are pending.");
  metrics.describe("teamkit_members", "gauge", "Members by state.");
  metrics.describe("teamkit_members_running", "gauge", "Members whose process runs.");
  metrics.describe("teamkit_unread_messages", "gauge", "Messages in mailboxes.");
  metrics.describe("teamkit_plans_waiting", "gauge", "Plans that wait for an answer.");
  metrics.describe("teamkit_tokens_total", "counter", "Tokens that models read and wrote.");
  metrics.describe("teamkit_cost_usd_total", "counter", "Cost of these tokens, for models with a known price.");
  metrics.describe("teamkit_events_total", "counter", "Events in the log of the team.");
  return metrics;
}

void add_members(Metrics& metrics, const TeamStatus& status) {
  const std::string& team = status.team;
  std::map<std::string, int> states;
  int running = 0;
  for (const MemberStatus& member : status.members) {
    ++states[member.state];
    if (member.is_running) ++running;
    metrics.add("teamkit_unread_messages", {{"team", team}, {"member", member.name}}, member.unread);
    if (total(member.usage) == 0) continue;
    const auto count = [&](const char* kind, std::int64_t tokens) {
      metrics.add("teamkit_tokens_total",
                  {{"team", team}, {"member", member.name}, {"model", member.model.value_or("")}, {"kind", kind}},
                  tokens);
    };
    count("input", member.usage.input);
    count("output", member.usage.output);
    count("cache_read", member.usage.cache_read);
    count("cache_written", member.usage.cache_written);
    if (member.cost) metrics.add("teamkit_cost_usd_total", {{"team", team}, {"member", member.name}}, *member.cost);
  }
  for (const auto& [state, count] : states) metrics.add("teamkit_members", {{"team", team}, {"state", state}}, count);
  metrics.add("teamkit_members_running", {{"team", team}}, running);
}

void add_team(Metrics& metrics, const Service& service, const std::string& name) {
  try {
    const auto session = service.open_session(name, std::nullopt);
    const TeamStatus status =
        look_at_team(session->mail().engine(), session->team(), session->board().view(), [](TaskId, const Error&) {});
    const std::int64_t events = session->mail().events().last_sequence();
    const auto tasks = [&](const char* kind, std::size_t count) {
      metrics.add("teamkit_tasks", {{"team", name}, {"status", kind}}, count);
    };
    tasks("ready", status.tasks.ready);
    tasks("blocked", status.tasks.blocked);
    tasks("in_progress", status.tasks.in_progress);
    tasks("completed", status.tasks.completed);
    tasks("failed", status.tasks.failed);
    add_members(metrics, status);
    metrics.add("teamkit_plans_waiting", {{"team", name}}, status.plans.size());
    metrics.add("teamkit_events_total", {{"team", name}}, events);
    metrics.add("teamkit_team_up", {{"team", name}}, 1);
  } catch (const Error&) {
    metrics.add("teamkit_team_up", {{"team", name}}, 0);
  }
}

WebResponse show_metrics(const Service& service, const WebRequest&) {
  Metrics metrics = describe_all();
  const ServiceCounts& counts = service.counts();
  metrics.add("teamkit_build_info", {{"version", TEAMKIT_VERSION}}, 1);
  metrics.add("teamkit_start_time_seconds", {}, service.options().started_at);
  metrics.add("teamkit_http_requests_total", {}, counts.requests.load());
  metrics.add("teamkit_http_refused_total", {}, counts.refused.load());
  metrics.add("teamkit_streams", {}, counts.streams.load());
  metrics.add("teamkit_stream_events_total", {}, counts.events.load());
  if (service.options().team) add_team(metrics, service, *service.options().team);
  else
    for (const std::string& name : service.engine().names()) add_team(metrics, service, name);
  WebResponse response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.text();
  return response;
}

}  // namespace

std::vector<Route> metrics_routes() { return {{"GET", "/metrics", Route::Kind::read, show_metrics}}; }

}  // namespace team
