"""Judge metrics through the engine: their numbers, their nulls with reasons, and what they share."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest

import gistmark as gm
from gistmark import judges
from gistmark.judges.contract import Conversation, Options, Reply, Token
from gistmark.judges.expected import expected_value
from gistmark.judges.facts import abstains
from gistmark.judges.factscore import length_factor, stated_truth
from gistmark.judges.pairwise import win_rates
from gistmark.judges.persona import weighted_mean
from gistmark.judges.template import load
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Batch, Metric
from gistmark_engine.plan import score_batch

READER = {"role": "nurse", "domain": "oncology", "information_needs": ["doses", "side effects"]}
Rule = Callable[[Conversation, Options], str | Reply]


def score(metric: Metric, **columns: object) -> dict[str, list[Any]]:
    batch = pa.table({name: pa.array(values) for name, values in columns.items()})
    scored = score_batch(batch, [metric])
    return {name: scored.column(name).to_pylist() for name in scored.schema.names}


def shown(conversation: Conversation, name: str) -> str:
    """The text a prompt shows under `name`, "" if it shows none."""
    found = re.search(rf"<({name}-\w+)>\n(.*?)\n</\1>", conversation[-1]["content"], re.DOTALL)
    return found[2] if found else ""


def by_rule(conversation: Conversation, options: Options) -> str:
    """A judge without a model: claims are sentences; support, relevance and coverage are words in common."""

    def common(line: str, text: str) -> bool:
        return bool(set(re.findall(r"\w{4,}", line.lower())) & set(re.findall(r"\w{4,}", text.lower())))

    asked = next(iter((options.schema or {})["properties"]))  # type: ignore[call-overload, index]
    if asked == "facts":
        parts = [part.strip() for part in shown(conversation, "summary").split(".") if part.strip()]
        return json.dumps({"facts": [{"id": number, "text": part} for number, part in enumerate(parts, 1)]})
    if asked == "requirements":
        needs = re.findall(r"^- (.*)$", shown(conversation, "persona"), re.MULTILINE)
        rows = [{"id": number, "text": need, "weight": 1 + number % 2} for number, need in enumerate(needs, 1)]
        return json.dumps({"requirements": rows})
    lines = {name: shown(conversation, name).splitlines() for name in ("facts", "nuggets", "requirements")}
    if asked == "decisions":
        rows = [
            {"id": n, "supported": line[3:] in shown(conversation, "source")}
            for n, line in enumerate(lines["facts"], 1)
        ]
        return json.dumps({"decisions": rows})
    if lines["nuggets"]:
        about = shown(conversation, "persona") + shown(conversation, "query")
        rows = [{"id": n, "relevance": int(common(line, about))} for n, line in enumerate(lines["nuggets"], 1)]
    else:
        text = shown(conversation, "summary")
        rows = [{"id": n, "coverage": 0.5 * common(line, text)} for n, line in enumerate(lines["requirements"], 1)]
    return json.dumps({"labels": rows})


def constant(reply: str | Reply) -> judges.Fake:
    return judges.Fake(lambda *_: reply)


# factscore


def test_factscore_golden() -> None:
    """Hand-checked: two of three facts supported; exp(1 - 10/3); the factor at and around gamma."""
    assert length_factor(3, 10) == pytest.approx(0.09697196786440505, abs=1e-15)
    assert [length_factor(n, 10) for n in (10, 11, 1)] == [1.0, 1.0, pytest.approx(0.00012340980408667956, abs=1e-18)]
    assert length_factor(3, 0) == 1.0
    metric = judges.factscore(judges.Fake(by_rule), cache=False)
    found = score(metric, summary=["The cat sat. It slept. It flew."], source=["The cat sat and It slept"])
    assert found["factscore"] == [0.6666666666666666]
    assert found["factscore_lp"] == [pytest.approx(0.06464797857627003, abs=1e-15)]
    assert (found["n_facts"], found["n_supported"], found["factscore_undecided"]) == ([3], [2], [0])
    assert found["factscore_facts"] == [["The cat sat", "It slept", "It flew"]]
    assert found["factscore_decisions"] == [["supported", "supported", "unsupported"]]
    assert found["factscore_status"] == ["ok"]


def test_f01_abstentions_are_null_and_counted() -> None:
    rows = ["I could not find information on that person.", "I'm sorry, I don't know."]
    found = score(judges.factscore(judges.Fake(by_rule), cache=False), summary=rows, source=["s", "s"])
    assert found["factscore"] == found["factscore_lp"] == [None, None]
    assert found["factscore_responded"] == [False, False]
    assert found["factscore_status"] == ["undefined", "undefined"]
    assert not any(map(abstains, ["Sorry states collapse.", "We do not see growth.", "I know."][1:]))


def test_factscore_nulls_have_reasons() -> None:
    backend = judges.Fake(by_rule)
    found = score(
        judges.factscore(backend, cache=False),
        summary=[None, "", " \n", "The cat sat.", "The cat sat.", "..."],
        source=["s", "s", "s", None, "", "s"],
    )
    assert found["factscore"] == [None] * 6
    assert found["factscore_status"] == [None, "empty_summary", "empty_summary", None, "empty_source", "undefined"]
    assert found["n_facts"] == [None] * 5 + [0]


def test_an_undecided_fact_enters_no_score() -> None:
    def rule(conversation: Conversation, options: Options) -> str:
        if "FACTS" not in conversation[-1]["content"]:
            return by_rule(conversation, options)
        return '{"decisions": [{"id": 1, "supported": true}, {"id": 2, "supported": "maybe"}]}'

    found = score(judges.factscore(judges.Fake(rule), cache=False), summary=["One cat. Two cats."], source=["One cat"])
    assert (found["factscore"], found["n_facts"], found["factscore_undecided"]) == ([1.0], [1], [1])
    assert found["factscore_decisions"] == [["supported", "undecided"]]
    assert found["factscore_status"] == ["repaired"]


@pytest.mark.parametrize("reply", ["no idea", '{"facts": 3}', Reply("", "refused"), Reply("", "error", "HTTP 500")])
def test_factscore_fails_loudly(reply: str | Reply) -> None:
    found = score(judges.factscore(constant(reply), cache=False), summary=["The cat sat."], source=["s"])
    assert (found["factscore"], found["n_facts"], found["factscore_status"]) == ([None], [None], ["failed"])
    assert found["factscore_responded"] == [None]


@pytest.mark.parametrize(
    ("reply", "truth"),
    [
        ("True", True),
        ("It is false.", False),
        ("Not false but true", True),
        ("True? No, false", False),
        ("I cannot tell", False),
        ("The source has no such information", False),
        ("Certainly", True),
        ("another", True),
    ],
)
def test_stated_truth_is_the_reference_rule(reply: str, truth: bool) -> None:
    assert stated_truth(reply) is truth


def test_factscore_in_parity_asks_about_every_fact() -> None:
    def rule(conversation: Conversation, options: Options) -> str:
        return by_rule(conversation, options) if options.schema else str(shown(conversation, "fact") == "One cat")

    backend = judges.Fake(rule)
    metric = judges.factscore(backend, parity="reference", gamma=0, cache=False)
    found = score(metric, summary=["One cat. Two cats."], source=["One cat"])
    assert (found["factscore"], found["factscore_lp"], backend.calls) == ([0.5], [0.5], 3)


def test_factscore_on_real_articles(shared: Path) -> None:
    """Sentences copied from an article are all supported by it; a system's summaries agree with a count made here."""
    table = pq.read_table(shared / "data" / "cnndm_summeval.parquet", columns=["source", "candidate"]).slice(0, 400)
    source, summary = table.column("source").to_pylist(), table.column("candidate").to_pylist()
    copied = [text[: max(text.find(". ", 200), 200)] for text in source]
    backend = judges.Fake(by_rule)
    found = score(judges.factscore(backend, cache=False), summary=copied, source=source)
    assert found["factscore"] == [1.0] * len(source)
    assert backend.calls == len(set(copied)) + len(set(zip(copied, source, strict=True)))
    found = score(judges.factscore(backend, cache=False), summary=summary, source=source)
    for row, (text, article) in enumerate(zip(summary, source, strict=True)):
        parts = [" ".join(part.split()) for part in text.split(".") if part.strip()]
        assert found["n_facts"][row] == len(parts)
        assert found["n_supported"][row] == sum(part in article for part in parts)
        assert found["factscore"][row] == found["n_supported"][row] / len(parts)


