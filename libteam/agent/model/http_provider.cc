#include "libteam/agent/model/http_provider.h"

#include <algorithm>

#include "libteam/agent/model/address.h"
#include "libteam/agent/model/anthropic.h"
#include "libteam/agent/model/http.h"
#include "libteam/agent/model/openai.h"
#include "libteam/agent/model/responses.h"
#include "libteam/base/error.h"
#include "libteam/base/secrets.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

// A wire format and a connection.
class HttpProvider : public Provider {
 public:
  HttpProvider(std::unique_ptr<WireFormat> format, const ProviderChoice& choice, std::string key)
      : format_(std::move(format)),
        provider_(choice.provider),
        url_(endpoint(choice.base_url.value_or(std::string(format_->home())), format_->path())),
        key_(std::move(key)),
        http_({choice.connect_seconds, choice.silence_seconds, choice.answer_seconds}) {}

  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override {
    try {
      while (true) {
        if (auto answer = try_to_ask(request, interrupt, hear)) return std::move(*answer);
      }
    } catch (const ModelError& error) {
      if (error.kind() == ModelError::Kind::interrupted) throw;
      // Services quote a refused key.
      throw ModelError(error.kind(), host_of(url_) + ": " + redact(error.what(), key_), error.retry_after());
    }
  }

 private:
  // None if the request was refused and the format has adapted.
  std::optional<ModelAnswer> try_to_ask(const ModelRequest& request, int interrupt, const Hear& hear) {
    const auto reader = format_->read(hear);
    const HttpAnswer answer =
        http_.post({url_, format_->headers(key_), format_->body(request)}, interrupt, [&](std::string_view piece) {
          reader->feed(piece);
          return reader->is_complete() ? Http::Wants::nothing : Http::Wants::more;
        });
    if (answer.is_heard) {
      ModelAnswer whole = reader->finish();
      whole.provider = provider_;
      return whole;
    }
    if (answer.status < 300) {
      if (const auto refusal = find_service_error_in(answer.body)) throw error_of(0, *refusal, answer.headers);
      throw ModelError(ModelError::Kind::final, "the answer is no stream: is the address right?");
    }
    const ServiceError refusal = answer.status < 400 ? ServiceError{"", "", "leads elsewhere: is the address right?"}
                                                     : parse_service_error(answer.body);
    if (format_->adapt(answer.status, refusal)) return std::nullopt;
    throw error_of(answer.status, refusal, answer.headers);
  }

  std::unique_ptr<WireFormat> format_;
  std::string provider_, url_, key_;
  Http http_;
};

// Keys are pasted, often with a newline at the end.
std::string clean_key(std::string key) {
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' ')) key.pop_back();
  const bool clean = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 127; });
  if (!clean) fail(Code::usage, "the key has characters that no key has");
  return key;
}

// Few other servers have the newer API: there it must be asked for.
bool uses_responses(const ProviderChoice& choice) {
  if (!choice.api.empty()) return choice.api == "responses";
  return !choice.base_url && wants_responses(choice.model);
}

}  // namespace

std::unique_ptr<Provider> make_provider(const ProviderChoice& choice) {
  if (choice.model.empty()) fail(Code::usage, "no model is named");
  std::unique_ptr<WireFormat> format;
  if (choice.provider == "anthropic") {
    format = std::make_unique<Anthropic>(choice.model, choice.tuning);
  } else if (choice.provider == "openai" && uses_responses(choice)) {
    format = std::make_unique<Responses>(choice.model, choice.tuning);
  } else if (choice.provider == "openai") {
    // The newer models of OpenAI itself use another name for the limit than all other servers.
    const auto limit = choice.base_url ? OpenAi::Limit::max_tokens : OpenAi::Limit::max_completion_tokens;
    format = std::make_unique<OpenAi>(choice.model, limit, choice.tuning);
  } else {
    fail(Code::usage, "no provider '{}': there are anthropic and openai", one_line(choice.provider));
  }
  return std::make_unique<HttpProvider>(std::move(format), choice, clean_key(choice.key));
}

}  // namespace team
