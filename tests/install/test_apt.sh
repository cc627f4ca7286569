#!/bin/sh
# The Debian packages, installed by apt on a system that has Python only: the program, the library in Python and from
# outside. Nothing is left when they are removed. tools/test-debian runs this in a fresh system.
#
#   test_apt.sh SOURCE PACKAGES COMPILER      PACKAGES: the folder of the packages
. "$(dirname "$0")/lib.sh"
packages=$build
build=$place/build # where lib.sh finds the man pages
installed="phlexor libphlexor* python3-phlexor phlexor-doc"

# run_apt VERB ARGUMENTS...
run_apt()
{
    try "apt-get" env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@"
}

cd "$place"
run_apt update
begin=$(date +%s)
run_apt install "$packages"/*.deb || exit 1
echo "installed in $(($(date +%s) - begin)) s"
try "simulate" phlexor simulate /usr/share/doc/phlexor/examples/crank_slider.yaml -o motion.h5 --csv motion.csv
try "report" phlexor report motion.h5 -o motion.html
try "every library" phlexor info --load
for kind in svg png pdf; do
    try "a picture" phlexor plot motion.h5 -o picture.$kind
done
try "a workbook" phlexor export motion.h5 -o motion.xlsx
try "a MAT-file" phlexor export motion.h5 -o motion.mat
try "an FMU" phlexor fmu /usr/share/doc/phlexor/examples/crank_slider.yaml -o slider.fmu
try "an FMU runs" phlexor fmu check slider.fmu
try "Python" python3 /usr/share/doc/phlexor/python/examples/controller.py "$place/python"
try "a command in Python" phlexor reproduce --only matrices -o page.html
[ -s /usr/share/doc/phlexor-doc/html/index.html ] || [ -s /usr/share/doc/phlexor/html/index.html ] ||
    fail "there is no documentation as web pages"

run_apt install cmake pkg-config gcc
for page in man3/libphlexor.3 man5/phlexor-model.5; do
    mkdir -p "$build/man/${page%/*}"
    gunzip -c "/usr/share/man/$page.gz" >"$build/man/$page"
done
whole /usr
use_library /usr "/usr/lib/$(gcc -dumpmachine)"

run_apt purge $installed
left=$(find /usr /etc /var/lib/dpkg/info -name '*phlexor*')
[ -z "$left" ] || fail "what is left: $left"
finish
