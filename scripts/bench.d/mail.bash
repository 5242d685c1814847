# Messages: one by one, and from eight writers to one reader.

plan_mail() {
  line static "$place" "$place/static"
  line send "$place/mail" "$bin/team-send" -t process --as lead user "a message of some words"
  line recv "$place/mail" "$bin/team-recv" -t process --as user
}

plan_senders() {
  line '&' "$place/mail" "$bin/team-recv" -t process --as user --follow
  line static "$place" "$place/static"
  line send "$place/mail" "$bin/team-send" -t process --as lead user "a message of some words"
}

# Eight writers that send so many messages each, and one reader that takes them all.
plan_letters() {
  line letters "$place/mail" sh -c \
    "for writer in 1 2 3 4 5 6 7 8; do '$place/letters' send $1 & done; '$place/letters' receive $((8 * $1)); wait"
}

part_mail() {
  local name each=5000 took
  [ -z "${QUICK:-}" ] || each=1000
  make_team "$place/mail" process process
  run mail "$rounds" < <(plan_mail)
  for name in send recv; do row "team-$name" "$(ratio mail $name static)" 'x static' most 1.3; done
  run senders $((rounds / 4)) 8 < <(plan_senders)
  row "8 writers, one reader, a process a message" "$(ratio senders static send)" 'x static rate' least 0.8
  run letters "$((slow_rounds / 2 + 1))" < <(plan_letters "$each")
  took=$(value letters letters)
  row "8 writers, one reader, a process each" "$([ -z "$took" ] || calculate "8 * $each / $took * 1e6")" '/s' least 40000
}
