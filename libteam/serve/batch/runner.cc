#include "libteam/serve/batch/runner.h"

#include <algorithm>
#include <new>

#include "libteam/base/json_text.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

std::vector<BatchOperation> all_operations() {
  std::vector<BatchOperation> all = task_batch_operations();
  for (const auto& list : {mail_batch_operations(), team_batch_operations()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  for (BatchOperation& one : all) {
    for (const char* key : {"id", "op", "team"}) one.keys.emplace_back(key);
  }
  return all;
}

}  // namespace

BatchRunner::BatchRunner(SessionPool& pool, const Write& write)
    : pool_(pool), write_(write), operations_(all_operations()) {}

std::string BatchRunner::carry_out(const RequestBody& request, BatchCall& call) const {
  const std::string name = request.needed_text("op");
  const auto found = std::ranges::find(operations_, name, &BatchOperation::name);
  if (found == operations_.end()) {
    std::vector<std::string> names;
    for (const BatchOperation& one : operations_) names.emplace_back(one.name);
    fail(Code::usage, "request: no operation '{}'{}", one_line(name), did_you_mean(name, names));
  }
  request.allow_only(found->keys);
  return found->run(call);
}

bool BatchRunner::answer_error(std::string_view id, Code code, std::string_view text) {
  JsonText json;
  json.add_json("id", id);
  json.add("status", "error");
  json.add("code", name_of(code));
  json.add("error", one_line(text));
  return write_(json.take() + "\n");
}

bool BatchRunner::refuse_long_line() {
  return answer_error("null", Code::usage, fmt::format("request: longer than {} bytes", kLongestBatchLine));
}

bool BatchRunner::run(std::string_view line) {
  std::string id = "null";
  const BatchCall::Deliver deliver = [&](std::string_view result) {
    std::string answer = fmt::format("{{\"id\":{},\"status\":\"ok\",\"result\":", id);
    answer.append(result).append("}\n");
    return write_(answer);
  };
  std::optional<Error> error;
  std::optional<BatchCall> call;
  std::string result;
  try {
    const RequestBody request(std::string(line), "request");
    id = request.json("id");
    call.emplace(request, pool_, deliver);
    result = carry_out(request, *call);
  } catch (const Error& thrown) {
    if (call && call->has_delivered()) throw;
    error = thrown;
  } catch (const std::bad_alloc&) {
    error.emplace(Code::io, "out of memory");
  }
  const bool has_made = call && call->has_made();
  if (has_made && error && (error->code() == Code::io || error->code() == Code::again)) {
    error.emplace(Code::unknown, fmt::format("the change is made, but {}", error->what()));
  }
  has_changed_ = has_changed_ || has_made || (error && error->code() == Code::unknown);
  if (error) return answer_error(id, error->code(), error->what());
  return call->has_delivered() || deliver(result);
}

}  // namespace team
