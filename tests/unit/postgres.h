// A schema of its own for a test, on the server that TEAMKIT_POSTGRES names.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "libteam/store/postgres/postgres_engine.h"

namespace team::test {

class TestSchema {
 public:
  TestSchema() {
    const char* const address = std::getenv("TEAMKIT_POSTGRES");
    if (address == nullptr) return;
    static int number = 0;
    database = std::make_shared<Database>(address, fmt::format("test_{}_{}", ::getpid(), ++number), 5);
    database->prepare();
  }
  TestSchema(const TestSchema&) = delete;
  TestSchema& operator=(const TestSchema&) = delete;
  ~TestSchema() {
    if (database) database->ask("drop schema \"" + database->schema() + "\" cascade");
  }

  std::shared_ptr<const Database> database;  // null without a server
};

// PostgreSQL is slower than the other stores, so it takes part in every fifth history.
inline bool takes_part(std::int64_t seed) { return seed % 5 == 0; }

// A store without anything on this machine; null without a server.
inline std::unique_ptr<const Engine> open_store(const std::shared_ptr<const Database>& database) {
  if (!database) return nullptr;
  return std::make_unique<const PostgresEngine>(
      database, "PostgreSQL", "a test",
      PostgresEngine::Local{[](const std::string&) { return nullptr; }, [](const std::string&) { return false; }});
}

}  // namespace team::test
