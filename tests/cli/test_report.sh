#!/bin/sh
# Pages of results, modes and models: what is in them, decoded again, is what the csv files say; wrong poses, wrong files.
. "$(dirname "$0")/lib.sh"
reader=$(dirname "$0")/read_report.py
case $reader in /*) ;; *) reader=$source_dir/tests/cli/read_report.py ;; esac
command -v python3 >/dev/null || {
    echo "SKIP: python3 is missing; Debian has it in python3"
    exit 77
}
if ! "$program" view "$examples/beam.yaml" -o probe.html >out.txt 2>err.txt && grep -q 'reports are off' err.txt; then
    # the message says why; nothing is written
    [ ! -e probe.html ] || fail "a page was written without a page"
    echo "SKIP: this build has no reports; Debian has what they need in nodejs and npm"
    [ "$failures" -eq 0 ] || finish
    exit 77
fi
cat >model.yaml <<'END'
phlexor: 1
title: 'a "quote", größe </script><b> \ and 日本'
dimension: 3
gravity: [0, 0, -9.81]
parameters: {l: 0.6}
materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}
bodies:
  "größe <b> 臂":
    kind: beam
    material: steel
    length: l
    section: {kind: rectangle, width: 0.008, height: 0.012}
    elements: 4
    reference: cantilever
  tip:
    kind: rigid
    mass: 0.4
    inertia: [1e-3, 2e-3, 3e-3]
    ports: {edge: {position: [0.1, 0.05, 0]}}
    pose: {position: [l, 0, 0]}
joints:
  shaft: {kind: revolute, ports: [ground.O, "größe <b> 臂.P"], axis: [0, 1, 0], angle: 0, effort: sin(3*t)}
  ball: {kind: spherical, ports: ["größe <b> 臂.C", tip.P]}
loads: {side: {force: ["0", "0.2*sin(20*t)", "0"], at: "größe <b> 臂.C"}}
outputs:
  edge: {position: tip.edge}
  m: {bending_moment: "größe <b> 臂@0.5"}
  m1: {bending_moment: "größe <b> 臂@0.125"}
  m3: {bending_moment: "größe <b> 臂@0.75"}
  n: {axial_force: "größe <b> 臂@0.25"}
  s: {stress: "größe <b> 臂@0.25"}
simulate: {end: 0.5, step: 1e-3, every: 5e-3}
modes: {count: 3}
END
small=2e-6

# page NAME WHAT...: a number or text of the page, by one reader for all
mkfifo questions answers
PYTHONUTF8=1 python3 "$reader" --serve <questions >answers &
exec 3>questions 4<answers
page()
{
    question=$(printf '\t%s' "$@")
    printf '%s\n' "${question#?}" >&3
    IFS= read -r answer <&4 || answer="failed: the reader has ended"
    case $answer in
    'is '*) printf '%s\n' "${answer#is }" ;;
    *) fail "$*: $answer" ;;
    esac
}

# ---- simulations, plane and space ----
run 0 simulate "$examples/crank_slider.yaml" -o plane.h5 --csv plane.csv
run 0 report plane.h5
prints '^plane.html$'
check "place of the slider" "$(page plane.html position plane.csv slider P slider)" $small
check "bending moment" "$(page plane.html section plane.csv coupler bending_moment_z 8 bend)" $small
for column in kinetic elastic energy supplied residual drift drive bend mid.y; do
    check "$column" "$(page plane.html column plane.csv $column)" $small
done
[ "$(page plane.html)" = "simulation complete 3 401" ] || fail "plane.html: $(page plane.html)"
run 0 simulate model.yaml -o space.h5 --csv space.csv
run 0 report space.h5 -o 'a page.html'
check "place of the edge" "$(page 'a page.html' position space.csv tip edge edge)" $small
check "moment in space" "$(page 'a page.html' section space.csv 'größe <b> 臂' bending_moment_y 4 m.y)" 1e-5
check "moment at an eighth" "$(page 'a page.html' section space.csv 'größe <b> 臂' bending_moment_y 1 m1.y)" 1e-5
check "moment at three quarters" "$(page 'a page.html' section space.csv 'größe <b> 臂' bending_moment_z 6 m3.z)" 1e-5
check "axial force" "$(page 'a page.html' section space.csv 'größe <b> 臂' axial_force 2 n)" 1e-5
check "stress in space" "$(page 'a page.html' stress space.csv 'größe <b> 臂' 2 s)" 1e-5
[ "$(page 'a page.html' value title)" = 'a "quote", größe </script><b> \ and 日本' ] || fail "title"
[ "$(page 'a page.html' value bodies/0/name)" = "größe <b> 臂" ] || fail "name of a body"
[ "$(page 'a page.html' value source)" = space.h5 ] || fail "source"
[ "$(page 'a page.html' value certificate/0/good)" = True ] || fail "certificate: $(page 'a page.html' value certificate)"

check "a load" "$(page 'a page.html' load side y '0.2*sin(20*t)')" $small
check "its other axes" "$(page 'a page.html' load side z 0)" 0
[ "$(page 'a page.html' value loads/0/frame)" = inertial ] || fail "frame of a load"

# ---- who supplied and took the work ----
run 0 simulate "$examples/damped_lever.yaml" -o lever.h5 --csv lever.csv
run 0 report lever.h5
check "stress in the plane" "$(page lever.html stress lever.csv rod 4 stress)" 1e-5
check "parts of the work" "$(page lever.html ledger)" $small
check "parts of the work of a drive" "$(page plane.html ledger)" $small
head -n 1 lever.csv | grep -q 'joint.pivot' && fail "the ledger is in the csv file"

# ---- parameters of the run count in the certificate, and a result needs no model file ----
run 0 simulate model.yaml --set l=0.3 -o short.h5
mv model.yaml moved.yaml
run 0 report short.h5
page short.html value settings | grep -q "'parameter l', 'value': '0.3'" || fail "parameter of the run"
run 0 check moved.yaml --set l=0.3 --format json
mass=$(sed -n 's/.*"mass": \([0-9.e+-]*\).*/\1/p' out.txt)
page short.html value certificate | grep -q "'mass', 'value': $(printf %.6s "$mass")" || fail "mass $mass in the certificate"

