#include "libteam/store/memory/memory_team.h"

#include "libteam/base/clock.h"

namespace team {

Logged MemoryEventLog::append(const EventOrigin& origin, const std::vector<Event>& events) const {
  if (events.empty()) return {};
  Logged logged;
  {
    const std::lock_guard lock(mutex_);
    logged = {static_cast<std::int64_t>(lines_.size()) + 1, now()};
    for (const Event& event : events) {
      lines_.push_back(to_envelope(static_cast<std::int64_t>(lines_.size()) + 1, logged.timestamp, origin, event));
    }
  }
  changes_->announce();
  return logged;
}

std::int64_t MemoryEventLog::last_sequence() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(lines_.size());
}

std::vector<std::string> MemoryEventLog::copy() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void MemoryEventLog::each_after(std::int64_t seq, const Visit& visit) const {
  const auto lines = copy();
  for (std::size_t i = static_cast<std::size_t>(std::max<std::int64_t>(0, seq)); i < lines.size(); ++i) {
    if (!visit(lines[i])) return;
  }
}

bool MemoryEventLog::follow(std::int64_t seq, int, const Visit& visit, const std::function<bool()>& enough, int) const {
  bool goes_on = true;
  wait_for_changes(*changes_, Deadline::never(), [&] {
    each_after(seq, [&](std::string_view line) {
      ++seq;
      return goes_on = visit(line);
    });
    return !goes_on || enough();
  });
  return true;
}

void MemoryEventLog::each_backward(const Visit& visit) const {
  const auto lines = copy();
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!visit(*line)) return;
  }
}

namespace {

class MemoryBodyWriter : public BodyWriter {
 public:
  explicit MemoryBodyWriter(std::shared_ptr<MemoryBodies> bodies) : bodies_(std::move(bodies)) {}

  void append(std::string_view piece) override { content_ += piece; }
  void publish(const std::vector<std::string>& ids) override {
    const auto content = std::make_shared<const std::string>(std::move(content_));
    const std::lock_guard lock(bodies_->mutex);
    for (const std::string& id : ids) bodies_->contents[id] = content;
  }
  void discard(const std::vector<std::string>& ids) override {
    const std::lock_guard lock(bodies_->mutex);
    for (const std::string& id : ids) bodies_->contents.erase(id);
  }

 private:
  std::shared_ptr<MemoryBodies> bodies_;
  std::string content_;
};

}  // namespace

class MemoryTeam::Transaction : public TeamTransaction {
 public:
  explicit Transaction(const MemoryTeam& team) : team_(team) {}

  std::optional<Request> find(const std::string& id) override { return team_.find_request(id); }
  bool insert(const Request& request) override {
    const std::lock_guard lock(team_.mutex_);
    return team_.requests_.try_emplace(request.id, request).second;
  }
  void put(const Request& request) override {
    const std::lock_guard lock(team_.mutex_);
    team_.requests_.insert_or_assign(request.id, request);
  }
  Exchanges exchanges() override { return team_.exchanges(); }
  void put(const Exchanges& exchanges) override {
    const std::lock_guard lock(team_.mutex_);
    team_.exchanges_ = exchanges;
  }
  Quotas quotas() override { return team_.quotas(); }
  void put(const Quotas& quotas) override {
    const std::lock_guard lock(team_.mutex_);
    team_.quotas_ = quotas;
  }

 private:
  const MemoryTeam& team_;
};

MemoryTeam::MemoryTeam(Team team, std::shared_ptr<MemoryChanges> changes, std::int64_t number)
    : changes_(std::move(changes)), team_(std::move(team)), number_(number) {}

Team MemoryTeam::configuration() const {
  const std::lock_guard lock(mutex_);
  if (is_removed_) fail(Code::not_found, "no team '{}'", team_.name);
  return team_;
}

Team MemoryTeam::change(const std::function<void(Team&)>& edit) const {
  const std::lock_guard transaction(transaction_);
  Team team = configuration();
  edit(team);
  {
    const std::lock_guard lock(mutex_);
    team_ = team;
    ++version_;
  }
  changes_->announce();
  return team;
}

std::string MemoryTeam::version() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("{} {}", number_, version_);
}

void MemoryTeam::remove() const {
  {
    const std::lock_guard transaction(transaction_);
    const std::lock_guard lock(mutex_);
    is_removed_ = true;
  }
  lives_.remove();
  changes_->announce();
}

const Mailbox& MemoryTeam::mailbox(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  return mailboxes_.try_emplace(owner, owner, bodies_, changes_).first->second;
}

std::unique_ptr<BodyWriter> MemoryTeam::write_body() const { return std::make_unique<MemoryBodyWriter>(bodies_); }

void MemoryTeam::transact(const Step& step) const {
  {
    const std::lock_guard transaction(transaction_);
    Transaction team(*this);
    step(team);
  }
  changes_->announce();
}

std::optional<Request> MemoryTeam::find_request(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(id);
  return found != requests_.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<Request> MemoryTeam::pending_requests(const Report& broken) const {
  auto all = all_requests(broken);
  std::erase_if(all, [](const Request& request) { return request.status != RequestStatus::pending; });
  return all;
}

std::vector<Request> MemoryTeam::all_requests(const Report&) const {
  const std::lock_guard lock(mutex_);
  std::vector<Request> all;
  for (const auto& [id, request] : requests_) all.push_back(request);
  return all;
}

void MemoryTeam::remove_request(const std::string& id) const {
  {
    const std::lock_guard lock(mutex_);
    requests_.erase(id);
  }
  changes_->announce();
}

Exchanges MemoryTeam::exchanges() const {
  const std::lock_guard lock(mutex_);
  return exchanges_.value_or(Exchanges{});
}

bool MemoryTeam::has_exchanges() const {
  const std::lock_guard lock(mutex_);
  return exchanges_.has_value();
}

Quotas MemoryTeam::quotas() const {
  const std::lock_guard lock(mutex_);
  return quotas_.value_or(Quotas{});
}

bool MemoryTeam::has_quotas() const {
  const std::lock_guard lock(mutex_);
  return quotas_.has_value();
}

Mailbox::Waited MemoryTeam::wait(const Deadline& deadline, const std::function<bool()>& done) const {
  bool is_gone = false;
  const auto waited = wait_for_changes(*changes_, deadline, [&] {
    if (done()) return true;
    const std::lock_guard lock(mutex_);
    return is_gone = is_removed_;
  });
  return is_gone ? Mailbox::Waited::moved : waited;
}

}  // namespace team
