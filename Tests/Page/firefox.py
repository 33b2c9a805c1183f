"""Firefox, driven through WebDriver BiDi: Debian's Firefox speaks it by itself."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from websockets.sync.client import connect


class Firefox:
    PROGRAM = "/usr/bin/firefox-esr"

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="firefox-")
        self.process = subprocess.Popen(
            [self.PROGRAM, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "HOME": self.profile, "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        address = None
        for line in self.process.stderr:
            if "WebDriver BiDi listening on" in line:
                address = line.split()[-1]
                break
        if address is None:
            raise RuntimeError("Firefox did not start")
        self.socket = connect(f"{address}/session", max_size=None)
        self.last = 0
        self.command("session.new", capabilities={})
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.command("browsingContext.setViewport", context=self.context, viewport={"width": 1300, "height": 800})
        self.errors = []
        self.command("session.subscribe", events=["log.entryAdded"])

    def command(self, method, **params):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            said = json.loads(self.socket.recv(timeout=120))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.errors.append(said["params"]["text"])
            if said.get("id") == self.last:
                if said["type"] == "error":
                    raise RuntimeError(f"{method}: {said['message']}")
                return said["result"]

    def open(self, address):
        self.command("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def value(self, expression):
        said = self.command(
            "script.evaluate", expression=f"JSON.stringify({expression})", target={"context": self.context},
            awaitPromise=True)
        if said["type"] == "exception":
            raise RuntimeError(said["exceptionDetails"]["text"])
        return json.loads(said["result"].get("value", "null"))

    def wait(self, expression, seconds=60):
        """Until the expression is true, or has a value; returns it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if found := self.value(f"({expression}) ?? null"):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never came true: {expression}")

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.command("input.performActions", context=self.context,
                     actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stderr.close()
        shutil.rmtree(self.profile, ignore_errors=True)
