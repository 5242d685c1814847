// Random numbers of the kernel.
#pragma once

#include <cstdint>

namespace team {

// 64 random bits; no other process has the same.
std::uint64_t random_number();

}  // namespace team
