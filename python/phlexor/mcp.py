"""``phlexor mcp``: a server of the Model Context Protocol on standard input and output.

Messages are JSON-RPC 2.0, one a line. Each tool runs one command of the program and returns what it prints.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._command import DONE, parser_of
from ._version import __version__
from .errors import FileError

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INSTRUCTIONS = ("Begin with the tool guide. Check a model until there is neither error nor warning, simulate it, and "
                "compare largest.residual with largest.energy and the outputs with an estimate.")


class Tool(NamedTuple):
    description: str
    words: Tuple[str, ...]  # of the command line
    options: Tuple[str, ...] = ()  # arguments that are options of the command too
    required: Tuple[str, ...] = ("model",)


TOOLS = {
    "guide": Tool("How to write, check, repair and judge models (Markdown).", ("guide",), (), ()),
    "check": Tool("Verify the structure of a model.", ("check", "--format=json")),
    "simulate": Tool("Simulate a model over time; a summary. output: RESULT.h5 to keep.",
                     ("simulate", "--summary=json"), ("end", "step", "integrator", "accuracy", "output")),
    "static": Tool("Find the equilibrium at rest.", ("static", "--format=json")),
    "modes": Tool("Find frequencies and mode shapes. at: start, static or steady.", ("modes", "--format=json"),
                  ("at", "count")),
    "linearize": Tool("Make a linear model. inputs, outputs: names with commas between them, such as bar.tip.fy.",
                      ("linearize", "--format=json"), ("inputs", "outputs", "at")),
    "page": Tool("Write the assembled model as a page for browsers. output: the file, PAGE.html.", ("view",),
                 ("output",), ("model", "output")),
}


class RequestError(Exception):
    """A request that is refused, with the code of JSON-RPC."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def _schema(tool: Tool) -> Dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    value = {"type": ["string", "number"]}
    properties: Dict[str, Any] = {name: value for name in tool.options}
    if "model" in tool.required:
        properties["model"] = {"type": "string", "description": "text of the model (YAML), or path of its file"}
        properties["set"] = {"type": "object", "description": "values of parameters by name",
                             "additionalProperties": value}
    return {"type": "object", "properties": properties, "required": list(tool.required), "additionalProperties": False}


def _words(name: str, given: Dict[str, Any], folder: str) -> List[str]:
    """The command line of a call. A model that is a text becomes a file of the folder."""
    tool, schema = TOOLS[name], _schema(TOOLS[name])["properties"]
    for key in given:
        if key not in schema:
            raise RequestError(INVALID_PARAMS, f"{name}: unknown argument '{key}'; expected {', '.join(schema)}")
    for key in tool.required:
        if key not in given:
            raise RequestError(INVALID_PARAMS, f"{name}: the argument '{key}' is missing")
    model, parameters = given.get("model", ""), given.get("set", {})
    if not isinstance(model, str) or not isinstance(parameters, dict):
        raise RequestError(INVALID_PARAMS, f"{name}: 'model' is a text, 'set' an object")
    words = [*tool.words, "--messages=json"]
    words += [f"--set={parameter}={value}" for parameter, value in parameters.items()]
    words += [f"--{option}={given[option]}" for option in tool.options if option in given]
    if name == "simulate" and "output" not in given:
        words.append(f"--output={os.path.join(folder, 'result.h5')}")
    if "\n" in model:
        text, model = model, os.path.join(folder, "model.yaml")
        with open(model, "w", encoding="utf-8") as stream:
            stream.write(text)
    return [*words, "--", model] if "model" in given else words


def _call(program: str, name: str, given: Dict[str, Any]) -> Dict[str, Any]:
    """What the command prints: its output, then its messages; an error if its exit status is not 0."""
    with tempfile.TemporaryDirectory(prefix="phlexor-") as folder:
        done = subprocess.run([program, *_words(name, given, folder)], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
    texts = [text.decode(errors="replace") for text in (done.stdout, done.stderr)]
    return {"content": [{"type": "text", "text": text} for text in texts if text], "isError": done.returncode != DONE}


def _answer(program: str, method: str, given: Dict[str, Any]) -> Dict[str, Any]:
    """The result of a request."""
    if method == "initialize":
        asked = given.get("protocolVersion")
        return {"protocolVersion": asked if asked in VERSIONS else VERSIONS[0], "capabilities": {"tools": {}},
                "serverInfo": {"name": "phlexor", "version": __version__}, "instructions": INSTRUCTIONS}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [{"name": name, "description": tool.description, "inputSchema": _schema(tool)}
                          for name, tool in TOOLS.items()]}
    if method != "tools/call":
        raise RequestError(METHOD_NOT_FOUND, f"unknown method '{method}'")
    name, arguments = given.get("name"), given.get("arguments") or {}
    if not isinstance(name, str) or name not in TOOLS or not isinstance(arguments, dict):
        raise RequestError(INVALID_PARAMS, f"unknown tool '{name}'; the tools are {', '.join(TOOLS)}")
    try:
        return _call(program, name, arguments)
    except ValueError as error:  # text that is no UTF-8, zeros in words
        raise RequestError(INVALID_PARAMS, f"{name}: {error}") from None


def respond(program: str, line: bytes) -> Optional[Dict[str, Any]]:
    """The response to one line; None to a notification."""
    number = None
    try:
        request = json.loads(line)
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            raise RequestError(INVALID_REQUEST, "expected an object with a method")
        if "id" not in request:
            return None
        number, given = request["id"], request.get("params") or {}
        if not isinstance(given, dict):
            raise RequestError(INVALID_PARAMS, "params: expected an object")
        return {"jsonrpc": "2.0", "id": number, "result": _answer(program, request["method"], given)}
    except RequestError as error:
        code, message = error.code, str(error)
    except (ValueError, RecursionError) as error:
        code, message = PARSE_ERROR, f"no JSON: {error}"
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def run(arguments: List[str]) -> int:
    parser_of("mcp").parse_args(arguments)
    program = os.environ.get("PHLEXOR_PROGRAM")
    if not program:
        raise FileError("start the server by the program: phlexor mcp")
    for line in sys.stdin.buffer:
        response = respond(program, line) if line.strip() else None
        if response:
            sys.stdout.buffer.write(json.dumps(response).encode() + b"\n")
            sys.stdout.buffer.flush()
    return DONE
