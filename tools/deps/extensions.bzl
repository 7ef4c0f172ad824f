"""The module extension behind MODULE.bazel's `use_repo`."""

load("//tools/deps:repositories.bzl", "ingot_repositories")

def _system_impl(_mctx):
    ingot_repositories()

system = module_extension(
    implementation = _system_impl,
    doc = "The system's LLVM, abseil, protobuf and the other libraries that Ingot links.",
)
