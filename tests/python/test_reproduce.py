"""The comparison with the papers can fail: verdicts, published values that are changed, missing, superfluous or not to be
read; names; interruption; the page. That all items pass is tested through the program (cli_reproduce)."""

import csv
import json
import unittest
from html import unescape

import numpy as np
import phlexor
from phlexor.reproduce import compute, find, published_of
from phlexor.reproduce.catalog import ENTRIES
from phlexor.reproduce.page import Entry, Item, Page, Row, Source, Standard, Verdict, as_csv, as_html, as_json, text_of
from support import Case

HEAD = "item,quantity,printed,value,tolerance,reason\n"
PUBLISHED = text_of("published.csv")


class Verdicts(Case):
    def test_verdicts(self):
        met, missed, nan = Standard(2.0, 0.1), Standard(3.0, 0.1), float("nan")
        for value, published, reference, reason, verdict in (
                (2.05, None, None, None, Verdict.SHOWN), (2.05, met, None, None, Verdict.PASS),
                (2.05, None, met, None, Verdict.PASS), (2.05, met, met, None, Verdict.PASS),
                (2.05, met, met, "misprint", Verdict.PASS), (2.05, missed, None, None, Verdict.FAIL),
                (2.05, missed, met, None, Verdict.FAIL), (2.05, missed, met, "misprint", Verdict.EXPLAINED),
                (2.05, missed, None, "misprint", Verdict.FAIL),  # nothing else vouches for the value
                (2.05, missed, missed, "misprint", Verdict.FAIL), (2.05, met, missed, None, Verdict.FAIL),
                (nan, None, None, None, Verdict.FAIL), (nan, met, met, None, Verdict.FAIL),
                (2.05, Standard(nan, 0.1), None, None, Verdict.FAIL),
                (2.05, Standard(2.0, nan), None, None, Verdict.FAIL),
                (2.1, Standard(2.0, 0.0), None, None, Verdict.FAIL),
                (2.0, Standard(2.0, 0.0), None, None, Verdict.PASS)):
            row = Row("x", "", value, published, reference, reason)
            self.assertEqual(row.verdict, verdict, row)


class Published(Case):
    def page(self, only, published=None):
        page = compute(only, published)
        self.assertEqual(len(page.items), len(only))
        return page

    def test_as_printed(self):
        page = self.page(["table-8", "table-7"])  # the order of the page stays
        self.assertEqual([item.entry.name for item in page.items], ["table-7", "table-8"])
        self.assertEqual([item.verdict for item in page.items], [Verdict.PASS, Verdict.EXPLAINED])
        self.assertEqual([page.items[0].count(Verdict.PASS), len(page.items[0].rows)], [12, 12])
        self.assertEqual(page.items[1].count(Verdict.EXPLAINED), 2)
        self.assertEqual(page.verdict, Verdict.EXPLAINED)

    def test_wrong_values_fail(self):
        for old, new in (("table-7,ω1,9.8725,", "table-7,ω1,9.8726,"),         # one unit of the last digit
                         ("table-7,ω1,9.8725,", "table-7,ω1,9.87254,"),        # more digits than are right
                         ("table-7,ω1,9.8725,,,", "table-7,ω1,9.8725,,1e-9,"),  # a tolerance that is not met
                         ("table-7,Δω1,0.03,", "table-7,Δω1,0.04,"),
                         ("table-7,ω1,", "table-7,ω9,")):                      # nothing is computed for it
            self.assertIn(old, PUBLISHED)
            page = self.page(["table-7", "table-10"], PUBLISHED.replace(old, new, 1))
            self.assertEqual([item.verdict for item in page.items], [Verdict.FAIL, Verdict.PASS], new)
            self.assertEqual(page.verdict, Verdict.FAIL)

    def test_reasons_are_needed(self):
        """Without its reason a misprint fails; ends of lines of other systems and blanks are none."""
        reason = '"Follows from the misprinted value of beam theory: (5.5933 - 5.5932)/5.5932 is 0.0018 %."'
        self.assertIn(reason, PUBLISHED)
        for only, text in (("table-9", PUBLISHED.replace(reason, "")),
                           ("table-7", HEAD.replace("\n", "\r\n") + "table-7,ω1,9.8726,,,\r\n"),
                           ("table-7", HEAD + "table-7,ω1,9.8726,,, \n"), ("table-7", HEAD + 'table-7,ω1,9.8726,,,""')):
            item, = self.page([only], text).items
            self.assertEqual([item.verdict, item.count(Verdict.FAIL)], [Verdict.FAIL, 1], text[-40:])

    def test_wrong_tables(self):
        for rows, message in (("table-7,ω1,9.8725,,\n", "line 2: 5 fields"),
                              ("table-7,ω1,9.8725,,,,\n", "line 2: 7 fields"),
                              ("# comment\n\ntable-7,ω1,about ten,,,\n", "line 4: 'about ten' is no number"),
                              ("table-7,ω1,9.8725,x,,\n", "'x' is no number"), ("table-7,ω1,9.8725,,-1,\n", "'-1'"),
                              ("table-7,ω1,nan,,,\n", "'nan'"),
                              ("table-7,ω1,quadratic,2,,\n", "the tolerance ''"),  # a statement has no digits
                              ("tabel-7,ω1,9.8725,,,\n", "did you mean 'table-7'")):
            with self.assertRaisesRegex(phlexor.ModelError, message):
                published_of(HEAD + rows)
        with self.assertRaisesRegex(phlexor.ModelError, "names of the columns"):
            published_of("a,b,1,,,\n")  # the first value would get lost

    def test_no_value_gets_lost(self):
        counts = {}
        for name, _ in published_of(PUBLISHED):
            counts[name] = counts.get(name, 0) + 1
        wanted = {"table-1": 18, **{f"table-{k}": 6 for k in range(3, 12)}, "matrices": 4, "four-bar": 1,
                  "crank-slider": 1, "hinged-beam": 1, "convergence": 6, "revolute-joint": 2}
        self.assertEqual(counts, wanted)
        lines = [line for line in PUBLISHED.splitlines() if line and not line.startswith(("#", "item,"))]
        self.assertEqual(len(lines), sum(wanted.values()))


