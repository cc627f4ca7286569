#!/bin/sh
# Mutated models through all commands for some seconds: no crash, no other exit status, a place in every message. With
# sanitizers other ones than without. 77: there is no Python.
set -eu
command -v python3 >/dev/null || exit 77
seed=1
[ -z "${PHLEXOR_TEST_SHORT-}" ] || seed=2
exec python3 "$(dirname "$0")/mutate.py" "$1" "$(dirname "$0")/../../examples" \
    --seconds "${PHLEXOR_MUTATE_SECONDS:-10}" --seed $seed
