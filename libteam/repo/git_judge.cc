#include "libteam/repo/git_judge.h"

#include <string_view>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/repo/line.h"

namespace team {

namespace {

class GitJudge : public LandingJudge {
 public:
  GitJudge(std::string root, double lock_timeout) : root_(std::move(root)), lock_timeout_(lock_timeout) {}

  void judge(const Receipt& landing, const std::function<void(bool)>& decide) const override {
    const Repository repository = Repository::open(root_);
    const Line line(repository, team_of(landing));
    const Lock held = line.lock(lock_timeout_);
    decide(landing.commit && line.has(*landing.commit));
  }

 private:
  // The line comes from a task file, which a person may have edited.
  static std::string team_of(const Receipt& landing) {
    const std::string name = landing.line.value_or("");
    const std::string prefix = line_name("");
    const std::string team = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
    if (!is_name(team)) fail(Code::corrupt, "'{}' is not the line of a team", one_line(name));
    return team;
  }

  std::string root_;
  double lock_timeout_;
};

}  // namespace

std::shared_ptr<const LandingJudge> make_git_judge(std::string root, double lock_timeout) {
  return std::make_shared<GitJudge>(std::move(root), lock_timeout);
}

}  // namespace team
