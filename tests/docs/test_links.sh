#!/bin/sh
# Every relative link of the Markdown files leads to a file.
#
#   test_links.sh TREE
set -eu
cd "$1"
links=$(mktemp)
trap 'rm -f "$links"' EXIT
for file in *.md docs/*.md examples/*.md; do
    # [text](target): one on a line of its own, without #anchor; nothing with a scheme, nothing inside ``` blocks
    awk -v file="$file" '
        /^ *```/ { inside = !inside; next }
        !inside {
            line = $0
            while (match(line, /\]\([^)]*\)/)) {
                target = substr(line, RSTART + 2, RLENGTH - 3)
                line = substr(line, RSTART + RLENGTH)
                sub(/#.*/, "", target)
                if (target != "" && target !~ /^[a-z]+:/)
                    print file, target
            }
        }' "$file"
done >"$links"
failures=0
count=0
while read -r file target; do
    count=$((count + 1))
    if [ ! -e "$(dirname "$file")/$target" ]; then
        echo "$file: $target does not exist"
        failures=$((failures + 1))
    fi
done <"$links"
echo "$count links, $failures broken"
[ "$count" -gt 10 ] && [ "$failures" -eq 0 ]
