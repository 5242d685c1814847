# For tests of hooks.

HOOKS=.teams/alpha/hooks

# hook NAME <SCRIPT: a hook of team alpha, in bash, without its first line.
hook() {
  [ -d "$HOOKS" ] || mkdir -m 700 "$HOOKS"
  { echo '#!/bin/bash'; cat; } >"$HOOKS/$1"
  chmod 700 "$HOOKS/$1"
}