# persona


def test_persona_golden() -> None:
    """Hand-checked: 2.5/4; (1+0.5+0)/3; (1+0.5+0)/(1+1+2)."""
    assert weighted_mean(dict(enumerate([1, 1, 0, 0.5]))) == 0.625
    coverage = {1: 1, 2: 0.5, 3: 0}
    assert weighted_mean(coverage) == 0.5
    assert weighted_mean(coverage, {1: 1, 2: 1, 3: 2}) == 0.375
    assert weighted_mean({}) is None


def persona_reply(relevance: list[float], coverage: list[float], weights: list[int]) -> Rule:
    def rule(_: Conversation, options: Options) -> str:
        asked = json.dumps(options.schema)
        if '"facts"' in asked:
            return json.dumps({"facts": [{"id": n, "text": f"fact {n}"} for n in range(len(relevance))]})
        if '"requirements"' in asked:
            rows = [{"id": n, "text": f"need {n}", "weight": weight} for n, weight in enumerate(weights)]
            return json.dumps({"requirements": rows})
        name, values = ("relevance", relevance) if '"relevance"' in asked else ("coverage", coverage)
        return json.dumps({"labels": [{"id": n, name: value} for n, value in enumerate(values, 1)]})

    return rule


@pytest.mark.parametrize(
    ("weighted", "relevance", "coverage", "weights", "expected", "status"),
    [
        (False, [1, 1, 0, 0.5], [1, 0.5, 0], [1, 1, 2], (0.625, 0.5, 2 * 0.625 * 0.5 / 1.125), "ok"),
        (True, [1, 1, 0, 0.5], [1, 0.5, 0], [1, 1, 2], (0.625, 0.375, 2 * 0.625 * 0.375 / 1.0), "ok"),
        (False, [], [0, 0], [1, 1], (None, 0.0, None), "undefined"),
        (False, [1, 0], [], [], (0.5, None, None), "undefined"),
        (False, [0], [0], [3], (0.0, 0.0, 0.0), "ok"),
    ],
)
def test_persona_scores(
    weighted: bool,
    relevance: list[float],
    coverage: list[float],
    weights: list[int],
    expected: tuple[Any, ...],
    status: str,
) -> None:
    metric = judges.persona(judges.Fake(persona_reply(relevance, coverage, weights)), weighted=weighted, cache=False)
    found = score(metric, summary=["x"], source=["y"], persona=[READER], query=["q"])
    values = tuple(found[f"persona_{name}"][0] for name in ("precision", "recall", "f1"))
    assert values == tuple(value if value is None else pytest.approx(value, abs=1e-15) for value in expected)
    assert found["persona_status"] == [status]


