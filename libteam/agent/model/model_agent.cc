#include "libteam/agent/model/model_agent.h"

#include <unistd.h>

#include <filesystem>

#include "libteam/agent/life/prompt.h"
#include "libteam/agent/model/http_provider.h"
#include "libteam/agent/model/replay.h"
#include "libteam/agent/model/retry_policy.h"
#include "libteam/agent/tools/bash_tool.h"
#include "libteam/agent/tools/file_tools.h"
#include "libteam/agent/tools/skills.h"
#include "libteam/agent/tools/team_tools.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/settings.h"
#include "libteam/store/board_summary.h"
#include "libteam/store/digest.h"
#include "libteam/store/files/file_guard.h"
#include "libteam/store/files/transcript_file.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"
#include "libteam/store/team_summary.h"

namespace team {

namespace {

constexpr std::size_t kMostTasksShown = 50;
constexpr std::int64_t kLongestAnswer = 16'384;  // of a model whose limit is not known

std::int64_t context_of(const ModelChoice& choice) {
  return choice.context.value_or(provider_of(choice) == "anthropic" ? 200'000 : 128'000);
}

// 0: the limit of the service. A local server gets a limit, because some of them have none.
std::int64_t max_tokens_of(const ModelChoice& choice, std::int64_t context) {
  if (choice.max_tokens) return *choice.max_tokens;
  if (provider_of(choice) == "anthropic") {
    return std::min(longest_answer_of(choice.model.value_or("")), context / 4);
  }
  return choice.base_url || choice.replay ? std::min(kLongestAnswer, context / 4) : 0;
}

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal(); }

}  // namespace

// In the order of their dependencies.
struct ModelAgent::Parts {
  TeamSession& session;
  std::string outputs;  // where long outputs of tools go
  ModelPart part;
  ModelDriver* driver = nullptr;  // gets the delays that the provider reports
  std::unique_ptr<Provider> provider;
  Background background;
  Toolbox tools;
  std::unique_ptr<ModelDriver> whole;

  Parts(TeamSession& at, ModelPart given)
      : session(at),
        outputs(at.lives()->local_files().outputs_path()),
        part(std::move(given)),
        background(outputs, at.self().name) {}

  std::unique_ptr<Provider> make(const ModelChoice& choice);
  void add_tools(const ModelChoice& choice, TurnState& turn);
  Briefing brief() const;
  TeamNow look() const;
  ModelRules rules(const ModelChoice& choice) const;
};

// Recording is outermost: it records answers after retries and limits.
std::unique_ptr<Provider> ModelAgent::Parts::make(const ModelChoice& choice) {
  std::unique_ptr<Provider> made;
  if (choice.replay) {
    made = std::make_unique<ReplayingProvider>(*choice.replay, part.order);
  } else {
    ProviderChoice wanted;
    wanted.provider = provider_of(choice);
    wanted.model = choice.model.value_or("");
    wanted.base_url = choice.base_url;
    wanted.key = key_of(part.keys, key_variable(choice));
    check_key(choice, wanted.key);
    ModelSlots slots(session.lives()->call_slots(),
                     [this] { return static_cast<std::int64_t>(number_setting(session.team(), "model.concurrency")); });
    wanted.api = choice.api.value_or("");
    wanted.tuning = {choice.effort.value_or(""), choice.thinking.value_or("")};
    wanted.silence_seconds = number_setting(session.team(), "model.silence");
    wanted.answer_seconds = number_setting(session.team(), "model.answer");
    RetryPolicy patience;
    patience.tries = static_cast<int>(number_setting(session.team(), "model.tries"));
    made = std::make_unique<RetryingProvider>(make_provider(wanted), patience, std::move(slots),
                                              [this](const Delay& delay) { driver->delayed(delay); });
  }
  if (choice.record) made = std::make_unique<RecordingProvider>(std::move(made), *choice.record);
  return made;
}

