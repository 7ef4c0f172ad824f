#include "compiler/frontend/assemble.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace ingot::compiler {
namespace {

struct Place {
  llvm::StringRef file;  // empty: where it seems to be
  int line = 0;
};

// What a preprocessor's marker says of the line after it: `# 7 "src/x.h" 1`.
bool ParseLineMarker(llvm::StringRef text, Place& place) {
  int line = 0;
  if (!text.consume_front("# ") || text.consumeInteger(10, line) || !text.consume_front(" \"")) {
    return false;
  }
  place = {.file = text.take_until([](char c) { return c == '"'; }), .line = line};
  return true;
}

// The place of what follows `before`, by the last marker in that.
Place PlaceAfter(llvm::StringRef before) {
  Place place;
  for (std::size_t end = before.find('\n'); end != llvm::StringRef::npos; end = before.find('\n')) {
    if (!ParseLineMarker(before.take_front(end), place)) ++place.line;
    before = before.drop_front(end + 1);
  }
  return place;
}

// The place of `location` as the source has it; its line in the text that is assembled where there
// are no markers.
Place PlaceOf(const llvm::SourceMgr& sources, llvm::SMLoc location) {
  Place place;
  const unsigned id = sources.FindBufferContainingLoc(location);
  if (id == 0) return place;
  const llvm::MemoryBuffer& buffer = *sources.getMemoryBuffer(id);
  const char* const start = buffer.getBufferStart();
  place =
      PlaceAfter(llvm::StringRef(start, static_cast<std::size_t>(location.getPointer() - start)));
  if (place.file.empty()) {
    place = {.file = buffer.getBufferIdentifier(),
             .line = static_cast<int>(sources.FindLineNumber(location, id))};
  }
  return place;
}

// "In file included from …", as Clang says it, from the outermost file on.
void AppendIncludes(const llvm::SourceMgr& sources, llvm::SMLoc location,
                    llvm::raw_ostream& stream) {
  const unsigned id = sources.FindBufferContainingLoc(location);
  if (id == 0) return;
  const llvm::SMLoc parent = sources.getParentIncludeLoc(id);
  if (!parent.isValid()) return;
  AppendIncludes(sources, parent, stream);
  const Place place = PlaceOf(sources, parent);
  stream << "In file included from " << place.file << ":" << place.line << ":\n";
}

// Where the assembler's words go: SourceMgr takes a function and a pointer. LLVM's parser knows the
// line markers, but tells of them only a handler of MCContext, and then prints to standard error.
void AppendDiagnostic(const llvm::SMDiagnostic& diagnostic, void* text) {
  llvm::raw_string_ostream stream(*static_cast<std::string*>(text));
  const llvm::SourceMgr* const sources = diagnostic.getSourceMgr();
  const llvm::SMLoc location = diagnostic.getLoc();
  if (sources == nullptr || !location.isValid()) {
    diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
    return;
  }
  // A note belongs to what was said before it.
  if (diagnostic.getKind() != llvm::SourceMgr::DK_Note) AppendIncludes(*sources, location, stream);
  const Place place = PlaceOf(*sources, location);
  llvm::SMDiagnostic(*sources, location, place.file, place.line, diagnostic.getColumnNo(),
                     diagnostic.getKind(), diagnostic.getMessage(), diagnostic.getLineContents(),
                     diagnostic.getRanges(), diagnostic.getFixIts())
      .print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
}

// Has the assembler describe where each instruction comes from, as `clang -g` does it.
void DescribeLines(llvm::MemoryBufferRef source, unsigned dwarf_version, llvm::MCContext& context) {
  context.setGenDwarfForAssembly(true);
  context.setDwarfVersion(static_cast<uint16_t>(dwarf_version));
  context.setCompilationDir(".");
  context.setDwarfDebugProducer("ingot");
  context.setGenDwarfRootFile(source.getBufferIdentifier(), source.getBuffer());
}

// The version of the debug information that options ask for, as Clang takes them: -g, -gdwarf-4,
// -g0; 0 where they ask for none.
unsigned DwarfVersion(const std::vector<std::string>& options) {
  constexpr unsigned kDefault = 5;  // Clang's own
  unsigned version = kDefault;
  bool is_wanted = false;
  for (std::string_view option : options) {
    if (!absl::ConsumePrefix(&option, "-g")) continue;
    const bool is_level = option.size() <= 1 || absl::StartsWith(option, "gdb") ||
                          option == "line-tables-only" || option == "mlt";
    const bool is_format = absl::ConsumePrefix(&option, "dwarf");
    if (is_format && absl::ConsumePrefix(&option, "-")) {
      unsigned number = 0;
      if (absl::SimpleAtoi(option, &number)) version = number;
    }
    if (is_level || is_format) is_wanted = option != "0" && option != "gdb0";
  }
  return is_wanted ? version : 0;
}

}  // namespace

AssemblySettings AssemblySettingsOf(const std::vector<std::string>& options,
                                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  AssemblySettings settings{
      .files = std::move(files), .search_path = {}, .dwarf_version = DwarfVersion(options)};
  for (std::string_view option : options) {
    if (absl::ConsumePrefix(&option, "-I")) settings.search_path.emplace_back(option);
  }
  return settings;
}

absl::Status Assemble(llvm::MemoryBufferRef source, const llvm::TargetMachine& machine,
                      const AssemblySettings& settings, std::string& warnings,
                      llvm::SmallVectorImpl<char>& object) {
  const llvm::Target& target = machine.getTarget();
  const llvm::Triple& triple = machine.getTargetTriple();
  const llvm::MCTargetOptions& options = machine.Options.MCOptions;
  const llvm::MCRegisterInfo& registers = *machine.getMCRegisterInfo();
  const llvm::MCInstrInfo& instructions = *machine.getMCInstrInfo();
  // The parser changes it: `.set` and `.arch` and the like.
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target.createMCSubtargetInfo(
      triple, machine.getTargetCPU(), machine.getTargetFeatureString()));

  std::string text;
  llvm::SourceMgr sources;
  sources.setVirtualFileSystem(settings.files);
  sources.setIncludeDirs(settings.search_path);
  sources.setDiagHandler(AppendDiagnostic, &text);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source), llvm::SMLoc());

  llvm::MCContext context(triple, machine.getMCAsmInfo(), &registers, subtarget.get(), &sources,
                          &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> object_file(
      target.createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(object_file.get());
  context.setMainFileName(source.getBufferIdentifier());
  if (settings.dwarf_version != 0) DescribeLines(source, settings.dwarf_version, context);

  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(*subtarget, registers, options));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target.createMCCodeEmitter(instructions, context));
  if (backend == nullptr || emitter == nullptr || !target.hasMCAsmParser()) {
    return absl::InternalError(absl::StrCat("LLVM has no assembler for ", triple.str()));
  }
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  const std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target.createMCAsmParser(*subtarget, *parser, instructions, options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(/*NoInitialTextSection=*/false) || context.hadError();
  if (failed) {
    return absl::InvalidArgumentError(
        text.empty() ? absl::StrCat(std::string_view(source.getBufferIdentifier()),
                                    ": error: the assembler gave up without a word")
                     : text);
  }
  warnings += text;
  return absl::OkStatus();
}

}  // namespace ingot::compiler
