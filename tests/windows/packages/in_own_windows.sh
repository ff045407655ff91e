#!/usr/bin/env bash
# in_own_windows.sh <command>...: runs it in a fresh Windows, also where it runs in another already.
set -euo pipefail
unset LONGSHORE_WINE_SESSION WINEPREFIX
LONGSHORE_WINE_TIMEOUT=240 exec "$(dirname "$0")/../run_under_wine.sh" "$@"
