#include "libteam/serve/event_feed.h"

#include <algorithm>

namespace team {

namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr std::size_t kTail = 1024 * 1024;

}  // namespace

std::string http_chunk(std::string_view text) {
  return text.empty() ? "" : fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

void FrameBlock::add(std::int64_t seq, std::string_view line) {
  frames_.push_back({seq, bytes_.size()});
  if (form_ == EventStream::Form::ndjson) {
    bytes_.append(fmt::format("{:x}\r\n", line.size() + 1)).append(line).append("\n\r\n");
    return;
  }
  constexpr std::string_view kData = "data: ";
  const std::string id = fmt::format("id: {}\n", seq);
  bytes_.append(fmt::format("{:x}\r\n", id.size() + kData.size() + line.size() + 2));
  bytes_.append(id).append(kData).append(line).append("\n\n\r\n");
}

std::vector<FrameBlock::Frame>::const_iterator FrameBlock::first_after(std::int64_t seq) const {
  return std::ranges::upper_bound(frames_, seq, {}, &Frame::seq);
}

std::string_view FrameBlock::rest(const StreamPosition& position) const {
  const auto frame = first_after(position.seq);
  if (frame == frames_.end()) return {};
  return std::string_view(bytes_).substr(std::min(frame->start + position.skip, bytes_.size()));
}

void FrameBlock::advance(StreamPosition& position, std::size_t sent) const {
  auto frame = first_after(position.seq);
  while (frame != frames_.end() && sent > 0) {
    const auto next = std::next(frame);
    const std::size_t size = (next == frames_.end() ? bytes_.size() : next->start) - frame->start;
    const std::size_t left = size - std::min(size, position.skip);
    if (sent < left) {
      position.skip += sent;
      return;
    }
    sent -= left;
    position = {frame->seq, 0};
    frame = next;
  }
}

EventFeed::EventFeed(std::shared_ptr<const TeamEngine> team, std::function<void()> wake)
    : team_(std::move(team)),
      wake_(std::move(wake)),
      last_(team_->events().last_sequence()),
      thread_([this] { follow(); }) {}

EventFeed::~EventFeed() {
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
  }
  waker_.ring();
  thread_.join();
}

void EventFeed::follow() {
  std::vector<std::string> found;
  std::int64_t last = last_;
  const auto visit = [&](std::string_view line) {
    last = sequence_of(line).value_or(last);
    found.emplace_back(line);
    return true;
  };
  const auto enough = [&] {
    bool stops = false;
    {
      const std::lock_guard guard(mutex_);
      stops = stops_;
      for (std::string& line : found) lines_.push_back(std::move(line));
    }
    if (!found.empty()) wake_();
    found.clear();
    return stops;
  };
  try {
    team_->events().follow(last, -1, visit, enough, waker_.fd());
  } catch (const Error&) {
    // The log cannot be read any more. The streams end, and a new one gets the error.
  }
  const bool stops = enough();
  {
    const std::lock_guard guard(mutex_);
    has_ended_ = true;
  }
  if (!stops) wake_();
}

EventFeed::Tail& EventFeed::tail_of(EventStream::Form form) {
  auto& tail = tails_[static_cast<std::size_t>(form)];
  if (!tail) tail = std::make_unique<Tail>(Tail{last_, {}, 0});
  return *tail;
}

void EventFeed::add(Tail& tail, EventStream::Form form, std::int64_t seq, std::string_view line) {
  if (tail.blocks.empty() || tail.blocks.back().size() + line.size() > kBlock) tail.blocks.emplace_back(form);
  FrameBlock& block = tail.blocks.back();
  const std::size_t before = block.size();
  block.add(seq, line);
  tail.size += block.size() - before;
  while (tail.size > kTail && tail.blocks.size() > 1) {
    tail.base = tail.blocks.front().last();
    tail.size -= tail.blocks.front().size();
    tail.blocks.pop_front();
  }
}

void EventFeed::collect() {
  std::vector<std::string> lines;
  {
    const std::lock_guard guard(mutex_);
    lines.swap(lines_);
    is_over_ = has_ended_;
  }
  for (const std::string& line : lines) {
    const std::int64_t seq = sequence_of(line).value_or(0);
    if (seq <= last_) continue;
    last_ = seq;
    for (const auto form : {EventStream::Form::sse, EventStream::Form::ndjson}) {
      const auto& tail = tails_[static_cast<std::size_t>(form)];
      if (tail) add(*tail, form, seq, line);
    }
  }
}

const FrameBlock* EventFeed::find(const Tail& tail, std::int64_t seq) const {
  const auto block =
      std::ranges::find_if(tail.blocks, [&](const FrameBlock& one) { return !one.empty() && one.last() > seq; });
  return block == tail.blocks.end() ? nullptr : &*block;
}

EventFeed::Sent EventFeed::send(EventStream::Form form, StreamPosition& position, const Write& write) {
  constexpr int kTurns = 4;
  const Tail& tail = tail_of(form);
  for (int turn = 0; turn < kTurns; ++turn) {
    FrameBlock read(form);
    const FrameBlock* block = nullptr;
    if (position.seq >= tail.base) {
      block = find(tail, position.seq);
    } else {
      each_after(position.seq, [&](std::string_view line) {
        read.add(sequence_of(line).value_or(0), line);
        return read.size() < kBlock;
      });
      if (!read.empty()) block = &read;
    }
    if (block == nullptr) return Sent::all;
    const std::string_view bytes = block->rest(position);
    const std::size_t sent = write(bytes);
    block->advance(position, sent);
    if (sent < bytes.size()) return Sent::full;
  }
  return Sent::some;
}

void EventFeed::each_after(std::int64_t seq, const EventLog::Visit& visit) const {
  team_->events().each_after(seq, visit);
}

}  // namespace team
