#include "compiler/frontend/front_end.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

namespace fs = std::filesystem;
using targets::EmitKind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A source and how to compile it.
struct Source {
  std::string target = "avr";
  Language language = Language::kC;
  std::vector<std::string> options = {};
  std::string text = {};
  std::string path = "src/main.c";
  EmitKind emit = EmitKind::kLl;
};

class FrontEndTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "front_end_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }

  void TearDown() override {
    front_end_.reset();
    fs::remove_all(folder_);
  }

  void Write(std::string_view path, std::string_view contents) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << contents;
  }

  // `src` is folder_/lib, `inc/0` is folder_/include.
  FrontEnd& Make(const Source& source) {
    front_end_.reset();
    text_ = source.text;
    const absl::StatusOr<Invocation> invocation = Resolve({.target = source.target,
                                                           .emit = source.emit,
                                                           .language = source.language,
                                                           .front_end_options = source.options,
                                                           .canonical_paths = true,
                                                           .inputs = {source.path}});
    EXPECT_TRUE(invocation.ok()) << invocation.status();
    invocation_ = *invocation;
    front_end_ = std::make_unique<FrontEnd>(
        invocation_, **targets::FindTarget(source.target),
        llvm::MemoryBufferRef(text_, source.path),
        FileSources{.canonical = true,
                    .host_roots = {{"src", folder_ / "lib"}, {"inc/0", folder_ / "include"}}},
        /*color=*/false);
    return *front_end_;
  }

  // The module as text; an error is the test's.
  std::string Ir(const Source& source) {
    absl::StatusOr<SourceModule> module = Make(source).Compile(context_);
    EXPECT_TRUE(module.ok()) << module.status();
    std::string ir;
    if (module.ok()) {
      llvm::raw_string_ostream stream(ir);
      module->module->print(stream, nullptr);
    }
    return ir;
  }

  std::string Error(const Source& source) {
    const absl::Status status = Make(source).Compile(context_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  llvm::LLVMContext context_;
  fs::path folder_;
  std::string text_;
  Invocation invocation_;
  std::unique_ptr<FrontEnd> front_end_;
};

TEST_F(FrontEndTest, EachLanguageCompilesForEachTargetThatHasIt) {
  const std::string c = "#include <stdint.h>\nint32_t twice(int32_t x) { return 2 * x; }\n";
  const std::string preprocessed = "# 1 \"main.c\"\nint twice(int x) { return 2 * x; }\n";
  const std::string cxx =
      "template <typename T> T Twice(T x) { return x + x; }\n"
      "extern \"C\" int twice(int x) { return Twice(x); }\n";
  const std::string gpu_c = "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }\n";
  const std::string cuda =
      "extern \"C\" __global__ void twice(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; "
      "}";
  const Source sources[] = {
      {.target = "avr", .language = Language::kC, .text = c},
      {.target = "avr", .language = Language::kCxx, .text = cxx},
      {.target = "avr", .language = Language::kPreprocessedC, .text = preprocessed},
      {.target = "avr", .language = Language::kPreprocessedCxx, .text = cxx},
      {.target = "nvptx64", .language = Language::kC, .text = c},
      {.target = "nvptx64", .language = Language::kCxx, .text = cxx},
      {.target = "nvptx64", .language = Language::kPreprocessedC, .text = preprocessed},
      {.target = "nvptx64", .language = Language::kPreprocessedCxx, .text = cxx},
      {.target = "nvptx64", .language = Language::kOpenCl, .text = gpu_c},
      {.target = "nvptx64", .language = Language::kCuda, .text = cuda},
  };
  for (const Source& source : sources) {
    SCOPED_TRACE(absl::StrCat(source.target, " ", LanguageName(source.language)));
    absl::StatusOr<SourceModule> module = Make(source).Compile(context_);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_THAT(front_end_->warnings(), IsEmpty());
    const targets::TargetRecord& record = **targets::FindTarget(source.target);
    EXPECT_EQ(module->module->getTargetTriple().str(), record.triple);
    EXPECT_EQ(module->module->getDataLayoutStr(), record.data_layout);
    const llvm::Function* function = module->module->getFunction("twice");
    ASSERT_NE(function, nullptr);
    EXPECT_FALSE(function->isDeclaration());
    const bool is_kernel =
        source.language == Language::kOpenCl || source.language == Language::kCuda;
    EXPECT_EQ(function->getCallingConv() == llvm::CallingConv::PTX_Kernel, is_kernel);
  }
}

TEST_F(FrontEndTest, AnErrorIsClangsTextWithCanonicalPaths) {
  Write("lib/wrong.h", "int f(void) { return x; }\n");
  EXPECT_EQ(Error({.text = "#include \"wrong.h\"\n"}),
            "In file included from src/main.c:1:\n"
            "src/wrong.h:1:22: error: use of undeclared identifier 'x'\n"
            "    1 | int f(void) { return x; }\n"
            "      |                      ^\n"
            "1 error generated.\n");
  EXPECT_THAT(front_end_->dependencies().files,
              ElementsAre(Field(&ReadFile::requested, "src/wrong.h")))
      << "known after an error, too";
}

TEST_F(FrontEndTest, AMissingHeaderIsAnErrorAndItsAbsencesAreRecorded) {
  EXPECT_EQ(Error({.options = {"-Iinc/0"}, .text = "#include \"none.h\"\n"}),
            "src/main.c:1:10: fatal error: 'none.h' file not found\n"
            "    1 | #include \"none.h\"\n"
            "      |          ^~~~~~~~\n"
            "1 error generated.\n");
  EXPECT_THAT(
      front_end_->dependencies().absences,
      ElementsAre(Absence{.requested = "src/none.h"}, Absence{.requested = "inc/0/none.h"}));
}

TEST_F(FrontEndTest, AWarningIsNoError) {
  Ir({.options = {"-Wall"}, .text = "static int unused;\n"});
  EXPECT_THAT(front_end_->warnings(),
              AllOf(HasSubstr("src/main.c:1:12: warning: unused variable 'unused'"),
                    HasSubstr("1 warning generated.\n")));
  EXPECT_THAT(Error({.options = {"-Wall", "-Werror"}, .text = "static int unused;\n"}),
              HasSubstr("error: unused variable 'unused' [-Werror,-Wunused-variable]"));
}

TEST_F(FrontEndTest, OnlyCanonicalPathsAreInTheModule) {
  Write("lib/near.h", "static inline const char* near(void) { return __FILE__; }\n");
  Write("include/far.h", "static inline const char* far(void) { return __FILE__; }\n");
  Write("above.h", "static inline const char* above(void) { return __FILE__; }\n");
  for (const std::string target : {"avr", "nvptx64"}) {
    const std::string ir =
        Ir({.target = target,
            .options = {"-g", "-Iinc/0"},
            .text = "#include \"near.h\"\n#include <far.h>\n#include \"../above.h\"\n"
                    "const char* f(int n) {\n"
                    "  return n == 0 ? near() : n == 1 ? far() : n == 2 ? above() : __FILE__;\n"
                    "}\n"});
    EXPECT_THAT(ir, AllOf(HasSubstr("c\"src/main.c\\00\""), HasSubstr("c\"src/near.h\\00\""),
                          HasSubstr("c\"inc/0/far.h\\00\""), HasSubstr("c\"src/../above.h\\00\"")));
    EXPECT_THAT(ir, AllOf(HasSubstr("!DIFile(filename: \"src/main.c\", directory: \".\""),
                          HasSubstr("!DIFile(filename: \"inc/0/far.h\", directory: \".\"")));
    EXPECT_THAT(ir, Not(HasSubstr(folder_.string())));
    EXPECT_THAT(ir, Not(HasSubstr(fs::current_path().string())));
    EXPECT_THAT(ir, Not(HasSubstr("/ingot"))) << "the front end's working directory";
  }
}

TEST_F(FrontEndTest, TheDateIsAlwaysTheSame) {
  EXPECT_THAT(
      Ir({.text = "const char date[] = __DATE__, time[] = __TIME__;\n"
                  "const char stamp[] = __TIMESTAMP__;\n"}),
      AllOf(HasSubstr("c\"Jan  1 1970\\00\""), HasSubstr("c\"00:00:00\\00\""), HasSubstr("1970")));
}

TEST_F(FrontEndTest, CompilesAgainToTheSameModule) {
  const Source source = {.options = {"-g"}, .text = "int f(int x) { return x + 1; }\n"};
  const std::string ir = Ir(source);
  EXPECT_EQ(Ir(source), ir);
  EXPECT_THAT(ir, Not(HasSubstr("llvm.ident")));
}

TEST_F(FrontEndTest, HeadersOfTheMachineAreNotFound) {
  EXPECT_THAT(Error({.text = "#include <stdio.h>\n"}), HasSubstr("'stdio.h' file not found"));
  EXPECT_THAT(front_end_->dependencies().files, IsEmpty());
  // Clang looks whether quotes would have helped, and nowhere else.
  EXPECT_THAT(front_end_->dependencies().absences,
              ElementsAre(Absence{.requested = "src/stdio.h"}));
}

TEST_F(FrontEndTest, OptionsMeanWhatClangSays) {
  EXPECT_THAT(Ir({.options = {"-DN=42", "-UN", "-DN=7"}, .text = "int n = N;\n"}),
              HasSubstr("@n = dso_local global i16 7,"))
      << "an int of AVR has 16 bits";
  EXPECT_THAT(Error({.options = {"-std=c89", "-pedantic-errors"}, .text = "// no comment\n"}),
              HasSubstr("error: // comments are not allowed in this language"));
}

TEST_F(FrontEndTest, OptionsOfCodeGenerationComeBesideTheModule) {
  absl::StatusOr<SourceModule> plain = Make({.text = "int n;"}).Compile(context_);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_FALSE(plain->options.data_sections);
  absl::StatusOr<SourceModule> module =
      Make({.options = {"-ffunction-sections", "-fdata-sections"}, .text = "int n;"})
          .Compile(context_);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(module->options.function_sections);
  EXPECT_TRUE(module->options.data_sections);
}

TEST_F(FrontEndTest, CudaHasItsLibraryAndLeavesHostFunctionsOut) {
  const std::string ir = Ir({.target = "nvptx64",
                             .language = Language::kCuda,
                             .text = "#include <cmath>\n#include <cuda_runtime.h>\n"
                                     "__device__ float half(float x) { return sqrtf(x) / 2; }\n"
                                     "__global__ void k(float* x) {\n"
                                     "  __shared__ float part[32];\n"
                                     "  part[threadIdx.x] = half(x[threadIdx.x]);\n"
                                     "  __syncthreads();\n"
                                     "  atomicAdd(x, part[31 - threadIdx.x]);\n"
                                     "}\n"
                                     "void host(float* x) { k<<<1, 32>>>(x); }\n",
                             .path = "src/k.cu"});
  EXPECT_THAT(ir, AllOf(HasSubstr("define dso_local ptx_kernel void @_Z1kPf("),
                        HasSubstr("llvm.nvvm.barrier"), HasSubstr("atomicrmw fadd"),
                        HasSubstr("addrspace(3) global [32 x float]")));
  EXPECT_THAT(ir, Not(HasSubstr("@_Z4hostPf")));
  EXPECT_THAT(front_end_->dependencies().files, IsEmpty()) << "the headers are the toolchain's";
}

TEST_F(FrontEndTest, PreprocessesAsClangDoes) {
  Write("lib/n.h", "#define N 3\n");
  const absl::StatusOr<std::string> text =
      Make({.text = "#include \"n.h\"\nint n = N;\n", .emit = EmitKind::kPreprocessed})
          .Preprocess();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, AllOf(HasSubstr("# 1 \"src/main.c\"\n"), HasSubstr("# 1 \"src/n.h\" 1\n"),
                           HasSubstr("int n = 3;\n")));
}

