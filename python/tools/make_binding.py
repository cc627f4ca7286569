#!/usr/bin/env python3
"""Make the package's _binding.py from the C headers, a part of the build.

    make_binding.py FILE             write it
    make_binding.py --c-program      print a C program that redeclares every function and prints sizes, offsets, values

What is bound are the functions, enums and structs that the package names, and what these are made of. The headers go
through the C preprocessor (CC, else cc) and a parser for the few forms of declarations that they have; the C program,
compiled against the same headers, shows that the parser understood them (tests/python/test_binding.py).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Set, Tuple

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "phlexor"
INCLUDE = HERE.parent.parent / "include"

SIMPLE = {
    "void": "None",
    "_Bool": "c_bool",
    "char": "c_char",
    "int": "c_int",
    "unsigned": "c_uint",
    "long": "c_long",
    "size_t": "c_size_t",
    "float": "c_float",
    "double": "c_double",
    "FILE": "None",
}

# Names of an enum's values as the words of a model file: name of the type, enum, prefix of the values, the last that is
# none.
WORDS = [("JointKind", "phx_joint_kind", "PHX_JOINT_", "PHX_JOINT_KINDS")]


@dataclass
class Type:
    """A type as written: `base` with `const`, pointers, array extents, or a function."""

    base: str
    const: bool = False
    pointers: List[bool] = field(default_factory=list)  # for each '*', whether "const" follows it
    extents: List[int] = field(default_factory=list)
    function: Optional["Function"] = None  # a pointer to a function written in place


@dataclass
class Function:
    result: Type
    arguments: List[Tuple[str, Type]]
    text: str  # the declaration, for the C program


@dataclass
class Header:
    enums: Dict[str, List[Tuple[str, int]]] = field(default_factory=dict)
    structs: Dict[str, List[Tuple[str, Type]]] = field(default_factory=dict)  # empty: opaque
    function_types: Dict[str, Function] = field(default_factory=dict)
    functions: Dict[str, Function] = field(default_factory=dict)
    constants: Dict[str, int] = field(default_factory=dict)


# ---- reading ----
def preprocess() -> str:
    """The text of Phlexor's own headers, without what they include from elsewhere."""
    command = os.environ.get("CC", "cc").split()
    command += ["-E", "-I", str(INCLUDE), "-D__attribute__(x)=", "-x", "c", str(INCLUDE / "phlexor" / "phlexor.h")]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    own, kept = False, []
    for line in lines:
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = Path(marker.group(1)).parent == INCLUDE / "phlexor"
        elif own and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def declarations(text: str) -> Iterator[str]:
    """Every declaration of the file scope, spaces made single, without its semicolon; no inline functions."""
    depth, current = 0, ""
    for character in text:
        depth += (character in "{(") - (character in "})")
        if character == ";" and depth == 0:
            yield " ".join(current.split())
            current = ""
        else:
            current += character
        if character == "}" and depth == 0 and current.lstrip().startswith("static inline"):
            current = ""


def split(text: str, separator: str) -> List[str]:
    """Parts at the separators that stand in no brackets."""
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "{([") - (character in "})]")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


