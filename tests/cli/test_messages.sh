#!/bin/sh
# --messages json: each error, warning and note is one JSON object on a line; statuses and text are those of the text.
. "$(dirname "$0")/lib.sh"
model=$examples/crank_slider.yaml

# field NAME: a field of the first message; empty if absent
field()
{
    python3 -c 'import json, sys; print(json.loads(open("err.txt").readline()).get(sys.argv[1], ""))' "$1"
}

# is NAME VALUE: the field has this value
is()
{
    [ "$(field "$1")" = "$2" ] || fail "$1 is '$(field "$1")', expected '$2': $(cat err.txt)"
}

# json STATUS ARGUMENTS...: all lines are objects with the known fields, and say what the text says
json()
{
    run "$@"
    cp err.txt text.txt
    run "$@" --messages json
    python3 - <<'END' || fail "phlexor $*: $(cat err.txt)"
import json
text = open("text.txt", errors="replace").read()
messages = [json.loads(line) for line in open("err.txt")]
assert messages
for message in messages:
    assert list(message) == [key for key in ("severity", "code", "file", "line", "column", "message", "remedy") if key in message]
    assert message["severity"] in ("error", "warning", "note")
    place = ":".join(str(message[key]) for key in ("file", "line", "column") if key in message)
    begin = "phlexor: " + ("warning: " if message["severity"] == "warning" else "")
    assert begin + (place and place + ": ") + message["message"] + "\n" in text, message
    assert message.get("remedy", "") in text
END
}

# ---- the command line, known before its options are ----
json 2 simulat "$model"
is severity error
is code usage
is remedy "did you mean 'simulate'?"
json 2 simulate "$model" --ende 1
is code usage
is remedy "did you mean '--end'?"
json 2 check
is remedy "'phlexor check --help' lists its arguments and options"
run 2 check "$model" --messages jso
says "expected one of text|json, found 'jso'"
run 2 check --messages=json
is code usage
run 0 check "$model" --messages text
run 2 check --messages json -- --messages text
is severity error

# ---- models: file, line and column ----
sed 's/kind: rigid/kind: rigit/' "$model" >wrong.yaml
json 2 check wrong.yaml
is code input
is file wrong.yaml
line=$(grep -n rigit wrong.yaml | head -1 | cut -d: -f1)
is line "$line"
[ "$(field column)" -gt 0 ] || fail "no column"
is remedy "did you mean 'rigid'?"
cp wrong.yaml 'a:1 "b".yaml'
json 2 check 'a:1 "b".yaml'
is file 'a:1 "b".yaml'
is line "$line"
json 2 simulate missing.yaml
is file ''
sed 's/length: 0.3/length: 3/; s/guide: .*/guide: {kind: weld, ports: [ground.O, slider.P]}/' "$model" >open.yaml
json 1 simulate open.yaml
is code assembly
printf 'phlexor: 1\ndimension: 2\nparameters: {unused: 7}\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n' >doubts.yaml
json 0 check doubts.yaml
is severity warning
is code ''
is line 3
name=$(printf 'caf\351.yaml') # no UTF-8
cp wrong.yaml "$name"
run 2 check "$name" --messages json
is line "$line"

# ---- files, comparisons, commands in Python ----
json 2 simulate "$model" -o nowhere/result.h5
run 0 simulate "$model" -o result.h5
run 0 simulate "$model" -o other.h5 --set speed=3
json 1 compare result.h5 other.h5 --tolerance 1e-9
is code tolerance
json 2 film missing.h5
is code file
printf 'no result' >wrong.h5
run 1 plot wrong.h5 --messages json
is severity error
run 2 reproduce --only nothing --messages json
is severity error
run 2 new pendulu --messages json
is remedy "did you mean 'pendulum'?"
finish
