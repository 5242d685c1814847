// The parts of an archive of a team (snapshot.h), shared by the code that saves and the code that loads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team::snapshot {

inline constexpr std::int64_t kFormat = 1;
inline constexpr const char* kManifest = "teamkit.json";
inline constexpr const char* kTeam = "team";
inline constexpr const char* kBoard = "board";
inline constexpr std::size_t kDeepest = 16;

std::string beneath(std::string_view folder, std::string_view name);

// True if a path can be part of an archive: only such files are saved and loaded. The position of a backlog is not
// part of it, because it counts for one file of one disk; so only the unread rest of a backlog is saved.
bool belongs(const std::string& path);
bool is_hook(std::string_view path);

enum class Kind { none, file, folder, other };
Kind kind_of(const Folder& folder, const std::string& path);

// Visits the contents of a file piece by piece, until `visit` returns false.
void each_piece(const Fd& fd, const std::function<bool(std::string_view)>& visit);
// `subject` names the target in an error.
void copy(const Fd& from, int to, const std::string& subject);

}  // namespace team::snapshot
