"""Writes the resource headers as a table in C++: the path of each below the resource directory, and its text.

Usage: embed_headers.py TABLE FILE...
"""

import pathlib
import sys

# Where a header stands in the compiler's resource directory, by what its path on this machine has in it.
PLACES = {
    "/resource/include/": "include/",
    "compiler/frontend/headers/": "include/ingot/",
}

DELIMITER = "INGOT_HEADER"


def place_of(file: str) -> str:
    """The path of a header below the resource directory."""
    for mark, folder in PLACES.items():
        if mark in file:
            return folder + file.split(mark, 1)[1]
    sys.exit(f"embed_headers.py: {file} is below none of {', '.join(PLACES)}")


def main() -> None:
    table_path, *files = sys.argv[1:]
    with open(table_path, "wb") as table:
        for place, file in sorted((place_of(file), file) for file in files):
            contents = pathlib.Path(file).read_bytes()
            if f"){DELIMITER}".encode() in contents or b"\r" in contents or b"\0" in contents:
                sys.exit(f"embed_headers.py: {file} cannot stand in a raw string")
            table.write(f'{{"{place}", {{R"{DELIMITER}('.encode() + contents + f'){DELIMITER}", {len(contents)}}}}},\n'.encode())


if __name__ == "__main__":
    main()
