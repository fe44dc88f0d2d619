"""Plain readings of the definitions of syntactic complexity, a sentence or tree at a time: oracles for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field

from nltk import Tree

MEASURES = ("W", "S", "VP", "C", "T", "DC", "CT", "CP", "CN")
SUBJECTS = {"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"}
CLAUSAL = {"ccomp", "advcl", "relcl", "acl", "csubj", "csubjpass", "pcomp"}
SLOTS = {"nsubj", "nsubjpass", "dobj", "pobj", "attr", "dative", "oprd", "npadvmod", "agent", "expl", "dep", "ROOT"}
FINITE = {"MD", "VBZ", "VBP", "VBD"}


@dataclass
class Token:
    """One token of a dependency parse, linked to its governor and dependents."""

    place: int
    text: str
    tag: str
    dep: str
    head: Token = field(init=False, repr=False)
    kids: list[Token] = field(default_factory=list, repr=False)

    @property
    def root(self) -> bool:
        return self.head is self

    @property
    def verb(self) -> bool:
        return self.tag.startswith("VB") or self.tag == "MD"

    @property
    def finite(self) -> bool:
        tags = {self.tag} | {kid.tag for kid in self.kids if kid.dep in ("aux", "auxpass")}
        return self.verb and bool(tags & FINITE)

    @property
    def to(self) -> bool:
        return any(kid.dep == "aux" and kid.tag == "TO" for kid in self.kids)

    @property
    def subject(self) -> bool:
        return any(kid.dep in SUBJECTS for kid in self.kids)

    @property
    def first(self) -> Token:
        return self.head.first if self.dep == "conj" and not self.root else self

    @property
    def imperative(self) -> bool:
        bare = self.tag == "VB" and not self.finite and not self.subject and not self.to
        return bare and (self.root or (self.dep == "conj" and self.first.root and not self.first.imperative))

    @property
    def clause(self) -> bool:
        if self.imperative:
            return True
        if self.dep in ("conj", "xcomp") and not self.root:
            return self.finite and self.subject
        return self.finite and (self.root or self.dep in CLAUSAL | {"parataxis"})

    def wh(self, tags: set[str]) -> bool:
        near = [kid for kid in self.kids if not (kid.verb and kid.dep in CLAUSAL)]
        return any(token.tag in tags for kid in near for token in (kid, *kid.kids))

    @property
    def fronted(self) -> bool:
        marked = any(kid.dep == "mark" for kid in self.kids)
        return (
            self.dep == "ccomp"
            and self.place < self.head.place
            and not marked
            and not self.wh({"WP", "WDT", "WP$", "WRB"})
        )

    @property
    def dependent(self) -> bool:
        base = self.first
        governed = not base.root and base.dep in CLAUSAL and not base.fronted
        return self.clause and self.finite and governed and (base is self or self.subject)

    def below(self) -> list[Token]:
        return [token for kid in self.kids for token in (kid, *kid.below())]


def dependency_counts(text: list[str], tag: list[str], dep: list[str], head: list[int]) -> dict[str, int]:
    """The nine counts of one sentence."""
    tokens = [Token(k, *labels) for k, labels in enumerate(zip(text, tag, dep, strict=True))]
    for token, governor in zip(tokens, head, strict=True):
        token.head = tokens[governor]
        if not token.root:
            token.head.kids.append(token)
    words = sum(any(character.isalnum() for character in word) for word in text)
    if not words:
        return dict.fromkeys(MEASURES, 0)
    clauses = [token for token in tokens if token.clause]
    units = [token for token in tokens if token.root or (token.clause and _unit(token, tokens))]
    dependent = [token for token in tokens if token.dependent]
    return {
        "W": words,
        "S": 1,
        "VP": sum(token.verb and (token.clause or _nonfinite(token)) for token in tokens),
        "C": len(clauses) or 1,
        "T": len(units),
        "DC": len(dependent),
        "CT": len({id(_owner(token, units)) for token in dependent}),
        "CP": len({id(first) for first in map(_coordination, tokens) if first}),
        "CN": sum(_nominal(token) or _clausal_nominal(token) for token in tokens),
    }


def _unit(token: Token, tokens: list[Token]) -> bool:
    if token.dep == "conj":
        return token.first.root
    between = tokens[token.place : token.head.place]
    parted = any(t.tag == ":" and t.text in (";", ":", "-", "--", "–", "—") for t in between)
    return token.head.root and token.subject and (token.dep == "parataxis" or (token.fronted and parted))


def _owner(token: Token, units: list[Token]) -> Token:
    return token if any(token is unit for unit in units) else _owner(token.head, units)


def _nonfinite(token: Token) -> bool:
    slots = {"xcomp", "advcl", "ccomp", "csubj", "csubjpass", "pcomp"}
    return not token.finite and (token.dep in slots or (token.dep == "acl" and token.to))


def _coordination(token: Token) -> Token | None:
    if token.dep != "cc" or not any(kid.dep == "conj" for kid in token.head.kids):
        return None
    first = token.head.first
    later = [t for t in first.below() if t.dep == "conj" and t.first is first]
    if first.verb:
        return None if any(t.subject for t in later) else first
    phrase = first.tag.startswith(("NN", "JJ", "RB")) or first.tag in ("PRP", "WP", "DT", "CD", "EX")
    return first if phrase else None


def _nominal(token: Token) -> bool:
    tagged = token.tag.startswith("NN") or token.tag in ("PRP", "WP", "DT", "CD", "EX")
    bare = token.tag in ("DT", "WP") and not token.kids
    labels = {"prep", "relcl", "acl", "ccomp", "xcomp", "appos"}
    inside = any(t.tag in ("JJ", "POS", "VBG") or t.dep in labels for t in token.below())
    return tagged and token.dep in SLOTS and not bare and inside


def _clausal_nominal(token: Token) -> bool:
    if token.dep in ("csubj", "csubjpass"):
        return token.finite or token.tag == "VBG" or token.to
    if token.dep in ("nsubj", "nsubjpass"):
        return token.tag == "VBG" and any(kid.dep in ("dobj", "advmod", "prep") for kid in token.kids)
    marks = [kid.text.lower() for kid in token.kids if kid.dep == "mark"]
    plain = all(mark in ("that", "for") for mark in marks) or token.wh({"WP", "WDT", "WP$"})
    return token.dep == "ccomp" and token.finite and token.place > token.head.place and plain


# Constituency trees ------------------------------------------------------------------------------------------------

CLAUSES = ("S", "SINV", "SQ")
HEADS = {  # Collins 1999, appendix A
    "VP": ["TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "AUX", "AUXG", "VP", "ADJP", "NN", "NNS", "NP"],
    "S": ["TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP"],
    "SINV": ["VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP"],
    "SQ": ["VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ"],
    "SBAR": ["WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR", "FRAG"],
}
PUNCTUATION = (".", ",", ":", "``", "''", "-LRB-", "-RRB-")


def head_child(node: Tree) -> Tree:
    """The head child by Collins's rules; moved before a coordinating conjunction."""
    labels = [child.label() for child in node]
    ranked = [labels.index(label) for label in HEADS.get(node.label(), ()) if label in labels]
    place = ranked[0] if ranked else 0
    if place >= 2 and labels[place - 1] in ("CC", "CONJP"):
        earlier = [k for k in range(place - 1) if labels[k] not in PUNCTUATION]
        place = earlier[-1] if earlier else place
    return node[place]


