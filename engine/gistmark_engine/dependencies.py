"""What the counting of syntactic complexity knows of a token: one bit a property.

The labels are spaCy's English dependency labels (CLEAR scheme) and Penn part-of-speech tags. A token's bits are those
of its tag, its label and its text, put together. Nothing here needs numba.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# Of the text.
WORD = 1 << 0  # holds a letter or digit
COUNTED = 1 << 1  # counts as a word under the metric's word rule
SEPARATOR = 1 << 2  # a semicolon, colon or dash, if its tag is ":"
THAT_FOR = 1 << 3

# Of the tag.
VERB = 1 << 4
FINITE = 1 << 5
BASE_FORM = 1 << 6
GERUND = 1 << 7
TO = 1 << 8
NOMINAL = 1 << 9
BARE_EXCLUDED = 1 << 10  # no nominal without dependents
ADJ_ADV = 1 << 11
MODIFIER_TAG = 1 << 12
WH = 1 << 13
WH_PRONOUN = 1 << 14
COLON = 1 << 15

# Of the dependency label.
SUBJECT = 1 << 20
NOMINAL_SUBJECT = 1 << 21
CLAUSAL_SUBJECT = 1 << 22
CLAUSAL = 1 << 23
CCOMP = 1 << 24
PARATAXIS = 1 << 25
CONJ = 1 << 26
XCOMP = 1 << 27
ACL = 1 << 28
AUXILIARY = 1 << 29
MARK = 1 << 30
CC = 1 << 31
SLOT = 1 << 32  # where a nominal can be a complex one
NONFINITE_SLOT = 1 << 33  # where a non-finite verb makes a verb phrase
MODIFIER_LABEL = 1 << 34
COMPLEMENT = 1 << 35  # what makes a gerund subject a verb phrase

# Of a token's children, found by the kernel.
FINITE_AUXILIARY = 1 << 40
TO_AUXILIARY = 1 << 41
OTHER_MARK = 1 << 42  # a subordinator other than "that" and "for"
ANY_CHILD = 1 << 43


def _table(groups: Iterable[tuple[int, str]]) -> Mapping[str, int]:
    """Label → the bits of every group that lists it."""
    table: dict[str, int] = {}
    for bit, labels in groups:
        for label in labels.split():
            table[label] = table.get(label, 0) | bit
    return table


TAG_BITS = _table(
    (
        (VERB, "MD VB VBD VBG VBN VBP VBZ"),
        (FINITE, "MD VBZ VBP VBD"),
        (BASE_FORM, "VB"),
        (GERUND, "VBG"),
        (TO, "TO"),
        (NOMINAL, "NN NNS NNP NNPS PRP WP DT CD EX"),
        (BARE_EXCLUDED, "DT WP"),
        (ADJ_ADV, "JJ JJR JJS RB RBR RBS"),
        (MODIFIER_TAG, "JJ POS VBG"),
        (WH, "WP WDT WP$ WRB"),
        (WH_PRONOUN, "WP WDT WP$"),
        (COLON, ":"),
    )
)
LABEL_BITS = _table(
    (
        (SUBJECT, "nsubj nsubjpass csubj csubjpass expl"),
        (NOMINAL_SUBJECT, "nsubj nsubjpass"),
        (CLAUSAL_SUBJECT, "csubj csubjpass"),
        (CLAUSAL, "ccomp advcl relcl acl csubj csubjpass pcomp"),
        (CCOMP, "ccomp"),
        (PARATAXIS, "parataxis"),
        (CONJ, "conj"),
        (XCOMP, "xcomp"),
        (ACL, "acl"),
        (AUXILIARY, "aux auxpass"),
        (MARK, "mark"),
        (CC, "cc"),
        (SLOT, "nsubj nsubjpass dobj pobj attr dative oprd npadvmod agent expl dep ROOT"),
        (NONFINITE_SLOT, "xcomp advcl ccomp csubj csubjpass pcomp"),
        (MODIFIER_LABEL, "prep relcl acl ccomp xcomp appos"),
        (COMPLEMENT, "dobj advmod prep"),
    )
)
SEPARATORS = frozenset((";", ":", "--", "-", "–", "—"))


def text_bits(text: str) -> int:
    """The bits of a token's text."""
    word = WORD if any(character.isalnum() for character in text) else 0
    separator = SEPARATOR if text in SEPARATORS else 0
    return word | separator | (THAT_FOR if text.lower() in ("that", "for") else 0)
