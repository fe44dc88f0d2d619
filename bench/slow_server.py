"""A slow server of chat completions that answers a limited number of calls at once, in a process of its own.

python -m bench.slow_server SECONDS AT_ONCE
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHOICE = {"message": {"role": "assistant", "content": '{"overall": 4}'}, "finish_reason": "stop"}
BODY = json.dumps({"choices": [CHOICE], "usage": {"prompt_tokens": 200, "completion_tokens": 6}}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


@contextmanager
def running(seconds: float, at_once: int) -> Iterator[subprocess.Popen[str]]:
    """The server's process, which prints its port, and at the end of its input the share of its time that was used."""
    command = [sys.executable, "-m", "bench.slow_server", str(seconds), str(at_once)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server
        finally:
            server.kill()


class Slow:
    """Holds every call for `seconds`, `at_once` of them at a time, and notes when it was serving."""

    def __init__(self, seconds: float, at_once: int) -> None:
        self.seconds, self.at_once = seconds, at_once
        self.places = asyncio.Semaphore(at_once)
        self.spans: list[tuple[float, float]] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the calls that come in over one connection, until it is closed."""
        clock = asyncio.get_running_loop().time
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.partition(b":")[2]))
                async with self.places:
                    start = clock()
                    await asyncio.sleep(self.seconds)
                    self.spans.append((start, clock()))
                writer.write(ANSWER)

    def busy(self) -> float:
        """Share of its places' time, from the first call's start to the last one's end, that calls had to take."""
        whole = max(end for _, end in self.spans) - min(start for start, _ in self.spans)
        return len(self.spans) * self.seconds / (self.at_once * whole)


async def main() -> None:
    """Serve until the input ends."""
    slow = Slow(float(sys.argv[1]), int(sys.argv[2]))
    server = await asyncio.start_server(slow, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(slow.busy(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
