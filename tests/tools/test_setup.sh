#!/bin/sh
# tools/setup installs what is missing and nothing else, with a dpkg-query, apt-get, sudo and id that only pretend.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
setup=$tree/tools/setup
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failures=0

# What the script may find: nothing but these commands and the pretenders.
fresh_place()
{
    rm -rf "$place/bin" "$place/calls"
    mkdir "$place/bin"
    : >"$place/calls"
    for command in sh env grep tail mktemp rm cat; do
        ln -s "$(command -v $command)" "$place/bin/$command"
    done
}

# pretend NAME BODY: a command that notes how it is called, then runs BODY.
pretend()
{
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$place" "$2" >"$place/bin/$1"
    chmod +x "$place/bin/$1"
}

# run STATUS ARGUMENTS...: runs the script, keeps what it said in $said.
run()
{
    wanted=$1
    shift
    status=0
    said=$(PATH=$place/bin sh "$setup" "$@" 2>&1) || status=$?
    [ "$status" -eq "$wanted" ] || complain "exit status $status, expected $wanted; it said: $said"
}

complain()
{
    echo "$case: $1"
    failures=$((failures + 1))
}
expect_said() { printf '%s' "$said" | grep -q -e "$1" || complain "it did not say '$1' but: $said"; }
expect_call() { grep -q -e "$1" "$place/calls" || complain "no call '$1' among: $(cat "$place/calls")"; }
expect_no_call() { ! grep -q -e "$1" "$place/calls" || complain "a call '$1': $(cat "$place/calls")"; }

# pretend_packages CASES: a dpkg-query that says of all packages that they are installed, but for those in CASES.
pretend_packages()
{
    pretend dpkg-query "for package; do case \$package in -* | \\\$*) ;; $1 *) echo \"\$package installed\" ;; esac; done"
}
no_cmocka='libcmocka-dev) ;; libmatio-dev) echo "$package config-files" ;;'

case='nothing is missing'
fresh_place
pretend_packages ''
run 0
[ -z "$said" ] || complain "it is not quiet: $said"

case='root, two packages are missing'
fresh_place
pretend_packages "$no_cmocka"
pretend id 'echo 0'
pretend apt-get :
run 0
expect_said '^Installing: libmatio-dev libcmocka-dev$'
expect_call '^apt-get update$'
expect_call '^apt-get install -y --no-install-recommends libmatio-dev libcmocka-dev$'

case='not root, with sudo'
fresh_place
pretend_packages "$no_cmocka"
pretend id 'echo 1000'
pretend sudo 'exec "$@"'
pretend apt-get :
run 0
expect_call '^sudo apt-get update$'
expect_call '^sudo env DEBIAN_FRONTEND=noninteractive apt-get install'

case='not root, without sudo'
fresh_place
pretend_packages "$no_cmocka"
pretend id 'echo 1000'
pretend apt-get :
run 1
expect_said 'needs root or sudo'
expect_said 'apt-get install --no-install-recommends libmatio-dev libcmocka-dev$'
expect_no_call '^apt-get'

case='no network'
fresh_place
pretend_packages "$no_cmocka"
pretend id 'echo 0'
pretend apt-get 'echo "Unable to fetch"; exit 100'
run 1
expect_said 'Unable to fetch'
expect_said 'could not install'

case='not Debian'
fresh_place
pretend apt-get :
run 0
expect_said 'not a Debian system'
expect_no_call '^apt-get'
longest=$(printf '%s\n' "$said" | awk '{ if (length > most) most = length } END { print most }')
[ "$longest" -le 120 ] || complain "a line has $longest characters"
# pkg-config names, or headers, or the library itself, of everything that the build searches
names=$(sed -n -e 's/^ *phx_find_package([a-z]* \([^ )]*\).*/\1/p' \
    -e 's/^ *phx_find_library([a-z]* \([^ $]*\) .*/\1/p' -e 's/^phx_find_loaded([a-z0-9]* -l[a-z]* [a-z]* \([a-z.]*\).*/\1/p' \
    -e 's/^phx_find_loaded([a-z0-9]* \([^" -][^ ]*\).*/\1/p' -e 's/^phx_find_loaded.*;\([^"]*\)".*/\1/p' \
    -e 's/^phx_describe_loaded([a-z]* [a-z]* \([^ ]*\).*/\1/p' \
    "$tree/cmake/PhlexorLibraries.cmake" "$tree/cmake/PhlexorLoaded.cmake" "$tree/tests/support/CMakeLists.txt")
[ "$(echo $names | wc -w)" -eq 20 ] || complain "the build searches other libraries than before: $names"
for name in $names; do
    expect_said "[ ,]$name\\([ ,]\\|\$\)"
done

case='for tests'
fresh_place
pretend_packages 'octave | python3-scipy) ;;'
pretend id 'echo 0'
pretend apt-get :
run 0
expect_no_call 'apt-get'
run 0 --test
expect_call 'install .* octave python3-scipy$'

case='a program for tests that this Debian lacks'
: >"$place/calls"
pretend apt-cache 'case $* in *octave) echo "  Candidate: (none)" ;; *) echo "  Candidate: 1.2" ;; esac'
run 0 --test
expect_said 'this system has no octave; tests and checks that need it are left out'
expect_call 'install .* python3-scipy$'
expect_no_call 'install .* octave'

case='Ubuntu, where Chromium is not a Debian package, and Debian 13, which has another clang-format'
fresh_place
pretend_packages 'chromium-headless-shell | clang-format-14 | clang) ;;'
pretend id 'echo 0'
pretend apt-get :
pretend apt-cache 'case $* in *chromium* | *-14) echo "  Candidate: (none)" ;; *) echo "  Candidate: 1.2" ;; esac'
run 0 --develop
expect_said 'this system has no clang-format-14; tests and checks that need it are left out'
expect_call 'install -y --no-install-recommends clang$'

case='what the build needs is asked for in any case'
pretend_packages 'libfyaml-dev) ;;'
pretend apt-cache 'echo "  Candidate: (none)"'
run 0
expect_call 'install .* libfyaml-dev$'

case='for developers'
fresh_place
pretend_packages 'clang-format-14) ;;'
pretend id 'echo 0'
pretend apt-get :
run 0
expect_no_call 'apt-get'
run 0 --develop
expect_call 'install .* clang-format-14$'

case='a Node.js from elsewhere'
fresh_place
pretend_packages 'nodejs | npm) ;;'
pretend id 'echo 0'
pretend apt-get :
pretend node :
run 0
expect_call 'install .* nodejs npm$'
: >"$place/calls"
pretend npm :
run 0
expect_no_call 'apt-get'

case='an option that does not exist'
run 2 --everything
expect_said '^usage:'

[ "$failures" -eq 0 ]
