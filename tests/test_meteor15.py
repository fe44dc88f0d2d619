"""METEOR 1.5 against the released program: its scores kept as values, and runs made here."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from engine import arrow, row, scores
from program_meteor import folder, program_lines, program_scores

import gistmark as gm
from gistmark_datasets import scitldr_sample
from gistmark_engine.columns import Column
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.glossary import java_hash
from gistmark_engine.kernels.phrases import next_node
from gistmark_engine.metrics.meteor15 import STAGES, meteor15
from gistmark_engine.paraphrases import read_paraphrases
from gistmark_engine.plan import score_columns
from gistmark_engine.release import read_release
from gistmark_engine.snowball import stem_english
from gistmark_engine.tokenizers.meteor import ANYWHERE, BEFORE_NUMBERS, Normaliser

GOLDEN = json.loads((Path(__file__).parent / "data" / "meteor15.json").read_text())


@pytest.fixture(scope="module")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with the program's own jar and a few paraphrases made to overlap."""
    place = tmp_path_factory.mktemp("meteor")
    (place / "data").mkdir()
    (place / "meteor-1.5.jar").symlink_to(folder() / "meteor-1.5.jar")
    pairs = [line.split(" = ") for line in PARAPHRASES.strip().splitlines()]
    lines = "".join(f"0.1\n{source}\n{target}\n" for source, target in pairs)
    with gzip.open(place / "data" / "paraphrase-en.gz", "wt", encoding="utf-8") as file:
        file.write(lines)
    return place


PARAPHRASES = """
in order to = to
to = in order to
to = in order
cat = the cat
the cat = animal
cats = the cat
the cat sat = it sat down
sat down = sat
said = says that
a large number of people = many
many = a large number of people
many people = people
people = many people
big = very large
the = a
a = the
café = coffee house
"""


def test_kept_scores_of_the_program() -> None:
    """250 real rows: the same number in every bit, for all stages, without the slow one, and without any data."""
    pairs = pl.read_parquet(scitldr_sample())[GOLDEN["rows"]]
    assert pairs.height == 250
    found = gm.score(pairs, [meteor15()])["meteor15"].to_list()
    assert found == GOLDEN["no release"]
    for stages in ("exact,stem,synonym", "exact,stem,synonym,paraphrase"):
        found = gm.score(pairs, [meteor15(release=folder(), stages=stages.split(","))])["meteor15"].to_list()
        assert found == GOLDEN[stages]


@pytest.mark.parametrize("name", ["cnndm_summeval", "lay_elife", "xsum_abstractionstudy"])
def test_real_rows_equal_the_program_run_here(shared: Path, name: str) -> None:
    pairs = pl.read_parquet(shared / "data" / f"{name}.parquet").filter(pl.col("references").list.len() > 0)
    some = pairs.sample(min(80, pairs.height), seed=1).with_columns(references=pl.col("references").list.head(2))
    summaries, references = some["candidate"].to_list(), some["references"].to_list()
    found = scores(meteor15(release=folder(), stages=STAGES[:3]), summary=summaries, references=references)["meteor15"]
    assert found == program_scores(summaries, references, STAGES[:3])


VOCABULARY = """
the the a a cat cats dog car auto automobile doctor physician said says big large in order to to of . , U.S. 's running run
ran people person many number 10 % sat down it animal very that an c0 café coffee house Mr. No. 5 universities better well
"""


@pytest.mark.parametrize("stages", [STAGES, ("exact",), ("stem",), ("exact", "paraphrase"), ("synonym",)], ids=",".join)
def test_made_up_text_equals_the_program_run_here(small_release: Path, stages: tuple[str, ...]) -> None:
    """Few words, many ties, phrases that overlap: what the search prefers shows."""
    rng = random.Random(len(stages))
    words = VOCABULARY.split()

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 30)))

    summaries = [text() for _ in range(150)] + ["the cat " * 30]
    references = [[text() for _ in range(rng.randint(1, 3))] for _ in range(150)] + [["a cat the " * 25]]
    summaries += [many[0] for many in references[:5]]
    references += references[:5]
    table = str(small_release / "data" / "paraphrase-en.gz")
    wanted = program_scores(summaries, references, stages, "-a", table)
    metric = meteor15(release=small_release, stages=stages)
    assert scores(metric, summary=summaries, references=references)["meteor15"] == wanted


