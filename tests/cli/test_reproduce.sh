#!/bin/sh
# phlexor reproduce: every table and figure passes, the page is whole, a wrong value fails.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/support/readers.sh"

# ---- everything ----
run 0 reproduce
[ -s reproduce.html ] || fail "there is no reproduce.html"
[ ! -e reproduce.html.partial ] || fail "the unfinished page is still there"
cat out.txt
prints '^hinged-beam *explained '
prints ' 0 fail: reproduce.html$'
for text in '^<!DOCTYPE html>' '</html>$' '<svg ' 'id="crank-slider"' 'prefers-color-scheme' 'Nothing fails'; do
    grep -q -e "$text" reproduce.html || fail "the page lacks '$text'"
done
if grep -q -e '<script' -e '<link' -e ' src=' -e 'url(' reproduce.html; then
    fail "the page asks for other files"
fi
run 0 reproduce --list
for name in $(awk '{ print $1 }' out.txt); do
    grep -q "id=\"$name\"" reproduce.html || fail "$name is listed and not on the page"
done

# ---- what the README says of it: tables and figures, values, values that are met ----
# rows TEXT: rows of the page about a value, those that have TEXT
rows()
{
    grep '<td class="what">' reproduce.html | grep -v '<td class="what"><a href=' | grep -c -e "$1"
}
found="$(grep -c '<td class="what"><a href=' reproduce.html) $(rows .) $(rows 'mark pass')"
told=$(grep -F 'recomputes' "$source_dir/README.md" | grep -oE '[0-9]+' | head -n 3 | xargs)
[ "$found" = "$told" ] || fail "the README says '$told', the page has '$found'"

# ---- parts, other forms ----
run 0 reproduce --only table-8 --only matrices --format json
cp out.txt page.json
python_script <<'END'
import json

with open("page.json", encoding="utf-8") as stream:
    page = json.load(stream)
assert page["verdict"] == "explained", page["verdict"]
assert [item["name"] for item in page["items"]] == ["table-8", "matrices"], page["items"]
rows = {row["what"]: row for row in page["items"][0]["rows"]}
assert rows["ω1"]["published"]["text"] == "5.5934" and rows["ω1"]["verdict"] == "pass", rows["ω1"]
assert abs(rows["ω1"]["value"] - 5.593400742712206) < 1e-8, rows["ω1"]
assert rows["beam theory, ω1"]["verdict"] == "explained" and "isprint" in rows["beam theory, ω1"]["reason"]
assert len(page["sources"]) == 4 and all(source["citation"] for source in page["sources"])
END
run 0 reproduce --only matrices -o part.json
grep -q '"verdict": "pass"' part.json || fail "part.json is no json of a page that passes"
run 0 reproduce --only matrices -o part.csv
[ "$(wc -l <part.csv)" -eq 5 ] || fail "part.csv has $(wc -l <part.csv) lines, expected 5"
run 0 reproduce --only matrices -o -
prints '</html>'

# ---- a wrong value ----
sed 's/^table-10,ω2,22.272,/table-10,ω2,22.273,/' "$source_dir/python/phlexor/reproduce/published.csv" >wrong.csv
run 1 reproduce --published wrong.csv --only table-10 --only table-11 -o wrong.html
prints '^table-10 *fail '
prints '^table-11 *pass '
grep -q 'Something fails' wrong.html || fail "the page does not say that something fails"
sed 's/^table-10,ω2,22.272,.*/table-10,ω2,twenty/' "$source_dir/python/phlexor/reproduce/published.csv" >wrong.csv
run 2 reproduce --published wrong.csv --only table-10 -o unread.html
says 'line [0-9]*: 3 fields'
[ ! -e unread.html ] || fail "there is a page without values"

# ---- what is refused ----
run 2 reproduce --only table-12
says "did you mean 'table-1[01]\{0,1\}'"
run 2 reproduce --only crankslider
says "did you mean 'crank-slider'"
run 2 reproduce --published nowhere.csv
says nowhere.csv
run 2 reproduce --format pdf
run 2 reproduce model.yaml
run 2 reproduce --only matrices -o nowhere/page.html
says nowhere

# ---- completion, interruption, and no Python that has the package ----
run 0 --complete 2 reproduce --only table-1
[ "$(cut -f 1 out.txt | xargs)" = "table-1 table-10 table-11" ] || fail "completion: $(cat out.txt)"
status=0
timeout --preserve-status -s INT 6 "$program" reproduce -o late.html 2>err.txt || status=$?
[ "$status" -eq 130 ] || fail "interrupted: exit status $status, expected 130"
says interrupted
[ -z "$(ls | grep late)" ] || fail "an interrupted run left $(ls | grep late)"
cp "$program" alone
status=0
env -u PYTHONPATH ./alone reproduce 2>err.txt || status=$?
[ "$status" -eq 1 ] || fail "without the package: exit status $status, expected 1"
says 'needs Python 3.9 or newer with NumPy.*python3-numpy, python3-phlexor'

exit $((failures > 0))
