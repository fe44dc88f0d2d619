"""Machine words: the few instructions that kernels need and Python does not name.

Addresses are int64. A load or store is unaligned and unchecked: whoever calls it owns the bytes.
"""

from __future__ import annotations

from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

BYTE = ir.IntType(8)
HALF = ir.IntType(32)
WORD = ir.IntType(64)
BLOCK = ir.VectorType(BYTE, 64)


@intrinsic
def load_word(typingctx, address):  # type: ignore[no-untyped-def]
    """The 8 bytes at `address` as a little-endian uint64."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        word = builder.load(builder.inttoptr(args[0], WORD.as_pointer()))
        word.align = 1
        return word

    return types.uint64(types.int64), codegen


@intrinsic
def store_word(typingctx, address, word):  # type: ignore[no-untyped-def]
    """Write a uint64 as the 8 little-endian bytes at `address`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        store = builder.store(args[1], builder.inttoptr(args[0], WORD.as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), codegen


@intrinsic
def load_half(typingctx, address):  # type: ignore[no-untyped-def]
    """The uint32 at `address` as int64."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        half = builder.load(builder.inttoptr(args[0], HALF.as_pointer()))
        half.align = 1
        return builder.zext(half, WORD)

    return types.int64(types.int64), codegen


@intrinsic
def store_half(typingctx, address, value):  # type: ignore[no-untyped-def]
    """Write the low 4 bytes of an int64."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        half = builder.trunc(args[1], HALF)
        store = builder.store(half, builder.inttoptr(args[0], HALF.as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def load_byte(typingctx, address):  # type: ignore[no-untyped-def]
    """The byte at `address` as uint64."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.zext(builder.load(builder.inttoptr(args[0], BYTE.as_pointer())), WORD)

    return types.uint64(types.int64), codegen


def has_compress() -> bool:
    """Whether the CPU that kernels are compiled for can pack the bytes of a block (AVX-512 VBMI2)."""
    return "+avx512vbmi2" in cpu_target.target_context.codegen().magic_tuple()[2]


@intrinsic
def store_bit_positions(typingctx, bits, first, address):  # type: ignore[no-untyped-def]
    """Write `first` + k as int64 for each set bit k, in order, at `address`: 16 of them or 64, whatever lies behind the
    last is arbitrary. Only where `has_compress()`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        bits, first, address = args
        lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), 64))
        kind = ir.FunctionType(BLOCK, [BLOCK, BLOCK, lanes.type])
        pack = cast(Any, cgutils).get_or_insert_function(builder.module, kind, "llvm.x86.avx512.mask.compress.v64i8")
        numbers = ir.Constant(BLOCK, [ir.Constant(BYTE, k) for k in range(64)])
        packed = builder.call(pack, [numbers, ir.Constant(BLOCK, None), lanes])
        _store_positions(builder, packed, first, address, range(0, 16, 8))
        many = builder.icmp_unsigned(">", builder.ctpop(bits), ir.Constant(WORD, 16))
        with builder.if_then(many, likely=False):
            _store_positions(builder, packed, first, address, range(16, 64, 8))
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64, types.int64), codegen


def _store_positions(builder: Any, packed: Any, first: Any, address: Any, places: range) -> None:
    """Widen eight bytes at a time to int64, add `first`, and store them."""
    wide = ir.VectorType(WORD, 8)
    base = builder.insert_element(ir.Constant(wide, None), first, ir.Constant(HALF, 0))
    base = builder.shuffle_vector(base, ir.Constant(wide, None), ir.Constant(ir.VectorType(HALF, 8), None))
    for place in places:
        chosen = ir.Constant(ir.VectorType(HALF, 8), [ir.Constant(HALF, place + k) for k in range(8)])
        eight = builder.zext(builder.shuffle_vector(packed, packed, chosen), wide)
        at = builder.add(address, ir.Constant(WORD, 8 * place))
        builder.store(builder.add(eight, base), builder.inttoptr(at, wide.as_pointer()), align=8)


@intrinsic
def trailing_zeros(typingctx, word):  # type: ignore[no-untyped-def]
    """Index of the lowest set bit of a uint64, 64 if there is none."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def leading_zeros(typingctx, word):  # type: ignore[no-untyped-def]
    """How many zeros stand above the highest set bit of a uint64, 64 if there is none."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def popcount(typingctx, word):  # type: ignore[no-untyped-def]
    """Number of set bits of a uint64."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


def _null(pointer: Any) -> Any:
    return ir.Constant(pointer.type, None)


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value with every array in it (tuples are looked into) rid of its owner."""
    if isinstance(kind, types.Array):
        array = cast(Any, cgutils).create_struct_proxy(kind)(context, builder, value=value)
        array.meminfo, array.parent = _null(array.meminfo), _null(array.parent)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for position, element in enumerate(cast(Any, kind).types):
            item = _without_owner(context, builder, element, builder.extract_value(value, position))
            value = builder.insert_value(value, item, position)
    return value


@intrinsic
def borrowed(typingctx, value):  # type: ignore[no-untyped-def]
    """The same arrays without reference counting, whose atomic operations would cost more than the loops they guard.

    For a function's own arguments only: its caller keeps them alive until it returns. Never return what was borrowed.
    """

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _without_owner(context, builder, signature.args[0], args[0])

    return value(value), codegen
