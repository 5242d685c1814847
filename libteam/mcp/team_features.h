// A team as an MCP server: its board, mail and plans as tools, its status as resources, two prompts.
//
// Each tool is a door to TeamSession and contains no rules. It acts as one member, never as one that an argument names.
// The store is opened by the first request that needs it: a client may start before there is a team.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/tools/tool.h"
#include "libteam/mcp/features.h"
#include "libteam/mcp/team_door.h"

namespace team {

struct TeamFeatureOptions {
  std::string self;                               // the name of the member
  std::optional<std::vector<std::string>> tools;  // only these
  bool read_only = false;                         // only tools that change nothing
};

// One call of a tool: what it got, and what it gives besides the text.
struct TeamToolCall {
  const McpRequest* request = nullptr;
  std::string structured;  // a JSON object
  McpOutcome outcome;      // with work or questions: instead of the text
};

class TeamFeatures : public McpFeatures {
 public:
  // For `open` see TeamDoor. Throws usage for an unknown tool.
  TeamFeatures(std::function<TeamSession&()> open, const TeamFeatureOptions& options);

  std::string name() const override { return "teamkit"; }
  std::string instructions() const override;
  McpOffer offer() const override;
  std::vector<std::string> tools() override;
  McpOutcome call_tool(const McpRequest& request, const std::string& name, const Json& arguments) override;
  std::vector<std::string> resources() override;
  std::vector<std::string> resource_templates() override;
  std::optional<std::vector<std::string>> read_resource(const std::string& uri) override;
  std::vector<std::string> prompts() override;
  McpOutcome get_prompt(const McpRequest& request, const std::string& name, const Json& arguments) override;
  std::unique_ptr<McpWork> subscribe(std::shared_ptr<const McpInterests> interests) override;
  std::unique_ptr<McpWaiting> begin_waiting(const std::vector<int>& descriptors) override;

  // See TeamDoor.
  TeamSession& session() { return door_.session(); }

 private:
  TeamDoor door_;
  std::string self_;
  Toolbox tools_;
  TeamToolCall call_;  // the present one
};

// The groups of tools. `call` is the present call whenever a tool runs; all outlive the toolbox.
void add_task_tools(Toolbox& tools, TeamFeatures& features, TeamToolCall& call);
void add_mail_tools(Toolbox& tools, TeamFeatures& features, TeamToolCall& call);
void add_plan_tool(Toolbox& tools, TeamFeatures& features, TeamToolCall& call);

// The annotations of a tool for the client, as a JSON object; "" for none.
std::string tool_hints(const std::string& name);
// True for tools that change nothing, not even by delivering a message.
bool is_reading_tool(const std::string& name);

// What a member gets with a task that it has claimed.
std::string describe_claim(const TeamSession& session, const Task& task);

// The lines that a failed step after a change adds to the answer: the change stands, so this is no error.
std::string describe_trouble(const std::string& trouble);

}  // namespace team
