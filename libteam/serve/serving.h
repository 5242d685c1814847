// team-serve(1) without its command line: finds the token, listens, publishes the address, serves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/serve/service.h"
#include "libteam/store/engine.h"

namespace team {

struct ServingOptions {
  std::string listen = "127.0.0.1:0";
  std::optional<std::string> token_file;
  std::vector<std::string> hosts, origins;
  std::optional<std::int64_t> most_streams;
  ServiceOptions service;
};

// Serves until the process is told to end. Calls `ready` with the address, which has the token, when clients can
// connect. Throws conflict if a server runs or the address is in use, permission_denied for an address that other
// machines reach without a token file, usage, io.
void serve(const Engine& engine, const ServingOptions& options,
           const std::function<void(const std::string& url)>& ready);

// The address of the server that runs on this store; none if none does.
std::optional<std::string> running_url(const Engine& engine);

}  // namespace team
