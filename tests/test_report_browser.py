"""The report in a real browser: nothing in the console, nothing asked of the network, sorting and rows at work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browser import Browser, find

import gistmark as gm
from gistmark.report import page
from gistmark_datasets import scitldr_sample

HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>\u202e\u2066\x00"
ROW = "document.querySelectorAll('#table tbody tr')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find()
    if program is None:
        pytest.skip("no chromium is installed, so the report is not opened in a browser")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    frame = pl.read_parquet(scitldr_sample()).head(90)
    frame = gm.score(frame, ["rouge", "datastats", "abstraction"])
    unknown = pl.when(pl.int_range(pl.len()) % 10 == 4).then(None).otherwise(pl.col("rouge1_f1"))
    return frame.with_columns(rouge1_f1=unknown)


@pytest.fixture
def shown(browser: Browser, scored: pl.DataFrame, tmp_path: Path) -> Iterator[Browser]:
    """A fresh page of real rows; whatever a test does, the console stays silent and the network is left alone."""
    browser.size(1280, 900)
    open_page(browser, page(scored), tmp_path)
    yield browser
    assert browser.console == []
    assert browser.requests == [(tmp_path / "report.html").as_uri()]


def open_page(browser: Browser, text: str, folder: Path) -> None:
    (folder / "report.html").write_text(text, encoding="utf-8")
    browser.console.clear()
    browser.open(folder / "report.html")


def column(browser: Browser, name: str) -> list[str]:
    """The cells of a column as they stand in the table."""
    at = f"[...document.querySelectorAll('#table thead th')].findIndex((th) => th.dataset.name === '{name}')"
    found: list[str] = browser.run(
        f"(() => {{ const at = {at}; return [...{ROW}].map((tr) => tr.cells[at].textContent) }})()"
    )
    return found


def set_value(browser: Browser, field: str, value: str, event: str) -> None:
    browser.run(f"""(() => {{ const field = document.getElementById("{field}"); field.value = `{value}`;
        field.dispatchEvent(new Event("{event}")) }})()""")


def test_sorting_follows_the_numbers(shown: Browser, scored: pl.DataFrame) -> None:
    for descending in (True, False):
        shown.run("document.querySelector('th[data-name=rouge1_f1] button').click()")
        values = scored["rouge1_f1"].sort(descending=descending, nulls_last=True).head(25)
        assert column(shown, "rouge1_f1") == [f"{value:.4f}" for value in values]
        state = shown.run("document.querySelector('th[data-name=rouge1_f1]').getAttribute('aria-sort')")
        assert state == ("descending" if descending else "ascending")
        assert shown.run("document.activeElement.textContent").startswith("rouge1_f1")


def test_every_metric_can_be_sorted_by_and_nulls_come_last(shown: Browser, scored: pl.DataFrame) -> None:
    options = shown.run("[...document.querySelectorAll('#sort option')].map((option) => option.value)")
    assert {"rouge2_p", "density", "ar2", "summary_length"} <= set(options)
    set_value(shown, "sort", "density", "change")
    assert column(shown, "density")[0] == f"{scored['density'].max():.4f}" or scored["density"].max() >= 10
    set_value(shown, "sort", "rouge1_f1", "change")
    for _ in range(3):
        shown.run("document.getElementById('next').click()")
    missing = scored["rouge1_f1"].null_count()
    assert column(shown, "rouge1_f1")[-missing:] == ["–"] * missing
    assert shown.run("document.getElementById('next').disabled")
    assert shown.run("document.getElementById('place').textContent") == "76 to 90 of 90"


def test_rows_are_filtered_and_found(shown: Browser, scored: pl.DataFrame) -> None:
    set_value(shown, "filter", "group\ttitle", "change")
    assert shown.run("document.getElementById('place').textContent") == "1 to 25 of 30"
    set_value(shown, "filter", "", "change")
    word = "NETWORK"
    texts = scored.select(pl.concat_str("summary", "source", "doc_id", separator="\n").str.to_lowercase())
    count = texts.to_series().str.contains(word.lower(), literal=True).sum()
    set_value(shown, "find", word, "input")
    assert shown.run("document.getElementById('place').textContent").endswith(f"of {count}")
    set_value(shown, "find", "no text has this", "input")
    assert shown.run("document.getElementById('place').textContent") == "no such row"


def test_a_row_opens_with_its_texts_and_marks(shown: Browser, scored: pl.DataFrame) -> None:
    shown.run(f"{ROW}[2].click()")
    row = scored.row(2, named=True)
    assert shown.run("document.getElementById('view').open")
    assert shown.run("document.getElementById('view-source').textContent") == row["source"]
    assert shown.run("document.getElementById('view-summary').textContent") == row["summary"]
    assert (
        shown.run("[...document.querySelectorAll('#view-references .text')].map((e) => e.textContent)")
        == row["references"]
    )
    marked = shown.run("[...document.querySelectorAll('#view-summary mark')].map((mark) => mark.textContent).join(' ')")
    fresh = shown.run("[...document.querySelectorAll('#view-summary .new')].map((mark) => mark.textContent).join(' ')")
    assert all(word.lower() in row["source"].lower() for word in marked.split())
    assert fresh
    assert not any(word.lower() in row["source"].lower().split() for word in fresh.split())


def test_runs_light_up_together_and_keys_step_through_rows(shown: Browser) -> None:
    shown.run(f"{ROW}[0].querySelector('button').click()")
    shown.press("ArrowRight")
    assert shown.run("document.getElementById('view-title').textContent").startswith("Row 1,")
    shown.press("ArrowLeft")
    shown.run("document.querySelector('#view-summary mark[tabindex]').focus()")
    lit = shown.run("[...document.querySelectorAll('mark.lit')].map((mark) => mark.textContent)")
    assert len(lit) >= 2
    shown.press("ArrowRight")
    assert shown.run("document.getElementById('view-title').textContent").startswith("Row 1,")
    shown.press("ArrowLeft")
    assert shown.run("document.getElementById('view-before').disabled")
    shown.press("Escape")
    assert not shown.run("document.getElementById('view').open")


def test_another_summary_of_the_source_is_a_choice_away(shown: Browser) -> None:
    shown.run(f"{ROW}[0].click()")
    set_value(shown, ["view-others", "select"][0], "", "none")
    shown.run("""(() => { const choice = document.querySelector("#view-others select"); choice.value = "2";
        choice.dispatchEvent(new Event("change")) })()""")
    assert shown.run("document.getElementById('view-title').textContent").startswith("Row 2,")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_runs_over_the_edge(shown: Browser, width: int) -> None:
    shown.size(width, 900)
    assert shown.run("document.documentElement.scrollWidth <= innerWidth")
    shown.run(f"{ROW}[0].click()")
    assert shown.run("document.getElementById('view').getBoundingClientRect().right <= innerWidth")


def test_everything_has_a_name(shown: Browser) -> None:
    shown.run(f"{ROW}[0].click()")
    shown.run("document.getElementById('view').close()")
    nodes = shown.send("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "link", "textbox", "searchbox", "combobox", "checkbox", "image", "region", "dialog", "table")
    unnamed = [node for node in nodes if role(node) in roles and not node.get("name", {}).get("value")]
    assert [node for node in unnamed if not node.get("ignored") and role(node) != "table"] == []
    assert shown.run("document.documentElement.lang") == "en"
    ids = shown.run("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))


def role(node: dict[str, Any]) -> str:
    return str(node.get("role", {}).get("value"))


CONTRAST = """
(() => {
  const channels = (colour) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => { const a = top[3] / 255; return [0, 1, 2].map((k) => top[k] * a + below[k] * (1 - a)); };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.unshift(channels(getComputedStyle(e).backgroundColor));
    return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const bad = [];
  const seen = "p, th, td, a, button:not(:disabled), small, mark, li, caption, h1, h2, summary, .stack > span";
  for (const element of document.querySelectorAll(seen)) {
    if (!element.textContent.trim() || !element.getClientRects().length) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push([element.tagName, element.className, element.textContent.slice(0, 20), ratio]);
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(shown: Browser, dark: bool) -> None:
    shown.size(1280, 900, dark=dark)
    shown.run(f"{ROW}[0].click()")
    assert shown.run(CONTRAST) == []


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    pairs = pl.DataFrame({"summary": [HOSTILE] * 2, "source": [HOSTILE] * 2, "system": [HOSTILE, "b"]})
    frame = gm.score(pairs, ["datastats"]).with_columns(doc_id=pl.lit(HOSTILE), note=pl.lit(0.5))
    open_page(browser, page(frame.rename({"note": "<img src=x onerror='window.broken = 1'>"}), title=HOSTILE), tmp_path)
    browser.run(f"{ROW}[0].click()")
    assert browser.run("window.broken === undefined")
    assert browser.run("document.getElementById('view-summary').textContent") == HOSTILE
    assert browser.console == []
    assert browser.run("document.querySelectorAll('img').length") == 0


def test_a_page_of_studies_alone_opens(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    row = {"metric": "rouge1_f1", "human": "coherence", "level": "summary", "coefficient": "kendall", "value": 0.2}
    pl.DataFrame([row | {"low": 0.1, "high": 0.3, "n": 10}]).write_parquet(folder / "correlations.parquet")
    open_page(browser, page(None, [folder]), tmp_path)
    assert browser.run("document.querySelectorAll('svg circle').length") == 1
    assert browser.console == []
