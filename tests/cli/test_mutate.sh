#!/bin/sh
# Some mutated models through all commands: no crash, no other exit status, a place in every message. With sanitizers
# fewer and other ones. 77: there is no Python.
set -eu
command -v python3 >/dev/null || exit 77
seed=1 count=40
[ -z "${PHLEXOR_TEST_SHORT-}" ] || seed=2 count=25
exec python3 "$(dirname "$0")/mutate.py" "$1" "$(dirname "$0")/../../examples" --seconds 500 --count $count --seed $seed
