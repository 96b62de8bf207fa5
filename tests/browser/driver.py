# SPDX-License-Identifier: BSD-2-Clause
"""A browser through chromedriver's WebDriver interface, with the standard library alone."""
import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """Starts chromedriver and one headless window; close() ends both."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory()
        with socket.socket() as s:  # a port nobody has
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        environment = dict(os.environ, HOME=self.home.name)
        self.process = subprocess.Popen(["chromedriver", "--port=%d" % self.port], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = "http://127.0.0.1:%d" % self.port
        try:
            self._wait()
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--user-data-dir=" + self.home.name + "/profile", "--no-first-run"]
            options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
            reply = self._call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
            self.session = "/session/" + reply["sessionId"]
        except Exception:
            self.process.terminate()
            raise

    def _wait(self):
        for _ in range(300):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"].split("\n")[0]) from None

    def close(self):
        try:
            self._call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            self.home.cleanup()

    def open(self, path):
        self._call("POST", self.session + "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        """The value a script returns; it runs also where the page's own scripts may not."""
        return self._call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def tool(self, command, **params):
        """A command of the DevTools protocol."""
        return self._call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": params})

    def log(self):
        """What the console got since the last call."""
        return [m["message"] for m in self._call("POST", self.session + "/se/log", {"type": "browser"})]

    def find(self, selector):
        return self._call("POST", self.session + "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        element = list(self.find(selector).values())[0]
        self._call("POST", self.session + "/element/" + element + "/click", {})

    def keys(self, *keys):
        actions = []
        for key in keys:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def width(self, pixels, height=900):
        self.tool("Emulation.setDeviceMetricsOverride", width=pixels, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name, media=""):
        # Without motion: a click must not race with smooth scrolling.
        features = [("prefers-color-scheme", name), ("prefers-reduced-motion", "reduce")]
        self.tool("Emulation.setEmulatedMedia", media=media, features=[{"name": n, "value": v} for n, v in features])

    def scripts(self, allowed):
        self.tool("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, path):
        import base64
        with open(path, "wb") as f:
            f.write(base64.b64decode(self._call("GET", self.session + "/screenshot")))
