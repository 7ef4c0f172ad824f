#include "compiler/invocation/front_end_option_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace ingot::compiler {
namespace {

// The kinds of rows.
consteval FrontEndRow Flag(std::string_view spelling) { return {.spelling = spelling}; }

// -fX with -fno-X.
consteval FrontEndRow Switch(std::string_view spelling) {
  return {.spelling = spelling, .negatable = true};
}

consteval FrontEndRow Value(std::string_view spelling) {
  return {.spelling = spelling, .form = FrontEndForm::kJoined};
}

consteval FrontEndRow Prefix(std::string_view spelling) {
  return {.spelling = spelling, .form = FrontEndForm::kPrefix};
}

consteval FrontEndRow Macro(std::string_view spelling) {
  return {.spelling = spelling, .form = FrontEndForm::kJoinedOrSeparate};
}

consteval FrontEndRow Folder(std::string_view spelling,
                             FrontEndForm form = FrontEndForm::kJoinedOrSeparate) {
  return {.spelling = spelling, .form = form, .role = FrontEndRole::kSearchFolder};
}

consteval FrontEndRow File(std::string_view spelling) {
  return {.spelling = spelling,
          .form = FrontEndForm::kJoinedOrSeparate,
          .role = FrontEndRole::kForcedFile};
}

consteval FrontEndRow Alias(std::string_view spelling, FrontEndForm form,
                            std::string_view meaning) {
  return {.spelling = spelling, .form = form, .note = meaning};
}

consteval FrontEndRow NoEffect(std::string_view spelling, FrontEndForm form = FrontEndForm::kFlag) {
  return {.spelling = spelling, .form = form, .role = FrontEndRole::kNoEffect};
}

consteval FrontEndRow Refused(std::string_view spelling, std::string_view why) {
  return {.spelling = spelling, .take = FrontEndTake::kRefused, .negatable = true, .note = why};
}

consteval FrontEndRow RefusedPrefix(std::string_view spelling, std::string_view why) {
  return {.spelling = spelling,
          .form = FrontEndForm::kPrefix,
          .take = FrontEndTake::kRefused,
          .negatable = true,
          .note = why};
}

consteval FrontEndRow RefusedUnlessOff(std::string_view spelling, std::string_view why) {
  return {.spelling = spelling,
          .take = FrontEndTake::kRefusedUnlessOff,
          .negatable = true,
          .note = why};
}

consteval FrontEndRow RefusedUnlessOffPrefix(std::string_view spelling, std::string_view why) {
  return {.spelling = spelling,
          .form = FrontEndForm::kPrefix,
          .take = FrontEndTake::kRefusedUnlessOff,
          .negatable = true,
          .note = why};
}

// Why options are refused, each with what to do instead.
constexpr std::string_view kPrecompiled =
    "precompiled headers are files that no key covers; include the header itself";
constexpr std::string_view kModules =
    "modules need a cache of compiled modules that no key covers; include headers instead";
constexpr std::string_view kPlugins = "plugins would be code that no key covers; leave it out";
constexpr std::string_view kInternals =
    "options of clang's and LLVM's inside have no stable meaning; use a public option";
constexpr std::string_view kPrograms =
    "the compile tool runs no other programs and looks for none; leave it out, and name what is to "
    "be included with -I or --sysroot";
constexpr std::string_view kProfile =
    "profiles are files written and read beside the output, which no key covers; leave it out";
constexpr std::string_view kSanitizers =
    "there is no sanitizer runtime for devices; leave it out, or test the code on the host";
constexpr std::string_view kSideFiles =
    "it writes a file beside the output, which would be missing on a cache hit; leave it out";
constexpr std::string_view kReports =
    "it reports on the compiler, which says nothing on a cache hit; leave it out, or use clang";
constexpr std::string_view kCrashes =
    "ingot keeps a reproducer of each crash by itself; leave it out";
constexpr std::string_view kLto =
    "there is no link-time optimisation; leave it out, or use --emit=bc for bitcode";
constexpr std::string_view kPositionIndependent =
    "device code is placed by its linker or loader, not position independent; leave it out";
constexpr std::string_view kLinker =
    "it is an option for linking, which is not done here; give it to the linker";
constexpr std::string_view kAssembler =
    "the assembler is part of the compile tool and takes no options of its own; leave it out";
constexpr std::string_view kVirtualFiles =
    "the compile tool has a file system of its own, whose paths are in the key; leave it out";
constexpr std::string_view kPaths =
    "no path of this machine gets into the output, so there is none to replace; leave it out";
constexpr std::string_view kOtherSearch =
    "this kind of search folder is not supported; use -I, -iquote, -isystem or -idirafter";
constexpr std::string_view kColour =
    "diagnostics are coloured where standard error is a terminal; leave it out";
constexpr std::string_view kDiagnosticFormat = "use --diagnostics=json or --diagnostics=sarif";
constexpr std::string_view kPipeline =
    "the optimiser takes its level and nothing else; use -O, or a pragma in the source";
constexpr std::string_view kCodeGenerator = "the code generator does not take it; leave it out";
constexpr std::string_view kGccOptimisation =
    "it is an optimisation of gcc that clang does not have; leave it out";
constexpr std::string_view kGccLanguage =
    "it is an option of gcc that clang does not have; leave it out";
constexpr std::string_view kOffload =
    "only the device's side is compiled, for one target; leave it out, and use --target and --cpu";
constexpr std::string_view kTarget = "the target says it: use --target, --cpu and --features";
constexpr std::string_view kOtherTarget = "it is for targets that are not supported; leave it out";
constexpr std::string_view kObjectiveC = "Objective-C is not supported; leave it out";
constexpr std::string_view kOpenMp = "there is no OpenMP or OpenACC for devices; leave it out";
constexpr std::string_view kRecordCommand =
    "the command line in an output would make equal results different; leave it out";
constexpr std::string_view kEmit =
    "what to write is said by --emit: obj, asm, bc, ll or preprocessed (ingot cc takes -c, -S, -E "
    "and -emit-llvm)";
constexpr std::string_view kDependencyFiles =
    "dependency files for Make and Ninja are written by `ingot cc`; use that, or leave it out";
constexpr std::string_view kLibraries =
    "libraries of device code cannot be linked in yet; leave it out";

constexpr std::array kUnsortedRows = {
    // The preprocessor.
    Macro("-D"),
    Macro("-U"),
    Alias("--define-macro=", FrontEndForm::kJoined, "-D"),
    Alias("--undefine-macro=", FrontEndForm::kJoined, "-U"),
    Folder("-I"),
    Folder("-iquote"),
    Folder("-isystem"),
    Folder("-idirafter"),
    Folder("--embed-dir=", FrontEndForm::kJoined),
    File("-include"),
    File("-imacros"),
    Flag("-nostdinc"),
    Flag("-nostdinc++"),
    Flag("-nostdlibinc"),
    Flag("-undef"),
    Flag("-trigraphs"),
    Switch("-ftrigraphs"),
    Flag("-P"),
    Flag("-C"),
    Flag("-CC"),
    Flag("-dD"),
    Flag("-dI"),
    Flag("-dM"),
    Switch("-fdirectives-only"),
    Switch("-fminimize-whitespace"),
    Switch("-fuse-line-directives"),
    Switch("-fkeep-system-includes"),
    Switch("-fdollars-in-identifiers"),
    NoEffect("-fextended-identifiers"),
    Switch("-fdigraphs"),
    Value("-finput-charset="),
    Value("-fexec-charset="),
    Value("-fmax-tokens="),
    Flag("-pthread"),
    Refused("-I-", "it divides the search path as old compilers did; use -iquote"),
    RefusedPrefix("-isystem-after", kOtherSearch),
    RefusedPrefix("-cxx-isystem", kOtherSearch),
    RefusedPrefix("-stdlib++-isystem", kOtherSearch),
    RefusedPrefix("-iframework", kOtherSearch),
    RefusedPrefix("-iprefix", kOtherSearch),
    RefusedPrefix("-iwithprefix", kOtherSearch),
    RefusedPrefix("-iwithsysroot", kOtherSearch),
    RefusedPrefix("-isysroot", "name the folders of headers with --sysroot (ingot cc) or -isystem"),
    Refused("-nobuiltininc", "only -nostdinc leaves out the compiler's own headers; use that"),
    RefusedPrefix("-Wp,",
                  "options for the preprocessor alone are not taken; give them without -Wp,"),
    Refused("-Xpreprocessor",
            "options for the preprocessor alone are not taken; give them without -Xpreprocessor"),
    RefusedPrefix("-traditional",
                  "the preprocessor follows the standard only; use that, or leave it out"),
    Refused("-H", "what is included is listed by `ingot cc -M`; use that"),
    RefusedPrefix("--system-header-prefix", "use -isystem for folders whose warnings nobody wants"),
    RefusedPrefix("--no-system-header-prefix", "use -I for folders whose warnings matter"),
    RefusedPrefix("-M", kDependencyFiles),
    RefusedPrefix("-dependency-file", kDependencyFiles),
    RefusedPrefix("-dependency-dot", kSideFiles),
    RefusedPrefix("-fdepfile-entry=", kDependencyFiles),

    // The language.
    Value("-std="),
    Alias("--std=", FrontEndForm::kJoined, "-std="),
    Flag("-ansi"),
    Flag("-pedantic"),
    Flag("-pedantic-errors"),
    Switch("-faccess-control"),
    Switch("-faligned-allocation"),
    Value("-faligned-new="),
    Switch("-faligned-new"),
    Switch("-fasm"),
    Switch("-fasm-blocks"),
    Switch("-fassume-sane-operator-new"),
    Switch("-fblocks"),
    Value("-fbracket-depth="),
    Switch("-fchar8_t"),
    Switch("-fcheck-new"),
    Value("-fclang-abi-compat="),
    Value("-fconstexpr-depth="),
    Value("-fconstexpr-steps="),
    Refused("-fcoroutines", "coroutines are part of C++20; use -std=c++20"),
    Switch("-fcoro-aligned-allocation"),
    Switch("-fcxx-exceptions"),
    Switch("-fdeclspec"),
    Switch("-fdefer-ts"),
    Switch("-fdelayed-template-parsing"),
    Switch("-felide-constructors"),
    Flag("-fenable-matrix"),
    Switch("-fexceptions"),
    Switch("-ffixed-point"),
    Flag("-ffreestanding"),
    Flag("-fhosted"),
    Switch("-fgnu-inline-asm"),
    Switch("-fgnu-keywords"),
    Switch("-fgnu89-inline"),
    Value("-fgnuc-version="),
    Flag("-fignore-exceptions"),
    Flag("-fexperimental-new-constant-interpreter"),
    Flag("-fno-knr-functions"),
    Value("-flax-vector-conversions="),
    Switch("-flax-vector-conversions"),
    Switch("-fms-extensions"),
    Value("-fnew-alignment="),
    Switch("-fnew-infallible"),
    Value("-foperator-arrow-depth="),
    Switch("-foperator-names"),
    Switch("-fpascal-strings"),
    Switch("-fraw-string-literals"),
    Switch("-frtti"),
    Switch("-fsized-deallocation"),
    Value("-ftemplate-depth="),
    Prefix("-ftemplate-depth-"),
    Switch("-fthreadsafe-statics"),
    Switch("-fuse-cxa-atexit"),
    Switch("-fc++-static-destructors"),
    Value("-fc++-static-destructors="),
    Switch("-fregister-global-dtors-with-atexit"),
    Flag("-fwritable-strings"),
    Switch("-fkeep-static-consts"),
    Switch("-fkeep-persistent-storage-variables"),
    Switch("-fcomplete-member-pointers"),
    Switch("-fdefine-target-os-macros"),
    Switch("-fbuiltin"),
    Prefix("-fno-builtin-"),
    Flag("-fparse-all-comments"),
    Value("-fcomment-block-commands="),
    Refused("-fpermissive", kGccLanguage),
    Refused("-ffriend-injection", kGccLanguage),
    Refused("-ffor-scope", "it is how all C++ is read today; leave it out"),
    Refused("-fimplicit-templates", kGccLanguage),
    Refused("-fimplement-inlines", kGccLanguage),
    Refused("-fnonansi-builtins", kGccLanguage),
    Refused("-fconserve-space", kGccLanguage),
    Refused("-fenforce-eh-specs", kGccLanguage),
    Refused("-fnon-call-exceptions", kGccLanguage),
    Refused("-fplan9-extensions", kGccLanguage),
    Refused("-fconcepts", "concepts are part of -std=c++20; use that"),
    RefusedPrefix("-fabi-version", "the C++ ABI is one for all of Ingot; use -fclang-abi-compat="),
    RefusedPrefix("-fms-",
                  "compatibility with Microsoft's compiler is not supported, except for "
                  "-fms-extensions; leave it out"),
    RefusedPrefix("-fapple-", kOtherTarget),
    RefusedPrefix("-faltivec", kOtherTarget),
    RefusedPrefix("-fobjc-", kObjectiveC),
    Refused("-fobjc-arc", kObjectiveC),
    RefusedPrefix("-ObjC", kObjectiveC),
    RefusedUnlessOffPrefix("-fopenmp", kOpenMp),
    RefusedUnlessOffPrefix("-fopenacc", kOpenMp),
    RefusedPrefix("-fapinotes", kModules),

    // Warnings and the text of diagnostics.
    Prefix("-W"),
    Flag("-w"),
    Value("-fconstexpr-backtrace-limit="),
    Value("-ferror-limit="),
    Value("-fmacro-backtrace-limit="),
    Value("-fmessage-length="),
    Value("-fspell-checking-limit="),
    Value("-ftemplate-backtrace-limit="),
    Value("-ftabstop="),
    Value("-fcaret-diagnostics-max-lines="),
    Switch("-fcaret-diagnostics"),
    Switch("-fdiagnostics-fixit-info"),
    Flag("-fdiagnostics-parseable-fixits"),
    Flag("-fdiagnostics-print-source-range-info"),
    Value("-fdiagnostics-show-category="),
    Switch("-fdiagnostics-show-line-numbers"),
    Switch("-fdiagnostics-show-note-include-stack"),
    Switch("-fdiagnostics-show-option"),
    Flag("-fdiagnostics-show-template-tree"),
    Flag("-fno-elide-type"),
    Value("-fshow-overloads="),
    Switch("-fshow-column"),
    Switch("-fshow-source-location"),
    Switch("-fspell-checking"),
    Switch("-fsafe-buffer-usage-suggestions"),
    Flag("-Qunused-arguments"),
    Refused("-fcolor-diagnostics", kColour),
    RefusedPrefix("-fdiagnostics-color", kColour),
    Refused("-fansi-escape-codes", kColour),
    RefusedPrefix("-fdiagnostics-format", kDiagnosticFormat),
    RefusedPrefix("-serialize-diagnostics", kDiagnosticFormat),
    Refused("-fdiagnostics-absolute-paths",
            "diagnostics name files as the command line does; leave it out"),
    RefusedPrefix("-fdiagnostics-show-hotness", kProfile),
    RefusedPrefix("-fdiagnostics-hotness-threshold", kProfile),
    RefusedPrefix("-fdiagnostics-misexpect-tolerance", kProfile),
    RefusedPrefix("-fdiagnostics-show-location", kGccLanguage),
    RefusedPrefix("-R", "remarks of the optimiser are not collected; use clang for them"),
    RefusedPrefix("-Wlarger-than",
                  "it is a warning of gcc that clang does not have; use "
                  "-Wframe-larger-than="),
    RefusedPrefix("-Wa,", kAssembler),
    RefusedPrefix("-Wl,", kLinker),

    // Debug information.
    Flag("-g"),
    Flag("-g0"),
    Flag("-g1"),
    Flag("-g2"),
    Flag("-g3"),
    Flag("-ggdb"),
    Flag("-ggdb0"),
    Flag("-ggdb1"),
    Flag("-ggdb2"),
    Flag("-ggdb3"),
    Flag("-gdwarf"),
    Flag("-gdwarf-2"),
    Flag("-gdwarf-3"),
    Flag("-gdwarf-4"),
    Flag("-gdwarf-5"),
    Flag("-gline-directives-only"),
    Flag("-gline-tables-only"),
    Flag("-gmlt"),
    Switch("-gcolumn-info"),
    Switch("-ginline-line-tables"),
    Switch("-gomit-unreferenced-methods"),
    Switch("-gpubnames"),
    Switch("-ggnu-pubnames"),
    Switch("-gsimple-template-names"),
    Switch("-gtemplate-alias"),
    Switch("-gstructor-decl-linkage-names"),
    Switch("-gkey-instructions"),
    Switch("-fdebug-macro"),
    Switch("-fdebug-info-for-profiling"),
    Switch("-feliminate-unused-debug-types"),
    Switch("-flimit-debug-info"),
    Switch("-fstandalone-debug"),
    Value("-fdebug-default-version="),
    Refused("-glldb", "debug information is made for gdb, which lldb reads too; leave it out"),
    Refused("-gsce", "debug information is made for gdb; leave it out"),
    Refused("-gdbx", "debug information is made for gdb; leave it out"),
    RefusedUnlessOff("-gstrict-dwarf", kCodeGenerator),
    RefusedUnlessOff("-gembed-source", "it is not supported; ship the sources beside the output"),
    RefusedUnlessOffPrefix("-gsplit-dwarf", kSideFiles),
    RefusedUnlessOff("-gmodules", kModules),
    RefusedUnlessOff("-grecord-gcc-switches", kRecordCommand),
    RefusedUnlessOff("-grecord-command-line", kRecordCommand),
    RefusedUnlessOff("-frecord-gcc-switches", kRecordCommand),
    RefusedUnlessOff("-frecord-command-line", kRecordCommand),
    RefusedPrefix("-gdwarf32", kCodeGenerator),
    RefusedPrefix("-gdwarf64", kCodeGenerator),
    RefusedPrefix("-gdwarf-aranges", kCodeGenerator),
    RefusedPrefix("-gcodeview", kOtherTarget),
    RefusedPrefix("-gstabs", "debug information is DWARF; use -g or -gdwarf-4"),
    RefusedPrefix("-gcoff", "debug information is DWARF; use -g or -gdwarf-4"),
    RefusedPrefix("-gxcoff", "debug information is DWARF; use -g or -gdwarf-4"),
    RefusedPrefix("-gvms", "debug information is DWARF; use -g or -gdwarf-4"),
    RefusedPrefix("-gz", "debug sections are not compressed; leave it out"),
    RefusedUnlessOff("-fdebug-types-section", kCodeGenerator),
    RefusedPrefix("-fdebug-compilation-dir", "it is `.` on every machine; leave it out"),
    RefusedPrefix("-ffile-compilation-dir", "it is `.` on every machine; leave it out"),
    RefusedPrefix("-fcoverage-compilation-dir", kProfile),
    RefusedPrefix("-fdebug-prefix-map", kPaths),
    RefusedPrefix("-ffile-prefix-map", kPaths),
    RefusedPrefix("-fmacro-prefix-map", kPaths),
    RefusedPrefix("-fcoverage-prefix-map", kPaths),
    RefusedPrefix("-fdebug-regex-map", kPaths),
    RefusedPrefix("-ffile-reproducible",
                  "paths in the output are the same on every machine; leave "
                  "it out"),

    // Types, layout and linkage.
    Switch("-fsigned-char"),
    Switch("-funsigned-char"),
    Flag("-fsigned-bitfields"),
    Switch("-fshort-enums"),
    Switch("-fshort-wchar"),
    Switch("-fpack-struct"),
    Value("-fpack-struct="),
    Value("-fmax-type-align="),
    Switch("-ffine-grained-bitfield-accesses"),
    Value("-fstrict-flex-arrays="),
    Value("-frandomize-layout-seed="),
    RefusedPrefix("-frandomize-layout-seed-file", "give the seed itself: -frandomize-layout-seed="),
    Switch("-fcommon"),
    Switch("-fdata-sections"),
    Switch("-ffunction-sections"),
    Switch("-funique-section-names"),
    Switch("-fzero-initialized-in-bss"),
    Switch("-fuse-init-array"),
    Switch("-fmerge-all-constants"),
    Flag("-femit-all-decls"),
    Value("-fvisibility="),
    Switch("-fvisibility-inlines-hidden"),
    Switch("-fvisibility-inlines-hidden-static-local-var"),
    Value("-fvisibility-global-new-delete="),
    Value("-ftls-model="),
    Switch("-fsemantic-interposition"),
    Switch("-fident"),
    Switch("-fverbose-asm"),
    Switch("-fdiscard-value-names"),
    Value("-mdouble="),
    RefusedUnlessOff("-femulated-tls", kCodeGenerator),
    RefusedUnlessOffPrefix("-fpic", kPositionIndependent),
    RefusedUnlessOffPrefix("-fPIC", kPositionIndependent),
    RefusedUnlessOffPrefix("-fpie", kPositionIndependent),
    RefusedUnlessOffPrefix("-fPIE", kPositionIndependent),
    RefusedUnlessOff("-fplt", kPositionIndependent),
    RefusedUnlessOff("-fropi", kPositionIndependent),
    RefusedUnlessOff("-frwpi", kPositionIndependent),
    Refused("-funsigned-bitfields", "clang does not have it; write unsigned where it is meant"),

    // Code.
    Switch("-fassumptions"),
    Switch("-fasynchronous-unwind-tables"),
    Switch("-funwind-tables"),
    Switch("-fconvergent-functions"),
    Switch("-fdelete-null-pointer-checks"),
    Switch("-ffinite-loops"),
    Switch("-fforce-emit-vtables"),
    Switch("-finline"),
    Switch("-finline-functions"),
    Flag("-finline-hint-functions"),
    Switch("-fjump-tables"),
    Switch("-fomit-frame-pointer"),
    Switch("-fescaping-block-tail-calls"),
    Switch("-foptimize-sibling-calls"),
    Switch("-fpointer-tbaa"),
    Switch("-fstack-protector"),
    Flag("-fstack-protector-all"),
    Flag("-fstack-protector-strong"),
    Switch("-fstrict-aliasing"),
    Switch("-fstrict-enums"),
    Switch("-fstrict-overflow"),
    Switch("-fstrict-return"),
    Switch("-fstrict-vtable-pointers"),
    Switch("-fstruct-path-tbaa"),
    Value("-ftrivial-auto-var-init="),
    Value("-ftrivial-auto-var-init-max-size="),
    Value("-ftrivial-auto-var-init-stop-after="),
    Flag("-ftrapv"),
    Value("-ftrapv-handler="),
    Value("-ftrap-function="),
    Switch("-fwrapv"),
    Switch("-fwrapv-pointer"),
    Flag("-fextend-variable-liveness"),
    Value("-fextend-variable-liveness="),
    RefusedUnlessOffPrefix("-finstrument-function", kPipeline),
    RefusedPrefix("-funroll-loops", kPipeline),
    RefusedPrefix("-funroll-all-loops", kPipeline),
    RefusedPrefix("-fvectorize", kPipeline),
    RefusedPrefix("-ftree-vectorize", kPipeline),
    RefusedPrefix("-fslp-vectorize", kPipeline),
    RefusedPrefix("-ftree-slp-vectorize", kPipeline),
    RefusedPrefix("-floop-interchange", kPipeline),
    RefusedPrefix("-fveclib", kPipeline),
    RefusedPrefix("-fglobal-isel", kPipeline),
    RefusedPrefix("-fexperimental-isel", kPipeline),
    RefusedPrefix("-fexperimental-loop-fusion", kPipeline),
    RefusedPrefix("-finline-max-stacksize", kPipeline),
    RefusedPrefix("-falign-functions", kGccOptimisation),
    RefusedPrefix("-falign-loops", kGccOptimisation),
    RefusedPrefix("-falign-jumps", kGccOptimisation),
    RefusedPrefix("-falign-labels", kGccOptimisation),
    RefusedPrefix("-finline-limit", kGccOptimisation),
    RefusedPrefix("-finline-small-functions", kGccOptimisation),
    RefusedPrefix("-finline-functions-called-once", kGccOptimisation),
    RefusedPrefix("-fkeep-inline-functions", kGccOptimisation),
    RefusedPrefix("-fgcse", kGccOptimisation),
    RefusedPrefix("-ftree-", kGccOptimisation),
    RefusedPrefix("-fipa-", kGccOptimisation),
    RefusedPrefix("-fivopts", kGccOptimisation),
    RefusedPrefix("-fcaller-saves", kGccOptimisation),
    RefusedPrefix("-fdefer-pop", kGccOptimisation),
    RefusedPrefix("-fdevirtualize", kGccOptimisation),
    RefusedPrefix("-fexpensive-optimizations", kGccOptimisation),
    RefusedPrefix("-ffloat-store", kGccOptimisation),
    RefusedPrefix("-fmerge-constants", kGccOptimisation),
    RefusedPrefix("-fmodulo-sched", kGccOptimisation),
    RefusedPrefix("-fpeel-loops", kGccOptimisation),
    RefusedPrefix("-fprefetch-loop-arrays", kGccOptimisation),
    RefusedPrefix("-frename-registers", kGccOptimisation),
    RefusedPrefix("-freorder-blocks", kGccOptimisation),
    RefusedPrefix("-freorder-functions", kGccOptimisation),
    RefusedPrefix("-fschedule-insns", kGccOptimisation),
    RefusedPrefix("-fsingle-precision-constant", kGccOptimisation),
    RefusedPrefix("-fsplit-wide-types", kGccOptimisation),
    RefusedPrefix("-fstrength-reduce", kGccOptimisation),
    RefusedPrefix("-ftracer", kGccOptimisation),
    RefusedPrefix("-ftoplevel-reorder", kGccOptimisation),
    RefusedPrefix("-funit-at-a-time", kGccOptimisation),
    RefusedPrefix("-funswitch-loops", kGccOptimisation),
    RefusedPrefix("-fvect-cost-model", kGccOptimisation),
    RefusedPrefix("-fweb", kGccOptimisation),
    RefusedPrefix("-fwhole-program", kGccOptimisation),
    RefusedPrefix("-fguess-branch-probability", kGccOptimisation),
    RefusedPrefix("-fbranch-count-reg", kGccOptimisation),
    RefusedPrefix("-fbranch-probabilities", kProfile),
    RefusedPrefix("-fsignaling-nans", kGccOptimisation),
    RefusedPrefix("-ffixed-", "a register cannot be reserved; leave it out"),
    RefusedPrefix("-fcall-", "a register's use cannot be changed; leave it out"),
    RefusedPrefix("--param", "it sets a number inside gcc; leave it out"),
    RefusedUnlessOff("-fstack-usage", kSideFiles),
    RefusedUnlessOff("-fstack-size-section", kCodeGenerator),
    RefusedUnlessOffPrefix("-fstack-clash-protection", kOtherTarget),
    RefusedUnlessOffPrefix("-fstack-check", kOtherTarget),
    RefusedUnlessOffPrefix("-fsplit-stack", kOtherTarget),
    RefusedUnlessOffPrefix("-fcf-protection", kOtherTarget),
    RefusedUnlessOffPrefix("-fbasic-block-", kCodeGenerator),
    RefusedUnlessOffPrefix("-fsplit-machine-functions", kCodeGenerator),
    RefusedUnlessOffPrefix("-fwhole-program-vtables", kLto),
    RefusedUnlessOffPrefix("-fvirtual-function-elimination", kLto),
    RefusedPrefix("-faddrsig", kCodeGenerator),
    RefusedPrefix("-fpatchable-function-entry", kOtherTarget),
    RefusedPrefix("-mllvm", kInternals),
    RefusedPrefix("-mrelax", "linker relaxation breaks programs of this LLVM; leave it out"),
    RefusedPrefix("-mcall-prologues", kGccOptimisation),
    RefusedPrefix("-mbranch-cost", kGccOptimisation),
    RefusedPrefix("-maccumulate-args", kGccOptimisation),
    RefusedPrefix("-mtiny-stack", kGccOptimisation),
    RefusedPrefix("-mstrict-X", kGccOptimisation),
    RefusedPrefix("-mint8", kGccLanguage),
    RefusedPrefix("-mn-flash", kGccLanguage),
    RefusedPrefix("-mno-interrupts", kGccLanguage),
    RefusedPrefix("-march=", kTarget),
    RefusedPrefix("-mcpu=", kTarget),
    RefusedPrefix("-mtune=", kTarget),
    RefusedPrefix("-mmcu=", "use --cpu, as in --cpu=atmega328p; ingot cc takes -mmcu"),
    RefusedPrefix("-mfpu", kTarget),
    RefusedPrefix("-mabi", kTarget),
    RefusedPrefix("-mthumb", kTarget),
    RefusedPrefix("-marm", kTarget),
    RefusedPrefix("-m16", kTarget),
    RefusedPrefix("-m32", kTarget),
    RefusedPrefix("-m64", kTarget),
    RefusedPrefix("-mx32", kTarget),

    // Floating point.
    Value("-fcomplex-arithmetic="),
    Switch("-fcx-fortran-rules"),
    Switch("-fcx-limited-range"),
    Value("-fdenormal-fp-math="),
    Value("-fexcess-precision="),
    Switch("-fapprox-func"),
    Switch("-fassociative-math"),
    Switch("-ffast-math"),
    Switch("-ffinite-math-only"),
    Value("-ffp-contract="),
    Value("-ffp-eval-method="),
    Value("-ffp-exception-behavior="),
    Value("-ffp-model="),
    Switch("-fhonor-infinities"),
    Switch("-fhonor-nans"),
    Switch("-fmath-errno"),
    Switch("-fprotect-parens"),
    Switch("-freciprocal-math"),
    Switch("-frounding-math"),
    Switch("-fsigned-zeros"),
    Switch("-fstrict-float-cast-overflow"),
    Switch("-ftrapping-math"),
    Switch("-funsafe-math-optimizations"),

    // OpenCL C.
    Value("-cl-std="),
    Value("-cl-ext="),
    Flag("-cl-fast-relaxed-math"),
    Flag("-cl-finite-math-only"),
    Flag("-cl-fp32-correctly-rounded-divide-sqrt"),
    Flag("-cl-kernel-arg-info"),
    Flag("-cl-mad-enable"),
    Flag("-cl-no-signed-zeros"),
    Flag("-cl-no-stdinc"),
    Flag("-cl-single-precision-constant"),
    Flag("-cl-strict-aliasing"),
    Flag("-cl-uniform-work-group-size"),
    Flag("-cl-unsafe-math-optimizations"),
    Refused("-cl-denorms-are-zero", "use -fdenormal-fp-math=preserve-sign"),
    Refused("-cl-opt-disable", "use -O0"),
    RefusedPrefix("--libclc-lib", kLibraries),

    // CUDA.
    Folder("--cuda-path=", FrontEndForm::kJoined),
    Switch("-fcuda-flush-denormals-to-zero"),
    Switch("-fgpu-flush-denormals-to-zero"),
    Switch("-fcuda-approx-transcendentals"),
    Switch("-fgpu-approx-transcendentals"),
    Switch("-fgpu-exclude-wrong-side-overloads"),
    Switch("-fgpu-defer-diag"),
    Flag("-foffload-implicit-host-device-templates"),
    NoEffect("-nocudainc"),
    NoEffect("-nocudalib"),
    NoEffect("-nogpuinc"),
    NoEffect("-nogpulib"),
    NoEffect("--cuda-device-only"),
    NoEffect("--offload-device-only"),
    RefusedUnlessOff("-fcuda-rdc",
                     "device code of several files cannot be linked yet; leave it out"),
    RefusedUnlessOff("-fgpu-rdc",
                     "device code of several files cannot be linked yet; leave it out"),
    RefusedUnlessOff("-fcuda-short-ptr", "it changes the data layout; leave it out"),
    RefusedUnlessOff("-fgpu-sanitize", kSanitizers),
    RefusedPrefix("-fgpu-default-stream", kOffload),
    RefusedPrefix("-fgpu-inline-threshold", kPipeline),
    RefusedPrefix("-fuse-cuid", kOffload),
    RefusedPrefix("-cuid=", kOffload),
    RefusedPrefix("--cuda-", kOffload),
    RefusedPrefix("--no-cuda-", kOffload),
    RefusedPrefix("--offload", kOffload),
    RefusedPrefix("--no-offload", kOffload),
    RefusedPrefix("--gpu-", kOffload),
    RefusedPrefix("--ptxas-path", kPrograms),
    RefusedPrefix("--nvptx-arch-tool", kPrograms),

    // What says how things are anyway.
    NoEffect("-pipe"),
    NoEffect("-fintegrated-as"),
    NoEffect("-integrated-as"),
    NoEffect("-fintegrated-cc1"),
    NoEffect("-no-canonical-prefixes"),
    NoEffect("-canonical-prefixes"),
    NoEffect("-frandom-seed=", FrontEndForm::kJoined),  // no name depends on chance
    NoEffect("-no-pie"),
    NoEffect("-nopie"),

    // What would read, write or run something that no key covers.
    RefusedPrefix("-include-pch", kPrecompiled),
    RefusedPrefix("-emit-pch", kPrecompiled),
    RefusedPrefix("-relocatable-pch", kPrecompiled),
    RefusedPrefix("-ignore-pch", kPrecompiled),
    RefusedPrefix("-verify-pch", kPrecompiled),
    RefusedUnlessOffPrefix("-fpch-", kPrecompiled),
    RefusedUnlessOffPrefix("-fmodule", kModules),
    RefusedUnlessOffPrefix("-fcxx-modules", kModules),
    RefusedUnlessOffPrefix("-fimplicit-module", kModules),
    RefusedUnlessOffPrefix("-fprebuilt-", kModules),
    RefusedPrefix("-fbuild-session", kModules),
    RefusedPrefix("-fsystem-module", kModules),
    RefusedPrefix("--precompile", kModules),
    RefusedPrefix("-module-", kModules),
    RefusedPrefix("-fplugin", kPlugins),
    RefusedPrefix("-fpass-plugin", kPlugins),
    RefusedPrefix("-load", kPlugins),
    RefusedPrefix("-Xclang", kInternals),
    RefusedPrefix("-mmlir", kInternals),
    RefusedPrefix("-cc1", kInternals),
    RefusedPrefix("-ccc-", kInternals),
    RefusedPrefix("--driver-mode", kInternals),
    RefusedPrefix("-Xarch_", kOffload),
    RefusedPrefix("-Xcuda-", kPrograms),
    RefusedPrefix("-Xopenmp-target", kOpenMp),
    RefusedPrefix("-Xassembler", kAssembler),
    RefusedPrefix("-Xlinker", kLinker),
    RefusedPrefix("-Xcompiler", "it is an option of nvcc; give what follows it by itself"),
    RefusedPrefix("-B", kPrograms),
    RefusedPrefix("--prefix", kPrograms),
    RefusedPrefix("--config",
                  "options come from .ingotrc files and INGOT_ variables; see ingot "
                  "config"),
    RefusedPrefix("-specs", kPrograms),
    RefusedPrefix("--gcc-", kPrograms),
    RefusedPrefix("-resource-dir",
                  "the compiler's own headers are part of the compile tool; "
                  "leave it out"),
    RefusedPrefix("-fuse-ld", kLinker),
    RefusedPrefix("-no-integrated-as", kPrograms),
    RefusedPrefix("-fno-integrated-as", kPrograms),
    RefusedPrefix("-fno-integrated-cc1", kPrograms),
    RefusedPrefix("-ivfsoverlay", kVirtualFiles),
    RefusedPrefix("-vfsoverlay", kVirtualFiles),
    RefusedPrefix("-working-directory", kVirtualFiles),
    RefusedUnlessOffPrefix("-fprofile", kProfile),
    RefusedUnlessOffPrefix("-fcs-profile", kProfile),
    RefusedUnlessOffPrefix("-fauto-profile", kProfile),
    RefusedUnlessOffPrefix("-fmemory-profile", kProfile),
    RefusedUnlessOffPrefix("-fcodegen-data", kProfile),
    RefusedUnlessOffPrefix("-fcoverage-m", kProfile),
    RefusedUnlessOffPrefix("-ftest-coverage", kProfile),
    RefusedUnlessOffPrefix("-fpseudo-probe", kProfile),
    RefusedUnlessOffPrefix("-ftemporal-profile", kProfile),
    RefusedUnlessOffPrefix("-fxray-", kProfile),
    RefusedPrefix("-coverage", kProfile),
    RefusedPrefix("--coverage", kProfile),
    RefusedPrefix("-pg", kProfile),
    Refused("-p", kProfile),
    RefusedUnlessOffPrefix("-fsanitize", kSanitizers),
    RefusedUnlessOffPrefix("-flto", kLto),
    RefusedUnlessOffPrefix("-ffat-lto-objects", kLto),
    RefusedUnlessOffPrefix("-fsplit-lto-unit", kLto),
    RefusedUnlessOffPrefix("-funified-lto", kLto),
    RefusedUnlessOffPrefix("-fthinlto-", kLto),
    RefusedPrefix("-fthin-link-bitcode", kLto),
    RefusedUnlessOffPrefix("-fembed-bitcode", "use --emit=bc for bitcode"),
    RefusedPrefix("-fembed-offload-object", kOffload),
    RefusedUnlessOffPrefix("-fsave-optimization-record", kSideFiles),
    RefusedPrefix("-foptimization-record", kSideFiles),
    RefusedPrefix("-save-temps", "use --emit=preprocessed, bc or asm, one after the other"),
    RefusedPrefix("-save-stats", kSideFiles),
    RefusedPrefix("-fdump-", kSideFiles),
    RefusedPrefix("-fcallgraph-info", kSideFiles),
    RefusedPrefix("-fopt-info", kSideFiles),
    RefusedPrefix("-ftime-trace", kSideFiles),
    RefusedPrefix("-ftime-report", kReports),
    RefusedPrefix("-fproc-stat-report", kSideFiles),
    RefusedPrefix("-fdebug-pass-", kReports),
    RefusedPrefix("-print-", "ingot cc answers questions about the compiler; use that"),
    RefusedUnlessOffPrefix("-fcrash-diagnostics", kCrashes),
    RefusedPrefix("-gen-reproducer", kCrashes),
    RefusedPrefix("-gen-cdb-fragment-path", kSideFiles),
    Refused("-E", kEmit),
    Refused("-S", kEmit),
    Refused("-c", kEmit),
    RefusedPrefix("-emit-", kEmit),
    RefusedPrefix("-extract-api", kEmit),
    RefusedPrefix("-rewrite-", kEmit),
    RefusedPrefix("-fsyntax-only", kEmit),

    // The linker's.
    RefusedPrefix("-l", kLinker),
    RefusedPrefix("-L", kLinker),
    RefusedPrefix("-T", kLinker),
    RefusedPrefix("-nostdlib", kLinker),
    RefusedPrefix("-nostartfiles", kLinker),
    RefusedPrefix("-nodefaultlibs", kLinker),
    RefusedPrefix("-nolibc", kLinker),
    RefusedPrefix("-rdynamic", kLinker),
    RefusedPrefix("-rpath", kLinker),
    RefusedPrefix("-rtlib", kLinker),
    RefusedPrefix("-stdlib", "there is no C++ library for devices; name its headers with -isystem"),
    RefusedPrefix("-unwindlib", kLinker),
    RefusedPrefix("-shared", kLinker),
    RefusedPrefix("-static", kLinker),
    RefusedPrefix("-pie", kPositionIndependent),
    Refused("-r", kLinker),
    Refused("-s", kLinker),
    Refused("-z", kLinker),
    RefusedPrefix("-u", kLinker),
};

constexpr auto SortedRows() {
  auto rows = kUnsortedRows;
  std::ranges::sort(rows, {}, &FrontEndRow::spelling);
  return rows;
}
constexpr auto kRows = SortedRows();
static_assert(std::ranges::adjacent_find(kRows, {}, &FrontEndRow::spelling) == kRows.end(),
              "an option stands in the table twice");

// Room for any spelling.
constexpr std::size_t kLongestKey = 64;
static_assert(std::ranges::all_of(kRows, [](const FrontEndRow& row) {
  return row.spelling.size() < kLongestKey;
}));

// "no-" stands behind "-f", "-g", "-m" of an option that is switched off.
constexpr std::string_view kNo = "no-";
constexpr std::size_t kNoAt = 2;

bool LooksNegated(std::string_view argument) {
  return argument.substr(std::min(argument.size(), kNoAt)).starts_with(kNo) &&
         (argument[1] == 'f' || argument[1] == 'g');
}

bool Fits(const FrontEndRow& row, std::string_view argument) {
  return argument.starts_with(row.spelling) &&
         (row.form != FrontEndForm::kFlag || argument.size() == row.spelling.size());
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

const FrontEndRow* FindLongest(std::string_view argument) {
  std::string_view key = argument;
  const FrontEndRow* end = kRows.data() + kRows.size();
  while (!key.empty()) {
    // What `key` begins with stands before what is greater, the longest last.
    end = std::upper_bound(kRows.data(), end, key, [](std::string_view a, const FrontEndRow& row) {
      return a < row.spelling;
    });
    if (end == kRows.data()) break;
    const FrontEndRow& row = *--end;
    if (Fits(row, argument)) return &row;
    // A shorter spelling can only be what both begin with.
    const std::size_t common = CommonPrefix(row.spelling, key);
    key = key.substr(0, common == row.spelling.size() ? common - 1 : common);
  }
  return nullptr;
}

}  // namespace

std::span<const FrontEndRow> FrontEndRows() { return kRows; }

const FrontEndRow* FindFrontEndRow(std::string_view argument) {
  const FrontEndRow* found = FindLongest(argument);
  if (!LooksNegated(argument)) return found;
  if (found != nullptr && found->spelling.size() > kNoAt + kNo.size()) return found;

  std::array<char, kLongestKey> positive;
  const std::string_view rest = argument.substr(kNoAt + kNo.size());
  const std::size_t size = std::min(rest.size(), positive.size() - kNoAt);
  std::copy_n(argument.begin(), kNoAt, positive.begin());
  std::copy_n(rest.begin(), size, positive.begin() + kNoAt);
  const FrontEndRow* row = FindLongest({positive.data(), kNoAt + size});
  return row != nullptr && row->negatable && row->spelling.size() > kNoAt ? row : found;
}

bool IsNegated(const FrontEndRow& row, std::string_view argument) {
  return LooksNegated(argument) && !argument.starts_with(row.spelling);
}

}  // namespace ingot::compiler
