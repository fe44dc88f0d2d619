"""Unsigned integers of several machine words inside kernels: the bits of many places as one number.

`zero(words)` makes one, `load(like, address)` reads one of the same width; `&`, `|`, `^` and `+` work as on one
word, and the CPU's carry does the rest. Words lie in memory lowest first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
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


def _unary(act: Callable[[Any, Any], Any]) -> Any:
    """An intrinsic from a number to one of the same width."""

    @intrinsic
    def operation(typingctx, number):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return act(builder, args[0])

        return number(number), codegen

    return operation


lowest = _unary(lambda builder, number: builder.and_(number, builder.neg(number)))
complement = _unary(lambda builder, number: builder.not_(number))
doubled = _unary(lambda builder, number: builder.shl(number, ir.Constant(number.type, 1)))


@intrinsic
def words_in(typingctx, number):  # type: ignore[no-untyped-def]
    """How many words a number has."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return ir.Constant(WORD, number.words)

    return types.int64(number), codegen


@intrinsic
def ones(typingctx, number):  # type: ignore[no-untyped-def]
    """How many bits are set."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.trunc(builder.ctpop(args[0]), WORD)

    return types.int64(number), codegen


def _operator(symbol: Any, name: str) -> None:
    """Let a Python operator work on two numbers of one width."""

    @intrinsic
    def operation(typingctx, one, other):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return getattr(builder, name)(*args)

        return one(one, other), codegen

    @overload(symbol)
    def chosen(one, other):  # type: ignore[no-untyped-def]
        if isinstance(one, Wide) and one == other:
            return lambda one, other: operation(one, other)  # type: ignore[call-arg]
        return None


for _symbol, _name in (operator.and_, "and_"), (operator.or_, "or_"), (operator.xor, "xor"), (operator.add, "add"):
    _operator(_symbol, _name)