class Going(Case):
    def test_names(self):
        names = [entry.name for entry in ENTRIES]
        self.assertTrue(len(names) >= 20 and len(set(names)) == len(names))
        self.assertTrue(all(find(entry.name) is entry and entry.title and entry.where for entry in ENTRIES))
        for name, message in (("crank_slider", "did you mean 'crank-slider'?"), ("table-12", "'table-12'")):
            with self.assertRaisesRegex(phlexor.ModelError, message):
                compute([name])

    def test_an_item_that_cannot_be_computed_fails(self):
        entry = ENTRIES[0]
        item = Item(entry, {})
        with self.assertRaisesRegex(phlexor.AnalysisError, "no 'nothing' that could be replaced"):
            item.model("beam.yaml", ("nothing", "something"))

    def test_interruption(self):
        def stop_at_second(what, done, total):
            if done:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            compute(["table-3", "table-4"], progress=stop_at_second)


class Forms(Case):
    def test_page(self):
        """Names with all that html, json and csv have to escape; a failed computation; a row that is not a number."""
        nasty = 'a "quoted" </script> & `code`, Größe'
        entry = Entry("one", nasty, "none", nasty, nasty, lambda item: None, text=nasty, notes=[nasty])
        page = Page(nasty, nasty, [Source("other", nasty)], [])
        self.assertEqual(page.verdict, Verdict.SHOWN)
        for form in (as_html, as_json, as_csv):
            form(page)  # no items
        item = Item(entry, {("one", nasty): (Standard(1.0, 0.1, nasty), None)})
        page.items.append(item)
        self.assertEqual(page.verdict, Verdict.SHOWN)
        item.row(nasty, "m", float("nan"))
        figure = item.figure(nasty, "x", "y")
        figure.line(nasty, [0, 1, 2], [0, np.nan, 1])
        figure.line(None, [0, 1, 2], [0, np.nan, 1], points=True)
        item.failure = nasty
        self.assertEqual(page.verdict, Verdict.FAIL)
        html, made, table = as_html(page), json.loads(as_json(page)), list(csv.reader(as_csv(page).splitlines()))
        self.assertNotIn("</script>", html)
        self.assertNotIn("nan", html)
        self.assertIn("&lt;/script&gt; &amp; <code>code</code>, Größe", html)
        self.assertIn("The computation failed", html)
        self.assertIn(nasty, unescape(html[html.index("<svg"):html.index("</svg>")]))
        self.assertEqual([made["items"][0]["title"], made["items"][0]["rows"][0]["value"]], [nasty, None])
        self.assertEqual([table[1][3], table[1][5], table[1][11]], [nasty, "", "fail"])
        self.assertEqual([table[2][3], table[2][12]], ["computing", nasty])


if __name__ == "__main__":
    unittest.main()