def test_personas_as_struct_or_json_are_the_same() -> None:
    profile = {"expertise": "nurse", "research_area": "oncology", "use_case": "doses"}
    prompts: list[str] = []

    def rule(conversation: Conversation, options: Options) -> str:
        prompts.append(shown(conversation, "persona"))
        return by_rule(conversation, options)

    for personas in ([READER], [json.dumps(READER)], [profile]):
        score(judges.annotator(judges.Fake(rule), cache=False, retries=0), summary=["x"], persona=personas, query=["q"])
    assert prompts[0] == prompts[1] == "Role: nurse\nDomain: oncology\nInformation needs:\n- doses\n- side effects"
    assert prompts[2] == "Role: nurse\nDomain: oncology\nInformation needs:\n- doses"


def test_a_frame_with_structs_goes_through_the_face() -> None:
    frame = pl.DataFrame({"summary": ["a", "b"], "persona": [READER, None], "query": ["q", "q"]})
    backend = constant('{"satisfaction": 2}')
    scored = gm.score(frame, metrics=[judges.annotator(backend, cache=False)])
    assert scored["judge_annotator"].to_list() == [2.0, None]
    assert backend.calls == 1
    summary = gm.summarise(scored, [judges.annotator(backend, cache=False)])
    assert summary.filter(pl.col("field") == "judge_annotator")["n_null"].to_list() == [1]


