// Takes chosen messages out of a mailbox that has others too.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/record/step.h"
#include "libteam/store/mailbox.h"

namespace team {

// The messages of a recorded step, in their order. All of them must be in the mailbox.
std::unique_ptr<Batch> take_exactly(const Mailbox& mailbox, const Step& step, const std::optional<std::string>& run);

}  // namespace team
