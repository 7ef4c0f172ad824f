// The compile tool as its callers see it: exit codes, signals, standard error and files.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::compile_tool {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string g_tool;
std::string g_testdata;

struct Outcome {
  int exit_code = -1;  // or -1
  int signal = 0;      // or 0
  std::string out;
  std::string err;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

int CountLinesWith(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class CompileToolTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "compile_tool_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }

  void TearDown() override { fs::remove_all(folder_); }

  // Starts the tool in `directory` with `environment` and its streams in files of folder_.
  pid_t Start(std::vector<std::string> arguments, const std::string& input = "/dev/null",
              std::vector<std::string> environment = {}, const std::string& directory = "") {
    arguments.insert(arguments.begin(), g_tool);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, Path("stdout").c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, Path("stderr").c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addchdir_np(
        &actions, (directory.empty() ? folder_.string() : directory).c_str());
    std::vector<char*> argv, envp;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    for (std::string& variable : environment) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, g_tool.c_str(), &actions, nullptr, argv.data(), envp.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }

  Outcome Wait(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    Outcome outcome{.out = ReadFile(Path("stdout")), .err = ReadFile(Path("stderr"))};
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    EXPECT_FALSE(WCOREDUMP(status));
    fs::remove(Path("stdout"));
    fs::remove(Path("stderr"));
    return outcome;
  }

  Outcome Run(std::vector<std::string> arguments, const std::string& input = "/dev/null") {
    return Wait(Start(std::move(arguments), input));
  }

  // Compiles a file of testdata to folder_/out.
  Outcome CompileTestdata(const std::string& target, const std::string& name) {
    return Run({"--target=" + target, "-o", Path("out"), Testdata(name)});
  }

  std::string Path(std::string_view name) const { return folder_ / name; }
  static std::string Testdata(std::string_view name) { return absl::StrCat(g_testdata, "/", name); }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  fs::path folder_;
};

TEST_F(CompileToolTest, CompilesAndSaysNothing) {
  const Outcome outcome = CompileTestdata("nvptx64", "saxpy.ll");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(ReadFile(Path("out")), HasSubstr(".visible .entry saxpy("));
  EXPECT_THAT(Files(), testing::ElementsAre("out"));
}

TEST_F(CompileToolTest, EnvironmentAndDirectoryDoNotMatter) {
  for (const std::string emit : {"asm", "bc"}) {
    const std::vector<std::string> arguments = {"--target=nvptx64", "--emit=" + emit, "-o", "-",
                                                Testdata("saxpy.ll")};
    const Outcome plain = Wait(Start(arguments));
    const Outcome elsewhere =
        Wait(Start(arguments, "/dev/null",
                   {"LANG=de_DE.UTF-8", "LC_ALL=tr_TR", "TZ=Asia/Tokyo", "HOME=/nonexistent",
                    "PATH=/nonexistent", "TMPDIR=/nonexistent", "SOURCE_DATE_EPOCH=1"},
                   "/"));
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_FALSE(plain.out.empty());
    EXPECT_EQ(plain.out, elsewhere.out);
    EXPECT_EQ(elsewhere.err, "");
  }
}

TEST_F(CompileToolTest, ReadsStandardInputAndWritesStandardOutput) {
  const Outcome outcome = Run({"--target=nvptx64", "-o", "-", "-"}, Testdata("saxpy.ll"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(".visible .entry saxpy("));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompileToolTest, ReplacesARegularFileAndOnlyWritesToOthers) {
  std::ofstream(Path("out")) << "old";
  EXPECT_EQ(CompileTestdata("nvptx64", "saxpy.ll").exit_code, 0);
  EXPECT_THAT(ReadFile(Path("out")), HasSubstr(".visible .entry saxpy("));
  EXPECT_EQ(Run({"--target=nvptx64", "-o", "/dev/null", Testdata("saxpy.ll")}).exit_code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(CompileToolTest, HelpAndVersion) {
  const Outcome help = Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(StartsWith("usage: ingot-compile"), HasSubstr("--features=LIST"),
                              HasSubstr("Exit codes")));
  const Outcome version = Run({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, ContainsRegex("^ingot-compile [0-9.]+ \\(LLVM 22\\.[0-9.]+\\)\n$"));
}

TEST_F(CompileToolTest, UsageErrorsAreExitCode2) {
  const std::string input = Testdata("saxpy.ll");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "no target was named"},
      {{"--target=nvptx64", "-o", "x"}, "exactly one input"},
      {{"--target=nvptx64", "-o", "x", input, input}, "but 2 are given"},
      {{"--target=nvptx64", input}, "no output was named"},
      {{"--target=nvtpx64", "-o", "x", input}, "did you mean 'nvptx64'?"},
      {{"--target=nvptx64", "--cpu=sm_9", "-o", "x", input}, "did you mean 'sm_90'?"},
      {{"--target=nvptx64", "--emit=obj", "-o", "x", input}, "cannot emit 'obj'"},
      {{"--traget=nvptx64", "-o", "x", input}, "did you mean '--target'?"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, AllOf(StartsWith("ingot-compile: error: "), HasSubstr(message)));
    EXPECT_EQ(CountLinesWith(outcome.err, "\n"), 1);
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompileToolTest, WrongInputsAreExitCode1) {
  Outcome outcome = CompileTestdata("nvptx64", "syntax_error.ll");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, Testdata("syntax_error.ll") +
                             ":2:11: error: use of undefined value '%missing'\n"
                             "  ret i32 %missing\n"
                             "          ^\n");
  outcome = CompileTestdata("nvptx64", "malformed.ll");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, StartsWith(Testdata("malformed.ll") + ": error: in function 'late': "));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompileToolTest, UnreadableInputsAreExitCode4) {
  Outcome outcome = CompileTestdata("nvptx64", "no_such_file.ll");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.err,
            absl::StrCat("ingot-compile: error: cannot read '", Testdata("no_such_file.ll"),
                         "': No such file or directory\n"));
  outcome = Run({"--target=avr", "-o", Path("out"), folder_});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("Is a directory"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompileToolTest, UnwritableOutputIsExitCode4) {
  Outcome outcome =
      Run({"--target=nvptx64", "-o", Path("no/such/folder/out"), Testdata("saxpy.ll")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.err,
            absl::StrCat("ingot-compile: error: cannot write '", Path("no/such/folder/out"),
                         "': No such file or directory\n"));
  outcome = Run({"--target=nvptx64", "-o", folder_, Testdata("saxpy.ll")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("it is a directory"));
  outcome = Run({"--target=nvptx64", "-o", "/dev/full", Testdata("saxpy.ll")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write '/dev/full': No space left on device"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompileToolTest, AnImpossiblePairOfCpuAndPtxVersionIsExitCode2) {
  for (const char* option : {"--features=+ptx32", "--ptx=3.2"}) {
    const Outcome outcome =
        Run({"--target=nvptx64", "--cpu=sm_90", option, "-o", Path("out"), Testdata("saxpy.ll")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              "ingot-compile: error: PTX 3.2 cannot be made for sm_90; versions that can: 7.8, "
              "8.0, 8.1, 8.2, 8.3, 8.4, 8.5, 8.6, 8.7, 8.8, 9.0\n");
  }
}

TEST_F(CompileToolTest, CompilesASourceWithAHeaderBesideIt) {
  std::ofstream(Path("n.h")) << "#define N 42\n";
  std::ofstream(Path("k.c")) << "#include \"n.h\"\nint n(void) { return N; }\n";
  const Outcome outcome = Run({"--target=avr", "--emit=ll", "-o", "-", "k.c"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("define"), HasSubstr("@n("), HasSubstr("ret i16 42")));
  EXPECT_THAT(outcome.out, Not(HasSubstr(folder_.string())));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(CompileToolTest, PrintsPreprocessedText) {
  std::ofstream(Path("k.c")) << "int n = N;\n";
  const Outcome outcome = Run({"--target=avr", "--emit=preprocessed", "-DN=42", "-o", "-", "k.c"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nint n = 42;\n"));
}

TEST_F(CompileToolTest, AHeaderThatIsNotAmongTheInputsIsAnErrorThatNamesIt) {
  std::ofstream(Path("outside.h")) << "";
  fs::create_directory(Path("work"));
  const auto error_of = [&](const std::string& header) {
    std::ofstream(Path("work/k.c")) << "#include \"" << header << "\"\n";
    const Outcome outcome =
        Wait(Start({"--target=avr", "-o", Path("out"), "k.c"}, "/dev/null", {}, Path("work")));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_FALSE(fs::exists(Path("out")));
    return outcome.err;
  };
  for (const char* header : {"none.h", "../outside.h"}) {
    EXPECT_THAT(error_of(header),
                StartsWith(absl::StrCat("k.c:1:10: fatal error: '", header, "' file not found\n")));
  }
  EXPECT_THAT(error_of(Path("outside.h")),
              StartsWith(absl::StrCat("k.c:1:10: fatal error: cannot open file '",
                                      Path("outside.h"), "': Operation not permitted\n")));
}

TEST_F(CompileToolTest, TheSourceMayBeAnywhere) {
  std::ofstream(Path("k.c")) << "int f(void) { return 1; }\n";
  const Outcome outcome = Run({"--target=avr", "-o", Path("out"), Path("k.c")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(CompileToolTest, AScanWritesOnlyTheRecord) {
  fs::create_directories(Path("lib"));
  fs::create_directories(Path("include"));
  fs::create_directories(Path("src"));
  std::ofstream(Path("lib/near.h")) << "#define NEAR 1\n";
  std::ofstream(Path("include/far.h")) << "abc";
  std::ofstream(Path("src/k.c")) << "#include \"near.h\"\n#include \"far.h\"\n";
  std::ofstream(Path("roots")) << "src\t" << Path("lib") << "\ninc/0\t" << Path("include") << "\n";
  const Outcome outcome = Run({"--target=avr", "-Iinc/0", "-o", "out", "--canonical-paths",
                               "src/k.c", "--scan", "--host-roots=roots", "--dependencies=record"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_FALSE(fs::exists(Path("out")));
  const std::string record = ReadFile(Path("record"));
  EXPECT_THAT(record, StartsWith("ingot dependencies 1\nfile src/near.h "));
  EXPECT_THAT(record,
              HasSubstr("\nfile inc/0/far.h "
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3 "));
  EXPECT_THAT(record, HasSubstr("\nnone src/far.h\nend\n"));
}

TEST_F(CompileToolTest, HostRootsAndAnInputRootGiveTheSameBytes) {
  for (const std::string folder : {"lib", "worker/src", "worker/up/src/1", "src"}) {
    fs::create_directories(Path(folder));
  }
  const std::string source =
      "#include \"near.h\"\n#include \"../above.h\"\n"
      "const char* f(void) { return ABOVE NEAR; }\n";
  for (const std::string folder : {"src", "worker/src"}) {
    std::ofstream(Path(folder + "/k.c")) << source;
  }
  for (const std::string folder : {"lib", "worker/src"}) {
    std::ofstream(Path(folder + "/near.h")) << "#define NEAR __FILE__\n";
  }
  for (const std::string name : {"above.h", "worker/up/src/1/above.h"}) {
    std::ofstream(Path(name)) << "#define ABOVE \"above\"\n";
  }
  std::ofstream(Path("roots")) << "src\t" << Path("lib") << "\n";
  std::vector<std::string> arguments = {"--target=avr",      "-g",     "-o", "-",
                                        "--canonical-paths", "src/k.c"};
  const Outcome worker = Wait(Start(arguments, "/dev/null", {}, Path("worker")));
  arguments.push_back("--host-roots=" + Path("roots"));
  const Outcome host = Run(arguments);
  EXPECT_EQ(host.exit_code, 0) << host.err;
  EXPECT_EQ(worker.exit_code, 0) << worker.err;
  EXPECT_FALSE(host.out.empty());
  EXPECT_EQ(host.out, worker.out);
  EXPECT_THAT(host.out, Not(HasSubstr(folder_.string())));
}

TEST_F(CompileToolTest, WrongHostRootsAreNamed) {
  std::ofstream(Path("k.c")) << "";
  std::ofstream(Path("roots")) << "nowhere\t/\n";
  const Outcome outcome = Run({"--target=avr", "-o", "out", "--host-roots=roots", "k.c"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.err,
            "ingot-compile: error: --host-roots=roots: line 1 names no root and its folder\n");
}

// Clang's own driver would search these.
TEST_F(CompileToolTest, SearchPathsOfTheEnvironmentHaveNoEffect) {
  fs::create_directory(Path("include"));
  std::ofstream(Path("include/x.h")) << "";
  std::ofstream(Path("k.c")) << "#if __has_include(<x.h>)\n#error found\n#endif\n"
                                "const char date[] = __DATE__;\n";
  const Outcome outcome =
      Wait(Start({"--target=avr", "--emit=ll", "-o", "-", "k.c"}, "/dev/null",
                 {"CPATH=include", "C_INCLUDE_PATH=include", "SOURCE_DATE_EPOCH=1000000000",
                  "CCC_OVERRIDE_OPTIONS=+-DX", "CLANG_NO_DEFAULT_CONFIG=0"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Jan  1 1970"));
  EXPECT_THAT(outcome.err, IsEmpty());
  // It is found where it is named.
  EXPECT_EQ(Run({"--target=avr", "-Iinclude", "-o", "out", "k.c"}).exit_code, 1);
}

TEST_F(CompileToolTest, DiagnosticsOfASourceAreInColourOnlyIfAsked) {
  std::ofstream(Path("k.c")) << "int f(void) { return x; }\n";
  const std::vector<std::string> arguments = {"--target=avr", "-o", "out", "k.c"};
  EXPECT_THAT(Run(arguments).err,
              StartsWith("k.c:1:22: error: use of undeclared identifier 'x'\n"));
  std::vector<std::string> in_colour = arguments;
  in_colour.emplace_back("--color");
  EXPECT_THAT(Run(in_colour).err, HasSubstr("\033["));
}

TEST_F(CompileToolTest, AnErrorInPreprocessedAssemblyIsWhereTheUserWroteIt) {
  std::ofstream(Path("x.h")) << "#define BAD \\\n  bad\n  nop\n";
  std::ofstream(Path("k.S")) << "#include \"x.h\"\n\n  BAD\n";
  const Outcome outcome = Run({"--target=avr", "-o", "out", "k.S"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, StartsWith("k.S:3:3: error: "));
}

struct Crash {
  std::string target;
  std::string input;
  int signal;
  std::string stage;
  std::string text;  // elsewhere in standard error
};

class CrashTest : public CompileToolTest, public testing::WithParamInterface<Crash> {};

TEST_P(CrashTest, IsReportedOnceAndEndsTheProcessByItsSignal) {
  const Crash& crash = GetParam();
  std::ofstream(Path("out")) << "old";
  const Outcome outcome = CompileTestdata(crash.target, crash.input);
  EXPECT_EQ(outcome.signal, crash.signal) << outcome.err;
  EXPECT_EQ(CountLinesWith(outcome.err, "ingot-compile: crashed in stage '"), 1) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr(absl::StrCat("ingot-compile: crashed in stage '", crash.stage, "'\n")));
  EXPECT_THAT(outcome.err, HasSubstr(crash.text));
  EXPECT_THAT(outcome.err, Not(ContainsRegex("0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f]")));
  EXPECT_EQ(CompileTestdata(crash.target, crash.input).err, outcome.err) << "same text each time";
  EXPECT_EQ(ReadFile(Path("out")), "old");
  EXPECT_THAT(Files(), testing::ElementsAre("out"));
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, CrashTest,
    ::testing::Values(Crash{"nvptx64", "nvptx_abort.ll", SIGABRT, "codegen",
                            "LLVM ERROR: Bad address space found while emitting PTX: 0"},
                      Crash{"nvptx64", "nvptx_abort.ll", SIGABRT, "codegen",
                            "on function '@collects'"},
                      Crash{"avr", "avr_segfault.ll", SIGSEGV, "codegen", "on function '@whence'"},
                      Crash{"nvptx64", "nvptx_parse_crash.ll", SIGSEGV, "parse", ""}));

TEST_F(CompileToolTest, WhatTheProcessorHasNoInstructionForIsTheInputsFault) {
  const Outcome outcome = CompileTestdata("nvptx64", "nvptx_too_new.ll");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              ContainsRegex("nvptx_too_new.ll: error: this processor has no instruction for: "
                            "intrinsic %llvm.nvvm.cp.async.ca.shared.global.16 "
                            "\\[no-instruction\\]\n.*nvptx_too_new.ll: note: a newer one"));
  EXPECT_EQ(
      Run({"--target=nvptx64", "--cpu=sm_80", "-o", Path("out"), Testdata("nvptx_too_new.ll")})
          .exit_code,
      0);
}

// The tool opens its input after it has installed its handlers, and then waits for a writer.
TEST_F(CompileToolTest, ASignalFromOutsideEndsItWithAReport) {
  for (const int signal_number : {SIGQUIT, SIGABRT, SIGBUS}) {
    ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
    const pid_t child = Start({"--target=nvptx64", "-o", Path("out"), Path("pipe")});
    const int writer = open(Path("pipe").c_str(), O_WRONLY);
    ASSERT_GE(writer, 0);
    kill(child, signal_number);
    const Outcome outcome = Wait(child);
    EXPECT_EQ(outcome.signal, signal_number);
    EXPECT_EQ(outcome.err, "ingot-compile: crashed in stage 'parse'\n");
    close(writer);
    fs::remove(Path("pipe"));
  }
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace
}  // namespace ingot::compile_tool

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    return 2;
  }
  // Tests start the tool in other directories.
  ingot::compile_tool::g_tool = std::filesystem::absolute(argv[1]);
  ingot::compile_tool::g_testdata =
      std::filesystem::absolute(std::filesystem::path(argv[2]).parent_path());
  return RUN_ALL_TESTS();
}
