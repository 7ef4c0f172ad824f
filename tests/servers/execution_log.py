"""Bazel's own record of what it executed, where, and with what result."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Spawn:
    """One subprocess that a build needed, whether it ran or its result came from a cache."""

    mnemonic: str
    target: str
    # "linux-sandbox", "remote", "remote cache hit", "disk cache hit", …
    runner: str
    # Paths relative to the execution root, with the SHA-256 of the content.
    outputs: dict[str, str]


def read(log: Path) -> list[Spawn]:
    """Reads the file that --execution_log_json_file wrote: JSON objects with nothing between them."""
    spawns = []
    decoder = json.JSONDecoder()
    text = log.read_text().strip()
    while text:
        record, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        spawns.append(
            Spawn(
                mnemonic=record["mnemonic"],
                target=record.get("targetLabel", ""),
                runner=record["runner"],
                outputs={file["path"]: file["digest"]["hash"] for file in record.get("actualOutputs", [])},
            )
        )
    return spawns