def test_tokens_equal_the_program_run_here() -> None:
    rng = random.Random(1)
    parts = [
        "a", "b.", "Mr.", "No.", "No", ".", "..", "...", "....", ",", "'", "''", "--", "-", "–", "“", "‘", "’", "`", "1",
        "12", "U.S.", "é", "日", "ß", "\u00a0", "\u2003", "\u3000", " ", " ", " ", "'s", "(", '"', "e.g.", "İ", "Σ", "\t",
        "1,000", "5'", "s", "DOTMULTI", "𝒜", "و", "А.", "ʼ", "%", "$1", "\\", "і", "٣", "\x0b", "\x1c",
    ]  # fmt: skip
    texts = ["".join(rng.choices(parts, k=rng.randint(1, 14))) for _ in range(3000)]
    texts += [text.replace("\n", " ") for text in pl.read_parquet(scitldr_sample())["source"].unique().sort()[:200]]
    normaliser = Normaliser(read_release(str(folder())).prefixes)
    printed = program_lines(texts, "edu.cmu.meteor.util.Normalizer", "en", "true")
    assert [normaliser.cut(text) for text in texts] == [re.findall("[^ \t\n\f\r]+", line.lower()) for line in printed]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('He said: "Hi, U.S. Mr. Smith', 'he said : " hi , us mr. smith'),
        ("it's 1,000 well-known...\" No. 5 dogs' e.g. (x)", 'it \'s 1,000 well known ... " no. 5 dogs \' eg ( x )'),
        ("90's a.b. etc. said... No. ok", "90 's ab etc. said ... no. ok"),
        ("No. Mr", "no . mr"), ("", ""), (" \n", ""), (".", "."), ("a.", "a ."), ("....", "...."),
    ],
)  # fmt: skip
def test_known_tokens(text: str, tokens: str) -> None:
    prefixes = {"Mr": ANYWHERE, "No": BEFORE_NUMBERS}
    assert " ".join(Normaliser(prefixes).cut(text)) == tokens


HEADS = "a b y by syz yy oy qu ee tr hop fil rat ceas control electr sens 19 aeiou xyx str agr gener commun arsen ' naïv proc"
MIDDLES = "- ess i y e at bl iz l s tt ion ement ment eed ll ate less ful og"
TAILS = """
- s es ies ied sses ed ing ingly edly eedly y er ement ent ion ational tional enci alli ogi logi bli fulli ousness ative
icate alize ness e ll able yed li lessli ' 's 's' us ss
"""


def test_stems_equal_the_program_run_here() -> None:
    made = {a + b + c for a in HEADS.split() for b in MIDDLES.split() for c in TAILS.split()}
    found = pl.read_parquet(scitldr_sample())["source"].str.to_lowercase().str.extract_all("[a-z0-9'-]+").explode()
    words = sorted({word.replace("-", "") for word in made} | set(found) - {""})
    assert [stem_english(word) for word in words] == [line.strip() for line in program_lines(words, "Stemmer", "en")]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("adding", "ad"), ("archaeologist", "archaeologist"), ("emergency", "emerg"), ("organized", "organ"),
        ("quantization", "quantiz"), ("sensationally", "sensat"), ("90m-rated", "90m-rate"), ("skies", "sky"),
        ("proceed", "proceed"), ("dogs'", "dog"), ("generously", "generous"), ("ties", "tie"), ("cries", "cri"), ("a", "a"),
    ],
)  # fmt: skip
def test_known_stems(word: str, stem: str) -> None:
    assert stem_english(word) == stem


def test_paraphrases_are_read_as_they_stand(tmp_path: Path) -> None:
    """More words and phrases than the tables begin with; walking the trie finds each list in the file's order."""
    rng = random.Random(0)
    words = [f"w{k}" + "x" * (k % 20) for k in range(6000)]
    pairs = [(" ".join(rng.choices(words, k=rng.randint(1, 4))), rng.choice(words)) for _ in range(9000)]
    pairs += [(rng.choice(words[:9]), " ".join(rng.choices(words[:9], k=2))) for _ in range(300)]
    path = tmp_path / "p.gz"
    with gzip.open(path, "wt") as file:
        file.write("".join(f"0.5\n{a}\n{b}\n" for a, b in pairs))
    phrases, numbers = read_paraphrases(str(path))

    def node(text: str) -> int:
        at = np.int64(0)
        for word in text.split():
            at = next_node(at, numbers[word.encode()], phrases)
            assert at > 0
        return int(at)

    listed: dict[str, list[int]] = {}
    for a, b in pairs:
        listed.setdefault(a, []).append(node(b))
    for a, targets in listed.items():
        at = node(a)
        assert phrases.targets[phrases.offsets[at] : phrases.offsets[at + 1]].tolist() == targets
    assert phrases.longest == 4


