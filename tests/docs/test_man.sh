#!/bin/sh
# The man pages are without fault, there is one for each command, with all its options and no other, and the program's
# options are known to the completion of shells.
#
#   test_man.sh PROGRAM FOLDER INCLUDE      FOLDER: with man1, man3, man5; INCLUDE: the public headers
set -eu
program=$1
folder=$2
include=$3
failures=0
work=$(mktemp -d)
tables=$work/tables
trap 'rm -rf "$work"' EXIT

complain()
{
    echo "$*"
    failures=$((failures + 1))
}

for tool in mandoc man; do
    command -v $tool >/dev/null || {
        echo "SKIP: this test needs the package $([ $tool = man ] && echo man-db || echo mandoc)"
        exit 77
    }
done

"$program" --tables >"$tables"
commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || complain "no commands in the help of $program"

# the text of a page as one reads it
text_of()
{
    mandoc -T utf8 -O width=200 "$1" | col -b
}

# options: the words that begin with -- on standard input, but for --help
options()
{
    grep -o -e '--[a-z][a-z-]*' | grep -v -x -e '--help' | sort -u
}

# all_in WORDS PATTERN/REPLACEMENT/ LACK: each word stands on standard input, as sed takes it from a line
all_in()
{
    sed -n "s/$2p" >"$work/known"
    lacking=$(printf '%s\n' $1 | grep -v -x -F -f "$work/known" || true)
    [ -z "$lacking" ] || complain "$3" $lacking
}

text_of "$folder/man1/phlexor.1" >"$work/overview"
for command in $commands; do
    page=$folder/man1/phlexor-$command.1
    [ -s "$page" ] || { complain "there is no $page"; continue; }
    awk -F '\t' -v command="$command" '$1 == "command" && $2 == command { found = 1 } END { exit !found }' "$tables" ||
        complain "--tables lacks $command"
    grep -q "phlexor-$command(1)" "$work/overview" || complain "phlexor.1 does not name $command"
    text_of "$page" >"$work/page"
    told=$("$program" "$command" --help | sed -n '/^Options:/,$s/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | options || true)
    table=$(awk -F '\t' -v command="$command" '$1 == "option" && $2 == command { print $3 }' "$tables" | options || true)
    [ "$told" = "$table" ] || complain "$command: its help has" $told ", its table" $table
    all_in "$told" '^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\)\( .*\)\{0,1\}$/\2/' "$page lacks" <"$work/page"
    # and nothing is named that does not exist, in any command
    all_in "$(options <"$work/page" || true)" '^option	[^	]*	\([^	]*\)	.*/\1/' "$page: no command has" <"$tables"
done
for page in "$folder"/man1/phlexor-*.1; do
    command=$(basename "$page" .1)
    echo "$commands" | grep -q -x "${command#phlexor-}" || complain "$page: there is no such command"
done
unknown=$(awk -F '\t' '$1 == "option" && $7 == "unknown" { print $2, $3, $5 }' "$tables")
[ -z "$unknown" ] || complain "cli/complete.c does not say how these values are completed: $unknown"

text_of "$folder/man3/libphlexor.3" >"$work/page"
headers=$(cd "$include" && ls phlexor/*.h)
all_in "$headers" '.*<\(phlexor\/[a-z_]*\.h\)>.*/\1/' "libphlexor.3 lacks the header" <"$work/page"
text_of "$folder/man5/phlexor-model.5" >"$work/page"
keys=$("$program" schema | sed -n 's/^| `\([a-z_]*\)` .*/\1/p' | sort -u)
all_in "$keys" '^ *\([a-z_]*\)\( .*\)\{0,1\}$/\1/' "phlexor-model.5 lacks the key" <"$work/page"

mandoc -T lint -W warning "$folder"/man?/* || complain "mandoc finds faults"
for page in "$folder"/man?/*; do
    said=$(LC_ALL=C.UTF-8 man --warnings -l "$page" 2>&1 >/dev/null || true)
    [ -z "$said" ] || complain "man: $page: $said"
done
exit $((failures > 0))
