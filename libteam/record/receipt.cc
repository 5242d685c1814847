#include "libteam/record/receipt.h"

#include <algorithm>

#include "libteam/base/json_text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

std::string to_json_text(const CheckReceipt& check) {
  JsonText text;
  text.add("command", check.command);
  text.add("status", check.status);
  text.add("seconds", check.seconds);
  text.add("clean", check.clean);
  text.add("output", check.output);
  return text.take();
}

CheckReceipt read_check(Fields& fields) {
  CheckReceipt check;
  check.command = fields.text("command").value_or("");
  check.status = static_cast<int>(fields.integer("status", 0, 255).value_or(0));
  check.seconds = fields.number("seconds").value_or(0);
  check.clean = fields.boolean("clean").value_or(false);
  check.output = fields.text("output");
  return check;
}

}  // namespace

bool is_commit(const std::string& text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), is_hex);
}

std::string to_json_text(const Offer& offer) {
  JsonText text;
  text.add("commit", offer.commit);
  text.add("result", offer.result);
  text.add("at", offer.at);
  return text.take();
}

std::string to_json_text(const Receipt& receipt) {
  JsonText text;
  text.add("line", receipt.line);
  text.add("commit", receipt.commit);
  text.add("base", receipt.base);
  text.add("checked", receipt.checked);
  if (receipt.check) text.add_json("check", to_json_text(*receipt.check));
  return text.take();
}

// A commit becomes an argument of git later: no text may look like an option or the name of a branch.
std::optional<std::string> read_commit(Fields& fields, const char* key) {
  auto commit = fields.text(key);
  if (commit && !is_commit(*commit)) fields.refuse(key, "the name of a commit, 40 or 64 hexadecimal digits");
  return commit;
}

std::optional<Offer> read_offer(Fields& fields, std::string_view text, std::string_view file) {
  const Json* object = fields.object("offer");
  if (object == nullptr) return std::nullopt;
  Fields inner(*object, text, file);
  Offer offer;
  offer.commit = read_commit(inner, "commit");
  offer.result = inner.text("result");
  offer.at = inner.number("at").value_or(0);
  return offer;
}

std::optional<Receipt> read_receipt(Fields& fields, const char* key, std::string_view text, std::string_view file) {
  const Json* object = fields.object(key);
  if (object == nullptr) return std::nullopt;
  Fields inner(*object, text, file);
  Receipt receipt;
  receipt.line = inner.text("line");
  receipt.commit = read_commit(inner, "commit");
  receipt.base = read_commit(inner, "base");
  receipt.checked = read_commit(inner, "checked");
  if (const Json* check = inner.object("check")) {
    Fields of_check(*check, text, file);
    receipt.check = read_check(of_check);
  }
  return receipt;
}

}  // namespace team