void ModelAgent::Parts::add_tools(const ModelChoice& choice, TurnState& turn) {
  const std::string here = std::filesystem::current_path();
  if (!part.delegates) {
    BashPlace bash;
    bash.directory = here;
    bash.environment = part.environment;
    for (auto& variable : session.environment()) bash.environment.push_back(std::move(variable));
    bash.outputs = absolute(outputs);
    bash.prefix = session.self().name;
    add_bash_tool(tools, bash, background);
    FileScope scope;
    scope.working_directory = here;
    // In a tree the root is closed: there a person and others work.
    const auto tree = environment_variable("TEAM_TREE");
    scope.allowed = {tree ? *tree : absolute(session.engine().place())};
    for (const std::string& extra : choice.allowed) scope.allowed.push_back(absolute(extra));
    scope.store_folders = [this] { return store_folders_of(session.engine()); };
    scope.lock = [this] { return lock_project_files(session.engine()); };
    add_file_tools(tools, scope);
  }
  add_team_tools(tools, session, turn);
  if (part.leads) {
    part.recruiting.secrets = part.keys;
    add_lead_tools(tools, session, background, turn, part.recruiting);
  }
  if (part.tools) tools.keep_only(*part.tools);
}

Briefing ModelAgent::Parts::brief() const {
  Briefing briefing;
  briefing.self = {session.self().name, session.self().role, session.team().name, part.role_prompt};
  briefing.leads = part.leads;
  briefing.delegates = part.delegates;
  briefing.lead = session.team().lead;
  // A lead that delegates has no tool that takes a path.
  if (!part.delegates) briefing.directory = std::filesystem::current_path();
  if (!part.leads) return briefing;
  briefing.most_teammates = static_cast<std::int64_t>(number_setting(session.team(), "teammates.max"));
  briefing.most_rounds = static_cast<std::int64_t>(number_setting(session.team(), "exchange.limit"));
  for (const Role& role : session.team().roles) {
    const std::string about = first_line(parse_role(role, session.team().place).prompt);
    briefing.roles.push_back(fmt::format("{}: {}", role.name, cut_characters(one_line(about), 200)));
  }
  for (const Skill& skill : list_skills(project_folder(session.engine()))) {
    briefing.skills.push_back(fmt::format("{}: {}", skill.name, skill.description));
  }
  return briefing;
}

TeamNow ModelAgent::Parts::look() const {
  TeamNow now;
  now.members =
      summarize_members(session.mail().engine(), session.team(), part.leads ? MemberDetail::all : MemberDetail::states);
  now.board = summarize_board(session.board().view(), kMostTasksShown);
  now.digest = digest_for(session.mail().events(), session.team(), session.self().name);
  return now;
}

ModelRules ModelAgent::Parts::rules(const ModelChoice& choice) const {
  ModelRules rules;
  if (part.order != nullptr) rules.order = part.order;
  rules.deadline = part.deadline;
  if (!part.leads) rules.most_turns = choice.most_turns.value_or(0);
  rules.seconds = part.time_limit;
  rules.still_turns = choice.still_turns.value_or(0);
  rules.folder = std::filesystem::current_path();
  const std::int64_t most_calls = part.leads ? choice.most_turns.value_or(0) : 0;
  rules.objection = [most_calls, calls = std::int64_t{0}]() mutable -> std::optional<std::string> {
    if (most_calls == 0 || calls++ < most_calls) return std::nullopt;
    return fmt::format("not done within {} turn{}", most_calls, most_calls == 1 ? "" : "s");
  };
  return rules;
}

ModelAgent::ModelAgent(TeamSession& session, const Signals& signals, const ModelChoice& choice, ModelPart part)
    : parts_(std::make_unique<Parts>(session, std::move(part))) {
  parts_->provider = parts_->make(choice);
  parts_->add_tools(choice, turn_);
  const auto remember = [this, &session] {
    return Memory(open_transcript(session.engine(), session.team(), session.self().name), reminder(parts_->brief()));
  };
  const auto before = session.lives()->state_of(session.self().name);
  ModelCaller::Limits limits;
  limits.context = context_of(choice);
  limits.max_tokens = max_tokens_of(choice, limits.context);
  limits.longest_answer = std::min(limits.max_tokens > 0 ? limits.max_tokens : kLongestAnswer, limits.context / 4);
  const ModelCaller::Texts texts{[this] { return system_prompt(parts_->brief()); },
                                 [this] { return present_state(parts_->look()); }};
  ModelCaller caller(*parts_->provider, parts_->tools, texts, limits, before ? parse_usage(before->usage) : Usage{});
  parts_->whole = std::make_unique<ModelDriver>(std::move(caller), parts_->tools, remember, parts_->background, turn_,
                                                signals, parts_->rules(choice));
  parts_->driver = parts_->whole.get();
}

ModelAgent::~ModelAgent() = default;

ModelDriver& ModelAgent::driver() { return *parts_->whole; }

bool ModelAgent::has_company() const { return parts_->background.has_news_to_come(); }

}  // namespace team
