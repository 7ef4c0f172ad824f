// What the backend does to modules and finds in them, from text of LLVM IR.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/finding.h"
#include "targets/kernel_options.h"
#include "targets/nvptx/nvptx_backend.h"

namespace ingot::targets {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTwoKernels = R"(
define ptx_kernel void @first(ptr %p) {
  call void @step(ptr %p)
  ret void
}
define ptx_kernel void @second(ptr %p) "nvvm.maxntid"="64" "nvvm.reqntid"="32" {
  ret void
}
define void @step(ptr %p) {
  store i32 1, ptr %p
  ret void
}
@table = addrspace(4) global i32 1
)";

class NvptxModuleTest : public testing::Test {
 protected:
  // The module of `text`, which must be one.
  void Parse(std::string_view text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(llvm::StringRef(text), error, context_);
    ASSERT_NE(module_, nullptr) << error.getMessage().str();
  }

  // What is found when `text` is compiled for `cpu`, as diagnostics.
  std::string Find(std::string_view text, const KernelOptions& options = {},
                   std::string_view cpu = "sm_80", std::string_view features = "") {
    Parse(text);
    if (module_ == nullptr) return "";
    const auto machine = Nvptx64Backend().CreateTargetMachine(
        {.cpu = std::string(cpu), .features = std::string(features)});
    EXPECT_TRUE(machine.ok()) << machine.status();
    module_->setDataLayout((*machine)->createDataLayout());
    Findings findings;
    Nvptx64Backend().Prepare(*module_, options, findings);
    Nvptx64Backend().Lower(*module_);
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    Nvptx64Backend().Check(*module_, **machine, options, findings);
    return FormatFindings(findings, "k.ll");
  }

