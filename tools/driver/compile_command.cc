#include "tools/driver/compile_command.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/lookup.h"
#include "compiler/invocation/invocation.h"
#include "nlohmann/json.hpp"
#include "tools/driver/collection_options.h"
#include "tools/driver/compile_job.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/compile_run.h"
#include "tools/driver/configuration.h"
#include "tools/driver/diagnostics_report.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/option_origin.h"
#include "tools/driver/option_table.h"
#include "tools/driver/rc_flags.h"
#include "tools/driver/usual_command_line.h"

namespace ingot::driver {
namespace {

struct CompileFlags {
  CompileOptions compile;
  CollectionOptions collection;
  bool verbose = false;
  bool json = false;
  std::optional<std::string> diagnostics_format;
};

absl::StatusOr<DiagnosticsFormat> FormatOf(const CompileFlags& flags) {
  const std::string name = flags.diagnostics_format.value_or("text");
  const std::optional<DiagnosticsFormat> format = DiagnosticsFormatFromName(name);
  if (format.has_value()) return *format;
  return absl::InvalidArgumentError(
      absl::StrCat("--diagnostics cannot be '", name, "'; it can be text, json or sarif"));
}

nlohmann::json ToJson(const CompileOutcome& outcome) {
  nlohmann::json json = {
      {"input", outcome.input},
      {"output", outcome.output},
      {"cache", CacheWord(outcome)},
      {"key", outcome.key},
      {"exit_code", static_cast<int>(ExitCodeFor(outcome.status))},
      {"elapsed_ms", absl::ToDoubleMilliseconds(outcome.elapsed)},
      {"compile_ms", absl::ToDoubleMilliseconds(outcome.compile_time)},
      {"published", outcome.published},
      {"crashed", outcome.crashed},
      {"diagnostics", outcome.diagnostics},
      {"warnings", outcome.warnings},
  };
  if (outcome.hit) json["hit_from"] = outcome.hit_from;
  if (outcome.waited) json["waited"] = true;
  if (outcome.already_stored) json["already_stored"] = true;
  if (outcome.miss.has_value()) json["miss_reason"] = cache::MissReasonName(*outcome.miss);
  if (!outcome.status.ok()) {
    // Of a compilation that failed, the compiler's own words are the error.
    json["error"] = outcome.status.message().empty() ? outcome.diagnostics
                                                     : std::string(outcome.status.message());
  }
  if (!outcome.reproducer.empty()) json["reproducer"] = outcome.reproducer;
  return json;
}

// Tells about outcomes as they come. Thread safe.
class Reporter final : public CompileObserver {
 public:
  Reporter(const Environment& environment, const CompileFlags& flags, DiagnosticsFormat format,
           std::size_t total)
      : environment_(environment), flags_(flags), format_(format), total_(total) {}

  void Started(const std::string& input) override {
    if (!ShowsProgress()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    environment_.err << "\r\033[K[" << done_ << "/" << total_ << "] " << input << std::flush;
  }

  void Finished(const CompileOutcome& outcome) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    if (ShowsProgress()) environment_.err << "\r\033[K";
    if (!flags_.json) {
      if (format_ == DiagnosticsFormat::kText) {
        environment_.err << outcome.diagnostics;
      } else {
        diagnostics_ += outcome.diagnostics;
      }
      if (!outcome.status.ok() && !outcome.status.message().empty()) {
        environment_.err << "ingot: error: " << outcome.status.message() << "\n";
      }
      for (const std::string& warning : outcome.warnings) Tell(warning);
      // With the output on standard output, lines about it go to the other stream.
      std::ostream& stream = outcome.output == "-" ? environment_.err : environment_.out;
      if (flags_.verbose || total_ > 1) {
        stream << DescribeOutcome(outcome, flags_.verbose) << std::flush;
      }
    }
  }

  void Warn(const std::string& warning) override {
    if (flags_.json) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    Tell(warning);
  }

  void Summarise() {
    if (format_ != DiagnosticsFormat::kText && !flags_.json) {
      environment_.err << RenderDiagnostics(diagnostics_, format_);
    }
    if (warnings_ > 1 && !flags_.json) {
      environment_.err << "ingot: warning: and " << warnings_ - 1
                       << " more about the cache; --json lists them all\n";
    }
  }

 private:
  // One store has one fault however many inputs meet it: the first is told, the rest are counted.
  void Tell(const std::string& warning) {
    ++warnings_;
    if (warnings_ == 1) environment_.err << "ingot: warning: " << warning << "\n";
  }

  bool ShowsProgress() const { return environment_.err_is_terminal && !flags_.json && total_ > 1; }

  const Environment& environment_;
  const CompileFlags& flags_;
  const DiagnosticsFormat format_;
  const std::size_t total_;
  std::mutex mutex_;
  std::string diagnostics_;  // of all inputs until now, if they are not shown as text
  std::size_t done_ = 0;
  std::size_t warnings_ = 0;
};

int Fail(const Environment& environment, const CompileFlags& flags, const absl::Status& status) {
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1},
                                {"error", status.message()},
                                {"exit_code", static_cast<int>(ExitCodeFor(status))},
                                {"results", nlohmann::json::array()}});
  } else {
    environment.err << "ingot: error: " << status.message() << "\n";
    if (ExitCodeFor(status) == kUsageError) {
      environment.err << "`ingot compile --help` shows the options.\n";
    }
  }
  return ExitCodeFor(status);
}

