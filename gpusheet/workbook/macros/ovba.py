"""The compression of sources in a VBA project (Microsoft's MS-OVBA, 2.4.1)."""

from __future__ import annotations

import struct

from gpusheet.errors import GpusheetError

CHUNK = 4096
_SIGNATURE, _COMPRESSED = 0x3000, 0x8000


def compress(data: bytes) -> bytes:
    """Text as a project keeps it.

    >>> compress(b"abcabcabcabc")
    b'\\x01\\x05\\xb0\\x08abc\\x06 '
    >>> decompress(compress(b"Public Function " * 1000)) == b"Public Function " * 1000
    True
    """
    chunks = (_chunk(data[first : first + CHUNK]) for first in range(0, len(data), CHUNK))
    return b"\x01" + b"".join(chunks)


def _chunk(data: bytes) -> bytes:
    out = bytearray()
    seen: dict[bytes, int] = {}  # where three bytes stood last
    place = 0
    while place < len(data):
        flags, tokens = 0, bytearray()
        for bit in range(8):
            if place == len(data):
                break
            length = 0
            start = seen.get(data[place : place + 3])
            if start is not None:
                offset_bits = _offset_bits(place)
                most = min(len(data) - place, (0xFFFF >> offset_bits) + 3)
                while length < most and data[start + length] == data[place + length]:
                    length += 1
            step = length if length >= 3 else 1
            if length >= 3 and start is not None:
                flags |= 1 << bit
                tokens += struct.pack("<H", (place - start - 1) << (16 - offset_bits) | length - 3)
            else:
                tokens.append(data[place])
            for passed in range(place, min(place + step, len(data) - 2)):
                seen[data[passed : passed + 3]] = passed
            place += step
        out.append(flags)
        out += tokens
    if len(out) > CHUNK:
        if len(data) < CHUNK:
            raise GpusheetError("this source cannot be packed: it is no text")
        return struct.pack("<H", CHUNK - 1 | _SIGNATURE) + data
    return struct.pack("<H", len(out) - 1 | _SIGNATURE | _COMPRESSED) + bytes(out)


def _offset_bits(place: int) -> int:
    """How many bits of a token say how far back to copy from."""
    return max(4, (place - 1).bit_length())


def decompress(data: bytes) -> bytes:
    """The text of what a project keeps.

    >>> decompress(b"\\x01\\x05\\xb0\\x08abc\\x06 ")
    b'abcabcabcabc'
    """
    if data[:1] != b"\x01":
        raise GpusheetError("this is no source of a VBA project; take a fresh copy of the workbook")
    out = bytearray()
    place = 1
    while place < len(data):
        (header,) = struct.unpack_from("<H", data, place)
        end = place + (header & 0x0FFF) + 3
        if header & _COMPRESSED:
            _unpack(data, place + 2, min(end, len(data)), out)
        else:
            out += data[place + 2 : end]
        place = end
    return bytes(out)


def _unpack(data: bytes, place: int, end: int, out: bytearray) -> None:
    first = len(out)
    while place < end:
        flags = data[place]
        place += 1
        for bit in range(8):
            if place >= end:
                break
            if not flags >> bit & 1:
                out.append(data[place])
                place += 1
                continue
            (token,) = struct.unpack_from("<H", data, place)
            place += 2
            length_bits = 16 - _offset_bits(len(out) - first)
            start = len(out) - (token >> length_bits) - 1
            for step in range((token & (1 << length_bits) - 1) + 3):
                out.append(out[start + step])
