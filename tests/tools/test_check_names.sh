#!/bin/sh
# tools/check-names: silent about this tree, names a static function that stands in four files, a file with an object
# called `it`, and a tolerance that has no name.
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
rm "$tree/cli/d.c"

cat >"$tree/src/dop_tableau.h" <<'END'
return 1.0 + 1e-3;
END
cat >"$tree/src/d.c" <<'END'
/* 1e-1 */
static const struct {
    const char *name;
    double limit;
} table[] = {{"a; 1e-2", 1e-3}, {"b", 1e-4}};
static const double SAME = 1e-5, OTHER = -1e-6;
bool f(const double *x)
{
    static const double HERE = 1e-7;
    const double there = 1e-8;
    return x[0] < HERE + there + 1e9;
}
END
"$here/tools/check-names" "$tree"
for line in 'return x < 1e-9;' 'const double small = 1e-9 * size;' 'double small = 1e-9;' 'f(size, 1.5e-9, SAME);'; do
    printf '/* ; */\nstatic const char QUOTE = '"'\"'"', *TEXT = "it;";\n%s\n' "$line" >"$tree/cli/e.c"
    if "$here/tools/check-names" "$tree" >"$tree/said" || ! grep -q '^cli/e.c:3: 1[.5]*e-9 has no name' "$tree/said"; then
        echo "check-names does not find the number in '$line'"
        exit 1
    fi
done
