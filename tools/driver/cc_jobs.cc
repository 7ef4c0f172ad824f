#include "tools/driver/cc_jobs.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/cc_arguments.h"
#include "tools/driver/dependency_file.h"
#include "tools/driver/files.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;
using compiler::Invocation;
using targets::EmitKind;

// The name of a file that an input gives without -o, in the working directory: a.c -> a.o.
std::string NameBeside(const std::string& input, std::string_view extension) {
  return absl::StrCat(fs::path(input).stem().string(), ".", extension);
}

std::string WithExtension(const std::string& path, std::string_view extension) {
  return fs::path(path).replace_extension(extension).string();
}

// What -c, -S and so on write for `target`.
EmitKind EmitFor(const CcArguments& arguments, const targets::TargetRecord& target) {
  switch (arguments.mode) {
    case CcMode::kPreprocess:
    case CcMode::kDependencies:
      return EmitKind::kPreprocessed;
    case CcMode::kCheck:
      return EmitKind::kLl;
    case CcMode::kAssembly:
      return arguments.emit_llvm ? EmitKind::kLl : EmitKind::kAsm;
    case CcMode::kObject:
    case CcMode::kLink:
      break;
  }
  if (arguments.emit_llvm) return EmitKind::kBc;
  return FindEmit(target, EmitKind::kObj) != nullptr ? EmitKind::kObj : target.default_emit;
}

std::string_view DefaultExtension(const CcArguments& arguments) {
  if (arguments.mode == CcMode::kAssembly) return arguments.emit_llvm ? "ll" : "s";
  return arguments.emit_llvm ? "bc" : "o";
}

std::string OutputFor(const CcArguments& arguments, const std::string& input) {
  switch (arguments.mode) {
    case CcMode::kDependencies:  // what is written is the rule
    case CcMode::kCheck:
      return "/dev/null";
    case CcMode::kPreprocess:
      return arguments.output.empty() ? "-" : arguments.output;
    case CcMode::kObject:
    case CcMode::kAssembly:
    case CcMode::kLink:
      break;
  }
  return arguments.output.empty() ? NameBeside(input, DefaultExtension(arguments))
                                  : arguments.output;
}

void PlanDependencies(const CcArguments& arguments, const std::string& input, CcJob& job) {
  const CcDependencyOptions& options = arguments.dependencies;
  if (!options.wanted) return;
  const bool instead = arguments.mode == CcMode::kDependencies;
  if (!options.file.empty()) {
    job.dependency_file = options.file;
  } else if (instead) {
    job.dependency_file = arguments.output.empty() ? "-" : arguments.output;
  } else if (!arguments.output.empty()) {
    job.dependency_file = WithExtension(arguments.output, "d");
  } else {
    job.dependency_file = NameBeside(input, "d");
  }
  job.dependency_targets = options.targets;
  if (job.dependency_targets.empty()) {
    job.dependency_targets.push_back(QuoteTarget(
        !arguments.output.empty() && !instead ? arguments.output : NameBeside(input, "o")));
  }
}

}  // namespace

absl::StatusOr<std::vector<CcJob>> PlanCcJobs(const CcArguments& arguments) {
  if (arguments.invocation.target.empty()) {
    return absl::InvalidArgumentError(
        "no target was named: add --target=TRIPLE or -mmcu=DEVICE, or call the compiler by a name "
        "that begins with one, like avr-ingot-gcc; `ingot targets` lists them");
  }
  const absl::StatusOr<const targets::TargetRecord*> target =
      targets::FindTarget(arguments.invocation.target);
  if (!target.ok()) return target.status();
  if (arguments.inputs.empty() && arguments.for_linker.empty()) {
    return absl::InvalidArgumentError("no input files");
  }
  if (arguments.mode == CcMode::kLink) {
    const std::string& first =
        arguments.inputs.empty() ? arguments.for_linker.front() : arguments.inputs.front().path;
    return absl::InvalidArgumentError(
        absl::StrCat("linking is not available yet (", first,
                     "); add -c to make an object of each source, or -S or -E for its text"));
  }
  const bool has_one_output = !arguments.output.empty() && arguments.mode != CcMode::kCheck;
  if (has_one_output && arguments.inputs.size() > 1) {
    return absl::InvalidArgumentError("cannot specify -o when generating multiple output files");
  }
  if (!arguments.dependencies.file.empty() && arguments.dependencies.file != "-" &&
      arguments.dependencies.wanted && arguments.inputs.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("-MF ", arguments.dependencies.file,
                                                   " names one file for ", arguments.inputs.size(),
                                                   " inputs; compile them one by one"));
  }
  std::vector<CcJob> jobs;
  std::set<std::string> outputs;
  for (const CcInput& input : arguments.inputs) {
    Invocation one = arguments.invocation;
    one.inputs = {input.path};
    one.language = input.language;
    one.emit = EmitFor(arguments, **target);
    absl::StatusOr<Invocation> resolved = compiler::Resolve(one);
    if (!resolved.ok()) return resolved.status();
    // What a compiler makes of a file of C is linked with others. Kernels' languages have the
    // device's program in one file, as in Clang.
    const compiler::Language language = *resolved->language;
    resolved->kernels.relocatable = (*target)->is_gpu && language != compiler::Language::kCuda &&
                                    language != compiler::Language::kOpenCl;
    CcJob job{.invocation = *std::move(resolved), .dependency_file = {}, .dependency_targets = {}};
    job.invocation.output = OutputFor(arguments, input.path);
    PlanDependencies(arguments, input.path, job);
    const std::string& output = job.invocation.output;
    if (output != "-" && output != "/dev/null" && !outputs.insert(output).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two inputs would both be written to ", output,
                       "; compile them one by one, each with its own -o"));
    }
    if (IsSameFile(input.path, output)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the output would overwrite the input ", input.path));
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace ingot::driver