def test_words_of_one_hash_are_one_word() -> None:
    """Java's hash of a string, as the program compares them."""
    assert java_hash("an") == java_hash("c0") == 3117
    assert java_hash("synonym") == -1742128133
    assert row(meteor15(), summary="an", references="c0")["meteor15"] == 1.0


def test_null_and_empty() -> None:
    summary = ["a", None, "", "a", "a", "a", "a", " \n"]
    references = [["a"], ["a"], ["a"], [], None, ["", "a", None], [""], [""]]
    found = scores(meteor15(), summary=summary, references=pa.array(references, pa.list_(pa.string())))
    assert found["meteor15"] == [1.0, None, 0.0, None, None, 1.0, None, None]
    filled = ["ok", None, "empty_summary", "empty_reference", None, "ok", "empty_reference", "empty_reference"]
    assert found["meteor15_status"] == filled
    parity = scores(meteor15(parity="reference"), summary=["a", "", ""], references=[[""], [""], ["a"]])
    assert parity["meteor15"] == [0.0, 0.0, 0.0]


WORDS = pa.array([None, ["a", "b"]])
LISTS = pa.array([None, [["a"], ["b"]]])


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"summary": ("hyp", WORDS)}, ("hyp", "['a', 'b']")),
        ({"references": ("gold", LISTS)}, ("gold", "['a']")),
        ({"references": ("gold", pa.array([None, 7]))}, ("gold", "7")),
    ],
)
def test_what_is_no_text_is_named(columns: dict[str, tuple[str, pa.Array]], found: tuple[str, str]) -> None:
    texts = {"summary": ("hyp", pa.array(["a", "b"])), "references": ("gold", pa.array(["a", "b"]))} | columns
    given = {role: Column(values, name, "tokens") for role, (name, values) in texts.items()}
    problem = "this tokenizer cuts texts, not lists of tokens or sentences; join them, each text with spaces"
    place = f"metric 'meteor15', column {found[0]!r}, row 1: {problem}"
    with pytest.raises(InputError, match=re.escape(f"{place} (found {found[1]})")):
        score_columns(given, [meteor15()])


def test_rows_that_share_references() -> None:
    pairs = pl.read_parquet(scitldr_sample())[:60]
    whole = arrow(meteor15(), summary=pairs["summary"].to_arrow(), references=pairs["references"].to_arrow())
    for k in (0, 1, 17, 59):
        one = {"summary": [pairs["summary"][k]], "references": [pairs["references"][k].to_list()]}
        assert arrow(meteor15(), **one).to_pylist() == whole.slice(k, 1).to_pylist()


def test_options_and_signature(tmp_path: Path) -> None:
    assert meteor15().signature.startswith("meteor15|parity:none|release:none|stages:exact,stem|tok:meteor|")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"stages": ()}, "stages must be distinct ones"), ({"stages": ("exact", "exact")}, "stages must be distinct ones"),
        ({"stages": ("exact", "porter")}, "stages must be"), ({"stages": ("exact", "synonym")}, "'synonym' needs release="),
        ({"release": tmp_path}, "there is no data/paraphrase-en.gz"), ({"parity": "nltk"}, "parity must be"),
        ({"release": tmp_path, "stages": ("exact",)}, "holds no meteor-1.5.jar"),
    ]  # fmt: skip
    for options, message in cases:
        with pytest.raises(OptionError, match=message):
            meteor15(**options)
    (tmp_path / "meteor-1.5.jar").write_bytes(b"no archive")
    with pytest.raises(OptionError, match=r"holds no meteor-1\.5\.jar"):
        meteor15(release=tmp_path, stages=("exact",))


def test_a_release_is_named_in_the_signature_and_a_broken_table_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "meteor-1.5.jar").symlink_to(folder() / "meteor-1.5.jar")
    (tmp_path / "data" / "paraphrase-en.gz").write_bytes(b"no gzip")
    metric = meteor15(release=tmp_path)
    assert "release:1.5@" in metric.signature
    assert "stages:exact,stem,synonym,paraphrase" in metric.signature
    with pytest.raises(OptionError, match=r"the paraphrases .* cannot be read"):
        row(metric, summary="a", references="a")
