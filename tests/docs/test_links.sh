#!/bin/sh
# Every relative link of the Markdown files leads to a file, and every equation that is cited has its number in the theory.
#
#   test_links.sh TREE
set -eu
cd "$1"
links=$(mktemp)
trap 'rm -f "$links"' EXIT
for file in $(find . -name "*.md" -not -path "./build*" -not -path "*/node_modules/*" | sed "s,^./,,"); do
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

# "theory 4 (12)", "theory-plates 2 (1)", and "theory-heat (3)" of a page without numbered sections
numbers=$(awk '
    FNR == 1 { page = FILENAME; gsub(/.*\/|\.md$/, "", page); section = "" }
    /^## [0-9]/ { section = " " $2 }
    /\\tag\{/ { gsub(/[^0-9]/, ""); print page section " (" $0 ")" }' docs/theory*.md)
cited=$(grep -rhoE '[Tt]heory(-plates|-heat)?( [0-9]+)? \([0-9]+\)' src include | sed 's/^T/t/' | sort -u)
echo "$cited" | while read -r equation; do
    echo "$numbers" | grep -qxF "$equation" || echo "$equation is cited but not in docs/theory*.md"
done >"$links"
cat "$links"
[ "$count" -gt 10 ] && [ "$failures" -eq 0 ] && [ "$(echo "$cited" | wc -l)" -gt 10 ] && [ ! -s "$links" ]
