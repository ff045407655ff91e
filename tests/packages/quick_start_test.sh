#!/bin/bash
# The section "Quick start" of the README, word for word.
. /test/common.sh
cd /debs
set +m
type_commands README.md 'Quick start'
[ -z "$(jobs -p)" ] || kill %1
