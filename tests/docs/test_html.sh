#!/bin/sh
# The documentation as a site: doxygen finds everything public documented, Sphinx has no warning, every link leads
# somewhere, and nothing is loaded from the network or tells where it was made.
#
#   test_html.sh SOURCE MAN
set -eu
for tool in doxygen sphinx-build mandoc python3; do
    command -v $tool >/dev/null || {
        echo "SKIP: this test needs the package $tool"
        exit 77
    }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$1/docs/make-html" "$place/html" "$2"
python3 "$1/tests/docs/check_html.py" "$place/html"
if grep -rlF -e "$1" -e "$place" "$place/html"; then
    echo "the path $1 or $place is in these pages"
    exit 1
fi