int Run(const Environment& environment, const CompileFlags& flags) {
  absl::StatusOr<std::vector<compiler::Invocation>> invocations = Invocations(flags.compile);
  if (!invocations.ok()) return Fail(environment, flags, invocations.status());
  const bool to_standard_output =
      std::any_of(invocations->begin(), invocations->end(),
                  [](const compiler::Invocation& one) { return one.output == "-"; });
  if (flags.json && to_standard_output) {
    return Fail(environment, flags,
                absl::InvalidArgumentError("--json and the output both go to standard output; "
                                           "name a file with -o"));
  }
  const absl::StatusOr<DiagnosticsFormat> format = FormatOf(flags);
  if (!format.ok()) return Fail(environment, flags, format.status());
  Reporter reporter(environment, flags, *format, invocations->size());
  absl::StatusOr<CompileRunResult> run = RunCompilations(
      {.environment = environment,
       .options = flags.compile,
       .collection = flags.collection,
       .color = environment.err_is_terminal && !flags.json && *format == DiagnosticsFormat::kText},
      *invocations, reporter);
  if (!run.ok()) return Fail(environment, flags, run.status());
  reporter.Summarise();

  // Of several failures the gravest decides: Ingot's own before the user's.
  int exit_code = kSuccess;
  nlohmann::json results = nlohmann::json::array();
  for (CompileOutcome& outcome : run->outcomes) {
    exit_code = std::max<int>(exit_code, ExitCodeFor(outcome.status));
    if (!run->store_problem.empty()) outcome.warnings.push_back(run->store_problem);
    if (run->collection_problem.has_value()) {
      outcome.warnings.push_back(*run->collection_problem);
    }
    if (flags.json) results.push_back(ToJson(outcome));
  }
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1}, {"exit_code", exit_code}, {"results", results}});
  }
  environment.out << std::flush;
  return exit_code;
}

std::vector<OptionRow> OptionRows(CompileFlags& flags) {
  std::vector<OptionRow> rows;
  // More than there are, so that the rows need not move.
  constexpr std::size_t kRows = 64;
  rows.reserve(kRows);
  AppendCompileOptions(
      flags.compile,
      "Sources (.c, .cc, .cl, .cu, .S, …) or LLVM IR (.ll, .bc); - is standard input", rows);
  AppendCollectionOptions(flags.collection, rows);
  rows.push_back({.names = "-v,--verbose",
                  .value = &flags.verbose,
                  .help = "Show keys, and why something missed",
                  .harmless = true});
  rows.push_back({.names = "--json",
                  .value = &flags.json,
                  .help = "Show the outcome as JSON on standard output"});
  rows.push_back({.names = "--diagnostics",
                  .value = &flags.diagnostics_format,
                  .value_name = "FORMAT",
                  .help = "How diagnostics are written to standard error: text, json or sarif",
                  .default_text = "text",
                  .harmless = true});
  return rows;
}

}  // namespace

std::optional<int> RunUsualCompileCommand(std::span<const std::string> arguments,
                                          const Environment& environment) {
  if (!environment.ingot_variables) return std::nullopt;
  CompileFlags flags;
  const std::optional<std::vector<OptionOrigin>> origins = ReadUsualCommandLine(
      OptionRows(flags), arguments, environment.ingot_variables(), environment.variable);
  if (!origins.has_value()) return std::nullopt;
  const absl::StatusOr<Configuration> configuration =
      LoadConfiguration(RequestFor(RcFlags(), environment, arguments));
  if (!configuration.ok() || !configuration->lines.empty() || !configuration->warnings.empty()) {
    return std::nullopt;
  }
  const int exit_code = Run(environment, flags);
  if (exit_code == kUsageError) environment.err << NoteOfOtherPlaces(*origins, "compile");
  return exit_code;
}

void AddCompileCommand(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command = app.add_subcommand("compile", "Compile sources or LLVM IR for a device");
  auto flags = std::make_shared<CompileFlags>();
  AddOptions(*command, OptionRows(*flags));
  command->footer(
      "Examples:\n"
      "  ingot compile saxpy.cu --target=nvptx64 --cpu=sm_90 -o saxpy.ptx\n"
      "  ingot compile *.c --target=avr --cpu=atmega328p -Os -Iinclude -DF_CPU=16000000 -o "
      "objects/\n"
      "  generator | ingot compile - --target=nvptx64 --emit=bc -o kernel.bc\n\n"
      "Sources take clang's own options as they are, such as -I, -D, -U, -isystem, -iquote,\n"
      "-include, -std=, -W..., -w, -g..., -f..., -cl-... and -nostdinc, with clang's meaning. One\n"
      "that cannot have its meaning here is refused by name, with the reason; none is ignored.\n\n"
      "Without -o, a.c becomes a.ptx, a.o or a.bc in the current folder. Whatever the state of "
      "the\n"
      "store, it never fails a compilation: at worst there is a warning.\n\n"
      "Exit codes: 0 done; 1 the input is wrong or a file cannot be read or written; 2 usage;\n"
      "3 Ingot's own failure, such as a crash inside LLVM.");
  command->callback([&environment, &exit_code, flags] { exit_code = Run(environment, *flags); });
}

}  // namespace ingot::driver
