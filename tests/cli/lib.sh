# What the tests of the program share: a directory of its own, checks, numbers of csv files.
# Use: . "$(dirname "$0")/lib.sh"; the first argument of the test is the program.
set -eu
program=$1
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
examples=$source_dir/examples
data=$source_dir/tests/data
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# run STATUS ARGUMENTS...: runs the program, wants this exit status; what it said is in out.txt and err.txt.
run()
{
    wanted=$1
    shift
    status=0
    "$program" "$@" >out.txt 2>err.txt || status=$?
    if [ "$status" -ne "$wanted" ]; then
        fail "phlexor $*: exit status $status, expected $wanted"
        sed 's/^/    /' out.txt err.txt >&2
    fi
}

# says TEXT: the program said so on stderr (a basic regular expression).
says()
{
    grep -q -e "$1" err.txt || fail "expected '$1' in: $(cat err.txt)"
}

# prints TEXT: the same of stdout.
prints()
{
    grep -q -e "$1" out.txt || fail "expected '$1' in: $(cat out.txt)"
}

# columns FILE NAME...: these columns of a csv file as plain numbers, comments and the header left out.
columns()
{
    file=$1
    shift
    awk -F, -v wanted="$*" '
        /^#/ { next }
        !n {
            n = split(wanted, names, " ")
            for (i = 1; i <= NF; i++) place[$i] = i
            for (i = 1; i <= n; i++)
                if (!(names[i] in place)) { print FILENAME " has no column " names[i] >"/dev/stderr"; exit 1 }
            next
        }
        { for (i = 1; i <= n; i++) {
              value = $place[names[i]] + 0 # some awks take subnormal numbers for words
              printf "%.17g%s", (value < 1e-300 && value > -1e-300 ? 0 : value), (i < n ? " " : "\n") } }' "$file"
}

# check WHAT VALUE TOLERANCE: |VALUE| <= TOLERANCE.
check()
{
    awk -v value="$2" -v tolerance="$3" 'BEGIN {
        if (value == "" || tolerance == "") exit 1
        size = value + 0 < 0 ? -(value + 0) : value + 0 # as numbers, subnormal ones too
        if (size == 0 && value !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/) exit 1
        exit !(size <= tolerance + 0) }' || fail "$1: $2, tolerance $3"
}

finish()
{
    if [ "$failures" -gt 0 ]; then
        echo "$failures checks failed" >&2
        exit 1
    fi
    exit 0
}