# a file that the model names and that is not beside the result: the page says so
cat >table.yaml <<'END'
phlexor: 1
dimension: 2
bodies: {a: {kind: rigid, mass: 1, inertia: 1}}
joints: {rail: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0], effort: {file: push.csv, column: f}}}
simulate: {end: 0.1, step: 0.01}
END
printf "t,f\n0,1\n1,2\n" >push.csv
mkdir away
run 0 simulate table.yaml -o away/table.h5
run 0 report away/table.h5
page away/table.html value certificate/0/value | grep -q 'push.csv' || fail "$(page away/table.html value certificate)"
cp push.csv away
run 0 report away/table.h5
[ "$(page away/table.html value certificate/0/good)" = True ] || fail "$(page away/table.html value certificate)"

# ---- modes, with a sweep, and about a rotation ----
run 0 modes "$examples/four_bar.yaml" -o modes.h5
run 0 report modes.h5
[ "$(page modes.html)" = "modes complete 3 73" ] || fail "modes.html: $(page modes.html)"
check "joints of the shapes" "$(page modes.html modes)" 5e-6
run 0 modes moved.yaml -o space_modes.h5
run 0 report space_modes.h5
check "joints of the shapes in space" "$(page space_modes.html modes)" 5e-6
cat >grows.yaml <<'END'
phlexor: 1
dimension: 2
parameters: {l: 0.5, E: 7e10}
materials: {alu: {density: 2700, young: E}}
bodies:
  arm: {kind: beam, material: alu, length: l, section: {kind: rectangle, height: 0.01, width: 0.02}, elements: 3,
        reference: cantilever}
  box: {kind: rigid, mass: 0.5, inertia: 1e-3, ports: {far: {position: [l/2, 0]}}, pose: {position: [l, 0]}}
joints: {pin: {kind: revolute, ports: [ground.O, arm.P]}, tip: {kind: weld, ports: [arm.C, box.P], angle: 0.3}}
loads: {wind: {distributed: ["0", "3*s"], on: arm}, twist: {torque: 0.2, at: box.far}}
modes: {count: 3}
sweep: {l: {values: [0.5, 0.8, 1.1]}, E: {values: [7e10, 8e10]}}
END
run 0 modes grows.yaml -o grows.h5
run 0 report grows.h5
check "joints of the shapes where bodies grow" "$(page grows.html modes)" 5e-6
[ "$(page grows.html value modes/points/4/bodies/1/ports/1/position/0)" = 0.55 ] || fail "the box at the longest arm"
page grows.html value modes/points/0 | grep -q bodies && fail "the bodies of the first point are there twice"
check "a load along a beam" "$(page grows.html load wind y '3*s')" $small
check "a torque in the plane" "$(page grows.html load twist z 0.2)" $small
run 0 modes "$examples/rotor_blade.yaml" -o steady.h5
run 0 report steady.h5
check "joints of complex shapes" "$(page steady.html modes)" 5e-6

# ---- partial results ----
"$program" simulate "$examples/crank_slider.yaml" -o partial.h5 --step 1e-8 >out.txt 2>err.txt &
child=$!
for _ in $(seq 300); do
    [ ! -e partial.h5.partial ] || break
    sleep 0.1
done
kill -INT $child
wait $child || true
run 0 report partial.h5.partial -o partial.html
page partial.html | grep -q '^simulation partial 3 ' || fail "partial.html: $(page partial.html)"
[ -n "$(page partial.html value reason)" ] || fail "no reason"

