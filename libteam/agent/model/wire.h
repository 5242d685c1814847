// What the formats of the services have in common: how a request is made, how an answer is read as it comes, what an
// error means.
//
// Nothing here talks to a network: all of it can be tested with texts, and no program that uses it needs curl.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/sse.h"
#include "libteam/base/json.h"

namespace team {

using Headers = std::vector<std::pair<std::string, std::string>>;  // names in lower case

// What a service says about an error, in whatever form it does.
struct ServiceError {
  std::string type, code, message;  // each may be empty
};
// Of the body of a refusal, which may be JSON, a page of HTML or nothing at all.
ServiceError parse_complaint(std::string_view body);
// The complaint in a value, or in JSON, that is or holds an error; none if it is something else.
std::optional<ServiceError> find_complaint(const Json& value);
std::optional<ServiceError> find_complaint_in(std::string_view body);
// What to do about it. `status` is that of the answer, 0 for an error in the middle of a stream.
ModelError error_of(int status, const ServiceError& complaint, const Headers& headers);

// Reads one answer.
class AnswerReader {
 public:
  explicit AnswerReader(Provider::Hear hear);
  AnswerReader(const AnswerReader&) = delete;
  AnswerReader& operator=(const AnswerReader&) = delete;
  virtual ~AnswerReader() = default;

  // A piece of the body. Throws ModelError: passing for what makes no sense, what it means for an error of the service;
  // and what the hearer threw.
  void feed(std::string_view piece);
  // Whether nothing can follow any more.
  bool is_complete() const { return complete_; }
  // The answer, after the end of the body. Throws passing if it came too early.
  ModelAnswer finish();

 protected:
  // One event; it may throw what the JSON library throws for a value of the wrong type.
  virtual void take(const ServerEvent& event) = 0;
  // Whether the answer is all there; puts the parts into `answer`.
  virtual bool conclude(ModelAnswer& answer) = 0;

  void say(std::string_view text);  // to the hearer, once the event is understood
  void grow(std::size_t bytes);     // counts what is kept; throws final if it is too much
  void complete() { complete_ = true; }

 private:
  Provider::Hear hear_;
  EventReader events_;
  std::string said_;
  std::size_t read_ = 0, kept_ = 0;
  bool complete_ = false;
};

class WireFormat {
 public:
  virtual ~WireFormat() = default;
  virtual std::string_view home() const = 0;  // the service's own address
  virtual std::string_view path() const = 0;  // beneath the version
  virtual Headers headers(const std::string& key) const = 0;
  virtual std::string body(const ModelRequest& request) const = 0;
  virtual std::unique_ptr<AnswerReader> read(Provider::Hear hear) const = 0;
  // Told of a refusal: true if the next body() will be another one that may be taken.
  virtual bool adapt(int /*status*/, const ServiceError& /*complaint*/) { return false; }
};

// The address of `path` at a base with or without its version, a slash at the end, or the path itself. Throws usage if
// the base is no http or https address.
std::string endpoint(std::string_view base, std::string_view path);
// Host and port of an address, for messages: nothing in it is secret.
std::string host_of(std::string_view url);

Part text_part(std::string text);
Part call_part(std::string id, std::string name);
// The turns as every service takes them: no blank texts, results before texts, no two turns of one role in a row.
std::vector<Turn> normalize_turns(const std::vector<Turn>& turns);
// An event's data; throws passing if it is not a JSON object.
Json parse_event(const ServerEvent& event);
// The arguments of a call: as an object if they are one, else wrapped into one. Services refuse what is broken.
Json as_object(const std::string& arguments);
// One line.
std::string schema_of(const ToolSpec& spec);
// What a service takes as a name or an id: others may have made them.
std::string sanitize_name(std::string_view name);
// A count of tokens; 0 for anything that is none.
std::int64_t count_of(const Json& object, const char* key);
// A text; empty for anything that is none.
std::string text_of(const Json& object, const char* key);

}  // namespace team
