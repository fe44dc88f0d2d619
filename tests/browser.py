"""A headless chromium driven over its debugging pipe: what a page's console said, what its script answers, pictures of it."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")


def find() -> str | None:
    """A browser's path, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


KEYS = {"Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One page. `console` holds its warnings and errors, `requests` what it asked the network for."""

    def __init__(self, program: str, profile: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        command = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.console: list[str] = []
        self.requests: list[str] = []
        self._ids = itertools.count(1)
        self._buffer = b""
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{ours[0]} 4>&{theirs[1]}', *command],
            pass_fds=(ours[0], theirs[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._out, self._in = ours[1], theirs[0]
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer; what comes in between is noted."""
        number = next(self._ids)
        session = {"sessionId": self._session} if self._session else {}
        os.write(self._out, json.dumps({"id": number, "method": method, "params": params} | session).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def open(self, page: Path) -> None:
        """Load a file and wait until it is there."""
        self.requests.clear()
        self.send("Page.navigate", url=page.as_uri())
        while self._note(self._read()) != "Page.loadEventFired":
            pass

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the window's size and colours."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A PNG of the window, or of the whole page."""
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._in, 1 << 20)
            assert part, "the browser has gone"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _note(self, message: dict[str, Any]) -> str:
        method, params = str(message.get("method")), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method == "Runtime.exceptionThrown":
            self.console.append(str(params["exceptionDetails"]))
        if method == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
            self.console.append(params["entry"]["text"])
        if method == "Runtime.consoleAPICalled" and params["type"] in ("warning", "error"):
            self.console.append(str(params["args"]))
        return method
