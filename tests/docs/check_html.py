"""Every link, picture, style and script of the pages in a folder leads to a file, every #anchor to an id; the search
knows what is looked for; no page needs the network. Prints what does not."""
import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

folder = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(v for k, v in attributes if v and (k == "id" or (k == "name" and tag == "a")))
        for key in ("href", "src"):
            if given.get(key):
                (self.links if tag == "a" else self.loads).append(given[key])


pages, faults, count = {}, [], 0
for file in folder.rglob("*.html"):
    text = file.read_text(encoding="utf-8")
    pages[file] = Page()
    pages[file].feed(text)


def check(source, link, base):
    global count
    parts = urlsplit(link)
    if parts.scheme in ("http", "https", "mailto", "javascript", "data"):
        return
    count += 1
    goal = (base / unquote(parts.path)).resolve() if parts.path else source
    if not goal.exists() or goal.is_dir():
        faults.append(f"{source.relative_to(folder)}: {link}: there is no such file")
    elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].ids:
        faults.append(f"{source.relative_to(folder)}: {link}: there is no such place")


for file, page in pages.items():
    for link in page.links + page.loads:
        check(file, link, file.parent)
    faults += [f"{file.relative_to(folder)}: loads {link} from the network" for link in page.loads if urlsplit(link).scheme.startswith("http")]

index = (folder / "searchindex.js").read_text(encoding="utf-8")
index = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
for word in ("revolut", "campbel", "fmu", "phx_model_read"):  # as the search stems words
    if word not in index["terms"] and not any(word in entry for entry in map(str, index["objects"].values())):
        faults.append(f"the search does not know '{word}'")

print("\n".join(sorted(set(faults))))
print(f"{len(pages)} pages, {count} links, {len(faults)} faults")
sys.exit(bool(faults) or len(pages) < 80 or count < 3000)
