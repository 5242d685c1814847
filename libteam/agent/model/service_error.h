// Errors of a model service, and whether a retry may help.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libteam/agent/model/headers.h"
#include "libteam/agent/model/provider.h"
#include "libteam/base/json.h"

namespace team {

// The fields of an error, in whatever form a service sends them.
struct ServiceError {
  std::string type, code, message;  // each may be empty
};
// Reads the body of a refusal, which may be JSON, an HTML page or empty.
ServiceError parse_service_error(std::string_view body);
// Returns the error that a JSON value or text is or holds; none for other values.
std::optional<ServiceError> find_service_error(const Json& value);
std::optional<ServiceError> find_service_error_in(std::string_view body);
// Classifies an error. `status` is the HTTP status, or 0 for an error in the middle of a stream.
ModelError error_of(int status, const ServiceError& error, const Headers& headers);

}  // namespace team