def test_a_query_may_come_with_the_persona() -> None:
    queries: list[str] = []

    def rule(conversation: Conversation, _: Options) -> str:
        queries.append(shown(conversation, "query"))
        return '{"satisfaction": 3}'

    found = score(
        judges.annotator(judges.Fake(rule), cache=False),
        summary=["a", "b", "c", None, "e"],
        persona=[{**READER, "query": "from persona"}, {**READER, "query": None}, None, READER, {"query": "q"}],
    )
    assert queries == ["from persona"]
    assert found["judge_annotator"] == [3.0, None, None, None, None]
    assert found["judge_annotator_status"] == ["ok", "undefined", None, None, "undefined"]


@pytest.mark.parametrize("persona", ["{not json", "[1]", '"text"', '{"role": 5}', '{"information_needs": [3]}'])
def test_a_wrong_persona_is_named(persona: str) -> None:
    metric = judges.annotator(judges.Fake(), cache=False)
    with pytest.raises(InputError, match=r"metric 'annotator', column 'persona', row 1: .*found"):
        score(metric, summary=["a", "b"], persona=[json.dumps(READER), persona], query=["q", "q"])


# what is shared


def test_claims_and_requirements_are_asked_for_once(tmp_path: Path) -> None:
    backend, cache = judges.Fake(by_rule), tmp_path / "c.sqlite"
    systems = {"summary": ["Doses matter. The sky is blue.", "Doses rise."], "source": ["Doses matter"] * 2}
    score(judges.factscore(backend, cache=cache), **systems)
    assert backend.calls == 4
    metric = judges.persona(backend, cache=cache)
    found = score(metric, **systems, persona=[READER] * 2, query=["q"] * 2)
    assert backend.calls == 4 + 1 + 2 + 2
    assert found["persona_requirements"] == [["doses", "side effects"]] * 2
    assert found["persona_precision"] == [0.5, 1.0]
    assert found["persona_recall"] == [0.25, 0.25]
    assert metric.run.asker.counts["cached"] == 2  # type: ignore[attr-defined]


# judge


def test_judge_asks_one_question_a_row_or_one_a_dimension() -> None:
    for mode, calls in (("joint", 2), ("per_dimension", 12)):
        backend = judges.Fake()
        metric = judges.judge(backend, mode=mode, cache=False)  # type: ignore[arg-type]
        found = score(metric, summary=["a", "b"], source=["s", "s"])
        assert backend.calls == calls
        assert list(found)[:6] == [f"judge_{name}" for name in judges.judge(backend, cache=False).options["dimensions"]]  # type: ignore[attr-defined]
        assert all(1 <= value <= 5 for name in list(found)[:6] for value in found[name])


def test_judge_keeps_the_dimensions_it_could_read() -> None:
    reply = '{"relevance": 4, "consistency": 5, "fluency": 3, "coherence": "?", "informativeness": 9, "overall": 4}'
    found = score(judges.judge(constant(reply), cache=False), summary=["a"], source=["s"])
    assert [found[f"judge_{name}"][0] for name in ("relevance", "coherence", "informativeness")] == [4.0, None, None]
    assert found["judge_status"] == ["failed"]


