#include "libteam/serve/stream_sender.h"

namespace team {

StreamSender::StreamSender(EventStream what, std::string head, ServiceCounts& counts)
    : what_(std::move(what)), counts_(counts), position_{what_.after, 0}, pending_(std::move(head)) {
  pending_ += http_chunk(what_.first);
}

// Fills `pending_`, up to about the size of a send buffer. False if there was no further event: somebody may have
// removed events from the log by hand.
bool StreamSender::translate(EventFeed& feed) {
  constexpr std::size_t kEnough = 64 * 1024;
  const std::int64_t before = position_.seq;
  std::string text;
  feed.each_after(position_.seq, [&](std::string_view line) {
    position_.seq = sequence_of(line).value_or(position_.seq);
    ++counts_.events;
    ends_ = !what_.translator->translate(line, text);
    return !ends_ && text.size() < kEnough;
  });
  pending_ = http_chunk(text);
  if (ends_) pending_ += kLastChunk;
  return position_.seq > before;
}

StreamSender::Sent StreamSender::send(EventFeed& feed, const EventFeed::Write& write) {
  if (pending_.empty() && !ends_ && what_.translator && position_.seq < feed.last() && !translate(feed)) {
    return Sent::all;
  }
  if (!pending_.empty()) {
    pending_.erase(0, write(pending_));
    if (!pending_.empty()) return Sent::full;
    pending_.shrink_to_fit();
  }
  if (ends_) return Sent::ended;
  if (what_.translator) return position_.seq < feed.last() ? Sent::some : Sent::all;
  const std::int64_t before = position_.seq;
  const EventFeed::Sent sent = feed.send(what_.form, position_, write);
  counts_.events += position_.seq - before;
  if (sent == EventFeed::Sent::full) return Sent::full;
  return sent == EventFeed::Sent::some ? Sent::some : Sent::all;
}

void StreamSender::comment() {
  if (position_.skip == 0) pending_ += http_chunk(what_.form == EventStream::Form::sse ? ":\n\n" : "\n");
}

bool StreamSender::end(std::string_view last) {
  if (position_.skip != 0) return false;
  if (what_.form == EventStream::Form::sse) pending_ += http_chunk(last);
  pending_ += kLastChunk;
  ends_ = true;
  return true;
}

}  // namespace team
