"""Any server that speaks OpenAI's chat completions: vLLM, SGLang, llama.cpp, TGI, Ollama, or OpenAI itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gistmark.judges.backends.inflight import in_flight
from gistmark.judges.backends.outage import Contact, Outage, lost, unreachable
from gistmark.judges.contract import Conversation, Options, Reply, Token, joined
from gistmark_engine.errors import MissingExtra, OptionError, shorten

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPConnectionPool

_BUSY = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_UNPROCESSABLE = (400, 413, 422)
_FINISHES = {"stop": "stop", "length": "length", "content_filter": "refused"}
_SENDINGS = 3
_PROBE: Conversation = [
    {"role": "system", "content": "Answer in one word."},
    {"role": "user", "content": "Are you there?"},
]
_PROBE_TOKENS = 16


class OpenAI:
    """Chat completions from `url`, up to `concurrency` of them in flight.

    model         the name the server knows the model by
    url           the address up to `/v1`
    key_variable  the environment variable that holds the key, read at each job and kept nowhere; unset: no key is sent
    concurrency   calls in flight
    timeout       seconds in which a server sends nothing
    deadline      seconds from a call's last byte to its answer's, which is then given up; None: five times `timeout`
    retries       after a busy answer (429, 5xx …), silence or a broken connection, with growing pauses or those the server
                  asks for, a minute at most; two where the server has never answered and refuses a connection or has a
                  name that is not known
    structured    ask the server to enforce the reply's schema; a server that refuses is asked without from then on
    system        False: the model's chat template knows no system message, it is put before the user's
    extra         further fields of the request body; None takes one away

    A call that fails for good is a reply with finish "error". `BackendError` where no call can succeed: the address
    cannot be reached after the retries, or after a call that failed the server answers no other, and not even one of a
    few words (no permission, no such model, over its quota).
    """

    def __init__(
        self,
        model: str,
        url: str = "https://api.openai.com/v1",
        *,
        key_variable: str = "OPENAI_API_KEY",
        concurrency: int = 64,
        timeout: float = 120.0,
        deadline: float | None = None,
        retries: int = 6,
        structured: bool = True,
        system: bool = True,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        if not _address(url):
            raise OptionError("url is http://… or https://… without a user, a password or a query in it")
        self.deadline = 5 * timeout if deadline is None else deadline
        if concurrency < 1 or retries < 0 or not timeout > 0 or not self.deadline > 0:
            raise OptionError("concurrency is at least 1, retries at least 0, timeout and deadline above 0")
        self.model, self.url, self.key_variable = model, url.rstrip("/"), key_variable
        self.concurrency, self.timeout, self.retries = concurrency, timeout, retries
        self.system, self.extra = system, dict(extra or {})
        self.decoding: Mapping[str, object] = {"structured": structured, "system": system, **self.extra}
        self._structured, self._contact = structured, Contact()

    def generate(self, conversations: Sequence[Conversation], options: Options) -> Iterator[tuple[int, Reply]]:
        pool = self._pool()
        key = os.environ.get(self.key_variable, "")
        shortest = replace(options, schema=None, top_logprobs=0, max_tokens=_PROBE_TOKENS)
        outage = Outage(self.url, self.key_variable, lambda: self._reply(self._pool(once=True), key, _PROBE, shortest))

        def call(index: int) -> Reply:
            before = outage.answered
            reply = self._reply(pool, key, conversations[index], options)
            if reply.finish == "error":
                outage.check(before)
            else:
                outage.answered += 1
            return reply

        yield from in_flight(call, len(conversations), self.concurrency)

    def _pool(self, *, once: bool = False) -> HTTPConnectionPool:
        """Connections for one job: they are neither pickled nor shared with a forked process.

        once   send nothing again that went unanswered, only what was answered as busy
        """
        try:
            import urllib3

            from gistmark.judges.backends.deadline import bounded
            from gistmark.judges.backends.patience import Patience
        except ImportError:
            raise MissingExtra("the OpenAI backend", "judges") from None
        retry = Patience(
            contact=self._contact,
            total=self.retries,
            read=0 if once else None,
            status_forcelist=_BUSY,
            allowed_methods=None,
            backoff_factor=0.5,
            backoff_max=60,
            backoff_jitter=0.5,
            raise_on_status=False,
        )
        timeout = urllib3.Timeout(connect=min(10.0, self.timeout), read=self.timeout)
        pool = urllib3.connection_from_url(self.url, maxsize=self.concurrency, retries=retry, timeout=timeout)
        pool.ConnectionCls = bounded(pool.ConnectionCls, self.deadline)
        return pool

    def _reply(self, pool: HTTPConnectionPool, key: str, conversation: Conversation, options: Options) -> Reply:
        """One call, sent again where the answer is no chat completion."""
        from urllib3.exceptions import HTTPError

        path = f"{urlsplit(self.url).path}/chat/completions"
        structured = self._structured and options.schema is not None
        for _ in range(_SENDINGS):
            body = json.dumps(self._body(conversation, options, structured)).encode()
            headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
            try:
                answer = pool.urlopen("POST", path, body=body, headers=headers, redirect=False)
            except HTTPError as error:
                if broken := unreachable(self.url, error, self.retries, self._contact):
                    raise broken from error
                return Reply("", "error", lost(error))
            self._contact.made = True
            if answer.status in _UNPROCESSABLE and structured:
                structured = False
                continue
            reply = self._read(answer, key)
            if reply is not None:
                # A server that takes the call only without a schema is not offered one again.
                self._structured = self._structured and (
                    structured or options.schema is None or reply.finish == "error"
                )
                return reply
        return Reply("", "error", "an answer that is no chat completion")

    def _body(self, conversation: Conversation, options: Options, structured: bool) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self.model,
            "messages": conversation if self.system else joined(conversation),
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "seed": options.seed,
        }
        if options.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": options.top_logprobs}
        if structured:
            shape = {"name": "reply", "strict": True, "schema": options.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return {name: value for name, value in (body | self.extra).items() if value is not None}

    def _read(self, answer: BaseHTTPResponse, key: str) -> Reply | None:
        """The reply in an answer; None where the answer is not what such a server sends."""
        if answer.status != 200:
            said = shorten(_hidden(answer.data.decode("utf-8", "replace"), key), 200)
            return Reply("", "error", f"HTTP {answer.status} {said}")
        try:
            data = json.loads(answer.data)
            if isinstance(data, dict) and data.get("error") and "choices" not in data:
                return Reply("", "error", shorten(_hidden(json.dumps(data["error"], ensure_ascii=False), key), 200))
            return _completion(data)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return None


def _address(url: str) -> bool:
    """Whether that is the address of a server, with nothing in it that could be a secret."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        return False
    return bool(known) and not ("@" in parts.netloc or parts.query or parts.fragment)


def _completion(data: Any) -> Reply:
    """The first choice of a chat completion."""
    choice, usage = data["choices"][0], data.get("usage") or {}
    message = choice["message"]
    text, refusal = message.get("content"), message.get("refusal")
    if not isinstance(text, str):
        text = str(refusal or "")
    finish = "refused" if refusal else _FINISHES.get(choice.get("finish_reason"), "stop")
    counted = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    tokens = counted if all(isinstance(count, int) for count in counted) else None
    parts = (choice.get("logprobs") or {}).get("content") or ()
    scores = tuple(
        Token(part["token"], {top["token"]: float(top["logprob"]) for top in part["top_logprobs"]}) for part in parts
    )
    return Reply(text, finish, tokens=tokens, scores=scores)  # type: ignore[arg-type]


def _hidden(text: str, key: str) -> str:
    """`text` without the key, should a server have sent it back."""
    return text.replace(key, "***") if key else text
