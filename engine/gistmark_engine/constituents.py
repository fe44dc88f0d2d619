"""What the counting on constituency trees knows of labels and leaves. Nothing here needs numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_NAMES = (
    "OTHER ROOT S SINV SQ SBAR SBARQ FRAG VP NP ADJP ADVP PP WHNP WHPP WHADVP WHADJP UCP CONJP CC "
    "MD VB VBZ VBP VBD VBN VBG TO JJ POS IN DT NN NNS AUX AUXG PUNCTUATION"
)
LABELS = tuple(_NAMES.split())
CODES = {label: code for code, label in enumerate(LABELS)} | {"TOP": 1, "": 1}
CODES |= dict.fromkeys((".", ",", ":", "``", "''", "-LRB-", "-RRB-"), LABELS.index("PUNCTUATION"))

(OTHER, ROOT, S, SINV, SQ, SBAR, SBARQ, FRAG, VP, NP, ADJP, ADVP, PP, WHNP, WHPP, WHADVP, WHADJP, UCP) = range(18)
(CONJP, CC, MD, VB, VBZ, VBP, VBD, VBN, VBG, TO, JJ, POS, IN, DT, NN, NNS, AUX, AUXG, PUNCTUATION) = range(18, 37)

# Of a leaf's text.
COUNTED = 1
THAT_FOR = 2

LEFT, RIGHT = 0, 1

# Collins 1999, Head-Driven Statistical Models for Natural Language Parsing, appendix A: the categories whose head child
# the patterns ask for. Every other category is headed by its leftmost child here, which no pattern sees.
_RULES = {
    "VP": "TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP",
    "S": "TO IN VP S SBAR ADJP UCP NP",
    "SINV": "VBZ VBD VBP VB MD VP S SINV ADJP NP",
    "SQ": "VBZ VBD VBP VB MD VP SQ",
    "SBAR": "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG",
}


def head_rules() -> NDArray[np.int64]:
    """One row a label: `LEFT` or `RIGHT`, then the codes of its head's labels by priority, -1 behind the last."""
    out = np.full((len(LABELS), 1 + max(len(rule.split()) for rule in _RULES.values())), -1, np.int64)
    out[:, 0] = LEFT
    for label, rule in _RULES.items():
        codes = [CODES[name] for name in rule.split()]
        out[CODES[label], 1 : 1 + len(codes)] = codes
    return out
