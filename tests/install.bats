load helper

# Installs the programs as they were built: make must not build them again while other tests use them.
project_make() {
  make -s -C "$PROJECT" --old-file=all DESTDIR="$PWD/stage" PREFIX=/opt/kit BUILD="${BIN%/bin}" "$@"
}

listed() { (cd stage && find . ! -type d | sort); }

expected_files() {
  local program page
  for program in "$BIN"/*; do
    echo "./opt/kit/bin/${program##*/}"
    echo "./opt/kit/share/bash-completion/completions/${program##*/}"
  done
  for page in "$PROJECT"/man/*.[157]; do
    [ ! -e "$page" ] || echo "./opt/kit/share/man/man${page##*.}/${page##*/}"
  done
}

@test "installs the programs, the pages and the completion, and nothing else" {
  run --separate-stderr project_make install

  same 0 "$status"
  same '' "$stderr"
  same "$(expected_files | sort)" "$(listed)"
}

@test "installs programs that run and pages that can be read, whatever the umask" {
  (umask 077 && project_make install)

  run --separate-stderr stage/opt/kit/bin/task-list --version
  same 0 "$status"
  [[ $output == 'task-list (teamkit) '* ]]
  same 755 "$(stat -c %a stage/opt/kit/bin/task-list)"
  same 644 "$(stat -c %a stage/opt/kit/share/bash-completion/completions/teamkit)"
  same 644 "$(stat -L -c %a stage/opt/kit/share/bash-completion/completions/task-list)"
  same '' "$(find stage -type d ! -perm 755)"
}

@test "installs over an older version" {
  project_make install
  listed >first

  run --separate-stderr project_make install

  same 0 "$status"
  listed | cmp - first
}

@test "uninstalls every installed file and nothing else" {
  mkdir -p stage/opt/kit/bin
  echo mine >stage/opt/kit/bin/mine
  project_make install

  run --separate-stderr project_make uninstall

  same 0 "$status"
  same ./opt/kit/bin/mine "$(listed)"
}

@test "uninstalls where nothing is installed" {
  run --separate-stderr project_make uninstall

  same 0 "$status"
  same '' "$stderr"
}

@test "installs two executables, and every command as a link to one of them" {
  project_make install

  same 2 "$(find stage/opt/kit/bin -type f -printf '%i\n' | sort -u | wc -l)"
  [ stage/opt/kit/bin/task-claim -ef stage/opt/kit/bin/teamkit ]
  [ stage/opt/kit/bin/team-run -ef stage/opt/kit/bin/teamkit-net ]
  # The shared libraries of teamkit-net would take more memory than a thousand streams.
  [ stage/opt/kit/bin/team-serve -ef stage/opt/kit/bin/teamkit ]
}

@test "installs symbolic links where the file system has no hard links" {
  mkdir tools
  printf '#!/bin/sh\n[ "$1" != -f ] || { echo no hard links >&2; exit 1; }\nexec /bin/ln "$@"\n' >tools/ln
  chmod +x tools/ln

  PATH=$PWD/tools:$PATH project_make install

  same teamkit "$(readlink stage/opt/kit/bin/task-claim)"
  same 'task-claim (teamkit)' "$(stage/opt/kit/bin/task-claim --version | cut -d ' ' -f 1,2)"
}