# ---- models: assembled, and a pose that is wrong ----
run 0 view moved.yaml
prints '^moved_view.html$'
[ "$(page moved_view.html)" = "model complete 2 1" ] || fail "moved_view.html: $(page moved_view.html)"
run 0 view moved.yaml --set l=0.2 -o set.html
sed 's/length: l$/length: 5*l/; s/^  ball: .*/&\n  far: {kind: weld, ports: [ground.far, tip.P]}/; s/^bodies:/ground: {ports: {far: {position: [9, 0, 0]}}}\n&/' \
    moved.yaml >wrong.yaml
run 1 view wrong.yaml
prints '^wrong_view.html$'
says 'far\|ball\|shaft'
[ "$(page wrong_view.html)" = "model partial 2 1" ] || fail "wrong_view.html: $(page wrong_view.html)"
page wrong_view.html value reason | grep -q "$(sed -n '1s/phlexor: //p' err.txt | cut -c 1-40 | sed 's/[][\\.*^$]/./g')" ||
    fail "the reason is $(page wrong_view.html value reason)"

# a model that continues a result is shown where that ends
sed '/^initial:/d' "$examples/damped_lever.yaml" >more.yaml
echo 'initial: {from: lever.h5}' >>more.yaml
run 0 view more.yaml
run 0 simulate more.yaml --end 3.01 -o more.h5
run 0 report more.h5
[ "$(page more_view.html value summary)" != "" ] || fail "more_view.html"
python3 - "$reader" <<'END' >out.txt 2>err.txt || fail "continued: $(tail -n 1 err.txt)"
import sys

text = open(sys.argv[1], encoding="utf-8").read().replace("\nmain()\n", "\n")
exec(text)
view, run = Page("more_view.html"), Page("more.html")
start = view.array(view.manifest["frames"]["pose"])
assert start == run.array(run.manifest["frames"]["pose"])[: len(start)], start
END
echo 'initial: {from: absent.h5}' >tail.yaml
sed '/^initial:/d' "$examples/damped_lever.yaml" | cat - tail.yaml >lost.yaml
run 2 view lost.yaml
says 'absent.h5'
[ "$(page lost_view.html)" = "model partial 3 1" ] || fail "lost_view.html: $(page lost_view.html)"

# ---- what is wrong with the command or the file; nothing is left ----
run 2 report
run 0 report plane.h5 lever.h5 -o both.html
prints both.html
grep -q '"others":\[{"format"' both.html || fail "the page of two results has one"
run 0 simulate "$examples/damped_lever.yaml" --end 0.01 --sweep torque=50:60:3 -o s.h5
run 0 report s-0001.h5 s-0002.h5 s-0003.h5 -o sweep.html
[ "$(grep -o '"sweep":{"torque":[0-9]*}' sweep.html | tr '\n' ' ')" = '"sweep":{"torque":50} "sweep":{"torque":55} "sweep":{"torque":60} ' ] ||
    fail "values of the sweep: $(grep -o '"sweep":{[^}]*}' sweep.html)"
run 0 report s-0001.h5 $(yes s-0002.h5 | head -n 119) s-0003.h5 -o sweep.html
says 'the page shows 100 of 121 results, evenly chosen'
[ "$(grep -o '"sweep":' sweep.html | wc -l)" -eq 100 ] || fail "results of a long sweep"
grep -q '"sweep":{"torque":60}' sweep.html || fail "the last of a long sweep is left out"
[ "$(wc -c <sweep.html)" -lt 20000000 ] || fail "a page of more than 20 MB"
cat >grows.yaml <<'END'
phlexor: 1
dimension: 2
parameters: {size: 0.1, other: 1}
bodies: {bob: {kind: rigid, mass: 1, inertia: 1, shape: {sphere: size}}}
joints: {pin: {kind: revolute, ports: [ground.O, bob.P], stiffness: other}}
END
for sweep in size=0.1:0.3:3 other=1:3:3; do
    run 0 modes grows.yaml --sweep $sweep -o grows.h5
    run 0 report grows.h5
    [ $sweep = other=1:3:3 ] && expected=1 || expected=3 # the first has those of the page
    [ "$(grep -o '"visuals":{' grows.html | wc -l)" -eq $expected ] || fail "surfaces along the sweep $sweep"
done
run 2 report plane.h5 absent.h5 -o none.html
says absent.h5
run 2 report modes.h5 plane.h5 -o none.html
says 'only results of simulations'
run 2 report absent.h5
run 2 view absent.yaml
run 1 report plane.csv -o none.html
says 'plane.csv'
run 0 linearize "$examples/damped_lever.yaml" --inputs pivot.effort -o linear.h5
run 2 report linear.h5 -o none.html
says 'phlexor plot'
run 2 report plane.h5 -o absent/none.html
head -c 3000 plane.h5 >cut.h5
run 1 report cut.h5 -o none.html
for file in none.html none.html.partial; do
    [ ! -e $file ] || fail "$file is there"
done
cp plane.html before.html
(
    ulimit -f 8 # blocks: less than the page
    run 1 report plane.h5
    [ "$failures" -eq 0 ]
) || fail "a page that cannot be written"
cmp -s plane.html before.html || fail "the older page has changed"
[ ! -e plane.html.partial ] || fail "half a page is left"
finish
