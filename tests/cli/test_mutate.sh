#!/bin/sh
# Mutated models through all commands for some seconds: no crash, no other exit status, a place in every message.
# 77: there is no Python.
set -eu
command -v python3 >/dev/null || exit 77
exec python3 "$(dirname "$0")/mutate.py" "$1" "$(dirname "$0")/../../examples" --seconds "${PHLEXOR_MUTATE_SECONDS:-20}" --seed 1
