# The long form is scripts/torture.d/power.
load helper

@test "acknowledged changes survive a power failure complete, and the next command works" {
  run timeout 100 "$PROJECT/scripts/torture.d/power" "$BIN" --cuts 8 --seconds 12

  echo "$output"
  [ "$status" != 77 ] || skip "${output#*cannot run here: }"
  same 0 "$status"
}
