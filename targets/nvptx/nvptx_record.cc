#include "targets/nvptx/nvptx_record.h"

namespace ingot::targets {
namespace {

// The oldest CPU that every current ptxas accepts, and what LLVM itself takes where none is named.
constexpr std::string_view kDefaultCpu = "sm_75";

constexpr std::string_view kAliases[] = {
    "nvptx64-unknown-cuda",
    "nvptx64-unknown-unknown",
};

// Of NVIDIA's own tools (NVVM IR Specification, "Data Layout").
constexpr std::string_view kNvvmDataLayout =
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-"
    "v32:32:32-v64:64:64-v128:128:128-n16:32:64";
constexpr std::string_view kNvvmDataLayoutWith128Bits =
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64";

// Of LLVM until 17, until 20 and until 21, and of NVIDIA's tools.
constexpr std::string_view kOlderDataLayouts[] = {
    "e-i64:64-v16:16-v32:32-n16:32:64",
    "e-i64:64-i128:128-v16:16-v32:32-n16:32:64",
    "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64",
    kNvvmDataLayout,
    kNvvmDataLayoutWith128Bits,
};

constexpr std::string_view kCpuFactNames[] = {"ptx"};

// An 'a' CPU has instructions of that one chip, an 'f' CPU those of its family; code for neither
// runs elsewhere.
constexpr CpuRecord kCpus[] = {
    {"sm_20", "Fermi", {"3.2"}},       {"sm_21", "Fermi", {"3.2"}},
    {"sm_30", "Kepler", {"3.2"}},      {"sm_32", "Kepler", {"4.0"}},
    {"sm_35", "Kepler", {"3.2"}},      {"sm_37", "Kepler", {"4.1"}},
    {"sm_50", "Maxwell", {"4.0"}},     {"sm_52", "Maxwell", {"4.1"}},
    {"sm_53", "Maxwell", {"4.2"}},     {"sm_60", "Pascal", {"5.0"}},
    {"sm_61", "Pascal", {"5.0"}},      {"sm_62", "Pascal", {"5.0"}},
    {"sm_70", "Volta", {"6.0"}},       {"sm_72", "Volta", {"6.1"}},
    {"sm_75", "Turing", {"6.3"}},      {"sm_80", "Ampere", {"7.0"}},
    {"sm_86", "Ampere", {"7.1"}},      {"sm_87", "Ampere", {"7.4"}},
    {"sm_88", "Ampere", {"9.0"}},      {"sm_89", "Ada", {"7.8"}},
    {"sm_90", "Hopper", {"7.8"}},      {"sm_90a", "Hopper", {"8.0"}},
    {"sm_100", "Blackwell", {"8.6"}},  {"sm_100a", "Blackwell", {"8.6"}},
    {"sm_100f", "Blackwell", {"8.8"}}, {"sm_101", "Blackwell", {"8.6"}},
    {"sm_101a", "Blackwell", {"8.6"}}, {"sm_101f", "Blackwell", {"8.8"}},
    {"sm_103", "Blackwell", {"8.8"}},  {"sm_103a", "Blackwell", {"8.8"}},
    {"sm_103f", "Blackwell", {"8.8"}}, {"sm_110", "Blackwell", {"9.0"}},
    {"sm_110a", "Blackwell", {"9.0"}}, {"sm_110f", "Blackwell", {"9.0"}},
    {"sm_120", "Blackwell", {"8.7"}},  {"sm_120a", "Blackwell", {"8.7"}},
    {"sm_120f", "Blackwell", {"8.8"}}, {"sm_121", "Blackwell", {"8.8"}},
    {"sm_121a", "Blackwell", {"8.8"}}, {"sm_121f", "Blackwell", {"8.8"}},
};

// PTX versions. LLVM's other features are the CPUs' own names, and a CPU is chosen by --cpu.
constexpr std::string_view kFeatures[] = {
    "ptx32", "ptx40", "ptx41", "ptx42", "ptx43", "ptx50", "ptx60", "ptx61",
    "ptx62", "ptx63", "ptx64", "ptx65", "ptx70", "ptx71", "ptx72", "ptx73",
    "ptx74", "ptx75", "ptx76", "ptx77", "ptx78", "ptx80", "ptx81", "ptx82",
    "ptx83", "ptx84", "ptx85", "ptx86", "ptx87", "ptx88", "ptx90",
};

constexpr EmitRecord kEmits[] = {
    {EmitKind::kAsm, "ptx"},  {EmitKind::kBc, "bc"},          {EmitKind::kLl, "ll"},
    {EmitKind::kRawLl, "ll"}, {EmitKind::kPreprocessed, "i"},
};

}  // namespace

constinit const TargetRecord kNvptx64Target = {
    .name = "nvptx64",
    .triple = "nvptx64-nvidia-cuda",
    .aliases = kAliases,
    .architecture = "nvptx64",
    .data_layout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    .older_data_layouts = kOlderDataLayouts,
    .description = "NVIDIA GPUs, as PTX for CUDA drivers",
    .cpus = kCpus,
    .default_cpu = kDefaultCpu,
    .cpu_fact_names = kCpuFactNames,
    .features = kFeatures,
    .emits = kEmits,
    .default_emit = EmitKind::kAsm,
    .is_gpu = true,
};

}  // namespace ingot::targets
