// The offer of a finished task, and the receipt that it gets when its gates have passed.
//
// Pure values and their JSON, as keys of a task: `offer`, `landing` and `receipt`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace team {

class Fields;

// The owner says that the work is done. The gates have not passed yet.
struct Offer {
  std::optional<std::string> commit;  // the snapshot of the work; none before there is one, or without a tree
  std::optional<std::string> result;
  double at = 0;

  bool operator==(const Offer&) const = default;
};

// A check that has passed.
struct CheckReceipt {
  std::string command;
  int status = 0;
  double seconds = 0;
  bool clean = false;                 // it ran without files that an earlier check left, such as objects of a build
  std::optional<std::string> output;  // the file with its output

  bool operator==(const CheckReceipt&) const = default;
};

// What became of the work. As the key `landing` it is an intent: the line gets the commit in a moment, unless the
// process is killed before that.
struct Receipt {
  std::optional<std::string> line;     // the branch; none if nothing was changed, or without a tree
  std::optional<std::string> commit;   // the merge of the work into the line
  std::optional<std::string> base;     // the tip of the line before it
  std::optional<std::string> checked;  // the commit that the check ran on; none if it ran in the root
  std::optional<CheckReceipt> check;

  bool operator==(const Receipt&) const = default;
};

// One line each.
std::string to_json_text(const Offer& offer);
std::string to_json_text(const Receipt& receipt);

// The value of a key of a task; none if it is missing. `text` and `file` are those of `fields`, for messages. Throws
// corrupt for a wrong value.
std::optional<Offer> read_offer(Fields& fields, std::string_view text, std::string_view file);
std::optional<Receipt> read_receipt(Fields& fields, const char* key, std::string_view text, std::string_view file);
// The same for a key whose value is a commit.
std::optional<std::string> read_commit(Fields& fields, const char* key);

// True for the name of a commit: 40 or 64 hexadecimal digits.
bool is_commit(const std::string& text);

}  // namespace team
