"""Eight numbers of several machine words side by side inside kernels: one lane for each order of n-gram.

A number is one or several words, lowest first, and word w of all eight is one vector, so that what is done to a number is
done to all eight at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 8
HALF, WORD = ir.IntType(32), ir.IntType(64)
VECTOR = ir.VectorType(WORD, LANES)
FLAGS = ir.VectorType(ir.IntType(1), LANES)


class Lanes(types.Type):
    """The numba type of eight numbers of `words` words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Lanes({words})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, ir.ArrayType(VECTOR, kind.words))  # type: ignore[no-untyped-call]


def _all(value: int) -> Any:
    """A vector with `value` in every lane."""
    return ir.Constant(VECTOR, [ir.Constant(WORD, value)] * LANES)


def _chosen(places: Sequence[int]) -> Any:
    return ir.Constant(ir.VectorType(HALF, LANES), [ir.Constant(HALF, place) for place in places])


def _spread(builder: Any, word: Any) -> Any:
    first = builder.insert_element(ir.Constant(VECTOR, None), word, ir.Constant(HALF, 0))
    return builder.shuffle_vector(first, ir.Constant(VECTOR, None), _chosen([0] * LANES))


def _vectors(builder: Any, numbers: Any) -> list[Any]:
    return [builder.extract_value(numbers, w) for w in range(numbers.type.count)]


def _numbers(builder: Any, vectors: Sequence[Any]) -> Any:
    numbers = ir.Constant(ir.ArrayType(VECTOR, len(vectors)), ir.Undefined)
    for w, vector in enumerate(vectors):
        numbers = builder.insert_value(numbers, vector, w)
    return numbers


@intrinsic(prefer_literal=True)
def no_bits(typingctx, words):  # type: ignore[no-untyped-def]
    """0 in every lane, as numbers of `words` words, a literal."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _numbers(builder, [_all(0)] * words.literal_value)

    return Lanes(words.literal_value)(words), codegen


@intrinsic
def all_bits(typingctx, like):  # type: ignore[no-untyped-def]
    """Every bit of every lane, as wide as `like`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _numbers(builder, [_all(-1)] * like.words)

    return like(like), codegen


@intrinsic
def grown(typingctx, numbers, address):  # type: ignore[no-untyped-def]
    """Each lane becomes the lane before it, doubled, and masked by the words at `address`; lane 0 becomes the mask."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        numbers, address = args
        order, after = _chosen([LANES, *range(LANES - 1)]), []
        lowest = ir.Constant(VECTOR, [ir.Constant(WORD, int(lane == 0)) for lane in range(LANES)])
        for w, vector in enumerate(_vectors(builder, numbers)):
            mask = builder.load(builder.inttoptr(builder.add(address, ir.Constant(WORD, 8 * w)), WORD.as_pointer()))
            before = builder.shuffle_vector(vector, _all(-1), order)
            doubled = builder.or_(builder.shl(before, _all(1)), lowest)
            after.append(builder.and_(doubled, _spread(builder, mask)))
            lowest = builder.lshr(before, _all(63))
        return _numbers(builder, after)

    return numbers(numbers, types.int64), codegen


@intrinsic
def claimed(typingctx, free, wanted):  # type: ignore[no-untyped-def]
    """`free` without the lowest bit of each lane that is both wanted and free, if there is one."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        free, wanted = _vectors(builder, args[0]), _vectors(builder, args[1])
        left, done = [], ir.Constant(FLAGS, None)
        for w in range(len(free)):
            found = builder.and_(free[w], wanted[w])
            lowest = builder.and_(found, builder.neg(found))
            left.append(builder.xor(free[w], builder.select(done, _all(0), lowest)))
            done = builder.or_(done, builder.icmp_unsigned("!=", found, _all(0)))
        return _numbers(builder, left)

    return free(free, wanted), codegen


@intrinsic
def put_zeros(typingctx, numbers, address):  # type: ignore[no-untyped-def]
    """Write how many bits of each lane are not set as eight int64 at `address`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(VECTOR, [VECTOR])
        ones = cast(Any, cgutils).get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{LANES}i64")
        total = _all(0)
        for vector in _vectors(builder, args[0]):
            total = builder.add(total, builder.call(ones, [builder.not_(vector)]))
        builder.store(total, builder.inttoptr(args[1], VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(numbers, types.int64), codegen


@intrinsic
def moved(typingctx, since, total, first, level):  # type: ignore[no-untyped-def]
    """(since, total), of one word, after the lanes from number `first` on have moved from their int64 in `since` to `level`,
    how far being added to `total`."""
    both = cast(Any, types).Tuple([since, total])

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        (since,), (total,) = _vectors(builder, args[0]), _vectors(builder, args[1])
        lane = ir.Constant(VECTOR, [ir.Constant(WORD, k) for k in range(LANES)])
        moves, level = builder.icmp_signed(">=", lane, _spread(builder, args[2])), _spread(builder, args[3])
        change = builder.sub(level, since)
        change = builder.select(builder.icmp_signed("<", change, _all(0)), builder.neg(change), change)
        total = builder.add(total, builder.select(moves, change, _all(0)))
        after = [builder.select(moves, level, since)], [total]
        return context.make_tuple(builder, both, [_numbers(builder, vectors) for vectors in after])

    return both(since, total, types.int64, types.int64), codegen


@intrinsic
def put_lanes(typingctx, numbers, address):  # type: ignore[no-untyped-def]
    """Write numbers of one word as eight int64 at `address`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        (vector,) = _vectors(builder, args[0])
        builder.store(vector, builder.inttoptr(args[1], VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(numbers, types.int64), codegen
