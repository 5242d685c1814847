#!/usr/bin/env bats
# The sources of the page of team-serve. make check-real tests the page itself, in a browser.

load helper

setup() { web=$PROJECT/libteam/web; }

@test "the modules and the style of the page have at most 60 KB" {
  local size
  size=$(cat "$web"/*.js "$web"/*.css | wc -c)

  echo "# $size bytes"
  [ "$size" -le 61440 ]
}

@test "the page turns no text into markup or code" {
  run grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|srcdoc|document\.write|eval\(|new Function|cookie' \
    "$web"/*.js "$web"/*.html

  [ "$status" -eq 1 ]
}

@test "the page has no inline script or style, which its policy would refuse" {
  run grep -nE '<style|<script>|style="|[ "]on[a-z]+="|javascript:' "$web/index.html"

  [ "$status" -eq 1 ]
}

@test "the page names no other host" {
  run grep -rnE '(https?:)?//[a-z0-9-]+\.[a-z]' "$web"

  # The name of SVG is no address.
  [ -z "$(printf '%s\n' "$output" | grep -v 'http://www\.w3\.org/2000/svg')" ]
}

@test "every file that the page loads exists" {
  local file
  for file in $(grep -ohE "(src|href)=\"[^\"#]+\"|'\./[a-z.]+'|'worker\.js'" "$web"/*.html "$web"/*.js | sed -E "s/.*[\"']\.?\/?([a-z.]+)[\"']\$/\1/"); do
    [ -s "$web/$file" ] || { echo "missing: $file" && false; }
  done
}