class Places:
    """A tree's nodes with their parents and sisters."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = [p for p in tree.treepositions() if isinstance(tree[p], Tree)]

    def label(self, place: tuple[int, ...]) -> str:
        return self.tree[place].label()

    def parent(self, place: tuple[int, ...]) -> str:
        return self.label(place[:-1]) if place else ""

    def sisters(self, place: tuple[int, ...]) -> tuple[list[str], list[str]]:
        """The labels of the sisters before and after a node."""
        labels = [child.label() for child in self.tree[place[:-1]]] if place else [self.label(place)]
        at = place[-1] if place else 0
        return labels[:at], labels[at + 1 :]

    def under(self, place: tuple[int, ...], wanted: list[tuple[int, ...]]) -> bool:
        return any(p[: len(place)] == place and len(p) > len(place) for p in wanted)

    def children(self, place: tuple[int, ...]) -> list[Tree]:
        node = self.tree[place]
        return [child for child in node if isinstance(child, Tree)]


def constituency_counts(bracketed: str) -> dict[str, int]:
    """The nine counts of one tree, its top labelled ROOT."""
    at = Places(Tree.fromstring(bracketed))
    clauses = [p for p in at.nodes if at.label(p) in CLAUSES and _finite_clause(at, p)]
    units = [p for p in at.nodes if at.label(p) in (*CLAUSES, "SBARQ") and _t_unit(at, p)]
    dependent = [p for p in at.nodes if at.label(p) == "SBAR" and any(c[:-1] == p and c for c in clauses)]
    fragments = [p for p in at.nodes if at.label(p) == "FRAG" and at.parent(p) == "ROOT"]
    return {
        "W": sum(any(character.isalnum() for character in leaf) for leaf in at.tree.leaves()),
        "S": 1,
        "VP": sum(_verb_phrase(at, p) for p in at.nodes),
        "C": len(clauses) + sum(not at.under(p, clauses) for p in fragments),
        "T": len(units) + sum(not at.under(p, units) for p in fragments),
        "DC": len(dependent),
        "CT": sum(at.under(p, dependent) for p in units),
        "CP": sum(
            at.label(p) in ("ADJP", "ADVP", "NP", "VP") and "CC" in [c.label() for c in at.children(p)]
            for p in at.nodes
        ),
        "CN": sum(_noun_phrase(at, p) or _nominal_bar(at, p) or _nominal_s(at, p) for p in at.nodes),
    }


def _finite_vp(node: Tree) -> bool:
    if node.label() != "VP" or not isinstance(node[0], Tree):
        return False
    parts = [c for c in node if c.label() == "VP" and isinstance(c[0], Tree) and head_child(c).label() in FINITE]
    return head_child(node).label() in FINITE or ("CC" in [c.label() for c in node] and bool(parts))


def _finite_clause(at: Places, place: tuple[int, ...]) -> bool:
    children = at.children(place)
    if not children:
        return False
    first = children[0]
    verb_first = first.label() == "VP" and isinstance(first[0], Tree) and head_child(first).label() == "VB"
    imperative = at.parent(place) == "ROOT" and verb_first
    return imperative or head_child(at.tree[place]).label() in FINITE or any(_finite_vp(child) for child in children)


def _t_unit(at: Places, place: tuple[int, ...]) -> bool:
    if at.parent(place) == "ROOT":
        return True
    above = {at.label(place[:k]) for k in range(len(place))}
    return bool(set(at.sisters(place)[0]) & {*CLAUSES, "SBARQ"}) and not above & {"SBAR", "VP"}


def _verb_phrase(at: Places, place: tuple[int, ...]) -> bool:
    before, after = at.sisters(place)
    inverted = at.label(place) in FINITE and at.parent(place) == "SQ" and "VP" not in before + after
    return inverted or (at.label(place) == "VP" and at.parent(place) in CLAUSES)


def _coordinate_phrase(at: Places, place: tuple[int, ...]) -> bool:
    return at.label(place) in ("ADJP", "ADVP", "NP", "VP") and "CC" in [child.label() for child in at.children(place)]


def _noun_phrase(at: Places, place: tuple[int, ...]) -> bool:
    if at.label(place) != "NP" or at.parent(place) == "NP":
        return False
    for p in at.nodes:
        if len(p) > len(place) and p[: len(place)] == place:
            after = at.sisters(p)[1]
            apposed = at.label(p) == "NP" and "NP" in after and after[0] != "CC"
            if apposed or at.label(p) in ("JJ", "POS", "PP", "S", "VBG"):
                return True
    return False


def _nominal_bar(at: Places, place: tuple[int, ...]) -> bool:
    children = at.children(place)
    if at.label(place) != "SBAR" or not children:
        return False
    head = head_child(at.tree[place])
    that_for = head.label() == "IN" and head[0] in ("that", "That", "for", "For")
    nominal = head.label() == "WHNP" or that_for or children[0].label() == "S"
    return nominal and (at.parent(place) == "VP" or at.sisters(place)[1][:1] == ["VP"])


def _nominal_s(at: Places, place: tuple[int, ...]) -> bool:
    phrases = [c for c in at.children(place) if c.label() == "VP" and isinstance(c[0], Tree)]
    headed = any(head_child(child).label() in ("VBG", "TO") for child in phrases)
    return at.label(place) == "S" and at.sisters(place)[1][:1] == ["VP"] and headed