def test_j17_failed_rows_are_null_not_zero() -> None:
    replies = {"a": '{"overall": 4}', "b": "?", "c": '{"overall": 2}'}
    backend = judges.Fake(lambda conversation, _: replies[shown(conversation, "summary")])
    metric = judges.judge(backend, dimensions=["overall"], cache=False)
    batch = pa.table({"summary": ["a", "b", "c"], "source": ["s"] * 3})
    values = score_batch(batch, [metric]).column("judge_overall")
    assert (pa.compute.mean(values).as_py(), len(values) - values.null_count, values.null_count) == (3.0, 2, 1)


def test_samples_are_averaged_if_half_can_be_read() -> None:
    def rule(_: Conversation, options: Options) -> str:
        sample = options.seed // 1000
        assert options.temperature == 1.0
        return f'{{"overall": {sample + 1}}}' if sample < 2 else "?"

    def judged(samples: int) -> tuple[float | None, str]:
        metric = judges.judge(judges.Fake(rule), dimensions=["overall"], samples=samples, retries=0, cache=False)
        found = score(metric, summary=["a"], source=["s"])
        return found["judge_overall"][0], found["judge_status"][0]

    assert judged(2) == (1.5, "ok")
    assert judged(4) == (1.5, "repaired")
    assert judged(5) == (None, "failed")


def test_expected_value_over_the_alternatives() -> None:
    spec = {"type": "integer", "minimum": 1, "maximum": 5}
    top = {"4": math.log(0.6), " 5": math.log(0.2), "nine": math.log(0.1), "7": math.log(0.1)}
    tokens = [
        Token('{"fluency": ', {}),
        Token("3", {"3": 0.0}),
        Token(', "overall":', {}),
        Token(" 4", top),
        Token("}", {}),
    ]
    assert expected_value(tokens, "overall", spec) == pytest.approx((4 * 0.6 + 5 * 0.2) / 0.8, abs=1e-12)
    assert expected_value(tokens, "fluency", spec) == 3.0
    assert expected_value([], "overall", spec) is None
    assert expected_value([Token("4", {"x": 0.0})], "overall", spec) is None
    reply = Reply('{"fluency": 3, "overall": 4}', scores=tuple(tokens))
    metric = judges.judge(constant(reply), dimensions=["overall"], expected=True, cache=False)
    found = score(metric, summary=["a"], source=["s"])
    assert found["judge_overall"] == [pytest.approx(4.25, abs=1e-12)]
    mute = judges.judge(constant('{"overall": 4}'), dimensions=["overall"], expected=True, cache=False)
    assert score(mute, summary=["a"], source=["s"])["judge_status"] == ["failed"]


def test_a_reference_is_shown_only_where_asked_for() -> None:
    prompts: list[str] = []

    def rule(conversation: Conversation, _: Options) -> str:
        prompts.append(shown(conversation, "reference"))
        return '{"overall": 4}'

    columns = {"summary": ["a"] * 3, "source": ["s"] * 3, "references": [[None, " ", "good"], None, []]}
    metric = judges.judge(judges.Fake(rule), dimensions=["overall"], reference=True, cache=False)
    assert score(metric, **columns)["judge_overall"] == [4.0] * 3
    assert prompts == ["good", ""]
    assert metric.optional == ("references",)
    assert "references" not in judges.judge(judges.Fake(), cache=False).inputs


OWN = """
id = "plain"
version = 3
inputs = ["summary", "query"]
reply = "pattern"
pattern = '(?m)^Clarity = (?P<clarity>.+)$|^Tone = (?P<tone>.+)$|^Safe = (?P<safe>.+)$'
reminder = "Write the three lines."
user = \"\"\"
{query}
{summary}
Write three lines: Clarity = 0 to 10, Tone = warm or cold, Safe = yes or no.
\"\"\"

[schema]
required = ["clarity", "tone", "safe"]
properties.clarity = {type = "number", minimum = 0, maximum = 10}
properties.tone = {type = "string", enum = ["warm", "cold"]}
properties.safe = {type = "boolean"}
"""


