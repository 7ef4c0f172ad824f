"""Damage of every kind to every file of a store: the right output, one warning, and a clean hit the time after."""

import os
import pathlib
import unittest

from tests.suites.ingot_command import KERNEL, Ingot

ARGUMENTS = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")


def flip_first(path: pathlib.Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 0x01
    path.write_bytes(data)


def flip_middle(path: pathlib.Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def flip_last(path: pathlib.Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x80
    path.write_bytes(data)


def truncate(path: pathlib.Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: pathlib.Path) -> None:
    os.truncate(path, 0)


def append(path: pathlib.Path) -> None:
    with open(path, "ab") as file:
        file.write(b"more")


def foreign(path: pathlib.Path) -> None:
    path.write_bytes(b"\x7fELF this is something else entirely")


def delete(path: pathlib.Path) -> None:
    path.unlink()


def folder(path: pathlib.Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = (flip_first, flip_middle, flip_last, truncate, empty, append, foreign, delete)


class DamageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)
        self.assertEqual(self.ingot.cache_word(*ARGUMENTS), "miss")
        self.expected = self.ingot.read("k.ptx")

    def damage_each(self, area: str, damages: tuple) -> None:
        files = [p for p in self.ingot.stored_files() if p.relative_to(self.ingot.store).parts[0] == area]
        self.assertTrue(files)
        for path in files:
            for damage in damages:
                with self.subTest(damage=damage.__name__, file=str(path.relative_to(self.ingot.store))):
                    before = self.ingot.counters()
                    damage(path)
                    (self.ingot.work / "k.ptx").unlink()
                    run = self.ingot.run("compile", *ARGUMENTS)
                    self.assertEqual(run.exit_code, 0, run.err)
                    self.assertEqual(self.ingot.read("k.ptx"), self.expected)
                    after = self.ingot.counters()
                    # An entry that is gone was never there; all else is worth one warning and is repaired.
                    repairs = 0 if damage is delete and area == "ac" else 1
                    self.assertEqual(run.err.count("warning"), repairs, run.err)
                    self.assertEqual(after["repaired"], before["repaired"] + repairs)
                    (self.ingot.work / "k.ptx").unlink()
                    clean = self.ingot.run("compile", *ARGUMENTS)
                    self.assertEqual((clean.exit_code, clean.err), (0, ""))
                    self.assertEqual(self.ingot.read("k.ptx"), self.expected)
                    self.assertEqual(self.ingot.counters()["hit"], after["hit"] + 1)

    def test_entries(self) -> None:
        self.damage_each("ac", DAMAGES)

    def test_blobs(self) -> None:
        self.damage_each("cas", DAMAGES)

    def test_the_output_blob_is_never_trusted(self) -> None:
        (blob,) = [p for p in self.ingot.stored_files() if p.read_bytes() == self.expected]
        for damage in DAMAGES:
            with self.subTest(damage=damage.__name__):
                damage(blob)
                run = self.ingot.compile(*ARGUMENTS)
                self.assertEqual(run.results[0]["cache"], "miss")
                self.assertEqual(len(run.results[0]["warnings"]), 1)
                self.assertEqual(blob.read_bytes(), self.expected)

    def test_every_byte_of_an_entry(self) -> None:
        (entry,) = [p for p in self.ingot.stored_files() if p.relative_to(self.ingot.store).parts[0] == "ac"]
        good = entry.read_bytes()
        for position in range(len(good)):
            bad = bytearray(good)
            bad[position] ^= 0x04
            entry.write_bytes(bad)
            run = self.ingot.run("compile", *ARGUMENTS)
            self.assertEqual((run.exit_code, run.err.count("warning")), (0, 1), f"byte {position}: {run.err}")
            self.assertEqual(self.ingot.read("k.ptx"), self.expected)

    def test_a_folder_in_place_of_a_file(self) -> None:
        for path in self.ingot.stored_files():
            with self.subTest(file=str(path.relative_to(self.ingot.store))):
                folder(path)
                run = self.ingot.run("compile", *ARGUMENTS)
                self.assertEqual(run.exit_code, 0, run.err)
                self.assertEqual(self.ingot.read("k.ptx"), self.expected)
                self.assertEqual(run.err.count("warning"), 1, run.err)
                self.assertTrue(path.is_file())
                self.assertEqual(self.ingot.run("compile", *ARGUMENTS).err, "")

    def test_a_damaged_state_is_no_obstacle(self) -> None:
        for path in [p for p in self.ingot.state.rglob("*") if p.is_file()]:
            for damage in DAMAGES:
                with self.subTest(damage=damage.__name__, file=path.name):
                    if path.exists() and path.stat().st_size:
                        damage(path)
                    run = self.ingot.compile(*ARGUMENTS)
                    self.assertEqual(run.exit_code, 0, run.err)
                    self.assertEqual(run.results[0]["cache"], "hit")

    def test_the_whole_store_deleted(self) -> None:
        os.rename(self.ingot.store, str(self.ingot.store) + ".gone")
        self.assertEqual(self.ingot.cache_word(*ARGUMENTS), "miss")
        self.assertEqual(self.ingot.cache_word(*ARGUMENTS), "hit")

    def test_a_store_that_cannot_be_written(self) -> None:
        # To root without the capability that lifts them, permissions are what they are to everybody else.
        prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
        for folder_path in [self.ingot.store, *(p for p in self.ingot.store.rglob("*") if p.is_dir())]:
            folder_path.chmod(0o555)
        stored = self.ingot.stored_files()
        hit = self.ingot.run("compile", *ARGUMENTS, prefix=prefix)
        self.assertEqual((hit.exit_code, hit.err), (0, ""))
        miss = self.ingot.run("compile", *ARGUMENTS, "-O1", prefix=prefix)
        self.assertEqual((miss.exit_code, miss.err.count("warning")), (0, 1), miss.err)
        self.assertIn("Permission denied", miss.err)
        self.assertEqual(self.ingot.stored_files(), stored)
        counters = self.ingot.counters()
        self.assertEqual((counters["hit"], counters["publish_failed"]), (1, 1))

    def test_a_store_that_is_no_folder(self) -> None:
        self.ingot.write("file", "x")
        run = self.ingot.run("compile", *ARGUMENTS, f"--disk_cache={self.ingot.work}/file")
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(run.err.count("warning"), 1, run.err)
        self.assertEqual(self.ingot.read("k.ptx"), self.expected)


if __name__ == "__main__":
    unittest.main()
