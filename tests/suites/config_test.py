"""Options from rc files, variables and flags: which one wins, who may set what, and how mistakes are told."""

import json
import pathlib
import unittest

from tests.suites.ingot_command import KERNEL, Ingot

NVPTX = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")

# What a source tree that nobody trusts may set, of all commands. A new option is not on this list: think before it is.
COMPILATION = [
    *("--target", "--cpu", "--features", "--ptx", "-O", "--emit", "-x"),
    *("--entry", "--max-threads", "--required-threads", "--min-blocks", "--max-registers", "--cluster-size", "--relocatable", "--forbid-f64"),
    *("--fast-math", "--denormals", "--debug-level"),
    *("--copt", "--timeout", "--jobs"),
]
HARMLESS = {
    "compile": [*COMPILATION, "--verbose", "--diagnostics"],
    "cc": ["--timeout", "--jobs"],
    "cache-explain": COMPILATION,
    "cache-recheck": COMPILATION,
}


class ConfigTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)
        del self.ingot.environment["INGOT_IGNORE_RC"]
        self.home_rc = self.ingot.root / ".ingotrc"
        self.workspace_rc = self.ingot.work / ".ingotrc"

    def config(self, *arguments: str, **options) -> dict:
        """The answer of `ingot config --json`."""
        run = self.ingot.run(*arguments, "config", "--json", **options)
        self.assertEqual(run.exit_code, 0, run.err)
        return json.loads(run.out)

    def option(self, name: str, *arguments: str, **options) -> tuple:
        """Value and origin of one option of `compile`."""
        (option,) = [o for o in self.config(*arguments, **options)["options"] if o["name"] == name]
        return option["value"], option["origin"]

    def cpu(self, run) -> str:
        """The CPU of the PTX that `ingot compile -o -` wrote."""
        self.assertEqual(run.exit_code, 0, run.err)
        (line,) = [line for line in run.out.decode().splitlines() if line.startswith(".target ")]
        return line.split()[1]

    def test_each_place_overrides_those_before_it(self) -> None:
        named = self.ingot.write("named", "common --cpu=sm_72")
        compile_ = ("compile", "k.ll", "--target=nvptx64", "-o", "-")
        self.workspace_rc.write_text("compile --cpu=sm_60\n")
        self.assertEqual(self.option("--cpu"), ("sm_60", f"{self.workspace_rc}:1"))
        self.assertEqual(self.cpu(self.ingot.run(*compile_)), "sm_60")
        self.home_rc.write_text("\ncompile --cpu=sm_70\n")
        self.assertEqual(self.option("--cpu"), ("sm_70", f"{self.home_rc}:2"))
        self.assertEqual(self.cpu(self.ingot.run(*compile_)), "sm_70")
        # A line for one command is nearer than one for all, in whatever file.
        self.assertEqual(self.option("--cpu", f"--ingotrc={named}"), ("sm_70", f"{self.home_rc}:2"))
        named.write_text("compile --cpu=sm_72")
        self.assertEqual(self.option("--cpu", f"--ingotrc={named}"), ("sm_72", f"{named}:1"))
        self.assertEqual(self.cpu(self.ingot.run("--ingotrc", "named", *compile_)), "sm_72")
        variable = {"INGOT_CPU": "sm_75"}
        self.assertEqual(self.option("--cpu", f"--ingotrc={named}", environment=variable), ("sm_75", "INGOT_CPU"))
        self.assertEqual(self.cpu(self.ingot.run(*compile_, environment=variable)), "sm_75")
        self.assertEqual(self.cpu(self.ingot.run(*compile_, "--cpu=sm_80", environment=variable)), "sm_80")

    def test_files_can_be_left_out(self) -> None:
        self.workspace_rc.write_text("compile --cpu=sm_60\n")
        self.home_rc.write_text("compile --cpu=sm_70\n")
        self.assertEqual(self.option("--cpu", "--nohome_rc")[0], "sm_60")
        self.assertEqual(self.option("--cpu", "--noworkspace_rc")[0], "sm_70")
        self.assertEqual(self.option("--cpu", "--nohome_rc", "--noworkspace_rc", "--nosystem_rc")[0], None)
        self.assertEqual(self.option("--cpu", "--nohome_rc", "--home_rc=1")[0], "sm_70")
        self.assertEqual(self.option("--cpu", environment={"INGOT_IGNORE_RC": "1"})[0], None)
        self.assertEqual(self.option("--cpu", environment={"INGOT_IGNORE_RC": "0"})[0], "sm_70")
        states = [f["state"] for f in self.config("--nohome_rc", "--nosystem_rc")["files"]]
        self.assertEqual(states, ["disabled", "read", "disabled"])

    def test_suites_are_hermetic(self) -> None:
        self.home_rc.write_text("nonsense 'x")
        with Ingot() as ingot:
            ingot.environment["HOME"] = str(self.ingot.root)
            self.assertEqual(ingot.run("targets").exit_code, 0)
            self.assertEqual(self.ingot.run("targets").exit_code, 2)

    def test_a_source_tree_sets_harmless_options_only(self) -> None:
        elsewhere = self.ingot.root / "elsewhere"
        self.workspace_rc.write_text(f"compile --cpu=sm_60 --disk_cache={elsewhere}\ncompile --state_dir={elsewhere} --toolchain={elsewhere}\n")
        for variable in ("INGOT_DISK_CACHE", "INGOT_STATE_DIR"):
            del self.ingot.environment[variable]
        del self.ingot.environment["INGOT_TOOLCHAIN"]
        compile_ = ("compile", "k.ll", "--target=nvptx64", "-o", "-", f"--toolchain={self.ingot.toolchain}")
        run = self.ingot.run(*compile_)
        self.assertEqual(self.cpu(run), "sm_60")
        (warning,) = run.err.splitlines()
        for text in (f"{self.workspace_rc}:1: --disk_cache", f"{self.workspace_rc}:2: --toolchain", f"`common --trusted_workspace={self.ingot.work}`", "~/.ingotrc"):
            self.assertIn(text, warning)
        self.assertFalse(elsewhere.exists())
        self.home_rc.write_text(f"common --trusted_workspace={self.ingot.work}\n")
        run = self.ingot.run(*compile_)
        self.assertEqual((self.cpu(run), run.err), ("sm_60", ""))
        self.assertTrue((elsewhere / "ac").is_dir())
        self.home_rc.unlink()
        for trust in ({"arguments": (f"--trusted_workspace={self.ingot.work}",)}, {"environment": {"INGOT_TRUSTED_WORKSPACE": f"{self.ingot.root}/..."}}):
            run = self.ingot.run(*compile_, *trust.pop("arguments", ()), **trust)
            self.assertEqual((run.exit_code, run.err), (0, ""))

    def test_a_source_tree_of_somebody_else(self) -> None:
        self.workspace_rc.write_text("compile --cpu=sm_60\n")
        self.workspace_rc.chmod(0o666)
        run = self.ingot.run("compile", *NVPTX)
        self.assertEqual(run.exit_code, 0)
        self.assertIn(f"{self.workspace_rc} is ignored", run.err)
        # Said once, also where the command line is read again with all options.
        wrong = self.ingot.run("compile", "k.ll", "--target=nvptx64", "-Z", environment={"INGOT_STATE_DIR": str(self.ingot.state)})
        self.assertEqual((wrong.exit_code, wrong.err.count("is ignored")), (2, 1), wrong.err)
        (file,) = [f for f in self.config()["files"] if f["kind"] == "workspace"]
        self.assertEqual((file["state"], file["trusted"]), ("ignored", False))

    def test_what_is_harmless_is_decided_option_by_option(self) -> None:
        help_text = self.ingot.run("config", "nothing").err
        commands = help_text[help_text.index("there are ") + len("there are ") : help_text.index(")")].split(", ")
        self.assertIn("compile", commands)
        self.assertIn("cache-stats", commands)
        for command in commands:
            with self.subTest(command=command):
                options = json.loads(self.ingot.run("config", command, "--json").out)["options"]
                harmless = [o["name"] for o in options if o["untrusted_workspace_may_set"]]
                self.assertEqual(harmless, HARMLESS.get(command, []))

    def test_defaults_are_shown_as_they_are(self) -> None:
        options = {o["name"]: o["value"] for o in json.loads(self.ingot.run("config", "--json", environment={"INGOT_DISK_CACHE": None}).out)["options"]}
        self.assertEqual(options["--disk_cache"], ["${XDG_CACHE_HOME:-~/.cache}/ingot"])
        self.assertEqual(options["--remote_upload_local_results"], "true")
        self.assertEqual(options["--max_size"], "10G")
        self.assertEqual(options["--remote_timeout"], "5s")

    def test_mistakes_name_file_and_line(self) -> None:
        for text, says in (
            ("compile --cpuu=sm_60", "unknown option '--cpuu' for compile; did you mean '--cpu'?"),
            ("common --cpuu=sm_60", "unknown option '--cpuu'"),
            ("compil --cpu=sm_60", "did you mean 'compile'"),
            ("compile 'x", "quote"),
            ("compile --config=ci", "--config=ci"),
            ("import gone", "gone"),
            ("import .ingotrc", "import itself"),
            ("compile k.ll", "'k.ll' is no option"),
        ):
            for file in (self.home_rc, self.workspace_rc):
                with self.subTest(text=text, file=file.name):
                    file.write_text(f"# first\n{text}\n")
                    if file == self.workspace_rc:
                        file.write_text(f"# first\n{text}\n".replace("--config=ci", "--config"))
                        says = says.replace("--config=ci", "--config needs a value")
                    run = self.ingot.run("compile", *NVPTX)
                    self.assertEqual(run.exit_code, 2, run.err)
                    self.assertIn(f"ingot: error: {file}:2: ", run.err)
                    self.assertIn(says, run.err)
                    self.assertEqual(self.ingot.run("compile", "--help").exit_code, 0)
                    file.unlink()
        run = self.ingot.run("--ingotrc=gone", "compile", *NVPTX)
        self.assertEqual(run.exit_code, 2)
        self.assertIn("--ingotrc=gone", run.err)

    def test_a_wrong_value_names_its_place(self) -> None:
        self.home_rc.write_text("compile --jobs=many\n")
        run = self.ingot.run("compile", *NVPTX)
        self.assertEqual(run.exit_code, 2)
        self.assertIn(f"(from {self.home_rc}:1)", run.err)
        self.assertEqual(self.ingot.run("compile", *NVPTX, "--jobs=1").exit_code, 0)
        self.assertNotIn("from", self.ingot.run("compile", *NVPTX, "--jobs=some").err)
        self.home_rc.write_text("\ncompile --timeout=soon\n")
        run = self.ingot.run("compile", *NVPTX)
        self.assertEqual(run.exit_code, 2)
        self.assertIn("soon", run.err)
        self.assertIn(f"--timeout ({self.home_rc}:2)", run.err)
        self.home_rc.unlink()
        self.assertIn("--timeout (INGOT_TIMEOUT)", self.ingot.run("compile", *NVPTX, environment={"INGOT_TIMEOUT": "soon"}).err)

    def test_variables(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        self.assertEqual(self.ingot.cache_word(*NVPTX, environment={"INGOT_DISK_CACHE": ""}), "off")
        for empty in ("INGOT_TIMEOUT", "INGOT_JSON", "INGOT_VERBOSE", "INGOT_FEATURES", "INGOT_CONFIG"):
            with self.subTest(empty=empty):
                self.assertEqual(self.ingot.cache_word(*NVPTX, environment={empty: ""}), "hit")
        run = self.ingot.run("compile", *NVPTX, environment={"INGOT_JSON": "1"})
        self.assertEqual(run.results[0]["cache"], "hit")
        self.assertEqual(self.ingot.run("compile", *NVPTX, environment={"INGOT_JSON": "0"}).out, b"")
        # The places of files that the user wrote as empty are the default ones.
        default = self.option("--state_dir", environment={"INGOT_STATE_DIR": None})[0]
        self.assertEqual(default, "${XDG_STATE_HOME:-~/.local/state}/ingot")
        state = self.ingot.root / ".local/state/ingot"
        self.assertFalse(state.exists())
        self.assertEqual(self.ingot.cache_word(*NVPTX, environment={"INGOT_STATE_DIR": ""}), "hit")
        self.assertTrue(state.exists())
        run = self.ingot.run("compile", *NVPTX, "--disk_cache=", environment={"INGOT_TOOLCHAIN": ""})
        self.assertNotIn("options from elsewhere", run.err)

    def test_config_expands_in_its_place(self) -> None:
        self.home_rc.write_text("compile:old --cpu=sm_60\ncompile:new --cpu=sm_90 --config=verbose\ncommon:verbose -v\n")
        base = ("compile", "k.ll", "--target=nvptx64", "-o", "-")
        self.assertEqual(self.cpu(self.ingot.run(*base, "--config=old")), "sm_60")
        run = self.ingot.run(*base, "--config=old", "--config", "new")
        self.assertEqual(self.cpu(run), "sm_90")
        self.assertIn("key ", run.err)
        self.assertEqual(self.cpu(self.ingot.run(*base, "--cpu=sm_80", "--config=old")), "sm_60")
        self.assertEqual(self.cpu(self.ingot.run(*base, "--config=old", "--cpu=sm_80")), "sm_80")
        self.assertEqual(self.cpu(self.ingot.run(*base, environment={"INGOT_CONFIG": "old"})), "sm_60")
        run = self.ingot.run("config", "--config=new", "--json")
        values = {o["name"]: (o["value"], o["origin"]) for o in json.loads(run.out)["options"]}
        self.assertEqual(values["--cpu"], ("sm_90", f"{self.home_rc}:2"))
        self.assertEqual(values["--verbose"], ("true", f"{self.home_rc}:3"))
        run = self.ingot.run(*base, "--config=never")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("--config=never", run.err)

    def test_imports(self) -> None:
        (self.ingot.root / "more").write_text("compile --cpu=sm_70\n")
        (self.ingot.work / "team.ingotrc").write_text("compile -O1\n")
        self.home_rc.write_text("import more\ntry-import %workspace%/team.ingotrc\ntry-import /gone\n")
        (self.ingot.work / "MODULE.bazel").write_text("")
        self.assertEqual(self.option("--cpu"), ("sm_70", f"{self.ingot.root}/more:1"))
        self.assertEqual(self.option("-O"), ("1", f"{self.ingot.work}/team.ingotrc:1"))
        below = self.ingot.work / "a" / "b"
        below.mkdir(parents=True)
        self.assertEqual(self.option("-O", cwd=below)[0], "1")
        (below / "WORKSPACE").write_text("")
        self.assertEqual(self.option("-O", cwd=below)[0], None)

    def test_options_for_the_subcommands_of_cache(self) -> None:
        self.home_rc.write_text("cache-stats --json\ncache --disk_cache=/one\ncommon --disk_cache=/two --timeout=1m\n")
        run = self.ingot.run("cache", "stats", environment={"INGOT_DISK_CACHE": None})
        self.assertEqual(json.loads(run.out)["store"], "/one")

    def test_shape_of_the_answer(self) -> None:
        self.home_rc.write_text("common --verbose\n")
        answer = self.config("--nosystem_rc", environment={"INGOT_JOBS": "2"})
        self.assertEqual(sorted(answer), ["command", "files", "options", "schema"])
        self.assertEqual((answer["schema"], answer["command"]), (1, "compile"))
        self.assertEqual(
            answer["files"],
            [
                {"kind": "system", "path": "/etc/ingot.ingotrc", "state": "disabled", "reason": "--nosystem_rc", "trusted": True},
                {"kind": "workspace", "path": "", "state": "absent", "reason": "no .ingotrc from the working directory up to the workspace's root", "trusted": True},
                {"kind": "user", "path": str(self.home_rc), "state": "read", "trusted": True},
            ],
        )
        options = {o.pop("name"): o for o in answer["options"]}
        self.assertEqual(options["--cpu"], {"value": None, "source": "default", "origin": "default", "untrusted_workspace_may_set": True})
        self.assertEqual(options["--json"], {"value": "false", "source": "default", "origin": "default", "untrusted_workspace_may_set": False})
        self.assertEqual(options["--timeout"], {"value": "10m", "source": "default", "origin": "default", "untrusted_workspace_may_set": True})
        self.assertEqual(options["--jobs"], {"value": "2", "source": "environment", "origin": "INGOT_JOBS", "untrusted_workspace_may_set": True})
        self.assertEqual(options["--verbose"], {"value": "true", "source": "rc_file", "origin": f"{self.home_rc}:1", "untrusted_workspace_may_set": True})
        self.assertEqual(options["--config"], {"value": [], "source": "default", "origin": "default", "untrusted_workspace_may_set": False})
        text = self.ingot.run("config").out.decode()
        self.assertRegex(text, rf"--verbose +true +{self.home_rc}:1\n")

    def test_secrets_are_not_shown(self) -> None:
        for json_flag in ((), ("--json",)):
            run = self.ingot.run("config", *json_flag, environment={"INGOT_DISK_CACHE": "https://me:secret@host/a@b"})
            self.assertIn(b"https://***@host/a@b", run.out)
            self.assertNotIn(b"secret", run.out)
            for variable, value in (
                ("INGOT_REMOTE_CACHE", "https://me:secret@host/cache"),
                ("INGOT_REMOTE_CACHE", "me:secret@host"),
                ("INGOT_REMOTE_CACHE", "http:/me:secret@host"),
                ("INGOT_REMOTE_CACHE", "http://me:sec/ret@host"),
                ("INGOT_REMOTE_CACHE", "http://host/cache?token=secret"),
                ("INGOT_REMOTE_PROXY", "me:secret@proxy:8080"),
                ("INGOT_REMOTE_HEADER", "Authorization=Bearer secret"),
                ("INGOT_REMOTE_HEADER", "Authorization Bearer secret"),
            ):
                with self.subTest(variable=variable, value=value):
                    run = self.ingot.run("config", *json_flag, environment={variable: value})
                    self.assertEqual(run.exit_code, 0)
                    self.assertIn(b"***", run.out)
                    self.assertNotIn(b"secret", run.out)
                    self.assertNotIn(b"ret@", run.out)

    def test_options_that_stand_before_the_command(self) -> None:
        run = self.ingot.run("compile", *NVPTX, "--nohome_rc")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("'--nohome_rc'; it stands before the command", run.err)
        self.assertEqual(self.ingot.run("--nohome", "compile", *NVPTX).exit_code, 2)
        self.assertEqual(self.ingot.run("--ingotrc").exit_code, 2)
        self.assertIn(b"--[no]home_rc", self.ingot.run("--help").out)

    def test_unknown_commands(self) -> None:
        for arguments in (("compil",), ("compil", "--json"), ("cache",), ("cache", "stat")):
            run = self.ingot.run("config", *arguments)
            self.assertEqual(run.exit_code, 2)
            self.assertIn("cache-stats", run.err + run.out.decode())
        self.assertIn("did you mean 'compile'?", self.ingot.run("config", "compil").err)
        self.assertEqual(self.ingot.run("config", "cache", "stats").exit_code, 0)
        self.assertEqual(self.ingot.run("config", "cache-stats").exit_code, 0)
        self.assertEqual(self.ingot.run("config", "config").exit_code, 0)

    def test_a_hit_looks_at_few_files(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        log = self.ingot.root / "calls"
        tracer = pathlib.Path("/usr/bin/strace")
        if not tracer.exists():
            self.skipTest("no strace")
        run = self.ingot.run("-o", str(log), "-e", "trace=%file", self.ingot.program, "compile", *NVPTX, program=str(tracer))
        if run.exit_code != 0 and not log.exists():
            self.skipTest("strace may not trace here")
        self.assertEqual(run.exit_code, 0, run.err)
        looked = [line for line in log.read_text().splitlines() if "ingotrc" in line or "WORKSPACE" in line or "MODULE" in line]
        folders = len(self.ingot.work.parts)
        self.assertEqual(len(looked), 2 + folders, looked)


class ZeroTest(unittest.TestCase):
    def test_stats_zero(self) -> None:
        with Ingot() as ingot:
            ingot.write("k.ll", KERNEL)
            self.assertEqual(ingot.cache_word(*NVPTX), "miss")
            self.assertEqual(ingot.cache_word(*NVPTX), "hit")
            before = json.loads(ingot.run("cache", "stats", "--zero", "--json").out)
            self.assertTrue(before["zeroed"])
            self.assertEqual((before["counters"]["hit"], before["counters"]["published"]), (1, 1))
            self.assertEqual(set(ingot.counters().values()), {0})
            self.assertEqual(ingot.cache_word(*NVPTX), "hit")
            self.assertEqual(ingot.counters()["hit"], 1)
            text = ingot.run("cache", "stats", "--zero")
            self.assertEqual(text.exit_code, 0)
            self.assertIn(b"hit                    1\n", text.out)
            self.assertEqual(ingot.counters()["hit"], 0)
            self.assertFalse(json.loads(ingot.run("cache", "stats", "--json").out)["zeroed"])


if __name__ == "__main__":
    unittest.main()
