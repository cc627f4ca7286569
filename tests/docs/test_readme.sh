#!/bin/sh
# The first model of the README, of the first run and of the guide, and every command about it, as a newcomer types them.
#
#   test_readme.sh PROGRAM
. "$(dirname "$0")/../cli/lib.sh"
ln -s "$program" phlexor
PATH=$place:$PATH

# What stands in the blocks of a Markdown file that begin with ```LANGUAGE.
block()
{
    awk -v begin="\`\`\`$1" '/^```/ { within = !within; inside = within && $0 == begin; next } inside' "$2"
}

for page in README.md docs/first-run.md docs/for-agents.md; do
    block yaml "$source_dir/$page" >bar.yaml
    block "" "$source_dir/$page" | grep '^phlexor .*bar' | sed 's/ *#.*//' >commands
    [ "$(wc -l <commands)" -ge 5 ] || fail "$page: only these commands: $(cat commands)"
    while read -r command; do
        status=0
        sh -c "$command" >out.txt 2>err.txt </dev/null || status=$?
        # a build without Node.js has no page
        if [ "$status" -ne 0 ] && ! grep -q 'reports are off' err.txt; then
            fail "$page: $command: exit status $status: $(cat err.txt)"
        fi
    done <commands
    rm -f bar*
done
finish
