"""Packs the resource headers for the compiler: one file of all their bytes, and a table of where each stands.

Usage: embed_headers.py BYTES TABLE FILE...
"""

import pathlib
import sys

# Where a header stands in the compiler's resource directory, by what its path on this machine has in it.
PLACES = {
    "/resource/include/": "include/",
    "compiler/frontend/headers/": "include/ingot/",
}


def place_of(file: str) -> str:
    """The path of a header below the resource directory."""
    for mark, folder in PLACES.items():
        if mark in file:
            return folder + file.split(mark, 1)[1]
    sys.exit(f"embed_headers.py: {file} is below none of {', '.join(PLACES)}")


def main() -> None:
    bytes_path, table_path, *files = sys.argv[1:]
    offset = 0
    table = []
    with open(bytes_path, "wb") as packed:
        for place, file in sorted((place_of(file), file) for file in files):
            contents = pathlib.Path(file).read_bytes()
            table.append(f'{{"{place}", {offset}, {len(contents)}}},\n')
            packed.write(contents + b"\0")
            offset += len(contents) + 1
    pathlib.Path(table_path).write_text("".join(table), encoding="utf-8")


if __name__ == "__main__":
    main()
