// Reads one answer of a model from a stream of server-sent events.
//
// Nothing here uses a network: tests feed it texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/sse.h"
#include "libteam/base/json.h"

namespace team {

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

// An event's data; throws passing if it is not a JSON object.
Json parse_event(const ServerEvent& event);

}  // namespace team
