#include "libteam/view/line_editor.h"

#include "libteam/base/columns.h"

namespace team {

namespace {

bool is_inner_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::size_t LineEditor::before(std::size_t at) const {
  if (at > 0) --at;
  while (at > 0 && is_inner_byte(text_[at])) --at;
  return at;
}

std::size_t LineEditor::after(std::size_t at) const {
  if (at < text_.size()) ++at;
  while (at < text_.size() && is_inner_byte(text_[at])) ++at;
  return at;
}

void LineEditor::press(const Key& key) {
  switch (key.kind) {
    case Key::Kind::character:
    case Key::Kind::pasted:
      text_.insert(at_, key.text);
      at_ += key.text.size();
      break;
    case Key::Kind::left: at_ = before(at_); break;
    case Key::Kind::right: at_ = after(at_); break;
    case Key::Kind::home: at_ = 0; break;
    case Key::Kind::end: at_ = text_.size(); break;
    case Key::Kind::backspace: {
      const std::size_t start = before(at_);
      text_.erase(start, at_ - start);
      at_ = start;
      break;
    }
    case Key::Kind::remove: text_.erase(at_, after(at_) - at_); break;
    case Key::Kind::erase_line:
      text_.erase(0, at_);
      at_ = 0;
      break;
    case Key::Kind::erase_word: {
      std::size_t start = at_;
      while (start > 0 && text_[start - 1] == ' ') --start;
      while (start > 0 && text_[start - 1] != ' ') --start;
      text_.erase(start, at_ - start);
      at_ = start;
      break;
    }
    default: break;
  }
}

LineEditor::Shown LineEditor::shown(std::size_t columns_there) const {
  if (columns_there == 0) return {};
  const auto width = [&](std::size_t from, std::size_t to) {
    return columns(std::string_view(text_).substr(from, to - from));
  };
  std::size_t start = 0, used = width(0, at_);
  // One column is left for the cursor behind the last character.
  while (start < at_ && used + 1 > columns_there) {
    const std::size_t next = after(start);
    used -= width(start, next);
    start = next;
  }
  const std::size_t cursor = used;
  std::size_t end = at_;
  while (end < text_.size()) {
    const std::size_t next = after(end);
    used += width(end, next);
    if (used > columns_there) break;
    end = next;
  }
  return {text_.substr(start, end - start), cursor};
}

}  // namespace team
