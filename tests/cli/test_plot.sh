#!/bin/sh
# Pictures by the program, opened by other programs: sizes, fonts, equal bytes, every kind of picture in plane and space,
# and what cannot be drawn.
. "$(dirname "$0")/lib.sh"
export OPENBLAS_NUM_THREADS=1
for tool in pdfinfo:poppler-utils pdffonts:poppler-utils pdftoppm:poppler-utils rsvg-convert:librsvg2-bin; do
    if ! command -v "${tool%%:*}" >/dev/null 2>&1; then
        echo "SKIP: ${tool%%:*} is not there; install Debian's ${tool#*:}"
        exit 77
    fi
done
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import PIL' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
    echo "SKIP: Python has no PIL; install Debian's python3-pil"
    exit 77
fi

run 0 simulate "$examples/crank_slider.yaml" --end 0.02 -o plane.h5 --csv plane.csv
run 0 simulate "$examples/manipulator.yaml" --end 0.2 -o space.h5
run 0 modes "$examples/four_bar.yaml" -o modes.h5
run 0 simulate "$examples/damped_lever.yaml" --end 0.1 -o lever.h5
run 0 linearize "$examples/damped_lever.yaml" -o linear.h5
run 0 linearize "$examples/crank_slider.yaml" --form descriptor -o descriptor.h5

# opens FILE.pdf: one page, fonts embedded and not Type 3, something on it
opens()
{
    pdfinfo "$1" >info.txt 2>warnings.txt || fail "pdfinfo does not open $1"
    grep -q '^Pages: *1$' info.txt || fail "$1 has not one page"
    ! grep -q Date info.txt || fail "$1 has a date: $(grep Date info.txt)"
    pdffonts "$1" >fonts.txt 2>>warnings.txt
    [ "$(wc -l <fonts.txt)" -gt 2 ] || fail "$1 has no fonts"
    awk 'NR > 2 && $(NF - 4) != "yes" { bad = 1 } END { exit bad }' fonts.txt || fail "$1: $(cat fonts.txt)"
    pdftoppm -r 60 -gray "$1" page 2>>warnings.txt
    mv page-1.pgm "$1.pgm" || fail "$1 is not drawn" # looked at in the end
    [ ! -s warnings.txt ] || fail "$1: $(cat warnings.txt)"
}

# page WIDTH HEIGHT: the page of info.txt has this size in mm
page()
{
    awk -v width="$1" -v height="$2" '
        /^Page size:/ {
            found = 1
            x = $3 * 25.4 / 72 - width
            y = $5 * 25.4 / 72 - height
            if (x * x > 0.01 || (height && y * y > 0.01)) bad = 1
        }
        END { exit bad || !found }' info.txt || fail "expected $1 x $2 mm: $(grep 'Page size' info.txt)"
}

# picture NAME ARGUMENTS...: as PDF, SVG and PNG, each opened; one of the three, in turn, twice with the
# same bytes
again=pdf
picture()
{
    name=$1
    shift
    for ending in pdf svg png; do
        run 0 plot "$@" --dpi 80 -o "$name.$ending"
        prints "^$name.$ending\$"
        [ ! -e "$name.$ending.partial" ] || fail "$name.$ending.partial stays"
    done
    run 0 plot "$@" --dpi 80 -o "$name-again.$again"
    cmp "$name.$again" "$name-again.$again" || fail "$name.$again differs from run to run"
    case $again in pdf) again=svg ;; svg) again=png ;; png) again=pdf ;; esac
    opens "$name.pdf"
    rsvg-convert "$name.svg" -o svg.png || fail "rsvg-convert does not open $name.svg"
    grep -q '<text' "$name.svg" || fail "$name.svg has no texts"
    echo "$name.png" >>pictures.txt
}

# ---- every kind of picture ----
picture result plane.h5
picture space space.h5 --width page
picture columns plane.h5 --columns mid,slider.x --columns drive --size 84x60
page 84 60
picture portrait plane.h5 --columns mid.y --against slider.x --width 3in --grey
page 76.2 0
picture spectrum plane.h5 --columns drive,mid.y --spectrum --log xy --width column
page 84 0
picture csv plane.csv --columns energy --from 0.005 --to 0.01 --title 'Größe <&> "x"'
picture motion plane.h5 --motion --width page
page 174 0
picture motion3 space.h5 --motion --size 8.4x8cm --font-size 7
page 84 80
picture motion_xz space.h5 --motion --plane xz --from 0.1
grep -q '>z (m)<' motion_xz.svg || fail "no z in motion_xz.svg"
picture modes modes.h5 --width column
picture bode linear.h5 --inputs push.fx --outputs slide,swing --size 84x90mm
picture range modes.h5 --from 1 --to 2 --width column
picture ledger lever.h5 --columns supplied.load,dissipated.body.rod --columns supplied
picture poles linear.h5 --poles
picture spy linear.h5 --spy
picture descriptor descriptor.h5 --spy --matrices J,E,Q --width column
picture model "$examples/crank_slider.yaml" --spy --set speed=10 --width page
picture model3 "$examples/manipulator.yaml" --spy --matrices J
# blocks have the names of bodies and joints
run 0 plot "$examples/crank_slider.yaml" --spy --matrices J -o names.svg
for name in crank coupler slider 'coupler rate' knee guide; do
    grep -q ">$name<" names.svg || fail "no block called $name"