def test_criteria_scales_and_parsers_come_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    backend = constant("Clarity = 7.5\nTone = WARM\nSafe = yes")
    metric = judges.judge(backend, template=path, cache=False)
    assert metric.inputs == ("summary", "query")
    assert (metric.fields["judge_clarity"].high, metric.fields["judge_tone"].levels) == (10, ("warm", "cold"))
    found = score(metric, summary=["a"], query=["q"])
    assert (found["judge_clarity"], found["judge_tone"], found["judge_safe"]) == ([7.5], ["warm"], [True])
    assert "plain@3" in metric.signature
    path.write_text(OWN.replace("0 to 10", "0 to 10 please"))
    assert judges.judge(backend, template=path, cache=False).signature != metric.signature


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{query}", "{colour}", "colour"),
        ("{query}", "", "never places"),
        ('reply = "pattern"', 'reply = "prose"', "prose"),
        ("(?P<tone>", "(?P<hue>", "tone"),
        ("minimum = 0, ", "", "minimum"),
        ('type = "boolean"', 'type = "colour"', "colour"),
        ("version = 3", "", "version"),
        ("[schema]", "[schema", "own.toml"),
    ],
)
def test_a_wrong_template_says_what_is_wrong(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new))
    with pytest.raises(OptionError, match=problem):
        load(path)


def test_options_are_checked() -> None:
    fake = judges.Fake()
    for wrong in (
        lambda: judges.judge(fake, mode="both"),  # type: ignore[arg-type]
        lambda: judges.judge(fake, dimensions=["colour"]),
        lambda: judges.judge(fake, template="nowhere"),
        lambda: judges.judge(fake, template="support"),
        lambda: judges.judge(fake, model="m"),
        lambda: judges.judge("http://localhost:1/v1"),
        lambda: judges.judge(fake, samples=0),
        lambda: judges.factscore(fake, gamma=-1),
        lambda: judges.factscore(fake, parity="close"),  # type: ignore[arg-type]
        lambda: judges.annotator(fake, mode="triple"),  # type: ignore[arg-type]
        lambda: judges.prometheus(fake, form="xml"),  # type: ignore[arg-type]
    ):
        with pytest.raises(OptionError):
            wrong()


# prometheus, pairs


def test_prometheus_direct() -> None:
    seen: list[str] = []

    def rule(conversation: Conversation, _: Options) -> str:
        seen.append(conversation[-1]["content"])
        return "Feedback: good cover. [RESULT] 4"

    metric = judges.prometheus(judges.Fake(rule), cache=False)
    found = score(metric, summary=["a", ""], source=["s", "s"])
    assert found == {
        "prometheus_score": [4.0, None],
        "prometheus_feedback": ["good cover.", None],
        "prometheus_status": ["ok", "empty_summary"],
    }
    assert "Score 5: " in seen[0]
    assert shown([{"role": "user", "content": seen[0]}], "response") == "a"


@pytest.mark.parametrize(
    ("straight", "swapped", "choice", "position"),
    [
        ("A", "B", "A", False),
        ("B", "A", "B", False),
        ("A", "A", "Neither", True),
        ("B", "B", "Neither", True),
        ("A", "?", None, None),
    ],
)
@pytest.mark.parametrize("kind", ["prometheus", "annotator"])
def test_pairs_are_asked_in_both_orders(
    kind: str, straight: str, swapped: str, choice: str | None, position: bool | None
) -> None:
    def rule(conversation: Conversation, _: Options) -> str:
        first = shown(conversation, "response_a") or shown(conversation, "summary_a")
        said = straight if first == "mine" else swapped
        return f"[RESULT] {said}" if kind == "prometheus" else json.dumps({"choice": said})

    columns: dict[str, list[Any]] = {"summary": ["mine", "x", None], "rival": ["theirs", "", "y"]}
    if kind == "prometheus":
        found = score(judges.prometheus(judges.Fake(rule), mode="relative", source=False, cache=False), **columns)
    else:
        metric = judges.annotator(judges.Fake(rule), mode="pair", cache=False)
        found = score(metric, **columns, persona=[READER] * 3, query=["q"] * 3)
    name = kind if kind == "prometheus" else "judge_annotator"
    assert found[f"{name}_choice"] == [choice, None, None]
    assert found[f"{name}_first"] == [straight, None, None]
    assert found[f"{name}_position"] == [position, None, None]
    assert found[f"{name}_status"] == ["failed" if choice is None else "ok", "empty_summary", None]


