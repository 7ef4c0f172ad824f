"""The extension that Bazel's own module file asks for; `bazel mod tidy`, its only user, is not available offline."""

def _buildozer_repository_impl(rctx):
    rctx.file("BUILD.bazel", "")

_buildozer_repository = repository_rule(implementation = _buildozer_repository_impl)

def _buildozer_binary_impl(_mctx):
    _buildozer_repository(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _buildozer_binary_impl)
