"""`gistmark study robustness`: its files, its table, its figures and what it refuses."""

from __future__ import annotations

import json
import re
import sys

import polars as pl
import pytest

from gistmark import judges
from gistmark.cli import main
from gistmark.studies.robustness import Settings, robustness
from gistmark.studies.robustness_table import markdown
from gistmark_datasets import scitldr_sample
from gistmark_engine.bootstrap import Bootstrap

SAMPLE = str(scitldr_sample())
COMMON = ["--metrics", "rouge", "--set", "rouge.types=1", "--sample", "6", "--levels", "3", "--replicates", "50"]


@pytest.fixture
def run(capsys):
    """Run the study; exit code, standard output, standard error."""

    def run_it(*arguments):
        code = main(["study", "robustness", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run_it


def test_the_command_writes_what_the_function_returns(run, tmp_path):
    code, table, _ = run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)
    assert code == 0
    settings = Settings(levels=3, sample=6, bootstrap=Bootstrap(50))
    import gistmark as gm

    study = robustness(pl.read_parquet(SAMPLE), [gm.metrics.rouge(types=("1",))], settings=settings)
    assert table == markdown(study) == (tmp_path / "table.md").read_text()
    for name in ("chains", "dropped", "scores", "responses", "statistics", "sensitivity", "overall", "curves"):
        assert pl.read_parquet(tmp_path / f"{name}.parquet").equals(getattr(study, name)), name
    assert run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)[1] == table


def test_the_table_says_what_the_numbers_are(run, tmp_path):
    _, table, _ = run(SAMPLE, *COMMON, "--no-figures", "--output", tmp_path)
    row = pl.read_parquet(tmp_path / "statistics.parquet").filter(field="rouge1_f1", perturbation="distractor")
    rho, share = row["spearman"].item(), row["monotonicity"].item()
    line = next(line for line in table.splitlines() if "| rouge1_f1 |" in line)
    assert re.search(rf"ρ {rho:.2f} \[.*\], M {share:.2f}: pass \|", line)
    assert "distractor (decrease)" in table
    assert "lengthen: by proxy, 6 documents." in table
    assert "incremental" not in table.split("##")[1].split("\n\n")[1] or "one_sentence" in table
    assert "rouge|multi:max" in table
    assert "ρ ≥ 0.5" in table


