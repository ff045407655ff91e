#!/usr/bin/env bash
# life_tests.sh <folder of the packages> <build folder>: one after another, since each has the agent's own
# pipes and service, in one Windows, since each of its own would cost 14 s.
set -euo pipefail
for subject in msi msi_upgrade zip csi_proxy image; do
  echo "= $subject"
  "$(dirname "$0")/${subject}_life_test.sh" "$@"
done
