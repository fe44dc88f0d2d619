"""Sets of places inside kernels: a bit a place, in one machine word or in a vector of several.

A set is as wide as a number of `gistmark_engine.wide`: `no_bits(like)` makes an empty one, `bits_at(like, address)` reads one;
`&` and `|` work as on one word. Numbers are for what carries from word to word, sets for all else: a vector does it at once.
"""

from __future__ import annotations

import operator
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from gistmark_engine.wide import give_operators

HALF, WORD = ir.IntType(32), ir.IntType(64)


class Bits(types.Type):
    """The numba type of sets of `words` words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Bits({words})")


@register_model(Bits)
class _BitsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Bits) -> None:
        super().__init__(manager, kind, WORD if kind.words == 1 else ir.VectorType(WORD, kind.words))  # type: ignore[no-untyped-call]


def _all(kind: Any, value: int) -> Any:
    """A constant with `value` in every word."""
    return ir.Constant(kind, value if kind == WORD else [ir.Constant(WORD, value)] * kind.count)


def _call(builder: Any, name: str, returned: Any, *args: Any) -> Any:
    """The result of one of LLVM's own functions."""
    kind = ir.FunctionType(returned, [arg.type for arg in args])
    return builder.call(cast(Any, cgutils).get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def no_bits(typingctx, like):  # type: ignore[no-untyped-def]
    """The empty set, as wide as the number `like`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _all(context.get_value_type(signature.return_type), 0)

    return Bits(like.words)(like), codegen


@intrinsic
def bits_at(typingctx, like, address):  # type: ignore[no-untyped-def]
    """The set at `address`, as wide as the number `like`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = context.get_value_type(signature.return_type)
        return builder.load(builder.inttoptr(args[1], kind.as_pointer()), align=8)

    return Bits(like.words)(like, types.int64), codegen


@intrinsic
def without(typingctx, bits, other):  # type: ignore[no-untyped-def]
    """The places of one set that another lacks."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.and_(args[0], builder.not_(args[1]))

    return bits(bits, bits), codegen


@intrinsic
def next_places(typingctx, bits):  # type: ignore[no-untyped-def]
    """Every place moved one on; what leaves the last word is lost."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = args[0].type
        if kind == WORD:
            return builder.shl(args[0], ir.Constant(WORD, 1))
        order = [ir.Constant(HALF, lane) for lane in (kind.count, *range(kind.count - 1))]
        before = builder.shuffle_vector(args[0], _all(kind, 0), ir.Constant(ir.VectorType(HALF, kind.count), order))
        return _call(builder, f"llvm.fshl.v{kind.count}i64", kind, args[0], before, _all(kind, 1))

    return bits(bits), codegen


@intrinsic
def lowest_place(typingctx, bits):  # type: ignore[no-untyped-def]
    """The set of the lowest place alone, the empty set of the empty one."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind, lowest = args[0].type, builder.and_(args[0], builder.neg(args[0]))
        if kind == WORD:
            return lowest
        filled = builder.icmp_unsigned("!=", args[0], _all(kind, 0))
        lanes = builder.bitcast(filled, ir.IntType(kind.count))
        first = builder.bitcast(builder.and_(lanes, builder.neg(lanes)), filled.type)
        return builder.select(first, lowest, _all(kind, 0))

    return bits(bits), codegen


@intrinsic
def count_places(typingctx, bits):  # type: ignore[no-untyped-def]
    """How many places a set has."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = args[0].type
        if kind == WORD:
            return builder.ctpop(args[0])
        counts = _call(builder, f"llvm.ctpop.v{kind.count}i64", kind, args[0])
        return _call(builder, f"llvm.vector.reduce.add.v{kind.count}i64", WORD, counts)

    return types.int64(bits), codegen


@intrinsic
def any_place(typingctx, bits):  # type: ignore[no-untyped-def]
    """1 if a set has a place, 0 if it is empty."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = args[0].type
        filled = builder.icmp_unsigned("!=", args[0], _all(kind, 0))
        if kind == WORD:
            return builder.zext(filled, WORD)
        lanes = builder.bitcast(filled, ir.IntType(kind.count))
        return builder.zext(builder.icmp_unsigned("!=", lanes, ir.Constant(lanes.type, 0)), WORD)

    return types.int64(bits), codegen


give_operators(Bits, {operator.and_: "and_", operator.or_: "or_"})