class Reader:
    """From declarations to a Header."""

    def __init__(self) -> None:
        self.header = Header()
        self.aliases: Dict[str, str] = {}

    def value(self, text: str) -> int:
        return int(eval(text, {"__builtins__": {}}, self.header.constants))  # constant expressions of the headers

    def declarator(self, base: str, const: bool, text: str) -> Tuple[str, Type]:
        """`*name[3]`, `(*name)(arguments)` or `name` after a base type."""
        pointer = re.match(r"^(?P<stars>[*\s]|const\b)*\(\s*\*\s*(?P<name>\w*)\s*\)\s*\((?P<arguments>.*)\)$", text)
        if pointer:
            stars = text[: text.index("(")]
            result = Type(base, const, self.stars(stars))
            function = Function(result, self.arguments(pointer.group("arguments")), "")
            return pointer.group("name"), Type("", function=function)
        match = re.match(r"^(?P<stars>(?:\*|\s|const\b)*)(?P<name>\w*)\s*(?P<extents>(?:\[[^\]]*\])*)$", text)
        if not match:
            raise ValueError(f"cannot read the declarator {text!r}")
        extents = [self.value(e) if e.strip() else 0 for e in re.findall(r"\[([^\]]*)\]", match.group("extents"))]
        return match.group("name"), Type(base, const, self.stars(match.group("stars")), extents)

    @staticmethod
    def stars(text: str) -> List[bool]:
        return [bool(m.group(1)) for m in re.finditer(r"\*\s*(const\b)?", text)]

    def base(self, text: str) -> Tuple[str, bool, str]:
        """The base type at the start of a declaration, whether it is const, and the rest."""
        match = re.match(r"^(const\s+)?(struct\s+)?(\w+)(\s+const\b)?(.*)$", text)
        if not match:
            raise ValueError(f"cannot read the type of {text!r}")
        name = self.aliases.get(match.group(3), match.group(3))
        if match.group(2):
            self.header.structs.setdefault(name, [])
        return name, bool(match.group(1) or match.group(4)), match.group(5).strip()

    def arguments(self, text: str) -> List[Tuple[str, Type]]:
        if text.strip() in ("", "void"):
            return []
        found = []
        for part in split(text, ","):
            if part == "...":
                found.append(("...", Type("...")))
                continue
            base, const, rest = self.base(part)
            found.append(self.declarator(base, const, rest))
        return found

    def enum(self, name: str, body: str) -> None:
        next_value, entries = 0, []
        for item in split(body, ","):
            key, _, text = item.partition("=")
            next_value = self.value(text) if text else next_value
            self.header.constants[key.strip()] = next_value
            entries.append((key.strip(), next_value))
            next_value += 1
        if name:
            self.header.enums[name] = entries

    def struct(self, name: str, body: str) -> None:
        fields: List[Tuple[str, Type]] = []
        for line in split(body, ";"):
            base, const, rest = self.base(line)
            fields += [self.declarator(base, const, part) for part in split(rest, ",")]
        self.header.structs[name] = fields

    def function(self, text: str) -> Optional[Tuple[str, Function]]:
        match = re.match(r"^(?P<head>[^(]*?)(?P<name>\w+)\s*\((?P<arguments>.*)\)$", text)
        if not match or not match.group("head").strip():
            return None
        base, const, rest = self.base(match.group("head"))
        return match.group("name"), Function(
            Type(base, const, self.stars(rest)), self.arguments(match.group("arguments")), text
        )

    def declaration(self, text: str) -> None:
        braces = re.match(r"^(typedef )?(enum|struct)\s*(\w*)\s*\{(.*)\}\s*(\w*)$", text)
        if braces:
            name = braces.group(5) or braces.group(3)
            (self.enum if braces.group(2) == "enum" else self.struct)(name, braces.group(4))
            return
        opaque = re.match(r"^typedef (struct|enum) (\w+) (\w+)$", text)
        if opaque:
            self.header.structs.setdefault(opaque.group(3), [])
            return
        alias = re.match(r"^typedef (\w+) (\w+)$", text)
        if alias:
            self.aliases[alias.group(2)] = alias.group(1)
            return
        found = self.function(re.sub(r"^(typedef|extern) ", "", text))
        if not found:
            raise ValueError(f"cannot read the declaration {text!r}")
        (self.header.function_types if text.startswith("typedef") else self.header.functions)[found[0]] = found[1]

    def read(self) -> Header:
        text = preprocess()
        for marker in ('extern "C" {', "static_assert"):
            if marker in text:
                raise ValueError(f"{marker} is not understood")
        for declaration in declarations(text):
            self.declaration(declaration)
        return self.header


# ---- choosing ----
@dataclass
class Choice:
    """Names that are bound, in the order of the headers."""

    enums: List[str]
    structs: List[str]
    function_types: List[str]
    functions: List[str]


def names_in_package() -> Set[str]:
    found: Set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        found.update(re.findall(r"\bphx_\w+", path.read_text(encoding="utf-8")))
    return found


def choose(header: Header) -> Choice:
    wanted = names_in_package()
    known = {*header.enums, *header.structs, *header.function_types, *header.functions}
    if not wanted <= known:
        raise ValueError("the headers do not declare " + ", ".join(sorted(wanted - known)))
    chosen: Set[str] = set()

    def visit_type(kind: Type) -> None:
        if kind.function:
            visit_function(kind.function)
        else:
            visit(kind.base)

    def visit_function(function: Function) -> None:
        for argument in [function.result] + [a for _, a in function.arguments]:
            visit_type(argument)

    def visit(name: str) -> None:
        if name in chosen:
            return
        chosen.add(name)
        for _, kind in header.structs.get(name, []):
            visit_type(kind)
        for table in (header.functions, header.function_types):
            if name in table:
                visit_function(table[name])

    for name in wanted:
        visit(name)
    return Choice(*([n for n in table if n in chosen] for table in
                    (header.enums, header.structs, header.function_types, header.functions)))


