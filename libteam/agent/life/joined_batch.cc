#include "libteam/agent/life/joined_batch.h"

#include "libteam/base/error.h"

namespace team {

namespace {

// Several batches of one mailbox as one.
class JoinedBatch : public Batch {
 public:
  void add(std::unique_ptr<Batch> batch) {
    messages_.insert(messages_.end(), batch->messages().begin(), batch->messages().end());
    batches_.push_back(std::move(batch));
  }
  const std::vector<Message>& messages() const override { return messages_; }
  bool is_all() const override { return false; }
  void acknowledge() override {
    for (const auto& batch : batches_) batch->acknowledge();
  }
  void hold(double seconds, const std::optional<std::string>& run) override {
    for (const auto& batch : batches_) batch->hold(seconds, run);
  }
  void release() override {
    for (const auto& batch : batches_) batch->release();
  }

 private:
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Message> messages_;
};

bool is_alike(const Step::Mail& one, const Step::Mail& other) {
  return one.sender == other.sender && one.type == other.type;
}

}  // namespace

std::unique_ptr<Batch> take_exactly(const Mailbox& mailbox, const Step& step, const std::optional<std::string>& run) {
  const auto& wanted = step.messages;
  // Usually they are the oldest ones. A mailbox gives only a few batches at a time.
  std::vector<Step::Mail> oldest;
  mailbox.peek({}, wanted.size(), run, [&](const Message& message) {
    oldest.push_back({message.sender, message.type, {}, {}});
  });
  bool is_beginning = oldest.size() == wanted.size();
  for (std::size_t i = 0; is_beginning && i < wanted.size(); ++i) is_beginning = is_alike(wanted[i], oldest[i]);
  if (is_beginning) {
    auto batch = mailbox.take({}, wanted.size(), run);
    if (batch && batch->messages().size() == wanted.size()) return batch;
  }
  auto joined = std::make_unique<JoinedBatch>();
  for (std::size_t i = 0; i < wanted.size();) {
    std::size_t end = i + 1;
    while (end < wanted.size() && is_alike(wanted[i], wanted[end])) ++end;
    auto batch =
        mailbox.take({.from = wanted[i].sender, .type = wanted[i].type, .reply_to = {}, .id = {}}, end - i, run);
    if (!batch || batch->messages().size() != end - i) fail(Code::conflict, "another reader took the messages");
    joined->add(std::move(batch));
    i = end;
  }
  return joined;
}

}  // namespace team
