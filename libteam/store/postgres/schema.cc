#include "libteam/store/postgres/schema.h"

namespace team {

// - `no` numbers a row of boards, teams and members for good, so that a team that was made again is another one.
// - A change locks the row of its board, then of its team, then of its inboxes: as the locks of files do.
// - The bodies are the texts that the files of other stores have; the columns beside them are for finding.
// - An advisory lock names a duty or a life: (oid of the table, number of the row).
const std::vector<std::string>& schema_statements() {
  static const std::vector<std::string> statements = {
      "create table layout (version int not null)",
      "insert into layout values (1)",
      "create table ops (op text primary key, at timestamptz not null default now())",
      "create index ops_by_age on ops (at)",

      "create table boards (no int generated always as identity primary key, path text not null unique,"
      " lastid bigint not null default 0, count bigint not null default 0, highest_blocker bigint not null default 0,"
      " version bigint not null default 0)",
      "create table tasks (board int not null references boards on delete cascade, id bigint not null,"
      " status smallint not null, priority smallint not null, role text, owner text, ready boolean not null,"
      " lease_end bigint not null, body json not null, primary key (board, id))",
      "create index tasks_ready_free on tasks (board, role, priority desc, id) where ready and owner is null",
      "create index tasks_ready_owned on tasks (board, owner, priority desc, id) where ready and owner is not null",
      "create index tasks_running on tasks (board, id) where status = 1",
      "create table deps (board int not null references boards on delete cascade, blocker bigint not null,"
      " task bigint not null, primary key (board, blocker, task))",
      "create index deps_by_task on deps (board, task)",
      "create view task_json as select b.path as board, t.id, t.body from tasks t join boards b on b.no = t.board",

      "create table teams (no int generated always as identity primary key, name text not null,"
      " config text not null, version bigint not null default 1, seq bigint not null default 0,"
      " exchanges text, quotas text, idle_period boolean not null default false,"
      " paused_until double precision not null default 0)",
      "create unique index teams_by_name on teams (lower(name))",
      "create table events (team int not null references teams on delete cascade, seq bigint not null,"
      " body text not null, primary key (team, seq))",
      "create table requests (team int not null references teams on delete cascade, id text not null,"
      " pending boolean not null, body text not null, primary key (team, id))",
      "create index requests_pending on requests (team, id) where pending",

      "create table members (no int generated always as identity primary key,"
      " team int not null references teams on delete cascade, name text not null,"
      " state text, host text, pid int, unique (team, name))",
      "create table duties (no int generated always as identity primary key,"
      " team int not null references teams on delete cascade, name text not null, unique (team, name))",
      "create table call_slots (no int generated always as identity primary key,"
      " team int not null references teams on delete cascade, place int not null, unique (team, place))",

      "create table inboxes (no int generated always as identity primary key,"
      " team int not null references teams on delete cascade, owner text not null,"
      " has_new boolean not null default false, unique (team, owner))",
      "create table batches (no int generated always as identity primary key,"
      " inbox int not null references inboxes on delete cascade, closed boolean not null default false,"
      " hold_until timestamptz, run text)",
      "create index batches_by_inbox on batches (inbox, no)",
      "create table messages (inbox int not null references inboxes on delete cascade, place bigint not null,"
      " id text not null, batch int, body text not null, primary key (inbox, place))",
      "create index messages_by_id on messages (inbox, id)",
      "create index messages_waiting on messages (inbox, place) where batch is null",
      "create index messages_taken on messages (batch, place) where batch is not null",
      "create table contents (no bigint generated always as identity primary key,"
      " team int not null references teams on delete cascade, at timestamptz not null default now())",
      "create table content_pieces (content bigint not null references contents on delete cascade,"
      " part int not null, data bytea not null, primary key (content, part))",
      "create table content_ids (team int not null references teams on delete cascade, id text not null,"
      " content bigint not null references contents on delete cascade, primary key (team, id))",
      "create index content_ids_by_content on content_ids (content)",
      "create table servers (description text not null)",
  };
  return statements;
}

}  // namespace team
