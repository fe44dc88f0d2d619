"""Unsigned integers of several machine words inside kernels: the bits of many places as one number.

`zero(words)` makes one, `load(like, address)` reads one of the same width; `&`, `|`, `^` and `+` work as on one
word, and the CPU's carry does the rest. Words lie in memory lowest first.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

WORD = ir.IntType(64)


class Wide(types.Type):
    """The numba type of a number of `words` words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Wide({words})")


@register_model(Wide)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Wide) -> None:
        super().__init__(manager, kind, ir.IntType(64 * kind.words))  # type: ignore[no-untyped-call]


@intrinsic(prefer_literal=True)
def zero(typingctx, words):  # type: ignore[no-untyped-def]
    """0 as a number of `words` words, a literal."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return ir.Constant(context.get_value_type(signature.return_type), 0)

    return Wide(words.literal_value)(words), codegen


@intrinsic
def load(typingctx, like, address):  # type: ignore[no-untyped-def]
    """The number at `address`, as wide as `like`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        number = builder.load(builder.inttoptr(args[1], args[0].type.as_pointer()))
        number.align = 8
        return number

    return like(like, types.int64), codegen


@intrinsic
def store(typingctx, number, address):  # type: ignore[no-untyped-def]
    """Write a number to `address`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        builder.store(args[0], builder.inttoptr(args[1], args[0].type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(number, types.int64), codegen


@intrinsic
def complement(typingctx, number):  # type: ignore[no-untyped-def]
    """Every bit the other way round."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.not_(args[0])

    return number(number), codegen


@intrinsic
def words_in(typingctx, number):  # type: ignore[no-untyped-def]
    """How many words a number has."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return ir.Constant(WORD, number.words)

    return types.int64(number), codegen


@intrinsic
def zeros_below(typingctx, number, size):  # type: ignore[no-untyped-def]
    """How many of the lowest `size` bits, none to all, are clear."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        (number, size), kind = args, args[0].type
        above = builder.sub(ir.Constant(WORD, kind.width), size)
        above = above if kind == WORD else builder.zext(above, kind)
        clear = builder.and_(builder.not_(number), builder.lshr(ir.Constant(kind, -1), above))
        count = builder.ctpop(clear) if kind == WORD else builder.trunc(builder.ctpop(clear), WORD)
        return builder.select(builder.icmp_signed(">", size, ir.Constant(WORD, 0)), count, ir.Constant(WORD, 0))

    return types.int64(number, types.int64), codegen


def give_operators(kind: type, names: Mapping[Any, str]) -> None:
    """Let Python operators work on two numbers of one width of a type of Numba's, as LLVM's instructions of these names."""
    for symbol, name in names.items():
        _give_operator(kind, symbol, name)


def _give_operator(kind: type, symbol: Any, name: str) -> None:
    @intrinsic
    def operation(typingctx, one, other):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return getattr(builder, name)(*args)

        return one(one, other), codegen

    @overload(symbol)
    def chosen(one, other):  # type: ignore[no-untyped-def]
        if isinstance(one, kind) and one == other:
            return lambda one, other: operation(one, other)  # type: ignore[call-arg]
        return None


give_operators(Wide, {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor", operator.add: "add"})
