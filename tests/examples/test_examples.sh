#!/bin/sh
# Every example model runs as it is: certified, simulated where it says so, its modes where it says so, drawn and
# exported; and its result is what its first lines say.
#
#   test_examples.sh PROGRAM EXAMPLES DATA
set -eu
program=$1
examples=$2
data=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain()
{
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# run ARGUMENTS...: the program must not fail; what it prints is in $work/out
run()
{
    status=0
    "$program" "$@" >"$work/out" 2>"$work/log" || status=$?
    if [ $status -ne 0 ]; then
        cat "$work/out" "$work/log"
        complain "phlexor $*: exit status $status"
        return 1
    fi
}

# made FILE: it is there and not empty
made()
{
    [ -s "$work/$1" ] || complain "$1 is missing"
}

# largest MODEL EXPRESSION: the largest value of an awk expression of v["column"] over the instants
largest()
{
    awk -F, "
        function size(x) { return x < 0 ? -x : x }
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = \$i; next }
        { for (i = 1; i <= NF; i++) v[name[i]] = \$i; x = $2; if (NR == 2 || x > most) most = x }
        END { if (NR < 3) exit 1; printf \"%.17g\", most }" "$work/$1.csv"
}

# below WHAT VALUE LIMIT
below()
{
    echo "$1: $2 (below $3)"
    awk -v value="$2" -v limit="$3" 'BEGIN {
        exit !(value ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && value + 0 < limit + 0) }' || complain "$1: $2 is not below $3"
}

# exact MODEL: energy balance, gaps of the joints and of their velocities
exact()
{
    scale=$(largest "$1" 'size(v["energy"]) > v["kinetic"] ? size(v["energy"]) : v["kinetic"]')
    residual=$(largest "$1" 'size(v["residual"])')
    below "$1, energy balance" "$(awk -v r="$residual" -v s="$scale" 'BEGIN { printf "%.3g", r / s }')" 1e-10
    below "$1, gap of a joint, m" "$(largest "$1" 'v["drift"]')" 1e-12
    below "$1, its velocity, m/s" "$(largest "$1" 'v["drift_rate"]')" 1e-11
}