done
# several files in one picture
run 0 simulate "$examples/crank_slider.yaml" --end 0.02 --set speed=100 -o slow.h5
printf 'time,place\n0,0.45\n0.02,0.2\n' >measured.csv
picture several plane.h5 slow.h5 --with measured.csv --map place=slider.x --width page
picture difference plane.h5 slow.h5 plane.csv --columns mid --columns drive --difference --width column --grey
grep -q '>y, slow.h5<' difference.svg || fail "no legend with the name of the file"
# what a Bode diagram leaves out it says
run 0 plot linear.h5 -o all.svg
grep -q 'left out: [0-9]* responses zero to rounding' all.svg || fail "nothing is said of responses that are zero"
# the usual names
run 0 plot plane.h5 --columns mid --format pdf
prints '^plane_columns.pdf$'
opens plane_columns.pdf
run 0 plot plane.h5 --motion
prints '^plane_motion.svg$'
# standard output
for format in svg pdf png; do
    run 0 plot plane.h5 --dpi 80 --format $format -o -
    cmp out.txt result.$format || fail "$format on standard output"
done
# a font for what the usual one lacks
sed 's/title:.*/title: "Ξ ≤ ∑ ⚙"/' "$examples/crank_slider.yaml" >letters.yaml
run 0 simulate letters.yaml --end 0.001 -o letters.h5
run 0 plot letters.h5 -o letters.pdf
opens letters.pdf
grep -q DejaVu fonts.txt || fail "no DejaVu in $(cat fonts.txt)"

# ---- partial results ----
"$program" simulate "$examples/crank_slider.yaml" --end 1000 -o long.h5 >out.txt 2>&1 &
running=$!
sleep 2
kill -INT "$running"
wait "$running" || true
[ -e long.h5.partial ] || fail "no partial result: $(cat out.txt)"
run 0 plot long.h5.partial --columns energy -o partial.pdf
opens partial.pdf
run 0 plot long.h5.partial -o partial.svg
says 'long.h5.partial is unfinished'
grep -q unfinished partial.svg || fail "partial.svg does not say that the result is unfinished"

# ---- what cannot be drawn: nothing is left behind ----
refused()
{
    run "$@"
    [ ! -e x.pdf ] && [ ! -e x.pdf.partial ] || fail "x.pdf is left after: $*"
}
refused 2 plot plane.h5 --columns mid,slidr -o x.pdf
says "no column 'slidr'; did you mean 'slider"
refused 2 plot plane.h5 --columns mid --against tt -o x.pdf
refused 2 plot none.h5 -o x.pdf
says 'none.h5'
refused 2 plot plane.h5 -o x.gif
says '.svg, .pdf or .png'
refused 2 plot plane.h5 -o nowhere/x.pdf
says 'nowhere'
refused 1 plot plane.h5 --format pdf -o .
refused 2 plot plane.h5 --size 84 -o x.pdf
says 'WIDTHxHEIGHT'
refused 2 plot plane.h5 --size 84x10 -o x.pdf
says 'no room'
refused 2 plot plane.h5 --width wide -o x.pdf
says 'column'
refused 2 plot plane.h5 --font-size big -o x.pdf
refused 2 plot plane.h5 --columns mid --motion -o x.pdf
says 'different pictures'
refused 2 plot plane.h5 --motion --plane yz -o x.pdf
says 'no z to draw'
refused 2 plot plane.h5 slow.h5 --motion -o x.pdf
says 'motion draws one file'
refused 1 plot plane.h5 modes.h5 -o x.pdf
refused 2 plot plane.h5 --difference -o x.pdf
says 'needs a second FILE'
refused 2 plot plane.h5 missing.h5 -o x.pdf
says missing.h5
refused 1 plot plane.h5 --with measured.csv --map plaice=mid.x -o x.pdf
says "did you mean 'place'"
refused 2 plot plane.h5 --plane xz -o x.pdf
refused 2 plot plane.h5 --spectrum -o x.pdf
says '--columns'
refused 2 plot plane.h5 --columns mid --from 5 -o x.pdf
says 'its rows go from'
refused 2 plot plane.h5 --columns mid --from 1 --to 0 -o x.pdf
refused 2 plot modes.h5 --from 100 -o x.pdf
says 'no points from theta1 = 100'
refused 2 plot linear.h5 --poles --to 3 -o x.pdf
refused 2 plot linear.h5 --from 3 --to 4 --inputs none -o x.pdf
refused 2 plot linear.h5 --spy --matrices Z -o x.pdf
says "no matrix 'Z'"
if [ -e /dev/full ]; then
    for format in svg pdf png; do
        refused 1 plot plane.h5 --format "$format" -o /dev/full
        says 'No space left'
    done
fi
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod a-w closed
    refused 2 plot plane.h5 -o closed/x.pdf
    says 'Permission denied'
fi
# an older picture stays when a new one fails
cp result.pdf older.pdf
run 2 plot plane.h5 --columns none -o older.pdf
cmp result.pdf older.pdf || fail "a failure took the older picture away"

# ---- what the pictures show: pages are not empty, PNG files have their size and resolution ----
"$python" - *.pdf.pgm <<'END' || fail "pictures"
import sys
from PIL import Image

bad = []
for name in sys.argv[1:]:
    low, high = Image.open(name).getextrema()
    if low >= 100 or high != 255:
        bad.append(f"{name} is empty: {low} to {high}")
with open("pictures.txt", encoding="utf-8") as names:
    pictures = names.read().split()
for name in pictures:
    picture = Image.open(name)
    picture.load()
    if abs(picture.info["dpi"][0] - 80) >= 0.1 or picture.size[0] <= 200 or picture.convert("L").getextrema()[0] >= 100:
        bad.append(f"{name}: {picture.size}, {picture.info}")
sys.exit("\n".join(bad) or len(sys.argv) < 22 or len(pictures) < 18)
END
finish