# ---- writing ----
class Writer:
    """The Python text of a choice."""

    def __init__(self, header: Header, choice: Choice) -> None:
        self.header, self.choice = header, choice

    def ctype(self, kind: Type, argument: bool = False) -> str:
        if kind.function:
            return self.prototype(kind.function)
        pointers, text = len(kind.pointers), ""
        if kind.base in self.header.enums:
            text = "c_int"
        elif kind.base in self.header.structs:
            text = kind.base
        elif kind.base in self.header.function_types:
            text, pointers = kind.base, pointers - 1  # a CFUNCTYPE is the pointer
        elif kind.base in ("char", "void", "FILE") and pointers:
            text, pointers = ("c_char_p" if kind.base == "char" else "c_void_p"), pointers - 1
        else:
            text = SIMPLE[kind.base]
        if argument and kind.extents:  # an array argument is a pointer
            if kind.base == "char" and not kind.pointers:
                return "c_char_p"
            pointers += 1
        for _ in range(pointers):
            text = f"POINTER({text})"
        if not argument:
            for extent in reversed(kind.extents):
                text = f"{text} * {extent}"
        return text

    def prototype(self, function: Function) -> str:
        parts = [self.ctype(function.result)] + [self.ctype(kind, True) for _, kind in function.arguments]
        return f"CFUNCTYPE({', '.join(parts)})"

    def embedded(self, name: str) -> List[str]:
        """Structs that a struct has in it by value."""
        return [k.base for _, k in self.header.structs[name] if not k.pointers and k.base in self.header.structs]

    def fields_in_order(self) -> List[str]:
        done: List[str] = []

        def visit(name: str) -> None:
            if name in done:
                return
            for other in self.embedded(name):
                visit(other)
            done.append(name)

        for name in self.choice.structs:
            visit(name)
        return [n for n in done if self.header.structs[n]]

    def lines(self) -> Iterator[str]:
        yield '"""Declarations of libphlexor. Made from the C headers by tools/make_binding.py; not to be edited."""'
        yield "# mypy: ignore-errors"
        yield "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t,"
        yield "                    c_uint, c_void_p)"
        yield "from enum import IntEnum"
        yield "from typing import Literal"
        yield ""
        for name, enum, prefix, end in WORDS:
            words = [key[len(prefix):].lower() for key, _ in self.header.enums[enum] if key != end]
            yield f"{name} = Literal["
            for word in words:
                yield f'    "{word}",'
            yield "]"
        yield ""
        for name in self.choice.enums:
            yield f"\nclass {name}(IntEnum):"
            for key, value in self.header.enums[name]:
                yield f"    {key} = {value}"
            yield ""
        for name in self.choice.structs:
            yield f"\nclass {name}(Structure):\n    pass\n"
        yield ""
        for name in self.choice.function_types:
            yield f"{name} = {self.prototype(self.header.function_types[name])}"
        for name in self.fields_in_order():
            yield f"\n{name}._fields_ = ["
            for key, kind in self.header.structs[name]:
                yield f'    ("{key}", {self.ctype(kind)}),'
            yield "]"
        yield "\nFUNCTIONS = {"
        for name in self.choice.functions:
            function = self.header.functions[name]
            if any(key == "..." for key, _ in function.arguments):
                raise ValueError(f"{name} takes any number of arguments and cannot be bound")
            parts = [self.ctype(kind, True) for _, kind in function.arguments]
            yield f'    "{name}": ({self.ctype(function.result)}, [{", ".join(parts)}]),'
        yield "}"


def c_program(header: Header, choice: Choice) -> Iterator[str]:
    yield "#include <phlexor/phlexor.h>"
    yield "#include <stddef.h>"
    yield "#include <stdio.h>"
    for name in choice.functions:
        yield header.functions[name].text + ";"
    yield "int main(void)\n{"
    for name in choice.enums:
        for key, value in header.enums[name]:
            yield f'    printf("value {key} %d\\n", (int){key});'
        yield f'    printf("size {name} %zu\\n", sizeof({name}));'
    for name in choice.structs:
        if not header.structs[name]:
            continue
        yield f'    printf("size {name} %zu\\n", sizeof({name}));'
        for key, _ in header.structs[name]:
            place = f"offsetof({name}, {key}), sizeof((({name} *)0)->{key})"
            yield f'    printf("field {name} {key} %zu %zu\\n", {place});'
    yield "    return 0;\n}"


def main() -> int:
    header = Reader().read()
    choice = choose(header)
    if sys.argv[1:] == ["--c-program"]:
        print("\n".join(c_program(header, choice)))
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        Path(sys.argv[1]).write_text("\n".join(Writer(header, choice).lines()) + "\n", encoding="utf-8")
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