  std::string Text() const {
    std::string text;
    llvm::raw_string_ostream(text) << *module_;
    return text;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(NvptxModuleTest, EverythingButKernelsAndVariablesIsHidden) {
  EXPECT_EQ(Find(kTwoKernels), "");
  EXPECT_FALSE(module_->getFunction("first")->hasLocalLinkage());
  EXPECT_FALSE(module_->getFunction("second")->hasLocalLinkage());
  EXPECT_TRUE(module_->getFunction("step")->hasInternalLinkage());
  EXPECT_FALSE(module_->getNamedGlobal("table")->hasLocalLinkage());
}

TEST_F(NvptxModuleTest, AnEntryHidesTheOtherKernels) {
  EXPECT_EQ(Find(kTwoKernels, {.entries = {"second"}}), "");
  EXPECT_TRUE(module_->getFunction("first")->hasInternalLinkage());
  EXPECT_FALSE(module_->getFunction("second")->hasLocalLinkage());
}

TEST_F(NvptxModuleTest, AnUnknownEntryIsAFinding) {
  EXPECT_EQ(Find(kTwoKernels, {.entries = {"first", "secnd"}}),
            "k.ll: error: there is no kernel 'secnd', which --entry asks for; did you mean "
            "'second'? [unknown-entry]\n"
            "k.ll: note: its kernels are first, second\n");
  EXPECT_THAT(Find("define void @f() {\n ret void\n}\n", {.entries = {"f"}}),
              HasSubstr("the module has no kernels"));
}

TEST_F(NvptxModuleTest, ALibraryAndRelocatableOutputStayVisible) {
  Find("define void @f() {\n ret void\n}\n");
  EXPECT_FALSE(module_->getFunction("f")->hasLocalLinkage());
  Find(kTwoKernels, {.relocatable = true});
  EXPECT_FALSE(module_->getFunction("step")->hasLocalLinkage());
}

TEST_F(NvptxModuleTest, WhatTheModuleSaysIsUsedStays) {
  Find(absl::StrCat(kTwoKernels, "@llvm.used = appending global [1 x ptr] [ptr @step]\n"));
  EXPECT_FALSE(module_->getFunction("step")->hasLocalLinkage());
}

TEST_F(NvptxModuleTest, LaunchBoundsTakeThePlaceOfTheModulesOwn) {
  EXPECT_EQ(Find(kTwoKernels, {.required_threads = {16, 8},
                               .min_blocks = 2,
                               .max_registers = 40,
                               .cluster_size = {2, 1, 1}}),
            "");
  for (const char* name : {"first", "second"}) {
    const llvm::Function& kernel = *module_->getFunction(name);
    EXPECT_EQ(kernel.getFnAttribute("nvvm.reqntid").getValueAsString(), "16,8");
    EXPECT_FALSE(kernel.hasFnAttribute("nvvm.maxntid"));
    EXPECT_EQ(kernel.getFnAttribute("nvvm.minctasm").getValueAsString(), "2");
    EXPECT_EQ(kernel.getFnAttribute("nvvm.maxnreg").getValueAsString(), "40");
    EXPECT_EQ(kernel.getFnAttribute("nvvm.cluster_dim").getValueAsString(), "2,1,1");
  }
  Find(kTwoKernels, {.max_threads = {128}});
  const llvm::Function& second = *module_->getFunction("second");
  EXPECT_EQ(second.getFnAttribute("nvvm.maxntid").getValueAsString(), "128");
  EXPECT_FALSE(second.hasFnAttribute("nvvm.reqntid"));
  EXPECT_FALSE(module_->getFunction("step")->hasFnAttribute("nvvm.maxntid"));
}

TEST_F(NvptxModuleTest, AnUnresolvedFunctionIsFoundWithItsCallChain) {
  constexpr std::string_view kText = R"(
define ptx_kernel void @k() !dbg !4 {
  call void @inner(), !dbg !6
  ret void
}
define internal void @inner() noinline !dbg !5 {
  call void @missing(), !dbg !7
  ret void
}
declare void @missing()
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/k.c", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, line: 3, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "inner", file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 4, column: 3, scope: !4)
!7 = !DILocation(line: 10, column: 5, scope: !5)
)";
  EXPECT_EQ(Find(kText),
            "src/k.c:10:5: error: in function 'inner': function 'missing', which has no "
            "definition [unresolved-function]\n"
            "src/k.c:4:3: note: in kernel 'k'\n"
            "src/k.c:10:5: note: in function 'inner'\n"
            "k.ll: note: define it in this module, or make output to be linked with "
            "--relocatable=true\n");
  EXPECT_EQ(Find(kText, {.relocatable = true}), "");
}

TEST_F(NvptxModuleTest, AnUnresolvedFunctionInAVariableIsFound) {
  constexpr std::string_view kText =
      "@table = global [1 x ptr] [ptr @missing]\ndeclare void @missing()\n"
      "define ptx_kernel void @k() {\n ret void\n}\n";
  EXPECT_THAT(Find(kText), HasSubstr("function 'missing', whose address the module has in a "
                                     "variable, has no definition [unresolved-function]"));
  EXPECT_EQ(Find(kText, {.relocatable = true}), "");
}

TEST_F(NvptxModuleTest, TheAddressOfAKernelIsNoCall) {
  EXPECT_EQ(Find("define ptx_kernel void @k() {\n ret void\n}\n"
                 "define ptx_kernel void @l(ptr %p) {\n store ptr @k, ptr %p\n ret void\n}\n"),
            "");
}

TEST_F(NvptxModuleTest, WhatPtxasHasIsResolved) {
  EXPECT_EQ(Find("declare i32 @vprintf(ptr, ptr)\ndeclare ptr @malloc(i64)\n"
                 "define ptx_kernel void @k() {\n %a = call i32 @vprintf(ptr null, ptr null)\n"
                 " %b = call ptr @malloc(i64 8)\n ret void\n}\n"),
            "");
}

TEST_F(NvptxModuleTest, AliasesCopiesAndWeakReferencesAreResolved) {
  EXPECT_EQ(Find(R"(
@alias = alias void (), ptr @f
define void @f() {
  ret void
}
define available_externally i32 @copy() {
  ret i32 1
}
declare extern_weak void @weak()
define ptx_kernel void @k(ptr %p) {
  call void @alias()
  %r = call i32 @copy()
  %c = icmp eq ptr @weak, null
  store i1 %c, ptr %p
  ret void
}
)"),
            "");
  EXPECT_EQ(module_->alias_size(), 0u);
  EXPECT_TRUE(module_->getFunction("copy")->hasInternalLinkage());
  EXPECT_EQ(module_->getFunction("weak"), nullptr);
}

TEST_F(NvptxModuleTest, NamesArePtxs) {
  EXPECT_EQ(Find("define ptx_kernel void @\"a-b\"() {\n call void @\"c.d\"()\n ret void\n}\n"
                 "define void @\"c.d\"() {\n ret void\n}\n"
                 "define ptx_kernel void @\"a_$2d_b\"() {\n ret void\n}\n"),
            "k.ll: warning: 'a-b' is called 'a_$2d_b_1' in the output, since PTX has no such "
            "names [renamed]\n");
  std::vector<std::string> names;
  for (const llvm::Function& function : *module_) names.push_back(function.getName().str());
  EXPECT_THAT(names, ElementsAre("a_$2d_b_1", "c_$2e_d", "a_$2d_b"));
}

TEST_F(NvptxModuleTest, RoundingAndSplittingAreLowered) {
  EXPECT_EQ(Find(R"(
define ptx_kernel void @k(ptr %p, double %x, bfloat %b) {
  %i = call i64 @llvm.llrint.i64.f64(double %x)
  store i64 %i, ptr %p
  %j = call i32 @llvm.lround.i32.f64(double %x)
  store i32 %j, ptr %p
  %m = call {double, double} @llvm.modf.f64(double %x)
  store {double, double} %m, ptr %p
  %c = call bfloat @llvm.canonicalize.bf16(bfloat %b)
  store bfloat %c, ptr %p
  ret void
}
)"),
            "");
  EXPECT_THAT(Text(), AllOf(HasSubstr("llvm.rint.f64"), HasSubstr("llvm.round.f64"),
                            HasSubstr("llvm.trunc.f64"), HasSubstr("llvm.canonicalize.f32"),
                            Not(HasSubstr("call i64 @llvm.llrint.i64")),
                            Not(HasSubstr("@llvm.modf.f64(double %x)"))));
}

TEST_F(NvptxModuleTest, FencesOfOneThreadAreNoInstructions) {
  EXPECT_EQ(Find("define ptx_kernel void @k() {\n fence syncscope(\"singlethread\") seq_cst\n"
                 " fence seq_cst\n ret void\n}\n"),
            "");
  EXPECT_THAT(Text(), AllOf(Not(HasSubstr("singlethread")), HasSubstr("fence seq_cst")));
}

TEST_F(NvptxModuleTest, MathThatNeedsALibraryIsFound) {
  const auto text = [](const char* type, const char* suffix, const char* flags) {
    return absl::StrCat("define ptx_kernel void @k(ptr %p) {\n %x = load ", type,
                        ", ptr %p\n %y = call ", flags, " ", type, " @llvm.sin.", suffix, "(", type,
                        " %x)\n store ", type, " %y, ptr %p\n ret void\n}\n");
  };
  EXPECT_THAT(Find(text("float", "f32", "")),
              HasSubstr("in function 'k': function 'llvm.sin.f32', for which GPUs have no "
                        "instruction [math-library]"));
  EXPECT_EQ(Find(text("float", "f32", "afn")), "");
  EXPECT_THAT(Find(text("double", "f64", "afn")), HasSubstr("[math-library]"));
}

TEST_F(NvptxModuleTest, KernelsHaveLimits) {
  constexpr std::string_view kText =
      "%s = type {[600 x double]}\n"
      "define ptx_kernel void @k(i8 %a, ptr byval(%s) %large) {\n ret void\n}\n";
  EXPECT_EQ(Find(kText, {}, "sm_75"),
            "k.ll: error: the parameters of kernel 'k' take 4808 bytes; sm_75 with PTX 6.3 has "
            "4352 [kernel-parameters]\n"
            "k.ll: note: in kernel 'k'\n"
            "k.ll: note: pass a pointer to the large ones, or use --ptx=8.1 or later\n"
            "offset   bytes  parameter\n"
            "     0       1  a: i8\n"
            "     8    4800  large: s\n");
  EXPECT_EQ(Find(kText, {}, "sm_75", "+ptx81"), "");
  EXPECT_THAT(Find(kText, {}, "sm_60", "+ptx81"), HasSubstr("[kernel-parameters]"));
  EXPECT_THAT(Find("define ptx_kernel i32 @k() {\n ret i32 1\n}\n"),
              HasSubstr("kernel 'k' returns a value (i32)"));
}

TEST_F(NvptxModuleTest, FunctionsOfAHostAreDefined) {
  constexpr std::string_view kText = R"(
declare i32 @printf(ptr, ...)
declare void @abort()
declare void @exit(i32)
declare void @__assert_fail(ptr, ptr, i32, ptr)
define ptx_kernel void @k(i32 %n, ptr %s) {
  %r = call i32 (ptr, ...) @printf(ptr %s, i32 %n, double 1.0)
  switch i32 %n, label %a [i32 1, label %b
                           i32 2, label %c]
a:
  call void @abort()
  ret void
b:
  call void @exit(i32 1)
  ret void
c:
  call void @__assert_fail(ptr %s, ptr %s, i32 1, ptr %s)
  ret void
}
)";
  EXPECT_EQ(Find(kText), "");
  for (const char* name : {"printf", "abort", "exit", "__assert_fail"}) {
    EXPECT_TRUE(module_->getFunction(name)->hasInternalLinkage()) << name;
  }
  EXPECT_THAT(Text(), AllOf(HasSubstr("@vprintf"), HasSubstr("@__assertfail"),
                            HasSubstr("@llvm.nvvm.exit"), HasSubstr("@llvm.trap")));
  Find(kText, {.relocatable = true});
  EXPECT_TRUE(module_->getFunction("printf")->isDeclaration());
  EXPECT_THAT(Find("declare i32 @printf(i32)\ndefine ptx_kernel void @k() {\n"
                   " %r = call i32 @printf(i32 1)\n ret void\n}\n"),
              HasSubstr("function 'printf', which has no definition"));
}

