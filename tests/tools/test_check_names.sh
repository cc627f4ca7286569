#!/bin/sh
# tools/check-names: silent about this tree, names a static function that stands in four files, and a file with an object
# called `it`.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

"$here/tools/check-names" "$here"
mkdir -p "$tree/src" "$tree/cli"
for file in a b c; do
    printf 'static int begin(int x)\n{\n    return x;\n}\n' >"$tree/src/$file.c"
done
"$here/tools/check-names" "$tree"
printf '/* begin(x) */\nstatic const int *begin(const int *x,\n                        int y)\n{\n    return x + y;\n}\n' >"$tree/cli/d.c"
if "$here/tools/check-names" "$tree" >"$tree/said" || ! grep -q "'begin' stands in 4 files: cli/d.c, src/a.c" "$tree/said"; then
    echo "check-names does not find a name in four files"
    exit 1
fi
printf '/* frees it */\nvoid end(int *it)\n{\n    *it = 0;\n}\n' >"$tree/cli/d.c"
if "$here/tools/check-names" "$tree" >"$tree/said" || ! grep -q "^cli/d.c calls an object 'it'" "$tree/said"; then
    echo "check-names does not find an object called 'it'"
    exit 1
fi
