"""64 bytes of text at a time: which of them are of a kind, their case, and where two blocks differ.

A mask reads the 64 bytes at an address (int64) and answers one bit a byte, bit k for byte k; it compiles to the vector compare
of whatever CPU runs it. Loads and stores are unaligned and unchecked: whoever calls owns the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BYTE = ir.IntType(8)
WORD = ir.IntType(64)
BLOCK = ir.VectorType(BYTE, 64)


def _splat(value: int) -> Any:
    """A block with `value` in every byte."""
    return ir.Constant(BLOCK, [ir.Constant(BYTE, value)] * 64)


def _load_block(builder: Any, address: Any) -> Any:
    block = builder.load(builder.inttoptr(address, BLOCK.as_pointer()))
    block.align = 1
    return block


def _between(builder: Any, block: Any, low: int, high: int) -> Any:
    """Lanes whose byte lies in [low, high], by one subtraction and one unsigned comparison."""
    return builder.icmp_unsigned("<=", builder.sub(block, _splat(low)), _splat(high - low))


def _is_letter(builder: Any, block: Any) -> Any:
    return _between(builder, builder.or_(block, _splat(0x20)), ord("a"), ord("z"))


def _is_alnum(builder: Any, block: Any) -> Any:
    return builder.or_(_is_letter(builder, block), _is_digit(builder, block))


def _is_word(builder: Any, block: Any) -> Any:
    return builder.or_(_is_alnum(builder, block), builder.icmp_unsigned("==", block, _splat(ord("_"))))


def _is_space(builder: Any, block: Any) -> Any:
    """Python's `str.isspace` on ASCII: 9–13, 28–31 and 32."""
    return builder.or_(_between(builder, block, 9, 13), _between(builder, block, 28, 32))


def _is_high(builder: Any, block: Any) -> Any:
    return builder.icmp_unsigned(">=", block, _splat(0x80))


def _is_newline(builder: Any, block: Any) -> Any:
    return builder.icmp_unsigned("==", block, _splat(ord("\n")))


def _is_digit(builder: Any, block: Any) -> Any:
    return _between(builder, block, ord("0"), ord("9"))


def _is_hyphen(builder: Any, block: Any) -> Any:
    return builder.icmp_unsigned("==", block, _splat(ord("-")))


def _is_stop(builder: Any, block: Any) -> Any:
    """Commas and full stops."""
    comma = builder.icmp_unsigned("==", block, _splat(ord(",")))
    return builder.or_(comma, builder.icmp_unsigned("==", block, _splat(ord("."))))


def _is_mark(builder: Any, block: Any) -> Any:
    """ASCII punctuation but `'`, `,`, `-` and `.`."""
    lanes = builder.icmp_unsigned("==", block, _splat(ord("/")))
    for first, last in ("!", "&"), ("(", "+"), (":", "@"), ("[", "`"), ("{", "~"):
        lanes = builder.or_(lanes, _between(builder, block, ord(first), ord(last)))
    return lanes


def _opens_edit(builder: Any, block: Any) -> Any:
    """`&` and `<`."""
    entity = builder.icmp_unsigned("==", block, _splat(ord("&")))
    return builder.or_(entity, builder.icmp_unsigned("==", block, _splat(ord("<"))))


def _may_be_space(builder: Any, block: Any) -> Any:
    """Bytes C2, E1, E2 and E3, with one of which white space beyond ASCII begins."""
    lead = builder.icmp_unsigned("==", block, _splat(0xC2))
    return builder.or_(lead, _between(builder, block, 0xE1, 0xE3))


def _may_fold_to_ascii(builder: Any, block: Any) -> Any:
    """Bytes 0xC4 and 0x84, one of which occurs in U+0130 and in U+212A, the characters that lower to an ASCII letter."""
    return builder.or_(
        builder.icmp_unsigned("==", block, _splat(0xC4)), builder.icmp_unsigned("==", block, _splat(0x84))
    )


def _block_mask(lanes: Callable[[Any, Any], Any]) -> Any:
    """An intrinsic `mask(address) -> uint64` from a predicate on the lanes of a block."""

    @intrinsic
    def mask(typingctx, address):  # type: ignore[no-untyped-def]
        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return builder.bitcast(lanes(builder, _load_block(builder, args[0])), WORD)

        return types.uint64(types.int64), codegen

    return mask


alnum_mask = _block_mask(_is_alnum)
word_mask = _block_mask(_is_word)
space_mask = _block_mask(_is_space)
high_mask = _block_mask(_is_high)
newline_mask = _block_mask(_is_newline)
may_fold_mask = _block_mask(_may_fold_to_ascii)
digit_mask = _block_mask(_is_digit)
hyphen_mask = _block_mask(_is_hyphen)
stop_mask = _block_mask(_is_stop)
mark_mask = _block_mask(_is_mark)
edit_mask = _block_mask(_opens_edit)
may_be_space_mask = _block_mask(_may_be_space)


@intrinsic
def difference_mask(typingctx, one, other):  # type: ignore[no-untyped-def]
    """Which of the 64 bytes at two addresses differ."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        lanes = builder.icmp_unsigned("!=", _load_block(builder, args[0]), _load_block(builder, args[1]))
        return builder.bitcast(lanes, WORD)

    return types.uint64(types.int64, types.int64), codegen


@intrinsic
def copy_block(typingctx, source, target):  # type: ignore[no-untyped-def]
    """Copy the 64 bytes at `source` to `target`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        store = builder.store(_load_block(builder, args[0]), builder.inttoptr(args[1], BLOCK.as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def lower_block(typingctx, source, target):  # type: ignore[no-untyped-def]
    """Copy the 64 bytes at `source` to `target` with ASCII capitals lowered."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        block = _load_block(builder, args[0])
        capital = _between(builder, block, ord("A"), ord("Z"))
        lowered = builder.select(capital, builder.or_(block, _splat(0x20)), block)
        store = builder.store(lowered, builder.inttoptr(args[1], BLOCK.as_pointer()))
        store.align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen
