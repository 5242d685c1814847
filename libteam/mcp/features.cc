#include "libteam/mcp/features.h"

#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"

namespace team {

McpInterests::Filter McpInterests::get() const {
  const std::lock_guard guard(mutex_);
  return filter_;
}

void McpInterests::set(Filter filter) {
  const std::lock_guard guard(mutex_);
  filter_ = std::move(filter);
}

void McpInterests::add(const std::string& uri) {
  const std::lock_guard guard(mutex_);
  filter_.uris.insert(uri);
}

void McpInterests::remove(const std::string& uri) {
  const std::lock_guard guard(mutex_);
  filter_.uris.erase(uri);
}

std::optional<std::vector<std::string>> McpFeatures::read_resource(const std::string&) { return std::nullopt; }

McpOutcome McpFeatures::get_prompt(const McpRequest&, const std::string& name, const Json&) {
  refuse_params("no prompt '" + name + "'");
}

std::string text_content(const std::string& text) {
  JsonText block;
  block.add("type", "text");
  block.add("text", text);
  return block.take();
}

std::string tool_text(const std::string& text) {
  JsonText result;
  result.add_json("content", json_array({text_content(text)}));
  return result.take();
}

std::string tool_error(const std::string& text) {
  JsonText result;
  result.add_json("content", json_array({text_content(text)}));
  result.add("isError", true);
  return result.take();
}

}  // namespace team
