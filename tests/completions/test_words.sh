#!/bin/sh
# What `phlexor --complete` answers, asked directly: every kind of candidate, and nothing where nothing can be known.
#
#   test_words.sh PROGRAM
. "$(dirname "$0")/../cli/lib.sh"

# words WANTED INDEX WORD...: these candidates, without their meanings, in this order
words()
{
    fitting=$1
    shift
    run 0 --complete "$@"
    got=$(cut -f 1 out.txt | tr '\n' ' ')
    [ "$got" = "${fitting:+$fitting }" ] || fail "--complete $*: '$got', expected '$fitting'"
    [ ! -s err.txt ] || fail "--complete $*: it said $(cat err.txt)"
}

cat >model.yaml <<'END'
phlexor: 1
dimension: 3
parameters: {mass: 2, great: 1}
bodies:
  hub: {kind: rigid, mass: mass, inertia: [1, 1, 1], ports: {a: {position: [great, 0, 0]}}}
joints:
  ball: {kind: spherical, ports: [ground.O, hub.P]}
loads:
  push: {at: hub.a, force: [1, 0, 0]}
  turn: {at: hub.a, torque: [1, 0, 0]}
outputs:
  tip: {position: hub.a}
  speed: {velocity: hub.a}
simulate: {end: 0.01, step: 0.005}
END
run 0 check model.yaml
run 0 simulate model.yaml
run 0 linearize model.yaml --inputs push.fx --outputs tip.x,tip.y -o linear.h5

# commands, options, words
words "simulate static sensitivity stress schema" 0 s
words "--help --version" 0 --
words "titop" 1 help ti
words "" 1 nonsense ""
words "--count" 2 modes model.yaml --c
words "" 3 modes --count 3 --coun
words "--set" 4 modes model.yaml --set a=1 --se
words "--at=start --at=static --at=steady" 2 modes model.yaml --at=s
words "csv" 3 modes model.yaml --format c
words "--set --output --messages --help" 2 view model.yaml ""
# files
words ":files .yaml .yml" 1 check ""
words ":files .html" 3 view model.yaml -o ""
words ":files .h5" 1 simulate --output=
# names of the model, wherever it stands
words "mass= great=" 3 check model.yaml --set ""
words "great=" 2 check --set gr model.yaml
words "--set=mass=" 2 check model.yaml --set=m
words "hub" 3 titop model.yaml --body ""
words "P a" 5 titop model.yaml --body hub --parent ""
words "P,a" 5 titop model.yaml --body hub --ports P,a
words "push.fx push.fy push.fz" 3 linearize model.yaml --inputs pu
words "ball.rate1 ball.rate2 ball.rate3" 3 linearize model.yaml --inputs ball.r
words "push.fx,hub.a.tx push.fx,hub.a.ty push.fx,hub.a.tz" 3 linearize model.yaml --inputs push.fx,hub.a.t
words "tip.x tip.y tip.z" 3 linearize model.yaml --outputs ti
words "mass great" 5 linearize model.yaml --sweep mass=1:2:3 --lft ""
words "mass,great" 5 linearize model.yaml --sweep mass=1:2:3 --lft mass,gr
words "hub.a.fx hub.a.fy hub.a.fz" 5 titop model.yaml --body hub --inputs hub.a.f
# names in files
words "tip.x tip.y tip.z" 3 plot model.h5 --columns tip
words "energy,drift energy,drift_rate" 3 plot model.h5 --columns energy,dr
words "push.fx" 3 plot linear.h5 --inputs ""
words "tip.x tip.y" 3 plot linear.h5 --outputs ""
words "midpoint midpoint4" 3 simulate model.yaml --integrator m
# nothing to know
words "" 3 check missing.yaml --set ""
words "" 3 plot missing.h5 --columns ""
echo "phlexor: 2" >broken.yaml
words "" 3 check broken.yaml --set ""
words "" 3 plot broken.yaml --columns ""
words "" 5 titop model.yaml --body nobody --inputs ""
run 2 --complete
run 2 --complete 1 check
run 2 --complete -1 check ""
finish
