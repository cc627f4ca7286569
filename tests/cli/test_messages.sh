#!/bin/sh
# --messages json: each error, warning and note is one JSON object on a line; statuses and text are those of the text.
. "$(dirname "$0")/lib.sh"
model=$examples/crank_slider.yaml

# keep ARGUMENTS...: sets aside the messages of this run in JSON; check_objects reads them all at once
count=0
keep()
{
    count=$((count + 1))
    mv err.txt "err.$count"
    echo "phlexor $*" >"command.$count"
}

# objects STATUS ARGUMENTS...: runs the program with --messages json
objects()
{
    run "$@" --messages json
    keep "$@"
}

# json STATUS ARGUMENTS...: the same, and the objects have the content of the text
json()
{
    run "$@"
    grep '^phlexor: ' err.txt >"text.$((count + 1))"
    objects "$@"
}

# is NAME VALUE: the field of the first message has this value, nothing if it is absent; `positive` is a number above 0
is()
{
    printf '%s\t%s\t%s\n' "$count" "$1" "$2" >>expected.txt
}

check_objects()
{
    python3 - "$count" <<'END'
import json, pathlib, sys
expected = [line.split("\t") for line in pathlib.Path("expected.txt").read_text().splitlines()]
faults = 0
for number in range(1, int(sys.argv[1]) + 1):
    said, text = pathlib.Path(f"err.{number}").read_text(), pathlib.Path(f"text.{number}")
    try:
        messages, lines = [json.loads(line) for line in said.splitlines()], ""
        for message in messages:
            keys = ("severity", "code", "file", "line", "column", "message", "remedy")
            assert list(message) == [key for key in keys if key in message], "other fields"
            assert message["severity"] in ("error", "warning", "note"), "another severity"
            place = ":".join(str(message[key]) for key in keys[2:5] if key in message)
            begin = "phlexor: " + ("warning: " if message["severity"] == "warning" else "")
            lines += begin + (place and place + ": ") + message["message"] + "\n"
            remedy = message.get("remedy", "'phlexor")
            assert remedy.startswith("'phlexor") or remedy in message["message"], "no remedy in the message"
        assert not text.exists() or text.read_bytes() == lines.encode(), f"the text differs: {text.read_bytes()}"
        for name, value in (line[1:] for line in expected if line[0] == str(number)):
            found = messages[0].get(name, "")
            right = found > 0 if value == "positive" else str(found) == value
            assert right, f"{name} is '{found}', expected '{value}'"
    except (AssertionError, ValueError, IndexError) as fault:
        faults += 1
        print("FAILED:", pathlib.Path(f"command.{number}").read_text().strip() + ":", fault, "in", said, file=sys.stderr)
sys.exit(faults > 0)
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
says '^{"severity": "error", "code": "usage", '
run 0 check "$model" --messages text
run 2 check --messages json -- --messages text
says '^{"severity": "error"'

# ---- models: file, line and column ----
sed 's/kind: rigid/kind: rigit/' "$model" >wrong.yaml
json 2 check wrong.yaml
is code input
is file wrong.yaml
line=$(grep -n rigit wrong.yaml | head -1 | cut -d: -f1)
is line "$line"
is column positive
is remedy "did you mean 'rigid'?"
sed 's/length: 0.3/lenght: 0.3/' "$model" >keys.yaml
json 2 check keys.yaml
is remedy "did you mean 'length'?"
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
sed 's/inertia: 1/&, pose: {angle: 90}/' doubts.yaml >degrees.yaml
objects 0 check degrees.yaml
grep -q '"remedy": "write 90\*deg if degrees are meant"' "err.$count" || fail "no remedy: $(cat "err.$count")"
name=$(printf 'caf\351.yaml') # no UTF-8
cp wrong.yaml "$name"
objects 2 check "$name"
is line "$line"

# ---- files, comparisons, commands in Python ----
json 2 simulate "$model" -o nowhere/result.h5
run 0 simulate "$model" -o result.h5 --end 1e-3
run 0 simulate "$model" -o other.h5 --end 1e-3 --set speed=3
json 1 compare result.h5 other.h5 --tolerance 1e-9
is code tolerance
printf 't,a,a\n0,1,2\n1,2,3\n' >same.csv
objects 1 compare result.h5 --with same.csv --map a=x
is file same.csv
is line 1
is column ''
json 2 film missing.h5
is code file
printf 'no result' >wrong.h5
objects 1 plot wrong.h5
is severity error
"$program" reproduce --only nothing --messages json >out.txt 2>err.txt && status=0 || status=$?
if ! grep -qE 'needs Python|ASan runtime' err.txt; then # there is none, or one that is not sanitized
    [ "$status" -eq 2 ] || fail "reproduce --only nothing: exit status $status"
    keep reproduce --only nothing
    is code input
fi
objects 2 new pendulu
is remedy "did you mean 'pendulum'?"
check_objects || fail "messages"

# ---- the guide names every code, and its mistakes have the messages that it prints ----
run 0 guide
cmp -s out.txt "$source_dir/docs/for-agents.md" || fail "the guide is another page"
for code in $(sed -n 's/^ *X(PHX_\(ERR_\)\{0,1\}\([A-Z_]*\),.*/\2/p' "$source_dir/include/phlexor/base.h" | tr A-Z a-z); do
    [ "$code" = ok ] || grep -q "^| .*\`$code\`.* |" out.txt || fail "the guide lacks the code $code"
done
awk '/^```/ { inside = $0 == "```yaml"; next } inside' out.txt >bar.yaml
cp out.txt guide.md
# mistake CHANGE TEXT: the model with this change gives the message of the guide
mistake()
{
    sed "$1" bar.yaml >wrong.yaml
    "$program" check wrong.yaml >out.txt 2>err.txt || true
    says "$2"
    grep -q "^|.*$2" guide.md || fail "the guide lacks '$2'"
}
mistake 's/kind: rigid/kind: ridgid/' "expected one of rigid, beam, modal, reduced, rod, found 'ridgid'; did you mean 'rigid'?"
mistake 's/stiffness/stifness/' "unknown key 'stifness' in a spring; did you mean 'stiffness'?"
mistake '/mass: m/d' "key 'mass' of a body is missing: mass (kg)"
mistake 's/-9.81/0, &/' 'gravity: expected a list of 2 numbers, found a list of 3'
mistake 's/bar.P/bar.A/' "bar has no port 'A'"
mistake 's/mass: m/mass: mm/' "unknown name 'mm'; expected pi, deg or a name under 'parameters'"
mistake 's/m: 2/m: 2 kg/' "found 'kg' where an operator is expected"
mistake 's/bar.P]/&, angle: 30/' 'the angle 30 is 30 rad, 4.77 turns; write 30\*deg if degrees are meant'
mistake '/^joints/d; /^  pin/d; /^  angle/d; /^springs/d; /^  hold/d' "nothing holds body 'bar', which falls; give it a joint, or a velocity if it is to fly"
mistake 's/revolute/spherical/' "kind 'spherical' exists only with dimension 3, this model has 2"
finish
