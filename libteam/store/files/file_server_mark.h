// The mark of a server in files: `.teams/.serve.lock`, locked for the life of the server, and `.teams/.serve.json`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/store/files/root.h"
#include "libteam/store/server_mark.h"

namespace team {

// Throws conflict if a server runs.
std::unique_ptr<const ServerMark> take_server_mark(const Root& root);
// The description that the running server published; none if no server runs or if it is just starting.
std::optional<std::string> read_server_mark(const Root& root);

}  // namespace team