TEST_F(FrontEndTest, AScanReadsWhatACompilationReads) {
  Write("lib/a.h", "#if __has_include(\"b.h\")\n#include \"c.h\"\n#endif\n");
  Write("lib/b.h", "");
  Write("include/c.h", "int c;\n");
  const Source source = {.options = {"-Iinc/0"},
                         .text = "#include \"a.h\"\nint main(void) { return c; }\n"};
  EXPECT_TRUE(Make(source).Scan().ok());
  const Dependencies scanned = front_end_->dependencies();
  EXPECT_THAT(scanned.files, ElementsAre(Field(&ReadFile::requested, "src/a.h"),
                                         Field(&ReadFile::requested, "src/b.h"),
                                         Field(&ReadFile::requested, "inc/0/c.h")));
  EXPECT_THAT(scanned.absences, ElementsAre(Absence{.requested = "src/c.h"}));
  Ir(source);
  EXPECT_EQ(front_end_->dependencies(), scanned);
}

TEST_F(FrontEndTest, HeadersOfSystemFoldersAreMarked) {
  Write("include/s.h", "");
  EXPECT_TRUE(Make({.options = {"-isysteminc/0"}, .text = "#include <s.h>\n"}).Scan().ok());
  EXPECT_THAT(front_end_->dependencies().files, ElementsAre(Field(&ReadFile::system, true)));
  EXPECT_TRUE(Make({.options = {"-Iinc/0"}, .text = "#include <s.h>\n"}).Scan().ok());
  EXPECT_THAT(front_end_->dependencies().files, ElementsAre(Field(&ReadFile::system, false)));
}

}  // namespace
}  // namespace ingot::compiler
