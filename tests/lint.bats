# The sources pass `make lint`, and it finds errors.
load helper

@test "the tree has no lint error" {
  run "$PROJECT/scripts/lint"

  echo "$output"
  same 0 "$status"
}

@test "an error in a script fails, and a missing tool is only a warning" {
  mkdir -p tree/scripts tree/.ci tree/tests bin
  cp "$PROJECT/scripts/lint" tree/scripts/
  printf '#!/bin/sh\n' | tee tree/scripts/check-layers tree/scripts/check-citations tree/.ci/run >/dev/null
  chmod +x tree/scripts/check-*
  for tool in bash dirname head; do ln -s "$(command -v $tool)" "bin/$tool"; done
  ln -s "$(command -v sh)" bin/sh

  PATH=$PWD/bin run tree/scripts/lint
  same 0 "$status"
  [[ $output == *'lint: shellcheck is not installed, left out'* ]]

  printf '#!/bin/sh\nexit 1\n' >bin/shellcheck
  chmod +x bin/shellcheck
  PATH=$PWD/bin run tree/scripts/lint
  same 1 "$status"
}
