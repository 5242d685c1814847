// Addresses of model services.
#pragma once

#include <string>
#include <string_view>

namespace team {

// Returns the URL of `path` at a base URL. The base may have a version, a slash at the end, or the path itself. Throws
// usage if the base is not an http or https address.
std::string endpoint(std::string_view base, std::string_view path);
// Host and port of a URL, for messages. They contain no secret.
std::string host_of(std::string_view url);

}  // namespace team
