#include "libteam/store/taken_messages.h"

#include <algorithm>

#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;  // of one large message

void read_body(const Mailbox& mailbox, Message& message) {
  if (message.body_size == 0 || !mailbox.has_body(message)) return;
  message.content.clear();
  mailbox.each_body_piece(message, [&](std::string_view piece) {
    message.content += piece.substr(0, kMostText - std::min(kMostText, message.content.size()));
  });
  message.content = repair_utf8(message.content);
}

}  // namespace

void TakenMessages::acknowledge() {
  batch_->acknowledge();
  batch_.reset();  // a hook that is told of it finds nothing locked
  mail_->record(self_, message_events("MESSAGE_PROCESSED", messages_));
}

std::unique_ptr<TakenMessages> take_messages(const TeamSession& session, std::size_t most) {
  const Mailbox& mailbox = session.mailbox();
  auto batch = mailbox.take({}, most, session.self().run);
  if (!batch) return nullptr;
  auto taken = std::make_unique<TakenMessages>();
  taken->mail_ = session.shared_mail();
  taken->self_ = session.self();
  taken->messages_ = batch->messages();
  for (Message& message : taken->messages_) read_body(mailbox, message);
  taken->batch_ = std::move(batch);
  taken->mail_->record(taken->self_, message_events("MESSAGE_DELIVERED", taken->messages_));
  return taken;
}

}  // namespace team
