#include "targets/avr/avr_record.h"

namespace ingot::targets {
namespace {

// What LLVM and avr-gcc take where no device is named: code for it runs on nearly every AVR.
constexpr std::string_view kDefaultCpu = "avr2";

constexpr std::string_view kAliases[] = {
    "avr-unknown-unknown",
    "avr-unknown-none",
    "avr-none",
    "avr-atmel-none",
};

constexpr std::string_view kCpuFactNames[] = {"kind", "arch"};

constexpr CpuRecord kCpus[] = {
#include "targets/avr/avr_cpus.inc"
};

// Without the families that are CPUs themselves: a CPU is chosen by --cpu.
constexpr std::string_view kFeatures[] = {
    "addsubiw",      "avr0",     "break",   "des",          "eijmpcall",    "elpm",
    "elpmx",         "ijmpcall", "jmpcall", "lowbytefirst", "lpm",          "lpmx",
    "memmappedregs", "movw",     "mul",     "rmw",          "smallstack",   "special",
    "spm",           "spmx",     "sram",    "tinyencoding", "wrappingrjmp", "xmega",
    "xmega2",        "xmega3",   "xmega4",  "xmegau",
};

constexpr EmitRecord kEmits[] = {
    {EmitKind::kAsm, "s"}, {EmitKind::kObj, "o"},    {EmitKind::kBc, "bc"},
    {EmitKind::kLl, "ll"}, {EmitKind::kRawLl, "ll"}, {EmitKind::kPreprocessed, "i"},
};

}  // namespace

constinit const TargetRecord kAvrTarget = {
    .name = "avr",
    .triple = "avr",
    .aliases = kAliases,
    .architecture = "avr",
    .data_layout = "e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8:16-a:8",
    .older_data_layouts = {},
    .description = "AVR microcontrollers",
    .cpus = kCpus,
    .default_cpu = kDefaultCpu,
    .cpu_fact_names = kCpuFactNames,
    .features = kFeatures,
    .emits = kEmits,
    .default_emit = EmitKind::kObj,
    .is_gpu = false,
};

}  // namespace ingot::targets
