"""What is in a cubin, which is an ELF file of 64 bits: how many instructions each kernel has."""

import struct

# Of all GPUs since sm_70.
_INSTRUCTION_BYTES = 16

_TEXT = ".text."


def _text_at(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


def instructions(cubin: bytes) -> dict[str, int]:
    """The instructions of each kernel by its name, with those that only fill up its last 128 bytes."""
    sections_at = struct.unpack_from("<Q", cubin, 0x28)[0]
    entry_size, count, names_index = struct.unpack_from("<HHH", cubin, 0x3A)
    # Of each: name, type, flags, address, offset, size.
    sections = [struct.unpack_from("<IIQQQQ", cubin, sections_at + index * entry_size) for index in range(count)]
    names_at = sections[names_index][4]
    found = {}
    for name, _, _, _, _, size in sections:
        text = _text_at(cubin, names_at + name)
        if text.startswith(_TEXT):
            found[text.removeprefix(_TEXT)] = size // _INSTRUCTION_BYTES
    return found
