"""Sessions of the preference study as JSON lines and as frames of summaries and of matches."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.files.jsonl import distinct
from gistmark.studies.tournament import CHOICES, Match, Session, Summary, check
from gistmark_engine.errors import InputError


def read(path: str | Path) -> list[Session]:
    """The sessions of a JSON-lines file, one object a line, checked by the rules of `tournament.check`.

    Keys: annotator, query_id, persona, query, contexts (list), summaries ({A, B, C, D: {text, model, personalised}}),
    matches (list of {round: 1|2, slot: "AB"|"CD"|"final", left, right, choice: "left"|"right"|"neither"}), seed
    (optional); other keys are ignored. Raises `InputError` with row (line), session and rule.
    """
    sessions: list[Session] = []
    try:
        with open(path, encoding="utf-8-sig") as lines:
            for row, line in enumerate(lines):
                if line.strip():
                    sessions.append(_session(line, row))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no JSON lines in UTF-8 ({error})") from error
    _distinct(sessions)
    return sessions


def write(sessions: Iterable[Session], path: str | Path) -> None:
    """Write checked sessions, one JSON object a line, as `read` takes them."""
    with open(path, "w", encoding="utf-8") as lines:
        for row, session in enumerate(sessions):
            check(session, row)
            lines.write(json.dumps(asdict(session), ensure_ascii=False) + "\n")


def _session(line: str, row: int) -> Session:
    """One line as a checked session."""
    try:
        record = json.loads(line, object_pairs_hook=distinct)
    except ValueError as error:
        raise InputError(f"no JSON object: {error}", column="session", row=row, value=line) from None
    if not isinstance(record, dict):
        raise InputError("a session is a JSON object", column="session", row=row, value=record)
    session = Session(
        annotator=_taken(record, "annotator", str, row),
        query_id=_taken(record, "query_id", str, row),
        persona=_taken(record, "persona", str, row),
        query=_taken(record, "query", str, row),
        contexts=tuple(_taken(record, "contexts", list, row)),
        summaries={label: _summary(value, row) for label, value in _taken(record, "summaries", dict, row).items()},
        matches=tuple(_match(value, row) for value in _taken(record, "matches", list, row)),
        seed=record.get("seed"),
    )
    check(session, row)
    return session


def _summary(record: Any, row: int) -> Summary:
    """One entry of a session's summaries."""
    return Summary(
        _taken(record, "text", str, row), _taken(record, "model", str, row), _taken(record, "personalised", bool, row)
    )


def _match(record: Any, row: int) -> Match:
    """One entry of a session's matches."""
    names = [_taken(record, key, str, row) for key in ("slot", "left", "right", "choice")]
    return Match(_taken(record, "round", int, row), *names)


def _taken(record: Any, key: str, kind: type, row: int) -> Any:
    """The value under `key`, of the type a session's format gives it."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(f"needs a {kind.__name__} under {key!r}", column=key, row=row, value=value)
    return value


def _distinct(sessions: list[Session]) -> None:
    """Refuse two sessions of one annotator and query."""
    seen: set[tuple[str, str]] = set()
    for session in sessions:
        if (session.annotator, session.query_id) in seen:
            raise InputError(f"session {session.name}, rule one_session_a_query: it occurs twice", column="query_id")
        seen.add((session.annotator, session.query_id))


def summaries_frame(sessions: Iterable[Session]) -> pl.DataFrame:
    """One row a summary, ready for scoring: annotator, query_id, label, model, personalised, summary, source, query,
    persona. The source is the session's contexts, a blank line between two."""
    rows = [
        (s.annotator, s.query_id, label, x.model, x.personalised, x.text, "\n\n".join(s.contexts), s.query, s.persona)
        for s in sessions
        for label, x in sorted(s.summaries.items())
    ]
    names = "annotator query_id label model personalised summary source query persona"
    kinds = {name: pl.Boolean if name == "personalised" else pl.String for name in names.split()}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def matches_frame(sessions: Iterable[Session]) -> pl.DataFrame:
    """One row a decision: annotator, query_id, slot, final, label, model and personalised of left and right, human.

    `human` is an Enum of left, right and neither; `match` numbers the rows.
    """
    rows = [_match_row(session, match) for session in sessions for match in session.matches]
    texts = ("annotator", "query_id", "slot", "left", "right", "model_left", "model_right")
    names = "annotator query_id slot final left right model_left model_right personalised_left personalised_right human"
    kinds = {name: pl.String if name in texts else pl.Boolean for name in names.split()} | {"human": pl.Enum(CHOICES)}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_row_index("match")


def _match_row(session: Session, match: Match) -> tuple[object, ...]:
    """The columns of `matches_frame` for one match."""
    left, right = session.summaries[match.left], session.summaries[match.right]
    place = (session.annotator, session.query_id, match.slot, match.slot == "final", match.left, match.right)
    return (*place, left.model, right.model, left.personalised, right.personalised, match.choice)
