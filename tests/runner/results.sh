# shellcheck shell=bash
# Sourced by tests/run_tests: what CTest's reports say.

# count_results <report by CTest>: prints how many passed, failed and were skipped. What has no
# executable counts as failed. What is skipped says "SKIPPED: "
# and why, be it the whole or a case inside an executable; that goes to standard error, with a tab
# before each why.
count_results() {
  awk '
    /<testcase / {
      name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name)
      state[name] = /status="run"/ ? "passed" : "failed"
    }
    /<skipped message="SKIP_RETURN_CODE/ { state[name] = "skipped"; ++skipped }
    /SKIPPED: / { sub(/.*SKIPPED: /, ""); print name "\t" $0 > "/dev/stderr"
      if (state[name] != "skipped") inner[name]++ }
    END {
      for (name in state) {
        if (state[name] == "passed") ++passed
        if (state[name] == "failed") ++failed
      }
      for (name in inner) skipped += inner[name]
      printf "%d %d %d\n", passed, failed, skipped
    }' "$1"
}

# What was skipped for one and the same reason, as one line.
print_skips() {
  awk -F '\t' '
    !count[$2]++ { first[$2] = $1; reasons[++number] = $2 }
    END {
      for (i = 1; i <= number; ++i) {
        why = reasons[i]
        print first[why] (count[why] > 1 ? " and " count[why] - 1 " more" : "") ": " why
      }
    }'
}

# print_kills <report by CTest>...: how often tests have killed, as they told it; nothing if none has.
print_kills() {
  awk '
    match($0, /kill -9, [a-z]+: [0-9]+/) {
      split(substr($0, RSTART + 9, RLENGTH - 9), words, ": ")
      if (!(words[1] in of)) names[++number] = words[1]
      of[words[1]] += words[2]
      all += words[2]
    }
    END {
      if (!all) exit
      line = "kill -9, counted: " all " in all"
      for (i = 1; i <= number; ++i) line = line (i == 1 ? ": " : ", ") names[i] " " of[names[i]]
      print line
    }' "$@"
}