TEST_F(NvptxModuleTest, WarnsOfRecursionAndOfLiteralAddresses) {
  constexpr std::string_view kText = R"(
define void @even(i32 %n) {
  call void @odd(i32 %n)
  ret void
}
define void @odd(i32 %n) {
  call void @even(i32 %n)
  ret void
}
define void @leaf() {
  ret void
}
define ptx_kernel void @k() {
  call void @even(i32 1)
  call void @leaf()
  store i32 1, ptr inttoptr (i64 140737488355328 to ptr)
  ret void
}
)";
  const std::string found = Find(kText);
  EXPECT_THAT(found, AllOf(HasSubstr("warning: function 'even' calls itself"),
                           HasSubstr("warning: function 'odd' calls itself"),
                           HasSubstr("[recursion]"), Not(HasSubstr("'leaf'")),
                           HasSubstr("warning: in function 'k': a load or store at the fixed "
                                     "address 0x800000000000"),
                           Not(HasSubstr("error"))));
}

TEST_F(NvptxModuleTest, ModesHoldForTheWholeModule) {
  constexpr std::string_view kText =
      "define ptx_kernel void @k(ptr %p) {\n %a = load float, ptr %p\n"
      " %b = fdiv float %a, 3.0\n store float %b, ptr %p\n ret void\n}\n";
  Find(kText);
  EXPECT_THAT(Text(), AllOf(Not(HasSubstr("fdiv fast")), Not(HasSubstr("denormal"))));
  Find(kText, {.denormals = Denormals::kFlush, .fast_math = true});
  EXPECT_THAT(Text(), AllOf(HasSubstr("fdiv fast"),
                            HasSubstr("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""),
                            HasSubstr("!\"nvvm-reflect-ftz\", i32 1")));
  Find(kText, {.denormals = Denormals::kIeee});
  EXPECT_THAT(Text(), HasSubstr("\"denormal-fp-math-f32\"=\"ieee,ieee\""));
}

TEST_F(NvptxModuleTest, DoublesMayBeForbidden) {
  constexpr std::string_view kText =
      "define ptx_kernel void @k(ptr %p) {\n %a = load double, ptr %p\n"
      " %b = fadd double %a, 1.0\n store double %b, ptr %p\n ret void\n}\n";
  EXPECT_EQ(Find(kText), "");
  EXPECT_THAT(Find(kText, {.forbid_f64 = true}), HasSubstr("[f64]"));
}

struct Bad {
  const char* kind;
  const char* text;
};

class BadModuleTest : public NvptxModuleTest, public testing::WithParamInterface<Bad> {};

TEST_P(BadModuleTest, IsFound) {
  EXPECT_THAT(Find(GetParam().text, {}, "sm_60"),
              HasSubstr(absl::StrCat("[", GetParam().kind, "]\n")));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadModuleTest,
    testing::Values(
        Bad{"shared-initializer", "@s = addrspace(3) global i32 1\n"},
        Bad{"local-variable", "@l = addrspace(5) global i32 0\n"},
        Bad{"address-space", "@v = addrspace(200) global i32 0\n"},
        Bad{"thread-local", "@t = thread_local global i32 0\n"},
        Bad{"integer-width", "@i = global i24 1\n"},
        Bad{"integer-width", "define i65 @f() {\n ret i65 1\n}\n"},
        Bad{"integer-width", "define {i65, i1} @f() {\n ret {i65, i1} zeroinitializer\n}\n"},
        Bad{"initializer",
            "@x = global i32 0\n@y = global i32 trunc (i64 ptrtoint (ptr @x to i64) to i32)\n"},
        Bad{"initializer", "@x = global i32 0\n@y = global <{i8, ptr}> <{i8 1, ptr @x}>\n"},
        Bad{"circular-initializer", "@a = global ptr @b\n@b = global ptr @a\n"},
        Bad{"ifunc", "@i = ifunc void (), ptr @r\ndefine ptr @r() {\n ret ptr null\n}\n"},
        Bad{"kernel-alias",
            "@a = alias void (), ptr @k\ndefine ptx_kernel void @k() {\n ret void\n}\n"},
        Bad{"kernel-call",
            "define ptx_kernel void @k() {\n ret void\n}\ndefine ptx_kernel void @l() {\n call "
            "ptx_kernel void @k()\n ret void\n}\n"},
        Bad{"empty-parameter", "define void @f({} %a) {\n ret void\n}\n"},
        Bad{"type", "define void @f(fp128 %a) {\n ret void\n}\n"},
        Bad{"type",
            "define void @f(ptr %p) {\n %a = load x86_fp80, ptr %p\n store x86_fp80 %a, ptr %p\n "
            "ret void\n}\n"},
        Bad{"type", "define void @f(<vscale x 4 x i32> %a) {\n ret void\n}\n"},
        Bad{"function-prefix", "define void @f() prefix i32 1 {\n ret void\n}\n"},
        Bad{"indirect-branch",
            "define void @f(ptr %p) {\n indirectbr ptr %p, [label %a]\na:\n ret void\n}\n"},
        Bad{"constant-store",
            "define void @f(ptr addrspace(4) %p) {\n store i32 1, ptr addrspace(4) %p\n ret "
            "void\n}\n"},
        Bad{"address-space",
            "define void @f(ptr addrspace(7) %p) {\n store i32 1, ptr addrspace(7) %p\n ret "
            "void\n}\n"},
        Bad{"wide-conversion",
            "define float @f(i128 %a) {\n %r = sitofp i128 %a to float\n ret float %r\n}\n"},
        Bad{"intrinsic",
            "declare i64 @llvm.x86.rdtsc()\ndefine void @f() {\n %r = call i64 @llvm.x86.rdtsc()\n "
            "ret void\n}\n"},
        Bad{"inline-assembly",
            "define i32 @f() {\n %r = call i32 asm \"nonsense $0;\", \"=r\"()\n ret i32 %r\n}\n"},
        Bad{"inline-assembly",
            "define <4 x i32> @f() {\n %r = call <4 x i32> asm \"mov.u32 $0, 0;\", \"=r\"()\n ret "
            "<4 x i32> %r\n}\n"}));

}  // namespace
}  // namespace ingot::targets
