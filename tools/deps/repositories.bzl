"""Every external repository that Ingot's own code uses: one list for MODULE.bazel and for WORKSPACE."""

load("//tools/deps:curl.bzl", "curl_repository")
load("//tools/deps:llvm.bzl", "llvm_repository")
load("//tools/deps:pkg_config.bzl", "pkg_config_repository")
load("//tools/deps:reapi.bzl", "reapi_repository")

# Where Debian's bazel-* packages put the rule sets; tools/deps/registry names the same folders for Bzlmod.
_DISTRIBUTION_RULES = {
    "bazel_features": "/usr/share/bazel/tools/features",
    "bazel_skylib": "/usr/share/bazel/tools/skylib",
    "platforms": "/usr/share/bazel/platforms/platforms",
    "rules_cc": "/usr/share/bazel/rules/cc",
    "rules_java": "/usr/share/bazel/rules/java",
    "rules_license": "/usr/share/bazel/rules/license",
    "rules_proto": "/usr/share/bazel/rules/proto",
    "rules_python": "/usr/share/bazel/rules/python",
}

def distribution_rules():
    """Declares the rule sets of the distribution's packages, for WORKSPACE only (Bzlmod gets them from a registry)."""
    for name, path in _DISTRIBUTION_RULES.items():
        if not native.existing_rule(name):
            native.local_repository(name = name, path = path)

def ingot_repositories():
    """Declares the repositories of the system's LLVM and libraries."""
    llvm_repository(name = "llvm")
    pkg_config_repository(
        name = "absl",
        headers = ["absl"],
        module_prefix = "absl_",
        package = "abseil (Debian: libabsl-dev)",
    )
    pkg_config_repository(
        name = "protobuf",
        headers = ["google/protobuf"],
        modules = ["protobuf-lite"],
        package = "protobuf (Debian: libprotobuf-dev, protobuf-compiler)",
        programs = ["protoc"],
    )
    reapi_repository(
        name = "reapi",
        protoc = "@protobuf//:bin/protoc",
        runtime = "@protobuf//:protobuf-lite",
    )
    pkg_config_repository(
        name = "openssl",
        headers = ["openssl"],
        modules = ["libcrypto", "libssl"],
        package = "OpenSSL (Debian: libssl-dev)",
    )
    curl_repository(
        name = "curl",
        ssl = "@openssl//:libssl",
    )
    pkg_config_repository(
        name = "cli11",
        headers = ["CLI"],
        modules = ["CLI11"],
        package = "CLI11 (Debian: libcli11-dev)",
        # A start of ingot would construct 180 of them, which it never uses.
        shared_constants = {"CLI/Validators.hpp": ["const detail::", "const Range "]},
    )
    pkg_config_repository(
        name = "nlohmann_json",
        headers = ["nlohmann"],
        modules = ["nlohmann_json"],
        package = "nlohmann-json (Debian: nlohmann-json3-dev)",
    )
    pkg_config_repository(
        name = "googletest",
        headers = ["gtest", "gmock"],
        modules = ["gtest", "gtest_main", "gmock"],
        package = "GoogleTest (Debian: libgtest-dev, libgmock-dev)",
    )
    pkg_config_repository(
        name = "google_benchmark",
        headers = ["benchmark"],
        modules = ["benchmark", "benchmark_main"],
        package = "Google Benchmark (Debian: libbenchmark-dev)",
    )
