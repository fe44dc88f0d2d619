"""What is done to texts before kernels read them: other libraries' tokenizers, stems of languages, normal forms and case.

The oracle is `rouge_score` itself, which takes a tokenizer object, and each library called directly.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from engine import arrow, row, same_bytes, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer, word_tokenize
from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import Tokenizer as TheirTokenizer

import gistmark as gm
from gistmark_engine.errors import InputError, MissingExtra, OptionError
from gistmark_engine.metrics.abstraction import abstraction
from gistmark_engine.metrics.datastats import datastats
from gistmark_engine.metrics.meteor import meteor
from gistmark_engine.metrics.rouge import rouge
from gistmark_engine.tokenizers import spacy_en
from gistmark_engine.tokenizers.snowball import LANGUAGES

pytestmark = pytest.mark.filterwarnings("ignore:.*no tokens under tokenizer:UserWarning")
spacy = pytest.importorskip("spacy", reason="the extra syntax is not installed")
sentencepiece = pytest.importorskip("sentencepiece", reason="the extra sentencepiece is not installed")
snowballstemmer = pytest.importorskip("snowballstemmer", reason="the extra stemmers is not installed")
ENGLISH, TREEBANK = spacy.blank("en"), NLTKWordTokenizer()
Cut = Callable[[str], list[str]]


def spacy_words(text: str) -> list[str]:
    return [token.text for token in ENGLISH(text)]


def german(text: str) -> list[str]:
    return snowballstemmer.stemmer("german").stemWords(text.lower().split())


CUTS: dict[str, tuple[dict[str, Any], Cut]] = {
    "spacy_en": ({"tokenizer": "spacy_en"}, spacy_words),
    "spacy_en_lower": ({"tokenizer": "spacy_en_lower"}, lambda text: [word.lower() for word in spacy_words(text)]),
    "nltk_word": ({"tokenizer": "nltk_word"}, TREEBANK.tokenize),
    "nltk_word_lower": (
        {"tokenizer": "nltk_word_lower"},
        lambda text: [word.lower() for word in TREEBANK.tokenize(text)],
    ),
    "german": ({"tokenizer": "whitespace_lower", "stem": "german"}, german),
    "spacy stems": (
        {"tokenizer": "spacy_en_lower", "stem": "english"},
        lambda text: snowballstemmer.stemmer("english").stemWords([word.lower() for word in spacy_words(text)]),
    ),
    "folded": (
        {"tokenizer": "whitespace", "normalize": "NFKC", "casefold": True},
        lambda text: unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split(),
    ),
    "NFC": ({"tokenizer": "whitespace", "normalize": "NFC"}, lambda text: unicodedata.normalize("NFC", text).split()),
    "casefold": ({"tokenizer": "whitespace", "casefold": True}, lambda text: text.casefold().split()),
}
every = pytest.mark.parametrize("name", CUTS)


class Cutting(TheirTokenizer):
    def __init__(self, cut: Cut) -> None:
        self.cut = cut

    def tokenize(self, text: str) -> list[str]:
        return self.cut(text)


def check(name: str, pairs: list[tuple[str, str]], types: tuple[str, ...]) -> None:
    options, cut = CUTS[name]
    summaries, references = [one for one, _ in pairs], [other for _, other in pairs]
    ours = scores(rouge(types, parity="reference", **options), summary=summaries, references=references)
    scorer = RougeScorer([f"rouge{kind}" for kind in types], tokenizer=Cutting(cut))
    for k, (summary, reference) in enumerate(pairs):
        wanted = scorer.score(reference, summary)
        for kind in types:
            found = tuple(ours[f"rouge{kind}_{part}"][k] for part in ("p", "r", "f1"))
            assert found == tuple(map(float, wanted[f"rouge{kind}"])), (kind, summary, reference)


@every
def test_rouge_score_with_the_same_tokens_on_real_texts(shared: Path, name: str) -> None:
    frame = pl.read_parquet(shared / "data" / "cnndm_summeval.parquet", columns=["candidate", "references"])[::60]
    check(name, [(candidate, references[0]) for candidate, references in frame.iter_rows()], ("1", "2", "L"))


@every
def test_lines_are_sentences(shared: Path, name: str) -> None:
    frame = pl.read_parquet(shared / "data" / "rouge155.texts.parquet", columns=["summary", "references"])[:25]
    pairs = [(summary, references[0]) for summary, references in frame.iter_rows()]
    assert all("\n" in text for pair in pairs for text in pair)
    check(name, [*pairs, ("a\n\nb", "b\n"), ("\n", "a")], ("Lsum",))


CURIOUS = "aAIßẞİΣςé\u0301ﬁ²Åµ '.,\"-\n\t\u00a0日\u1e9b\u0323don't"
TEXT = st.text(st.sampled_from(CURIOUS) | st.characters(exclude_categories=["Cs"]), max_size=30)


@every
@given(pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_rouge_score_with_the_same_tokens_on_any_text(name: str, pairs: list[tuple[str, str]]) -> None:
    check(name, pairs, ("1", "L"))


def test_folded_and_normalised_texts_are_equal() -> None:
    pair = {"summary": "İSTANBUL Straße ΣΊΣΥΦΟΣ ﬁne", "references": "i̇stanbul strasse σίσυφος fine"}
    assert row(rouge(("1",), tokenizer="unicode", normalize="NFKC", casefold=True), **pair)["rouge1_f1"] == 1.0
    assert row(rouge(("1",), tokenizer="unicode"), **pair)["rouge1_f1"] < 1.0


SOURCES = ["The houses were running.", "Häuser liefen. Das Haus läuft!", None, "", "A\nB"]
METRICS = [
    datastats(tokenizer="spacy_en_lower"),
    abstraction(tokenizer="unicode", stem="german"),
    rouge(("1", "Lsum"), tokenizer="spacy_en_lower", stem="english"),
    meteor(tokenizer="nltk_word_lower", casefold=True),
    datastats(tokenizer="character", normalize="NFC", prefix="character_"),
]


def test_batches_threads_and_company_change_nothing() -> None:
    rows = {
        "summary": pa.array(SOURCES * 5 + ["A house ran."] * 5),
        "references": pa.array([[one, None, "x"] for one in reversed(SOURCES * 6)]),
        "source": pa.array(["The house ran."] * 20 + SOURCES * 2),
    }
    whole = arrow(METRICS, **rows)
    assert same_bytes(arrow(METRICS, threads=3, **rows), whole)
    for metric in METRICS:
        alone = arrow(metric, **rows)
        assert same_bytes(alone, whole.select(alone.schema.names))
    for k in range(30):
        assert same_bytes(
            arrow(METRICS, **{role: values[k : k + 1] for role, values in rows.items()}), whole.slice(k, 1)
        )


def test_stems_in_every_metric() -> None:
    texts = {"summary": "Die Häuser brannten", "references": "das Haus brannte", "source": "das Haus brannte"}
    stemmed = scores([abstraction(stem="german"), datastats(stem="german")], **{k: [v] for k, v in texts.items()})
    assert (stemmed["c_s1"], stemmed["novel_1gram"]) == ([2 / 3], [1 / 3])
    assert row(rouge(("1",), stem="german", tokenizer="unicode"), **texts)["rouge1_f1"] == pytest.approx(2 / 3)
    assert row(abstraction(), **texts)["c_s1"] == 0.0


def test_sentence_lists_are_cut_one_by_one() -> None:
    words = pa.list_(pa.string())
    listed = pa.array([["He sat.", None, "It ran."]], words)
    ours = scores(rouge(("1", "Lsum"), tokenizer="spacy_en"), "sentences", summary=listed, references=listed)
    lines = scores(
        rouge(("Lsum",), tokenizer="spacy_en"), summary=["He sat.\nIt ran."], references=["It ran.\nHe sat."]
    )
    assert ours["rougeLsum_f1"] == lines["rougeLsum_f1"] == [1.0]
    assert ours["rouge1_p"] == [1.0]


def test_meteor_of_nltks_tokens(shared: Path) -> None:
    frame = pl.read_parquet(shared / "data" / "xsum_abstractionstudy.parquet", columns=["candidate", "references"])[
        ::40
    ]
    summaries, references = frame["candidate"].to_list(), [one[0] for one in frame["references"]]
    ours = scores(meteor(tokenizer="nltk_word_lower"), summary=summaries, references=references)["meteor"]
    nothing = type("NoSynonyms", (), {"synsets": staticmethod(lambda word: [])})
    for k, (summary, reference) in enumerate(zip(summaries, references, strict=True)):
        own, theirs = (word_tokenize(text, preserve_line=True) for text in (summary, reference))
        assert ours[k] == meteor_score([theirs], own, wordnet=nothing)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.model"
    texts = pl.read_parquet(shared / "data" / "lay_elife.parquet", columns=["source"])["source"].to_list()
    with path.open("wb") as out:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=out, vocab_size=500, model_type="bpe", minloglevel=2
        )
    return path


def test_pieces_of_a_model_in_any_metric(model: Path) -> None:
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
    pair = ("Proteins fold quickly. ", "The proteins unfold slowly.")
    metric = rouge(("1", "2"), tokenizer=f"spm:{model}")
    scorer = RougeScorer(
        ["rouge1", "rouge2"], tokenizer=Cutting(lambda text: pieces.encode(text.rstrip(), out_type=str))
    )
    wanted, ours = scorer.score(pair[1], pair[0]), row(metric, summary=pair[0], references=pair[1])
    assert [ours[f"rouge{n}_f1"] for n in (1, 2)] == [wanted[f"rouge{n}"].fmeasure for n in (1, 2)]
    assert f"|tok:spm:{model.name}@" in metric.signature
    assert metric.needs == "sentencepiece"
    length = row(datastats(tokenizer=f"spm:{model}"), summary=pair[0], source=pair[1])["summary_length"]
    assert length == len(pieces.encode(pair[0].rstrip()))


def test_text_that_is_no_utf8_is_named() -> None:
    broken = pa.StringArray.from_buffers(1, pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff"))
    with pytest.raises(InputError, match="column 'summary', row 0: the text is not UTF-8"):
        scores(rouge(tokenizer="spacy_en"), summary=broken, references=["a"])


@pytest.mark.parametrize("options", [{"stem": "german"}, {"normalize": "NFC"}, {"casefold": True}], ids=str)
def test_tokens_that_are_cut_already_are_not_rewritten(options: dict[str, Any]) -> None:
    words = pa.array([["a"]])
    with pytest.raises(OptionError, match="need text; these columns hold tokens that are cut already"):
        scores(rouge(**options), "tokens", summary=words, references=words)


def test_wrong_options_are_refused_when_the_metric_is_made() -> None:
    with pytest.raises(OptionError, match=r"stem must be True, False or one of .*german.*, not 'klingon'"):
        rouge(stem="klingon")
    with pytest.raises(OptionError, match="stem=True, Porter's, needs tokenizer 'rouge'"):
        datastats(stem=True)
    with pytest.raises(OptionError, match="rouge: normalize must be one of 'NFC', 'NFKC' or None, not 'NFX'"):
        rouge(normalize="NFX")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"there is none at '/no/such\.model'"):
        rouge(tokenizer="spm:/no/such.model")


@pytest.mark.parametrize(
    ("options", "extra"),
    [
        ({"tokenizer": "spacy_en"}, "syntax"),
        ({"tokenizer": "nltk_word"}, "nltk"),
        ({"tokenizer": f"spm:{__file__}"}, "sentencepiece"),
        ({"stem": "german"}, "stemmers"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], extra: str
) -> None:
    monkeypatch.setattr("gistmark_engine.tokenizers.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=rf"pip install 'gistmark\[{extra}\]'"):
        rouge(**options)  # type: ignore[arg-type]


def test_the_languages_known_without_the_package_are_its_own() -> None:
    assert set(LANGUAGES) >= set(snowballstemmer.algorithms())


def test_from_expressions_and_the_command_line(tmp_path: Path, cli: Callable[..., tuple[int, str, str]]) -> None:
    frame = pl.DataFrame({"summary": ["Die Häuser"], "references": [["das HAUS"]], "source": ["das Haus"]})
    options = {"stem": "german", "tokenizer": "unicode", "normalize": "NFKC", "casefold": True}
    assert frame.select(gm.rouge("summary", "references", **options).struct["rouge1_f1"]).item() == 0.5
    frame.write_parquet(tmp_path / "in.parquet")
    sets = [part for name, value in options.items() for part in ("--set", f"rouge.{name}={value}")]
    code, _, error = cli(
        "score", tmp_path / "in.parquet", "--metrics", "rouge,datastats", *sets, "--set", "datastats.tokenizer=spacy_en",
        "--output", tmp_path / "out.parquet",
    )  # fmt: skip
    assert code == 0, error
    assert pl.read_parquet(tmp_path / "out.parquet")["rouge1_f1"].item() == 0.5


def test_spacy_starts_anew_when_it_has_kept_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_en, "REMEMBERED", 0)
    before = spacy_en._english()
    assert spacy_en.cut(["It's here.", ""]) == [["It", "'s", "here", "."], []]
    assert spacy_en._english() is not before