def test_neither_is_an_answer_of_the_annotator() -> None:
    metric = judges.annotator(constant('{"choice": "neither"}'), mode="pair", cache=False)
    found = score(metric, summary=["a"], rival=["b"], persona=[READER], query=["q"])
    assert (found["judge_annotator_choice"], found["judge_annotator_position"]) == (["Neither"], [False])


def test_p03_win_rates_and_sign_test() -> None:
    rates = win_rates(7, 3, 5)
    assert rates == pytest.approx((0.6333333333333333, 0.7, 0.34375), abs=1e-12)
    for a in range(8):
        for b in range(8):
            expected = binomtest(a, a + b).pvalue if a + b else None
            assert win_rates(a, b, 1).p == (pytest.approx(expected, abs=1e-12) if a + b else None)
    assert win_rates(0, 0, 0) == (None, None, None)
    assert win_rates(0, 0, 3) == (0.5, None, None)


# jobs


def test_numbers_do_not_depend_on_the_batch() -> None:
    texts = {"summary": [f"Summary {number}." for number in range(12)], "source": ["A source."] * 12}
    metric = judges.judge(judges.Fake(), cache=False)
    whole = score(metric, **texts)
    parts = [score(metric, **{name: values[at : at + 5] for name, values in texts.items()}) for at in (0, 5, 10)]
    assert whole == {name: [value for part in parts for value in part[name]] for name in whole}
    assert score(metric, summary=pa.array([], pa.string()), source=pa.array([], pa.string()))["judge_overall"] == []


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_every_arrow_layout_of_text(kind: pa.DataType) -> None:
    texts = pa.array(["a", None, "b"]).cast(kind)
    found = score(judges.judge(judges.Fake(), cache=False), summary=texts, source=texts)
    assert found["judge_status"] == ["ok", None, "ok"]
    with pytest.raises(InputError, match="reads text in the role 'summary'"):
        score(judges.judge(judges.Fake(), cache=False), summary=[1], source=["s"])


def test_a_job_with_many_failures_says_so(caplog: pytest.LogCaptureFixture) -> None:
    metric = judges.judge(constant("?"), retries=0, cache=False)
    run: Any = metric.run
    run.open()
    score(metric, summary=["a", "b"], source=["s", "s"])
    run.close()
    assert run.failure_rate == 1.0
    assert dict(run.asker.counts) == {"calls": 2, "failed": 2}
    assert "100.0% of the questions have no answer" in caplog.text
    run.open()
    assert run.failure_rate == 0.0


def test_a_dry_run_counts_and_asks_nothing(tmp_path: Path) -> None:
    backend = judges.Fake(by_rule, model="dear")
    metric = judges.factscore(backend, cache=tmp_path / "c.sqlite", max_tokens=100)
    batch = Batch(3, {"summary": pa.array(["One cat.", "Two cats.", None]), "source": pa.array(["s"] * 3)})
    run: Any = metric.run
    plan = run.dry_run(batch)
    assert (plan.calls, plan.cached, backend.calls, plan.completion_tokens) == (4, 0, 0, 400)
    assert plan.prompt_tokens == pytest.approx(
        sum(len(part["content"]) for p in plan.prompts for part in p) / 3 * 2, rel=0.2
    )
    assert [shown(prompt, "summary") for prompt in plan.prompts] == ["One cat.", ""]
    assert run.asker.counts == {}
    score(metric, summary=["One cat."], source=["s"])
    after = run.dry_run(batch)
    assert (after.calls, after.cached) == (2, 2)
    assert sum(run.asker.cache.counts().values()) == 2


