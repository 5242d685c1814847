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

  // Takes the next piece of the body. Throws ModelError: `passing` for malformed data, and the class of the error if
  // the service sent one. Passes on exceptions of the hearer.
  void feed(std::string_view piece);
  // True if the answer is complete: nothing can follow.
  bool is_complete() const { return complete_; }
  // Returns the answer, after the end of the body. Throws passing if the body ended too early.
  ModelAnswer finish();

 protected:
  // Takes one event. May throw the exceptions of the JSON library for a value of the wrong type.
  virtual void take(const ServerEvent& event) = 0;
  // Puts the parts into `answer`. True if the answer is complete.
  virtual bool conclude(ModelAnswer& answer) = 0;

  void say(std::string_view text);  // passes text to the hearer after the event was parsed
  void grow(std::size_t bytes);     // counts the stored bytes; throws final above the limit
  void complete() { complete_ = true; }

 private:
  Provider::Hear hear_;
  EventReader events_;
  std::string said_;
  std::size_t read_ = 0, kept_ = 0;
  bool complete_ = false;
};

// Parses the data of an event. Throws passing if it is not a JSON object.
Json parse_event(const ServerEvent& event);

}  // namespace team