# Leaves MODEL.csv of the simulation and MODEL.modes.csv of the modes. The result of the first has its default name.
cd "$work"
for path in "$examples"/*.yaml; do
    model=$(basename "$path" .yaml)
    run check "$path" --format json || continue
    grep -q '"skew_residual": 0,' out || complain "$model: $(grep skew_residual out)"
    awk '/power_residual/ { gsub(",", ""); exit !($2 <= 1e-12) }' out || complain "$model: $(grep power_residual out)"
    if grep -q '^simulate:' "$path" && run simulate "$path" --csv "$model.csv"; then
        grep -q 'balance closes' out || complain "$model: $(cat out)"
        made "$model.h5"
        exact "$model"
        run plot "$model.h5" && made "$model.svg"
        run plot "$model.h5" --motion -o motion.svg && made motion.svg
        run export "$model.h5" --frames 2 && made "${model}_vtk/motion.pvd" && made "${model}_vtk/frame_000001.vtp"
    fi
    if grep -q '^modes:' "$path" && run modes "$path" --format csv -o "$model.modes.csv"; then
        run plot "$model.modes.csv" && made "$model.modes.svg"
    fi
done

# The peaks of the coupler's deflection over its length (independent computation).
below "crank_slider, upper peak" "$(largest crank_slider 'v["mid.y"] / 0.3')" 0.018775
below "crank_slider, lower peak" "$(largest crank_slider '-v["mid.y"] / 0.3')" 0.018695
below "crank_slider, upper peak reached" "-$(largest crank_slider 'v["mid.y"] / 0.3')" -0.018745
below "crank_slider, lower peak reached" "-$(largest crank_slider '-v["mid.y"] / 0.3')" -0.018665

# Three modes of the coupler and two corrections a step keep them to 1 %, and are enough in every step.
below "crank_slider_real_time, upper peak" "$(largest crank_slider_real_time 'v["mid.y"] / 0.3 / 0.01876')" 1.01
below "crank_slider_real_time, lower peak" "$(largest crank_slider_real_time '-v["mid.y"] / 0.3 / 0.01868')" 1.01
below "crank_slider_real_time, upper peak reached" "-$(largest crank_slider_real_time 'v["mid.y"] / 0.3 / 0.01876')" -0.99
below "crank_slider_real_time, lower peak reached" "-$(largest crank_slider_real_time '-v["mid.y"] / 0.3 / 0.01868')" -0.99
run simulate "$examples/crank_slider_real_time.yaml" --real-time -o timed.h5 &&
    grep -q '^  corrections  0 of 1000 steps' out || complain "crank_slider_real_time: $(cat out)"

# With stiffening three modes and the shapes that follow them reach the peaks of all coordinates (0.015418, 0.015549).
below "coupler_modes, upper peak" "$(largest coupler_modes 'v["mid.y"] / 0.3 / 0.015418')" 1.001
below "coupler_modes, lower peak" "$(largest coupler_modes '-v["mid.y"] / 0.3 / 0.015549')" 1.001
below "coupler_modes, upper peak reached" "-$(largest coupler_modes 'v["mid.y"] / 0.3 / 0.015418')" -0.999
below "coupler_modes, lower peak reached" "-$(largest coupler_modes '-v["mid.y"] / 0.3 / 0.015549')" -0.999

# Both links hang at some time, and the tip never leaves its reach.
below "double_pendulum, lowest tip" "-$(largest double_pendulum '-v["tip.y"]')" -1.9
below "double_pendulum, reach" "$(largest double_pendulum 'sqrt(v["tip.x"]^2 + v["tip.y"]^2)')" 2.001

# Spun one way, a rattleback ends by spinning the other way round.
below "rattleback, spin turned round" "-$(largest rattleback '-v["w.z"]')" -4.9

# The spinning beam lags by half a metre, then stands almost straight: axial extension rho A w^2 L^3/(3 EA) = 5.14e-4.
below "spin_up, lag reached" "-$(largest spin_up '-v["tip.y"]')" -0.55
below "spin_up, lag" "$(largest spin_up '-v["tip.y"]')" 0.6
below "spin_up, deflection after 16 s" "$(largest spin_up 'v["t"] < 16 ? 0 : size(v["tip.y"])')" 0.01
below "spin_up, extension" "$(largest spin_up 'v["t"] < 16 ? 0 : size(v["tip.x"] / 5.14e-4 - 1)')" 0.01
below "spin_up, driven angle" "$(largest spin_up 'v["t"] < 15 ? 0 : size(v["angle"] - 45 - 6 * (v["t"] - 15))')" 1e-10

# The stages turn the speed down by 12, but for the play and the shaft; the wheel rolls at the end, after a load of several
# times the weight; the bump lifts the wheel by most of its 30 mm.
below "gear_train, ratio" "$(largest gear_train 'v["t"] < 0.45 ? 0 : size(v["motor"] / v["flywheel"] / 12 - 1)')" 0.01
below "landing_gear, rolling" "$(largest landing_gear 'v["t"] < 1 ? 0 : size(size(v["spin"]) * 0.35 / 49.5 - 1)')" 0.02
below "landing_gear, stroke" "$(largest landing_gear '-v["strut"]')" -0.46
below "landing_gear, load reached" "-$(largest landing_gear 'v["push"]')" -16000
below "double_wishbone, lift reached" "$(largest double_wishbone 'v["t"] < 0.3 ? -9 : -(-v["wheel.z"])')" -0.17

# The body flips, and after 60 s turns as Jacobi's solution says (step 0.01 s: order 2).
below "torque_free, flips" "$(largest torque_free '-v["w.y"]')" 2.01
below "torque_free, flips, reached" "-$(largest torque_free '-v["w.y"]')" -1.99
below "torque_free, end" "$(largest torque_free 'v["t"] < 60 ? 0 : size(v["w.x"] + 1.980034)')" 1e-3

# The torque makes 30.8 rad/s of the bar as a rigid one, and the blow lifts its end.
below "hinged_beam, energy before the blow" \
    "$(largest hinged_beam 'v["t"] > 14.9e-3 || v["t"] < 10.3e-3 ? 0 : size(v["energy"] / 0.03149 - 1)')" 5e-3
below "hinged_beam, energy at the end" "$(largest hinged_beam 'v["t"] < 0.02 ? 0 : size(v["energy"] / 1.5787 - 1)')" 5e-3
below "hinged_beam, height reached" "-$(largest hinged_beam 'v["tip.z"]')" -0.115

# What is free in space floats: no load, no work.
below "hinged_pair, work" "$(largest hinged_pair 'size(v["supplied"]) + size(v["dissipated"])')" 1e-300
"$program" modes "$examples/hinged_pair.yaml" >modes || complain "hinged_pair: modes"
grep -q '^rigid-body modes left out: 4$' modes || complain "hinged_pair has not 4 rigid-body modes"

# The satellite with its modal array: frequencies of the two-mode equations solved elsewhere; the slew ends where it
# should, 0.95 rad from the start, with the array still swinging.
"$program" modes "$examples/modal_appendage.yaml" --set zeta=0 -o "$work/appendage.csv" >/dev/null ||
    complain "modal_appendage: modes"
below "modal_appendage, frequencies" \
    "$(largest appendage 'size(v["omega"] / (v["mode"] == 1 ? 1.62704393 : 6.31534286) - 1)')" 1e-8
below "modal_appendage, attitude at the end" "$(largest modal_appendage 'v["t"] < 59.99 ? 0 : size(v["attitude"] - 0.95)')" 0.05
below "modal_appendage, the array swings" "-$(largest modal_appendage 'size(v["tip.y"])')" -0.05

# Dampers only take.
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "dissipated") column = i; next }
    NR > 2 && $column < before { exit 1 }
    { before = $column }
    END { exit !(before > 1) }' "$work/damped_lever.csv" || complain "damped_lever: dissipated does not grow"
"$program" check "$examples/damped_lever.yaml" | grep -q '^lossless *no$' || complain "damped_lever is called lossless"

# Where the rod puts the slider.
below "spatial_slider_crank, place of the slider" "$(largest spatial_slider_crank \
    'size(v["s"] - sqrt(0.09 - (0.08 * cos(v["q"]))^2 - (0.12 + 0.08 * sin(v["q"]))^2))')" 1e-12
below "spatial_slider_crank, swings" "-$(largest spatial_slider_crank 'v["q"]')" -0.1
# The angles of opposite hinges are opposite, those of neighbours tied by Bennett's equation, with
# sin((beta + alpha)/2)/sin((beta - alpha)/2) = 2.24; the crank goes round.
below "bennett, relation of neighbours" "$(largest bennett \
    'size(sin(v["q1"] / 2) * sin(v["q2"] / 2) - 2.2397641135117494 * cos(v["q1"] / 2) * cos(v["q2"] / 2))')" 1e-11
below "bennett, opposite hinges" "$(largest bennett 'size(v["q1"] + v["q3"]) + size(v["q2"] + v["q4"])')" 1e-11
below "bennett, turns" "-$(largest bennett 'v["q1"]')" -8.8
"$program" check "$examples/bennett.yaml" >"$work/check" 2>/dev/null || complain "bennett: check"
grep -q '^redundant constraints *3 ' "$work/check" && grep -q '^degrees of freedom *1$' "$work/check" ||
    complain "bennett: $(grep redundant "$work/check")"
# Let go at u0 = cos(60 deg) the axis falls to the u < u0 with 1 - u^2 = lambda (u0 - u), lambda = (C spin)^2/(2 m g l I),
# I = A + m l^2 = 0.007; the spin about the axis is constant.
below "heavy_top, lowest axis" "$(largest heavy_top '-v["axis.z"]' | awk '
    { lambda = (8e-4 * 120)^2 / (2 * 0.5 * 9.81 * 0.1 * 0.007)
      lowest = lambda / 2 - sqrt(lambda^2 / 4 - 0.5 * lambda + 1); d = -$1 - lowest; print d < 0 ? -d : d }')" 2e-5
below "heavy_top, highest axis" "$(largest heavy_top 'v["axis.z"]')" 0.500001
below "heavy_top, spin" "$(largest heavy_top 'size(v["w.z"] - 120)')" 1e-9
below "heavy_top, jumps of the quaternion" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "attitude.w") c = i; next }
    { s = 0; for (i = 0; i < 4; i++) { d = $(c + i) - old[i]; s += d * d; old[i] = $(c + i) } if (NR > 2 && s > m) m = s }
    END { print m }' "$work/heavy_top.csv")" 0.05
# The drives turn as told; at rest the elbow carries the load and half the link (mass 2700 pi (0.03^2 - 0.025^2)/4 0.8).
below "manipulator, driven angles" "$(largest manipulator \
    'v["t"] < 2 ? 0 : size(v["q1"] - 1.0471975511965976) + size(v["q2"] + 0.5235987755982988)')" 1e-10
arm='sqrt((v["tip.x"] - v["hinge.x"])^2 + (v["tip.y"] - v["hinge.y"])^2)'
below "manipulator, torque of the elbow at rest" "$(largest manipulator \
    'v["t"] < 3.9 ? 0 : size(-v["elbow"] / (9.81 * (2 + 0.2332632) * '"$arm"') - 1)')" 1e-3

# The table of the feed-forward is that of the inverse dynamics; with it the arm follows the path, which feedback alone
# would miss by half a metre.
"$program" inverse "$examples/arm_path.yaml" -o efforts.csv >/dev/null || complain "arm_path: inverse"
below "arm_path, torques in the table" "$(paste -d, efforts.csv "$examples/arm_efforts.csv" | awk -F, '
    NR == 1 { if (NF != 14 || $2 != "shoulder.effort" || $9 != $2) exit; next }
    { for (i = 1; i <= 7; i++) { d = $i - $(i + 7); d = d < 0 ? -d : d; most = d > most ? d : most } }
    END { print NR == 152 ? most + 0 : "wrong rows" }')" 1e-9
paste -d, arm_path.csv arm_feedforward.csv >both.csv
below "arm_feedforward, tip off the path, m" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "tip.x") { if (x) x2 = i; else x = i }; next }
    { d = sqrt(($x - $x2)^2 + ($(x + 1) - $(x2 + 1))^2); most = d > most ? d : most }
    END { print NR == 152 && x2 ? most + 0 : "wrong rows" }' both.csv)" 1e-5

# So is the table of the seven-axis arm. The part is carried to the shelf by it and by feedback for the inertia of the part.
"$program" inverse "$examples/seven_axis_path.yaml" -o torques.csv >/dev/null || complain "seven_axis_path: inverse"
below "seven_axis, torques in the table" "$(paste -d, torques.csv "$examples/seven_axis_efforts.csv" | awk -F, '
    NR == 1 { if (NF != 44 || $2 != "axis_1.effort" || $24 != $2) exit; next }
    { for (i = 1; i <= 22; i++) { d = $i - $(i + 22); d = d < 0 ? -d : d; most = d > most ? d : most } }
    END { print NR == 182 ? most + 0 : "wrong rows" }')" 1e-9
place='sqrt((v["part.x"] - 0.5)^2 + (v["part.y"] - 0.3)^2 + (v["part.z"] - 0.249)^2)'
hand='sqrt((v["part.x"] - v["tip.x"])^2 + (v["part.y"] - v["tip.y"])^2 + (v["part.z"] - v["tip.z"])^2)'
below "seven_axis, part off its place, m" "$(largest seven_axis 'v["t"] < 3.7 ? 0 : '"$place")" 1e-3
below "seven_axis, part off the hand that carries it, m" "$(largest seven_axis 'v["t"] < 1.45 || v["t"] > 3.6 ? 0 : '"$hand")" 1e-3
# off MODEL: how far its tip is from that of the rigid arm, m
off()
{
    run compare seven_axis.h5 "$1" --outputs tip.x,tip.y,tip.z --format csv -o off.csv || run compare seven_axis.h5 "$1"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "largest") c = i; next } { s += $c^2 } END { print sqrt(s) }' off.csv
}
soft=$(off seven_axis_flexible.h5)
run simulate "$examples/seven_axis_flexible.yaml" --set young=210e9 -o stiff.h5
stiff=$(off stiff.h5)
below "seven_axis_flexible, tip off the rigid one, m" "$soft" 7e-3
below "seven_axis_flexible, tip off, reached" "-$soft" -5e-3
below "seven_axis_flexible, with stiffer tubes" "$stiff" "$soft"
below "seven_axis_flexible, largest stress against 9.8 MPa" "$(largest seven_axis_flexible 'size(v["upper.top"])' |
    awk '{ d = $1 / 9.8e6 - 1; print d < 0 ? -d : d }')" 0.01

# The fingers follow each other; each of four pads is pressed by a quarter of the force of the motor; the part is lifted by
# 0.2 m, but for what it creeps.
below "gripper, fingers apart, m" "$(largest gripper 'size(v["left"] + v["right"])')" 1e-15
below "gripper, force of a pad" "$(largest gripper 'v["t"] < 1.5 ? 0 : size(v["press_right.x"] / 15 - 1)')" 1e-4
below "gripper, part lifted" "$(largest gripper 'v["t"] < 1.7 ? 0 : size(v["part.z"] - 0.245)')" 3e-4
below "gripper, part in the middle" "$(largest gripper 'v["t"] < 1.7 ? 0 : size(v["part.x"])')" 1e-6

# The elbow lags behind its motor by the belt, and swings at 10 Hz.
below "scara, stretch reached, rad" "-$(largest scara 'size(v["motor"] - v["elbow"])')" -0.02
below "scara, frequency of the belt" "$(largest scara.modes 'v["mode"] == 2 ? size(v["omega"] / 62.68 - 1) : 0')" 1e-3

# The pendulum stands at the end, the energy of its closed loop has fallen, and the closed loop is one.
"$program" check "$examples/wheel_pendulum.yaml" >out || complain "wheel_pendulum: check"
grep -q 'matching of swing .*off by [0-9.]*e-1[0-9] (potential), 0 (kinetic) at 1000 places; M off by' out ||
    complain "wheel_pendulum: $(cat out)"
below "wheel_pendulum, upright at the end, rad" "$(largest wheel_pendulum 'v["t"] == 6 ? size(v["q1"]) : 0')" 1e-3
below "wheel_pendulum, rate of H_d, W" "$(largest wheel_pendulum 'v["swing.H_d_rate"]')" 1e-12

# The tip of the soft arm goes along its motion by the table alone, up to the cosine of its way; so is the table made.
"$program" inverse "$examples/arm_tip.yaml" -o tip.csv >/dev/null || complain "arm_tip: inverse"
below "arm_tip, torques in the table" "$(paste -d, "$examples/arm_tip_efforts.csv" tip.csv | awk -F, '
    NR == 1 { if ($2 != "hub.effort" || $5 != $2 || $3 != "arm.C.y" || NF != 32) exit; next }
    { d = $2 - $5; d = d < 0 ? -d : d; most = d > most ? d : most }
    END { print NR == 402 ? most + 0 : "wrong rows" }')" 1e-7
paste -d, arm_tip.csv "$examples/arm_tip_efforts.csv" >both.csv
below "arm_tip, tip off its motion, m" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "tip.y") y = i; if ($i == "arm.C.y") w = i }; next }
    { d = $y - $w; d = d < 0 ? -d : d; most = d > most ? d : most }
    END { print NR == 402 && y && w ? most + 0 : "wrong rows" }' both.csv)" 3e-4

below "four_bar, first pulsation at 0 against beam theory" \
    "$(largest four_bar.modes 'v["theta1"] == 0 && v["mode"] == 1 ? size(v["omega"] / 269.61825731 - 1) : 0')" 3e-4
below "four_bar_free, first pulsation at 0 against beam theory" \
    "$(largest four_bar_free.modes 'v["theta1"] == 0 && v["mode"] == 1 ? size(v["omega"] / 302.05666435 - 1) : 0')" 3e-4

# The plate with the rod against an independent program on 16 squares (8 here): the rod, the energy that the load leaves.
awk -F, '
    FNR == NR { if (FNR > 1) { z[FNR] = $2; most = $2 > most ? $2 : most; energy = $11 } next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { d = $at["rod.z"] - z[FNR]; d = d < 0 ? -d : d; worst = d > worst ? d : worst; rows++; own = $at["energy"] }
    END { d = own / energy - 1; print (rows > 200 ? worst / most : 1), (d < 0 ? -d : d) }' \
    "$data/plate_rod.csv" plate_rod.csv >rod
below "plate_rod, place of the rod" "$(cut -d " " -f 1 rod)" 2e-3
below "plate_rod, energy after the load" "$(cut -d " " -f 2 rod)" 2e-3
want='(v["mode"] == 1 ? 170.90272 : v["mode"] == 2 ? 443.66432 : v["mode"] == 3 ? 1324.9651 : 1830.9286)'
below "plate_rod, first pulsations against the independent program" \
    "$(largest plate_rod.modes 'v["mode"] > 4 ? 0 : size(v["omega"] / '"$want"' - 1)')" 1.2e-3

below "spinning_plate, first pulsation at 100 rad/s against a Ritz computation" \
    "$(largest spinning_plate.modes 'v["Omega"] == 100 && v["mode"] == 1 ? size(v["omega"] / 66.4713 - 1) : 0')" 1e-3

# The arrays lie flat when the drives stop, alike on both sides; the hub has given way by what keeps the centre of mass
# (two arrays of 21.6 kg, 2 m out of 443.2 kg).
below "solar_panels, unfolded" "$(largest solar_panels 'v["t"] < 20 ? 0 : size(v["right"]) + size(v["left"])')" 1e-10
below "solar_panels, place of the hub" "$(largest solar_panels 'v["t"] < 20 ? 0 : size(v["hub.z"] / (2 * 21.6 * 2 / 443.2) - 1)')" 1e-3
below "solar_panels, hub aside" "$(largest solar_panels 'size(v["hub.x"]) + size(v["hub.y"])')" 1e-7
below "solar_panels, arrays alike" "$(largest solar_panels 'size(v["bending.z"] - v["left_bending.z"])')" 1e-12
below "solar_panels, arrays bend" "-$(largest solar_panels 'size(v["bending.z"])')" -1e-3

# The crank drives the piston as rigid links would, but for the rod's compression; the rod bends under its own inertia, a
# load that falls from rho A omega^2 r at the crank to nothing: 5/768 of it l^4/(EI) in the middle, a beam of the same
# section. It stays in its plane.
below "solid_conrod, place of the piston" "$(largest solid_conrod \
    'size(v["s"] - 0.05 * cos(v["q"]) - sqrt(0.04 - (0.05 * sin(v["q"]))^2))')" 5e-6
below "solid_conrod, bending" "$(largest solid_conrod 'v["t"] < 0.05 ? 0 : size(v["mid.y"])' | awk '
    { d = $1 / (5 / 768 * 7850 * 2e-4 * 150^2 * 0.05 * 0.2^4 / (2.1e11 * 0.02 * 0.01^3 / 12)) - 1; print d < 0 ? -d : d }')" 0.1
below "solid_conrod, out of its plane" "$(largest solid_conrod 'size(v["mid.z"])')" 1e-12

# Rotating cantilever: the published flap frequencies 7.3604 at 6 and 13.1702 at 12, unit sqrt(EI/(rho A L^4)) =
# 0.0288675 rad/s. The branches go through, undamped, and their picture has rays.
below "rotor_blade, first flap frequency at 6" \
    "$(largest rotor_blade.modes 'v["Omega"] == 6 && v["mode"] == 1 ? size(v["omega"] / 0.028867513 / 7.3604 - 1) : 0')" 5e-3
below "rotor_blade, first flap frequency at 12, above the lag" \
    "$(largest rotor_blade.modes 'v["Omega"] == 12 && v["mode"] == 2 ? size(v["omega"] / 0.028867513 / 13.1702 - 1) : 0')" 5e-3
below "rotor_blade, branches" "$(largest rotor_blade.modes 'v["branch"]')" 6
below "rotor_blade, damping" "$(largest rotor_blade.modes 'size(v["damping"])')" 1e-300
"$program" modes "$examples/overhung_disc.yaml" --set gravity=0 -o "$work/overhung_disc.csv" >/dev/null ||
    complain "overhung_disc: modes"
below "overhung_disc, backward whirl at 1000" \
    "$(largest overhung_disc 'v["Omega"] == 1000 && v["mode"] == 1 ? size(v["omega"] / 32.8876846731 - 1) : 0')" 1e-6
below "overhung_disc, forward whirl at 1000" \
    "$(largest overhung_disc 'v["Omega"] == 1000 && v["mode"] == 2 ? size(v["omega"] / 85.0915711155 - 1) : 0')" 1e-6
below "overhung_disc, damping" "$(largest overhung_disc 'size(v["damping"])')" 1e-300
below "overhung_disc, forward whirl at 1000 with gravity" \
    "$(largest overhung_disc.modes 'v["Omega"] == 1000 && v["mode"] == 2 ? size(v["omega"] / 85.0915711155 - 1) : 0')" 1e-3

"$program" modes "$examples/rotor_blade.yaml" -o "$work/rotor_blade.h5" >/dev/null &&
    "$program" plot "$work/rotor_blade.h5" -o "$work/rotor_blade.svg" >/dev/null || complain "rotor_blade: picture"
grep -q '>1P<' "$work/rotor_blade.svg" || complain "rotor_blade: no rays in the picture"

# The beam's tables, by channel inversion and by joints, against independent values; the nine conditions in their order.
"$examples/beam_ends.sh" "$program" >"$work/ends" || complain "beam_ends.sh"
below "beam_ends, largest relative difference" "$(awk '
    BEGIN { rows = lines = 0 }
    FNR == NR { if ($0 !~ /^[#t]/) { split($0, v, ","); for (k = 1; k <= 4; k++) want[rows, k] = v[3 + k]; rows++ } next }
    $1 == "block" || $1 == "joints" {
        row = int(lines / 2)
        lines++
        for (k = 1; k <= 4 && want[row, k] > 0; k++) {
            d = $(1 + k) / want[row, k] - 1
            if (d < 0) d = -d
            if (d > most) most = d
        }
        if (NF != k) most = 1
    }
    END { print (lines == 18 && rows == 9 ? most : 1) }' "$data/titop_tables.csv" "$work/ends")" 1e-8

# pulsation MODEL MODE: of a mode, rad/s
pulsation()
{
    largest "$1" "v[\"mode\"] == $2 ? v[\"omega\"] : 0"
}

# relative DIFFERENCE of two numbers
apart()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a / b - 1; print (d < 0 ? -d : d) }'
}

# The intervals of the hinge hold the values with which its measurement was made.
if run identify "$examples/measured_hinge.yaml" --validate "$examples/measured_hinge.csv" -o hinge.csv; then
    awk 'BEGIN { truth["k"] = 12; truth["d"] = 0.03; truth["friction"] = 0.15 }
        $1 in truth && NF == 6 && $5 <= truth[$1] && $6 >= truth[$1] { held++ }
        END { exit held != 3 }' out || complain "measured_hinge: $(cat out)"
    made hinge.csv
    run plot hinge.csv --columns measured,model -o hinge.svg && made hinge.svg
fi

# Arrays that bend to the same side push the hub (modes 1, 3), those that bend like a propeller turn it (modes 2, 4): the
# mass of the hub is nothing to the second, its inertia nothing to the first.
satellite="modes $examples/satellite.yaml --format csv --count 6 --set offset=0"
run $satellite -o plain.csv
run $satellite --set hub_mass=2000 -o heavy.csv
run $satellite --set hub_inertia=900 -o stout.csv
for mode in 1 2 3 4; do
    plain=$(pulsation plain $mode)
    mass=$(apart "$(pulsation heavy $mode)" "$plain")
    inertia=$(apart "$(pulsation stout $mode)" "$plain")
    case $mode in
    1 | 3)
        below "satellite, mode $mode, inertia of the hub" "$inertia" 1e-9
        below "satellite, mode $mode, mass of the hub" "-$mass" -1e-3
        ;;
    *)
        below "satellite, mode $mode, mass of the hub" "$mass" 1e-9
        below "satellite, mode $mode, inertia of the hub" "-$inertia" -1e-3
        ;;
    esac
done

exit $((failures > 0))
