"""The installed LLVM as a repository: one `cc_library` per static library of LLVM.

The library graph is read from LLVM's own CMake export file (`LLVMExports.cmake`), which lists the direct
dependencies of each library; so `@llvm//:LLVMCore` links what LLVM itself says that `LLVMCore` needs.

    deps = [
        "@llvm//:LLVMCore",
        "@llvm//:LLVMNVPTXCodeGen",
    ]

Where LLVM is: the attribute `llvm_config`, or the environment variable `INGOT_LLVM_CONFIG`, or the first of
`llvm-config-22` and `llvm-config` on PATH.
"""

LLVM_MAJOR = "22"

# What LLVM's export file calls a system library, and how it is linked here. z3 serves only the static analyzer,
# whose code no target of this project uses; `--gc-sections` and static archives leave it out.
_SYSTEM_LIBRARIES = {
    "rt": [],
    "dl": [],
    "m": ["-lm"],
    "ZLIB::ZLIB": ["-lz"],
    "zstd::libzstd_shared": ["-lzstd"],
    "zstd::libzstd_static": ["-lzstd"],
}

_HEADERS = """\
cc_library(
    name = "headers",
    hdrs = glob(
        ["include/llvm/**", "include/llvm-c/**"],
        exclude = ["**/*.md", "**/*.txt"],
    ),
    includes = ["include"],
    defines = [
        "__STDC_CONSTANT_MACROS",
        "__STDC_FORMAT_MACROS",
        "__STDC_LIMIT_MACROS",
    ],
)

exports_files(["bin/FileCheck"])
"""

_LIBRARY = """\
cc_library(
    name = "{name}",
    srcs = ["lib/lib{name}.a"],
    linkopts = {linkopts},
    deps = [":headers"] + {deps},
)
"""

def _find_llvm_config(rctx):
    named = rctx.attr.llvm_config or rctx.getenv("INGOT_LLVM_CONFIG")
    candidates = [named] if named else ["llvm-config-" + LLVM_MAJOR, "llvm-config"]
    for candidate in candidates:
        path = rctx.path(candidate) if candidate.startswith("/") else rctx.which(candidate)
        if path and path.exists:
            return path
    fail("LLVM {} was not found: {} is not there. Install LLVM's development package (Debian: llvm-{}-dev) or set INGOT_LLVM_CONFIG to its llvm-config.".format(
        LLVM_MAJOR,
        " or ".join(candidates),
        LLVM_MAJOR,
    ))

def _query(rctx, llvm_config, option):
    result = rctx.execute([llvm_config, option])
    if result.return_code != 0:
        fail("{} {} failed: {}".format(llvm_config, option, result.stderr))
    return result.stdout.strip()

def _parse_exports(text):
    """Returns {library: [direct link dependencies]} from the text of LLVMExports.cmake."""
    libraries = {}
    current = None
    for line in text.split("\n"):
        if line.startswith("add_library(") and " STATIC " in line:
            libraries[line[len("add_library("):].split(" ")[0]] = []
        elif line.startswith("set_target_properties("):
            current = line[len("set_target_properties("):].split(" ")[0]
        elif "INTERFACE_LINK_LIBRARIES" in line and current in libraries:
            libraries[current] = [
                dep.replace("\\$<LINK_ONLY:", "").replace(">", "")
                for dep in line.split("\"")[1].split(";")
            ]
    return libraries

def _llvm_repository_impl(rctx):
    llvm_config = _find_llvm_config(rctx)
    version = _query(rctx, llvm_config, "--version")
    if version.split(".")[0] != LLVM_MAJOR:
        fail("{} is LLVM {}, but Ingot needs LLVM {}. Set INGOT_LLVM_CONFIG to the right llvm-config.".format(
            llvm_config,
            version,
            LLVM_MAJOR,
        ))
    include = rctx.path(_query(rctx, llvm_config, "--includedir"))
    rctx.symlink(include.get_child("llvm"), "include/llvm")
    rctx.symlink(include.get_child("llvm-c"), "include/llvm-c")
    rctx.symlink(rctx.path(_query(rctx, llvm_config, "--bindir")).get_child("FileCheck"), "bin/FileCheck")
    lib = rctx.path(_query(rctx, llvm_config, "--libdir"))
    exports = lib.get_child("cmake").get_child("llvm").get_child("LLVMExports.cmake")
    libraries = _parse_exports(rctx.read(exports, watch = "no"))

    build = ["package(default_visibility = [\"//visibility:public\"])", _HEADERS]
    for name in sorted(libraries):
        archive = lib.get_child("lib{}.a".format(name))
        if not archive.exists:
            continue  # test-only libraries that distributions leave out
        rctx.symlink(archive, "lib/lib{}.a".format(name))
        deps, linkopts = [], []
        for dep in libraries[name]:
            if dep not in libraries:
                linkopts += _SYSTEM_LIBRARIES.get(dep, [])
            elif ":" + dep not in deps:  # LLVM lists some twice
                deps.append(":" + dep)
        build.append(_LIBRARY.format(name = name, deps = repr(deps), linkopts = repr(linkopts)))
    rctx.file("BUILD.bazel", "\n".join(build))
    rctx.file("WORKSPACE", "")

llvm_repository = repository_rule(
    implementation = _llvm_repository_impl,
    doc = "Makes the installed LLVM's headers and static libraries available as targets.",
    attrs = {
        "llvm_config": attr.string(doc = "Path or name of llvm-config; overrides INGOT_LLVM_CONFIG."),
    },
    environ = ["INGOT_LLVM_CONFIG", "PATH"],
    local = True,
)
