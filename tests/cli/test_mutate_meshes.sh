#!/bin/sh
# Some damaged mesh files: a message and an exit status for each. 77: there is no Python, or no Assimp.
set -eu
command -v python3 >/dev/null || exit 77
exec python3 "$(dirname "$0")/mutate_meshes.py" "$1" --seconds 300 --count 10 --seed 3
