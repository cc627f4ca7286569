#!/bin/sh
# The man page and the program's help name the same commands and options.
#
#   test_man.sh PROGRAM PAGE
set -eu
program=$1
page=$2
failures=0

complain()
{
    echo "$1"
    failures=$((failures + 1))
}

# options: the words that begin with -- on standard input, but for --help
options()
{
    grep -o -e '--[a-z][a-z]*' | grep -v -x -e '--help' | sort -u
}

commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || complain "no commands in the help of $program"
for command in $commands; do
    # the part of the page about this command, its \- made -
    part=$(awk -v command="$command" '/^\.S[SH]/ { inside = $1 == ".SS" && $2 == command } inside' "$page" | sed 's/\\-/-/g')
    [ -n "$part" ] || complain "$page says nothing of the command $command"
    told=$("$program" "$command" --help | options || true)
    written=$(printf '%s\n' "$part" | options || true)
    for option in $told; do
        printf '%s\n' "$written" | grep -q -x -e "$option" || complain "$page: $command lacks $option"
    done
done
for command in $(sed -n 's/^\.SS \([a-z]*\).*/\1/p' "$page"); do
    printf '%s\n' "$commands" | grep -q -x -e "$command" || complain "$page: there is no command $command"
done
exit $((failures > 0))