def test_a_budget_is_shared_between_metrics(tmp_path: Path) -> None:
    budget, backend = judges.Budget(calls=5), judges.Fake()
    texts = {"summary": ["a", "b", "c"], "source": ["s"] * 3}
    score(judges.judge(backend, budget=budget, cache=tmp_path / "c"), **texts)
    with pytest.raises(judges.BudgetError):
        score(judges.prometheus(backend, budget=budget, cache=tmp_path / "c"), **texts)
    assert backend.calls == 5


def test_every_judge_is_a_record_without_a_model_and_picklable_with_one() -> None:
    columns = {"summary": ["a"], "source": ["s"], "persona": [json.dumps(READER)], "query": ["q"], "rival": ["b"]}
    for factory in (judges.judge, judges.factscore, judges.persona, judges.annotator, judges.prometheus):
        record = factory()  # type: ignore[operator]
        assert "model:none" in record.signature
        with pytest.raises(OptionError, match="no model was named"):
            score(record, **columns)
        metric = factory(judges.Fake(), cache=False)  # type: ignore[operator]
        before = score(metric, **columns)
        assert score(pickle.loads(pickle.dumps(metric)), **columns) == before


def test_a_server_is_named_by_its_address() -> None:
    metric: Any = judges.judge("http://localhost:1/v1", model="small", cache=False)
    assert (metric.run.asker.backend.url, metric.run.asker.backend.model) == ("http://localhost:1/v1", "small")
    assert "localhost" not in metric.signature


def test_signatures_tell_what_changes_numbers() -> None:
    fake = judges.Fake()
    made = [
        judges.judge(fake, cache=False),
        judges.judge(fake, cache=False, seed=1),
        judges.judge(fake, cache=False, mode="per_dimension"),
        judges.judge(judges.Fake(model="other"), cache=False),
        judges.prometheus(fake, cache=False),
        judges.prometheus(fake, cache=False, rubric=judges.Rubric("c", ("1", "2", "3", "4", "5"))),
    ]
    assert len({metric.signature for metric in made}) == len(made)
    assert judges.judge(fake, cache="somewhere").signature == made[0].signature
    assert judges.judge(fake, cache=False, prefix="x_").columns.keys() == {"x_" + name for name in made[0].fields}


# rewrites


def test_rewrites_are_chains_and_a_broken_one_ends(tmp_path: Path) -> None:
    def rule(conversation: Conversation, _: Options) -> str:
        text = shown(conversation, "text")
        return "?" if text == "b more" else json.dumps({"text": f"{text} more"})

    backend = judges.Fake(rule)
    options: dict[str, Any] = {"levels": 3, "retries": 0, "cache": tmp_path / "c.sqlite", "seed": 4}
    links = judges.rewrite(backend, {"1": "a", "2": "b", "3": ""}, "lengthen", **options)
    texts = {name: [link["text"] for link in links if link["doc_id"] == name] for name in "123"}
    assert texts["1"] == ["a", "a more", "a more more", "a more more more"]
    assert texts["2"] == ["b", "b more", None, None]
    assert texts["3"] == ["", None, None, None]
    assert links[1] == {
        "doc_id": "1", "perturbation": "lengthen", "level": 1, "text": "a more", "generator": "fake", "seed": 4,
    }  # fmt: skip
    silent = judges.Fake(lambda *_: "?")
    assert judges.rewrite(silent, {"1": "a"}, "lengthen", **options) == links[:4]
    assert silent.calls == 0
    with pytest.raises(OptionError, match="sideways"):
        judges.rewrite(backend, {}, "sideways")  # type: ignore[arg-type]
