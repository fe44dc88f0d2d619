"""The sample that ships: SciTLDR's test papers, abstract setting."""

from pathlib import Path


def scitldr_sample() -> Path:
    """The Parquet file of 618 papers × three systems (lead1, oracle, title), 1,854 rows.

    Columns: corpus, doc_id, system, source (abstract), summary, references (list of 1 or more gold TLDRs, the
    author's first), human ("{}": this set has no human scores). Licence Apache-2.0; see data/README.md beside it.
    """
    return Path(__file__).parent / "data" / "scitldr_test.parquet"
