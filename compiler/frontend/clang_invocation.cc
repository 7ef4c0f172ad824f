#include "compiler/frontend/clang_invocation.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "compiler/frontend/resource_headers.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/record.h"

namespace ingot::compiler {
namespace {

// CUDA is compiled with the types of a host. One that is always the same, so that the machine that
// runs the compiler does not matter.
constexpr std::string_view kCudaHost = "x86_64-unknown-linux-gnu";

// Tells Clang which of the toolkit's ways to launch a kernel a host function uses. Every toolkit
// since 9.2 has this one; 12.9 is the newest that Clang 22 knows.
constexpr const char* kNewestKnownToolkit = "-target-sdk-version=12.9";

bool IsNvptx(const targets::TargetRecord& target) {
  return absl::StartsWith(target.architecture, "nvptx");
}

// The PTX version as in the features, "84" for 8.4: the last that is asked for, or the CPU's own.
std::string PtxVersion(const Invocation& invocation, const targets::TargetRecord& target) {
  std::string version;
  for (const targets::CpuRecord& cpu : target.cpus) {
    if (cpu.name != invocation.cpu) continue;
    version = absl::StrReplaceAll(targets::FindFact(target, cpu, "ptx"), {{".", ""}});
  }
  for (std::string_view feature : absl::StrSplit(invocation.features, ',')) {
    if (absl::ConsumePrefix(&feature, "+ptx")) version = feature;
  }
  return version;
}

// The features that Clang must know of besides the CPU: its own default for the PTX version is the
// oldest, and then it refuses builtins that the CPU has.
std::vector<std::string> Features(const Invocation& invocation,
                                  const targets::TargetRecord& target) {
  std::vector<std::string> features;
  if (IsNvptx(target)) features.push_back(absl::StrCat("+ptx", PtxVersion(invocation, target)));
  for (const std::string_view feature :
       absl::StrSplit(invocation.features, ',', absl::SkipEmpty())) {
    features.emplace_back(feature);
  }
  return features;
}

// The folder of a CUDA toolkit whose headers are used in place of Ingot's own; empty if none is.
std::string CudaToolkit(const Invocation& invocation) {
  std::string folder;
  for (std::string_view option : invocation.front_end_options) {
    if (absl::ConsumePrefix(&option, kCudaPathFlag)) folder = option;
  }
  return folder;
}

void AddTarget(const Invocation& invocation, const targets::TargetRecord& target,
               std::vector<std::string>& arguments) {
  const bool is_cuda = invocation.language == Language::kCuda;
  arguments.push_back(
      absl::StrCat("--target=", is_cuda ? kCudaHost : std::string_view(invocation.target)));
  if (is_cuda) {
    arguments.insert(arguments.end(),
                     {"--cuda-device-only", "-nocudainc", "-nocudalib",
                      // No wrappers of a C++ library's headers, unless there is such a library.
                      "-nobuiltininc", absl::StrCat("--cuda-gpu-arch=", invocation.cpu),
                      "-Wno-unknown-cuda-version",
                      absl::StrCat("-D__INGOT_PTX_VERSION__=", PtxVersion(invocation, target))});
    if (CudaToolkit(invocation).empty()) {
      arguments.insert(arguments.end(), {"-include", kCudaHeader.str()});
    } else {
      arguments.insert(arguments.end(), {"-include", "__clang_cuda_runtime_wrapper.h", "-Xclang",
                                         kNewestKnownToolkit});
    }
  } else if (IsNvptx(target)) {
    arguments.push_back(absl::StrCat("-march=", invocation.cpu));
    arguments.emplace_back("-nogpulib");
  } else {
    arguments.push_back(absl::StrCat("-mmcu=", invocation.cpu));
  }
  for (const std::string& feature : Features(invocation, target)) {
    arguments.insert(arguments.end(), {"-Xclang", "-target-feature", "-Xclang", feature});
  }
}

// The toolchain's own headers, after all folders that the user names.
void AddResourceHeaders(const Invocation& invocation, std::vector<std::string>& arguments) {
  const std::vector<std::string>& options = invocation.front_end_options;
  if (std::find(options.begin(), options.end(), "-nostdinc") != options.end()) return;
  std::vector<std::string> folders;
  const std::string toolkit = CudaToolkit(invocation);
  if (!toolkit.empty()) {
    // Clang's wrappers of C++'s headers come before what they wrap. Since CUDA 13, CUB, Thrust and
    // libcu++ have a folder of their own, which nvcc names by itself.
    folders = {absl::StrCat(std::string_view(kResourceDirectory), "/include/cuda_wrappers"),
               absl::StrCat(toolkit, "/include"), absl::StrCat(toolkit, "/include/cccl"),
               kCudaToolkitHeaders.str()};
  } else if (invocation.language == Language::kCuda) {
    folders = {kCudaHeaders.str(), kCudaStandardHeaders.str()};
  }
  folders.push_back(absl::StrCat(std::string_view(kResourceDirectory), "/include"));
  for (const std::string& folder : folders) {
    arguments.insert(arguments.end(), {"-Xclang", "-internal-isystem", "-Xclang", folder});
  }
}

// What avr-gcc does without being told, and Clang does not.
void AddAvrDefaults(const Invocation& invocation, const targets::TargetRecord& target,
                    std::vector<std::string>& arguments) {
  if (target.is_gpu) return;
  // There is no library with the classes that type information refers to.
  if (invocation.language == Language::kCxx) arguments.emplace_back("-fno-rtti");
  // avr-libc's <util/delay.h> takes it for granted that the compiler has a builtin which Clang does
  // not have; so told, it uses its own loop.
  arguments.emplace_back("-D__HAS_DELAY_CYCLES=0");
}

std::vector<std::string> DriverArguments(const Invocation& invocation,
                                         const targets::TargetRecord& target,
                                         const std::string& path, bool color) {
  std::vector<std::string> arguments = {
      "clang",
      "-x",
      std::string(LanguageName(*invocation.language)),
      absl::StrCat("-O", OptLevelName(invocation.opt)),
      // No headers of the machine; distributions patch their own folders into Clang, so not even
      // its own folder is left to it.
      absl::StrCat("-resource-dir=", std::string_view(kResourceDirectory)),
      "-nostdinc",
      // The same bytes wherever they are made.
      "-ffile-compilation-dir=.",
      "-Qn",
      "-fno-crash-diagnostics",
      color ? "-fcolor-diagnostics" : "-fno-color-diagnostics",
      "-fmessage-length=0",
  };
  // Only for -E does Clang print text, and not just the macros.
  if (*invocation.emit == targets::EmitKind::kPreprocessed) {
    arguments.emplace_back("-E");
  } else {
    arguments.insert(arguments.end(), {"-S", "-emit-llvm"});
  }
  AddTarget(invocation, target, arguments);
  AddResourceHeaders(invocation, arguments);
  AddAvrDefaults(invocation, target, arguments);
  // Clang's driver would look for a toolkit there.
  std::copy_if(invocation.front_end_options.begin(), invocation.front_end_options.end(),
               std::back_inserter(arguments),
               [](const std::string& option) { return !absl::StartsWith(option, kCudaPathFlag); });
  arguments.insert(arguments.end(), {"--", path});
  return arguments;
}

const clang::driver::Command* FindCompilation(const clang::driver::Compilation& compilation) {
  const auto& jobs = compilation.getJobs();
  const auto job = std::find_if(jobs.begin(), jobs.end(), [](const clang::driver::Command& one) {
    return llvm::StringRef(one.getCreator().getName()) == "clang";
  });
  return job == jobs.end() ? nullptr : &*job;
}

}  // namespace

absl::StatusOr<ClangInvocation> MakeClangInvocation(const Invocation& invocation,
                                                    const targets::TargetRecord& target,
                                                    const std::string& path, bool color) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream.enable_colors(color);
  clang::DiagnosticOptions options;
  options.ShowColors = color;
  clang::DiagnosticsEngine diagnostics(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options,
                                       new clang::TextDiagnosticPrinter(stream, options));
  const std::vector<std::string> arguments = DriverArguments(invocation, target, path, color);
  std::vector<const char*> views;
  views.reserve(arguments.size());
  for (const std::string& argument : arguments) views.push_back(argument.c_str());

  clang::driver::Driver driver("clang", invocation.target, diagnostics, "Ingot",
                               llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>());
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(views));
  const clang::driver::Command* command =
      compilation == nullptr ? nullptr : FindCompilation(*compilation);
  ClangInvocation result{.invocation = std::make_shared<clang::CompilerInvocation>(),
                         .warnings = {}};
  const bool is_good =
      command != nullptr && !diagnostics.hasErrorOccurred() &&
      clang::CompilerInvocation::CreateFromArgs(
          *result.invocation, llvm::ArrayRef<const char*>(command->getArguments()).drop_front(1),
          diagnostics, "clang");
  if (!is_good || diagnostics.hasErrorOccurred()) {
    if (text.empty()) {
      text = absl::StrCat("clang: error: it cannot compile ", LanguageName(*invocation.language),
                          " for ", target.name, "\n");
    }
    return absl::InvalidArgumentError(text);
  }
  result.warnings = std::move(text);
  // A constant time for __DATE__ and __TIME__: the start of 1970.
  result.invocation->getPreprocessorOpts().SourceDateEpoch = 0;
  return result;
}

}  // namespace ingot::compiler
