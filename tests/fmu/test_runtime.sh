#!/bin/sh
# The shared object of FMUs: what it needs, what it exports, how large it is.
set -eu
object=$1

needed=$(objdump -p "$object" | awk '$1 == "NEEDED" { print $2 }' | grep -v -E '^(libc|libm|ld-linux.*)\.so' || true)
if [ -n "$needed" ]; then
    echo "the shared object needs $needed; libc and libm should do" >&2
    exit 1
fi
others=$(nm -D --defined-only "$object" | awk '{ print $NF }' | grep -v -E '^fmi[23]' || true)
if [ -n "$others" ]; then
    echo "the shared object exports $others" >&2
    exit 1
fi
size=$(wc -c < "$object")
if [ "$size" -ge $((4 << 20)) ]; then # 3.9 million of Debian 12, 4.15 of Debian 13
    echo "the shared object has $size bytes; it should have less than 4 MiB" >&2
    exit 1
fi