def test_figures_are_drawn_and_the_same_again(run, tmp_path):
    pytest.importorskip("matplotlib")
    pictures = []
    for name in ("one", "two"):
        assert run(SAMPLE, *COMMON, "--output", tmp_path / name)[0] == 0
        pictures.append({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.png")})
    assert pictures[0] == pictures[1]
    assert set(pictures[0]) == {"heatmap.png", "curves_rouge.png"}
    assert all(picture.startswith(b"\x89PNG") for picture in pictures[0].values())


def test_columns_are_renamed_and_a_glossary_is_read(run, tmp_path):
    pairs = pl.read_parquet(SAMPLE).rename({"summary": "candidate"}).with_columns(summary=pl.lit("not this"))
    pairs.write_parquet(tmp_path / "pairs.parquet")
    (tmp_path / "words.json").write_text(json.dumps({"learning": "teaching", "neural": "brain-like"}))
    done = run(
        tmp_path / "pairs.parquet", *COMMON, "--summary", "candidate", "--base", "system", "--split", "newline",
        "--perturbations", "audience", "--glossary", tmp_path / "words.json", "--no-figures", "--output", tmp_path / "out",
    )  # fmt: skip
    assert done[0] == 0, done[2]
    chains = pl.read_parquet(tmp_path / "out" / "chains.parquet")
    assert chains.height > 0
    assert "not this" not in chains["summary"].to_list()
    assert chains.filter(pl.col("level") > 0)["summary"].str.contains("eaching|rain-like").all()


SENTENCES = [f"Sentence {k} is about model {k % 3}." for k in range(9)]


def articles(name, folder):
    """Four made-up documents of a data set in its published form."""
    texts = [SENTENCES[k : k + 5] for k in range(4)]
    if name in ("arxiv", "pubmed"):
        path, kinds = folder / "test.txt", ("article_text", "abstract_text", "article_id")
    elif name == "scitldr":
        path, kinds = folder / "test.jsonl", ("source", "target", "paper_id")
    else:
        path, kinds = folder / "test.json", ("abstract", "summary", "id")
    rows = [
        {kinds[0]: text, kinds[1]: text[1:4] if name != "scitldr" else ["\n".join(text[1:4])], kinds[2]: str(k)}
        | {"sections": [text], "section_names": []}
        for k, text in enumerate(texts)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows) if name == "elife" else "\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("name", ["arxiv", "pubmed", "scitldr", "elife"])
def test_the_papers_corpora_are_read_by_their_loaders(run, tmp_path, name):
    path = articles(name, tmp_path / "data")
    code, table, error = run(path, "--dataset", name, *COMMON, "--no-figures", "--output", tmp_path / "out")
    assert (code, error) == (0, "")
    assert f"## {name}" in table
    statistics = pl.read_parquet(tmp_path / "out" / "statistics.parquet").filter(corpus=name, field="rouge1_f1")
    assert dict(statistics.select("perturbation", "documents").rows())["incremental"] == 4


def test_papers_without_summaries_have_the_default_metrics(run, tmp_path):
    path = articles("arxiv", tmp_path / "data")
    code, table, _ = run(path, "--dataset", "arxiv", "--replicates", 10, "--no-figures", "--output", tmp_path / "out")
    assert code == 0
    assert all(f"\n{name}: `{name}|" in table for name in ("rouge", "datastats", "abstraction"))


def test_a_model_on_a_server_rewrites(run, tmp_path, monkeypatch):
    asked = []

    def server(model, url):
        asked.append((model, url))
        return judges.Fake(lambda *_: json.dumps({"text": f"A rewritten text, {len(asked)}."}), model)

    monkeypatch.setattr("gistmark.judges.settings.OpenAI", server)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    where = ["--backend", "http://localhost:1/v1", "--model", "llama"]
    code, table, _ = run(SAMPLE, *COMMON, *where, "--no-figures", "--output", tmp_path / "out")
    assert code == 0
    assert set(asked) == {("llama", "http://localhost:1/v1")}
    assert "audience: by llama, 6 documents." in table
    assert "proxy" not in table
    lines = (tmp_path / "out" / "rewrites.jsonl").read_text()
    assert run(SAMPLE, *COMMON, *where, "--no-figures", "--output", tmp_path / "out")[1] == table
    again = run(
        SAMPLE, *COMMON, "--rewrites", tmp_path / "out" / "rewrites.jsonl", "--no-figures", "--output", tmp_path / "b"
    )
    assert again[1] == table
    assert lines.count("\n") == 6 * 3 * 4
    code, _, error = run(
        SAMPLE, *COMMON, *where, "--budget", "calls=2", "--seed", 9, "--no-figures", "--output", tmp_path / "c"
    )
    assert (code, "budget of 2 calls" in error) == (2, True)


def test_the_papers_correlations_stand_beside(run, tmp_path):
    code, table, _ = run(SAMPLE, *COMMON, "--against-paper", "--no-figures", "--output", tmp_path)
    assert code == 0
    lines = table[table.index("## Beside the paper") :].splitlines()
    found = pl.read_parquet(tmp_path / "statistics.parquet").filter(field="rouge1_f1", perturbation="lengthen")
    rho = found["spearman"].item()
    assert f"| scitldr_a_test | lengthen | rouge1_f1 | -1.00 | -1.00 | {rho:.2f} | {round(rho, 2) == -1} |" in lines
    assert not any("rouge1_p" in line or "distractor" in line for line in lines)


def test_an_extra_that_is_missing_is_missed_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("gistmark.studies.robustness.robustness", None)
    code, out, error = run(SAMPLE, *COMMON, "--output", tmp_path / "out")
    assert (code, out) == (2, "")
    assert error == "gistmark: drawing figures needs an extra: pip install 'gistmark[studies]'\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "http://x"], "--backend URL with --model NAME"),
        (["--model", "x"], "--backend URL with --model NAME"),
        (["--backend", "http://x", "--model", "m", "--rewrites", "f"], "--rewrites FILE, or from --backend URL"),
        (["--backend", "http://x", "--model", "m", "--budget", "9"], "--budget takes calls=N"),
        (["--perturbations", "shuffle"], "unknown perturbation 'shuffle'"),
        (["--perturbations", "audience"], "needs a glossary"),
        (["--rho-cut", "2"], "between 0 and 1"),
        (["--levels", "0"], "at least 1"),
        (["--metrics", "ruge"], "did you mean|rouge"),
        (["--summary", "candidat"], "no such column for the summary role"),
        (["--glossary", "absent.json"], "absent.json"),
        (["--rewrites", "absent.jsonl"], "absent.jsonl"),
    ],
)
def test_a_users_error_is_one_line(run, tmp_path, arguments, message):
    code, out, error = run(SAMPLE, "--sample", 3, *arguments, "--no-figures", "--output", tmp_path / "out")
    assert (code in (1, 2), out) == (True, "")
    assert re.search(message, error)
    assert error.count("\n") == 1
