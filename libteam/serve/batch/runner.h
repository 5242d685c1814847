// Carries out requests that come as JSON lines, one after the other, in one process.
//
// A request is {"id":…,"op":NAME,…}, its answer {"id":…,"status":"ok","result":…} or
// {"id":…,"status":"error","code":…,"error":…}. Every request gets exactly one answer, in order.
#pragma once

#include <functional>
#include <string_view>

#include "libteam/serve/batch/operation.h"

namespace team {

class BatchRunner {
 public:
  // Writes one line and its newline at once; false if nobody reads it.
  using Write = std::function<bool(std::string_view line)>;
  // Both outlive this.
  BatchRunner(SessionPool& pool, const Write& write);

  // Answers one request. Returns false if nobody reads the answer. Throws if the operation failed after its answer was
  // written: messages that were shown but could not be acknowledged.
  bool run(std::string_view line);
  // True once an operation has changed something.
  bool has_changed() const { return has_changed_; }
  // The answer for a line that is longer than the limit.
  bool refuse_long_line();

 private:
  std::string carry_out(const RequestBody& request, BatchCall& call) const;
  bool answer_error(std::string_view id, Code code, std::string_view text);

  SessionPool& pool_;
  const Write& write_;
  std::vector<BatchOperation> operations_;
  bool has_changed_ = false;
};

// The longest line that a request may have.
inline constexpr std::size_t kLongestBatchLine = std::size_t{4} << 20;

}  // namespace team
