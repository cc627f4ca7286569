#!/bin/sh
# run.sh ARGUMENT...: the first Python that has NumPy, with these arguments. 77: there is none, or no mypy.
set -eu
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null || continue
    if [ "$1 $2" = "-m mypy" ] && ! "$python" -c 'import mypy' 2>/dev/null; then
        echo "SKIP: mypy is missing (Debian: mypy)"
        exit 77
    fi
    [ -z "${PHLEXOR_PRELOAD:-}" ] || [ "$2" = mypy ] || export LD_PRELOAD="$PHLEXOR_PRELOAD"
    exec "$python" "$@"
done
echo "SKIP: Python with NumPy is missing (Debian: python3-numpy)"
exit 77
