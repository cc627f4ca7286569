"""The declarations of the package are those of the C headers, and the library is found where it should be."""

import ctypes
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from phlexor import _binding
from support import SOURCE, Case

TOOL = SOURCE / "python" / "tools" / "make_binding.py"


def declared():
    """What the public headers declare."""
    sys.path.insert(0, str(TOOL.parent))
    try:
        import make_binding
    finally:
        sys.path.remove(str(TOOL.parent))
    return make_binding.Reader().read()


def compiler():
    return os.environ.get("CC", "cc").split()


class Binding(Case):
    def test_agrees_with_the_compiler(self):
        """Redeclared functions compile; sizes, offsets and values of enums are those of ctypes."""
        plain = {**os.environ, "LD_PRELOAD": ""}
        text = subprocess.run([sys.executable, TOOL, "--c-program"], check=True, stdout=subprocess.PIPE, env=plain).stdout
        (self.folder / "layout.c").write_bytes(text)
        subprocess.run([*compiler(), "-std=c17", "-I", SOURCE / "include", "-o", self.folder / "layout",
                        self.folder / "layout.c"], check=True, env=plain)
        lines = subprocess.run([self.folder / "layout"], check=True, stdout=subprocess.PIPE, text=True,
                               env=plain).stdout.splitlines()
        values = {key.name: int(key) for name in dir(_binding) if name.startswith("phx_")
                  for kind in [getattr(_binding, name)] if isinstance(kind, type) and issubclass(kind, int)
                  for key in kind}
        seen = {"size": 0, "field": 0, "value": 0}
        for line in lines:
            what, *words = line.split()
            seen[what] += 1
            if what == "value":
                self.assertEqual(values[words[0]], int(words[1]), line)
                continue
            kind = getattr(_binding, words[0])
            if what == "size":
                size = ctypes.sizeof(kind) if issubclass(kind, ctypes.Structure) else ctypes.sizeof(ctypes.c_int)
                self.assertEqual(size, int(words[1]), line)
            else:
                field = getattr(kind, words[1])
                self.assertEqual((field.offset, field.size), (int(words[2]), int(words[3])), line)
        self.assertTrue(seen["size"] > 40 and seen["field"] > 200 and seen["value"] > 60, seen)
        bound = [n for n in dir(_binding) if isinstance(getattr(_binding, n), type)
                 and issubclass(getattr(_binding, n), ctypes.Structure) and getattr(_binding, n).__dict__.get("_fields_")]
        self.assertEqual(sum(line.startswith("size") for line in lines) - len({
            n for n in dir(_binding) if isinstance(getattr(_binding, n), type) and issubclass(getattr(_binding, n), int)
            and n != "IntEnum"}), len(bound))

    def test_a_changed_header_is_noticed(self):
        """A field more in a struct, another enum value, another argument: none passes."""
        sys.path.insert(0, str(TOOL.parent))
        self.addCleanup(sys.path.remove, str(TOOL.parent))
        import make_binding

        current = Path(_binding.__file__).read_text(encoding="utf-8")
        original = make_binding.preprocess
        self.addCleanup(setattr, make_binding, "preprocess", original)
        text = original()
        for old, new in (("double end;", "double end, added;"), ("PHX_ERR_FILE = -4", "PHX_ERR_FILE = -5"),
                         ("phx_result_about(const phx_result *result)", "phx_result_about(const phx_result *result, int k)")):
            self.assertIn(old, text)
            make_binding.preprocess = lambda old=old, new=new: text.replace(old, new)
            header = make_binding.Reader().read()
            made = "\n".join(make_binding.Writer(header, make_binding.choose(header)).lines()) + "\n"
            self.assertNotEqual(made, current, old)

    def test_exports(self):
        """The library exports the functions of the public headers and nothing else."""
        lines = subprocess.run(["nm", "-D", "--defined-only", os.environ["PHLEXOR_LIBRARY"]], check=True,
                               stdout=subprocess.PIPE, text=True, env={**os.environ, "LD_PRELOAD": ""}).stdout.splitlines()
        exported = {line.split()[-1].partition("@")[0] for line in lines if " T " in line}
        self.assertEqual({name for name in exported if not name.startswith("__")}, set(declared().functions))

    def test_every_function_is_used(self):
        """What is public is called by an example, a test or the package, or the documentation tells of it."""
        places = [*(SOURCE / "examples").glob("*.c"), *(SOURCE / "tests").rglob("*.c"), *(SOURCE / "docs").glob("*.md"),
                  *(SOURCE / "python" / "phlexor").rglob("*.py")]
        words = {word for path in places for word in re.findall(r"\bphx_\w+", path.read_text(encoding="utf-8"))}
        self.assertEqual(sorted(set(declared().functions) - words), [])

    def test_every_function_is_in_the_library(self):
        from phlexor._library import lib

        for name in _binding.FUNCTIONS:
            self.assertTrue(callable(getattr(lib, name)))
        with self.assertRaises(AttributeError):
            lib.phx_no_such_function


    def test_versions(self):
        import phlexor

        self.assertTrue(phlexor.library_version().startswith(phlexor.__version__ + " "), phlexor.library_version())


class Finding(Case):
    def run_with(self, **environment):
        return subprocess.run([sys.executable, "-c", "import phlexor; print(phlexor.library_version())"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **environment})

    def test_says_where_it_looked(self):
        done = self.run_with(PHLEXOR_LIBRARY="/no/such/libphlexor.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("LibraryNotFoundError: libphlexor 0.1 was not found", done.stdout)
        self.assertIn("/no/such/libphlexor.so", done.stdout)

    def test_another_library_is_refused(self):
        done = self.run_with(PHLEXOR_LIBRARY="libm.so.6")
        self.assertEqual(done.returncode, 1)
        self.assertIn("libm.so.6 has no phx_version", done.stdout)

    def test_another_version_is_refused(self):
        source, library = self.folder / "other.c", self.folder / "libother.so"
        source.write_text('const char *phx_version(void) { return "9.3.1"; }\n')
        subprocess.run([*compiler(), "-shared", "-fPIC", "-o", library, source], check=True,
                       env={**os.environ, "LD_PRELOAD": ""})
        done = self.run_with(PHLEXOR_LIBRARY=str(library))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is libphlexor 9.3.1, this package is for 0.1", done.stdout)


if __name__ == "__main__":
    unittest.main()
