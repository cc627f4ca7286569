#!/bin/sh
# Films and stills: size, number of frames and codec by ffprobe, the same bytes twice, what is seen, what is refused;
# nothing half-written. SKIP without a browser or ffmpeg, after the messages about them.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/support/readers.sh"
if ! "$program" view "$examples/beam.yaml" -o probe.html >out.txt 2>err.txt && grep -q 'reports are off' err.txt; then
    echo "SKIP: this build has no reports; Debian has what they need in nodejs and npm"
    exit 77
fi
run 0 simulate "$examples/manipulator.yaml" --every 0.02 -o arm.h5 # 4 s, in space, flexible

# nothing NAME...: there is nothing of these names, complete or not
nothing()
{
    for name in "$@"; do
        for file in "$name" "$name.partial"; do
            [ ! -e "$file" ] || fail "there is a $file"
        done
    done
}

# ---- what is refused before anything is drawn (more of it in tests/python/test_film.py) ----
run 2 film
says 'RESULT is missing'
run 2 film missing.h5 -o x.mp4
says 'missing.h5'
# refused TEXT OPTION...
refused()
{
    text=$1
    shift
    run 2 film arm.h5 "$@"
    says "$text"
}
refused "[-]-fps: 'many' is no rate" --fps many
refused 'light|dark' --theme pink
refused 'nowhere' -o nowhere/x.mp4
mkdir mine
echo text >mine/letter.txt
run 1 film arm.h5 -o mine
says "holds 'letter.txt'"
[ "$(ls mine)" = letter.txt ] || fail "a folder of other files was changed"
mkdir empty
python=$(command -v python3)
ln -s "$python" empty/python3
# a PATH with Python alone
for missing in Chromium ffmpeg; do
    [ $missing = Chromium ] && output=x.png at='--at 1' || { output=x.mp4 at=; }
    status=0
    PATH=$place/empty "$program" film arm.h5 $at -o $output >out.txt 2>err.txt || status=$?
    [ "$status" -eq 1 ] || fail "without $missing: exit status $status, expected 1"
    says "$missing, which was not found; install it (Debian: "
done
status=0
PHLEXOR_CHROMIUM=/bin/false "$program" film arm.h5 --at 1 -o x.png 2>err.txt || status=$?
[ "$status" -eq 1 ] || fail "with a browser that ends: exit status $status, expected 1"
says '/bin/false ended before the film was done'
nothing x.png x.mp4 arm.mp4 arm.png

browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    browser=${browser:-$(command -v $name || true)}
done
for missing in "${browser:-chromium-headless-shell}" ffmpeg ffprobe; do
    command -v "$missing" >/dev/null || {
        echo "SKIP: ${missing##*/} is missing; tools/setup --develop installs it"
        [ "$failures" -eq 0 ] || finish
        exit 77
    }
done

# ---- a film ----
small='--size 160x90 --fps 10 --from 1 --to 1.5 --speed 1'
# stream FILE: codec, width, height, pixel format, frames
stream()
{
    ffprobe -v error -count_frames -of csv=p=0 -show_entries stream=codec_name,width,height,pix_fmt,nb_read_frames "$1"
}
run 0 film arm.h5 $small --colour stress_1 --magnify 20 --plots Energy -o once.mp4
prints '^once.mp4$'
[ ! -s err.txt ] || fail "a pipe got $(cat err.txt)"
[ "$(stream once.mp4)" = h264,160,90,yuv420p,6 ] || fail "once.mp4: $(stream once.mp4)" # from 1 to 1.5 s, both ends
mkdir frames
touch frames/frame_0099.png
run 0 film arm.h5 $small --colour stress_1 --magnify 20 --plots Energy -o frames
[ "$(ls frames | wc -l)" -eq 6 ] && [ ! -e frames/frame_0099.png ] || fail "frames: $(ls frames | tail -n 1)"
run 0 report arm.h5 -o arm.html
run 0 film arm.html $small --colour stress_1 --magnify 20 --plots Energy -o again.mp4
cmp once.mp4 again.mp4 || fail "the same film has other bytes"
# ---- stills ----
run 0 film arm.h5 --size 320x180 --at 1 -o plain.png
run 0 film arm.h5 --size 320x180 --at 1 --title '' -o bare.png
run 0 film arm.h5 --size 320x180 --at 1 --colour stress_1 --theme dark --title 'Ü<b>' --camera -1,0.5,4 -o other.png
python_script <<'END'
import numpy as np
from PIL import Image

pictures = [np.asarray(Image.open(f"{name}.png").convert("RGB"), float) for name in ("plain", "other")]
for picture in pictures:
    assert picture.shape == (180, 320, 3), picture.shape
    colours, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    assert len(colours) > 50 and counts.max() < 0.95 * 180 * 320, (len(colours), counts.max())
assert pictures[1].mean() < 80 < 200 < pictures[0].mean()
bare = np.asarray(Image.open("bare.png").convert("RGB"), float)
assert (bare != pictures[0])[:20, :160].any() and not (bare != pictures[0])[20:].any()  # the title alone
frames = [np.asarray(Image.open(f"frames/frame_{k:04d}.png")) for k in (1, 6)]
assert (frames[0] != frames[1]).any()
END

# ---- what only the page knows ----
run 2 film arm.h5 $small --colour stres_1 -o x.mp4
says "[-]-colour: the result has no 'stres_1'; did you mean 'stress_"
echo '<html></html>' >other.html
run 2 film other.html -o x.mp4
says "no page of 'phlexor report'"
head -c 20000 arm.h5 >broken.h5
status=0
"$program" film broken.h5 -o x.mp4 2>err.txt || status=$?
[ "$status" -ne 0 ] || fail "a broken result was filmed"
says 'broken.h5'
nothing x.png x.mp4

# ---- interrupted: nothing is left, no file and no browser ----
status=0
TMPDIR=$place "$program" film arm.h5 $small --speed 1e-3 -o late.mp4 2>err.txt &
process=$!
for tenth in $(seq 600); do
    [ ! -e late.mp4.partial ] || break
    sleep 0.1
done
[ -e late.mp4.partial ] || fail "a film was not begun within a minute"
kill -TERM $process # a process in the background does not hear of Ctrl-C, which is handled alike
wait $process || status=$?
[ "$status" -eq 130 ] || fail "interrupted: exit status $status, expected 130"
says interrupted
nothing late.mp4
[ -z "$(ls -d phlexor-film-* 2>/dev/null)" ] || fail "an interrupted film left $(ls -d phlexor-film-*)"
! grep -lsa "$place/phlexor-film-" /proc/[0-9]*/cmdline || fail "an interrupted film left a browser"
finish
