"""`phlexor mcp`, as a client talks to it: a handshake, the tools, calls that succeed and fail, requests that are wrong."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import EXAMPLES, Case

MODEL = """phlexor: 1
dimension: 2
parameters: {k: 800}
bodies: {a: {kind: rigid, mass: 2, inertia: 1, ports: {Q: {position: [0, 0]}}}}
joints: {slide: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0]}}
springs: {s: {ports: [ground.B, a.Q], stiffness: k, length: 1}}
ground: {ports: {B: {position: [-1, 0]}}}
outputs: {x: {coordinate: slide}}
simulate: {end: 0.1, step: 1e-3}
"""


class Server(Case):
    def setUp(self):
        self.server = subprocess.Popen([os.environ["PHLEXOR_PROGRAM"], "mcp"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.number = 0

    def tearDown(self):
        self.server.stdin.close()
        self.assertEqual(self.server.wait(60), 0)
        self.server.stdout.close()

    def send(self, text):
        self.server.stdin.write(text.encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        answer = json.loads(self.server.stdout.readline())
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", self.number))
        return answer

    def call(self, name, failed=False, **arguments):
        """The texts of a call."""
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        self.assertEqual(result["isError"], failed, result)
        return [item["text"] for item in result["content"]]

    def test_handshake(self):
        result = self.ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={})["result"]
        self.assertEqual(result["protocolVersion"], "2025-03-26")
        self.assertEqual(self.ask("initialize", protocolVersion="1")["result"]["protocolVersion"], "2025-06-18")
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')  # which has no answer
        self.assertEqual(self.ask("ping")["result"], {})
        tools = {tool["name"]: tool["inputSchema"] for tool in self.ask("tools/list")["result"]["tools"]}
        self.assertEqual(list(tools), ["guide", "check", "simulate", "static", "modes", "linearize", "page"])
        self.assertEqual(tools["page"]["required"], ["model", "output"])

    def test_tools(self):
        self.assertEqual(json.loads(self.call("check", model=MODEL)[0])["degrees_of_freedom"], 1)
        omega = json.loads(self.call("modes", model=MODEL)[0])["points"][0]["modes"][0]["omega"]
        self.assertAlmostEqual(omega, 20.0, 9)  # sqrt(k/m)
        omega = json.loads(self.call("modes", model=MODEL, set={"k": 200})[0])["points"][0]["modes"][0]["omega"]
        self.assertAlmostEqual(omega, 10.0, 9)
        summary = json.loads(self.call("simulate", model=MODEL, end=0.2)[0])
        self.assertEqual((summary["status"], summary["attributes"]["end"]), ("complete", 0.2))
        self.assertEqual(json.loads(self.call("static", model=MODEL)[0])["unstable"], 0)
        linear = json.loads(self.call("linearize", model=MODEL, inputs="a.Q.fx", outputs="x")[0])
        self.assertAlmostEqual(linear["dc_gain"][0][0], 1 / 800, 12)
        self.assertIn("# Phlexor for scripts", self.call("guide")[0])
        self.call("check", model=str(Path(EXAMPLES) / "crank_slider.yaml"))

    def test_page(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            result = self.ask("tools/call", name="page", arguments={"model": MODEL, "output": str(path)})["result"]
            off = "reports are off" in result["content"][0]["text"]  # a build without Node.js
            self.assertTrue(off or path.stat().st_size > 0)

    def test_wrong_model(self):
        message = json.loads(self.call("check", failed=True, model=MODEL.replace("rigid", "rigit"))[0])
        self.assertEqual((message["code"], message["line"], message["remedy"]), ("input", 4, "did you mean 'rigid'?"))
        message = json.loads(self.call("check", failed=True, model="--help")[0])  # a file, no option
        self.assertEqual(message["code"], "file")

    def test_wrong_requests(self):
        self.send("{")
        self.assertEqual(json.loads(self.server.stdout.readline())["error"]["code"], -32700)
        self.send("[" * 100000)
        self.assertEqual(json.loads(self.server.stdout.readline())["error"]["code"], -32700)
        self.send("[1]")
        self.assertEqual(json.loads(self.server.stdout.readline())["error"]["code"], -32600)
        self.assertEqual(self.ask("tools/none")["error"]["code"], -32601)
        for params in ({"name": "none"}, {"name": "check"}, {"name": "check", "arguments": {"model": "a", "b": 1}},
                       {"name": "check", "arguments": {"model": 1}}, {"name": ["check"]},
                       {"name": "check", "arguments": {"model": "a\0"}},
                       {"name": "check", "arguments": {"model": "\ud800\n"}}, {"name": "page", "arguments": {"model": "a"}}):
            self.assertEqual(self.ask("tools/call", **params)["error"]["code"], -32602, params)


if __name__ == "__main__":
    unittest.main()
