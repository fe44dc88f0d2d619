"""What a role's column may hold, and the engine's `Column` made of one that holds it."""

from __future__ import annotations

import pyarrow as pa

from gistmark_engine.columns import Column, Kind
from gistmark_engine.errors import InputError

_WANTED: dict[Kind, str] = {
    "text": "strings",
    "tokens": "lists of strings or integers",
    "sentences": "lists of strings",
}


def column(values: pa.Array | pa.ChunkedArray, name: str, role: str, kind: Kind = "text") -> Column:
    """`values` as the engine takes them; a column of nothing but nulls becomes one of null strings.

    Raises InputError, naming column and type, for a type the role cannot hold.
    """
    check_type(values.type, name, role, kind)
    wanted = _without_null(values.type, _empty_type(role, kind))
    return Column(values if wanted == values.type else values.cast(wanted), name, kind)


def check_type(found: pa.DataType, name: str, role: str, kind: Kind = "text") -> None:
    """Refuse a column whose Arrow type `found` cannot stand in `role` with values of `kind`."""
    if _accepts(found, role, kind):
        return
    wanted = _WANTED[kind] + (" (or a list of those, one a reference)" if role == "references" else "")
    problem = f"the {role} role takes {wanted}, not {spell_type(found)}"
    if kind == "text" and _is_list(found):
        problem += f"; mark texts already cut as gm.tokens({name!r}) or gm.sentences({name!r})"
    raise InputError(problem, column=name)


def spell_type(found: pa.DataType) -> str:
    """An Arrow type in a reader's words: `string`, `list of int64`, whatever the layout."""
    if pa.types.is_null(found):
        return "null"
    if is_text(found):
        return "string"
    return f"list of {spell_type(found.value_type)}" if _is_list(found) else str(found)


def is_text(found: pa.DataType) -> bool:
    """Whether values of this Arrow type are strings (or nothing but nulls)."""
    if pa.types.is_dictionary(found):
        return is_text(found.value_type)
    types = pa.types
    return bool(
        types.is_string(found) or types.is_large_string(found) or types.is_string_view(found) or types.is_null(found)
    )


def _is_list(found: pa.DataType) -> bool:
    return isinstance(
        found, pa.ListType | pa.LargeListType | pa.FixedSizeListType | pa.ListViewType | pa.LargeListViewType
    )


def _accepts(found: pa.DataType, role: str, kind: Kind) -> bool:
    """Whether the role takes this type: a text of `kind`, in the references role a list of them, a struct as persona."""
    if pa.types.is_null(found) or (role == "persona" and pa.types.is_struct(found)):
        return True
    if _accepts_one(found, kind):
        return True
    return role == "references" and _is_list(found) and _accepts_one(found.value_type, kind)


def _accepts_one(found: pa.DataType, kind: Kind) -> bool:
    """Whether one text of `kind` may have this type."""
    if kind == "text" or pa.types.is_null(found):
        return is_text(found)
    if not _is_list(found):
        return False
    return is_text(found.value_type) or (kind == "tokens" and pa.types.is_integer(found.value_type))


def _empty_type(role: str, kind: Kind) -> pa.DataType:
    """The type given to a column whose own type is null."""
    one = pa.string() if kind == "text" else pa.list_(pa.string())
    return pa.list_(one) if role == "references" and kind != "text" else one


def _without_null(found: pa.DataType, empty: pa.DataType) -> pa.DataType:
    """`found` with every null type in it replaced by what `empty` has in that place."""
    if pa.types.is_null(found):
        return empty
    if not _is_list(found):
        return found
    inner = _without_null(found.value_type, empty.value_type if _is_list(empty) else pa.string())
    return found if inner == found.value_type else pa.large_list(inner)
