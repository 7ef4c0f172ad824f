"""The installed LLVM and Clang as a repository: one `cc_library` per static library.

The library graph is read from the CMake export files of LLVM and Clang (`LLVMExports.cmake`, `ClangTargets.cmake`), which
list the direct dependencies of each library; so `@llvm//:LLVMCore` links what LLVM itself says that `LLVMCore` needs.

    deps = [
        "@llvm//:LLVMCore",
        "@llvm//:clangFrontend",
    ]

`@llvm//:headers` and `@llvm//:clang_headers` are what their sources include; `@llvm//:resource_headers` are the files that
Clang provides to the sources that it compiles.

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

cc_library(
    name = "clang_headers",
    hdrs = glob(["include/clang/**", "include/clang-c/**"]),
    deps = [":headers"],
)

# Those that mean something on a device: C's own and OpenCL's. CUDA's are Ingot's own.
filegroup(
    name = "resource_headers",
    srcs = glob(
        ["resource/include/{}".format(pattern) for pattern in [
            "__clang_cuda_*.h",
            "__float_*.h",
            "__stdarg_*.h",
            "__stddef_*.h",
            "cuda_wrappers/**",
            "float.h",
            "inttypes.h",
            "iso646.h",
            "limits.h",
            "opencl-c*.h",
            "stdalign.h",
            "stdarg.h",
            "stdatomic.h",
            "stdbool.h",
            "stdckdint.h",
            "stdcountof.h",
            "stddef.h",
            "stdint.h",
            "stdnoreturn.h",
            "tgmath.h",
            "unwind.h",
            "varargs.h",
        ]],
    ),
)

exports_files(["bin/FileCheck"])
"""

# Clang's export file says of each library that it needs "LLVM", the shared one. Those of the static ones that Clang's
# libraries refer to, as its own CMake files list them (LLVM_LINK_COMPONENTS).
_LLVM_OF_CLANG = [
    "LLVMAsmParser",
    "LLVMBinaryFormat",
    "LLVMBitReader",
    "LLVMBitWriter",
    "LLVMCore",
    "LLVMCoverage",
    "LLVMFrontendAtomic",
    "LLVMFrontendDriver",
    "LLVMFrontendHLSL",
    "LLVMFrontendOffloading",
    "LLVMFrontendOpenMP",
    "LLVMIRReader",
    "LLVMLinker",
    "LLVMMC",
    "LLVMMCParser",
    "LLVMObject",
    "LLVMOption",
    "LLVMProfileData",
    "LLVMSupport",
    "LLVMTarget",
    "LLVMTargetParser",
    "LLVMTransformUtils",
    "LLVMWindowsDriver",
]

_LIBRARY = """\
cc_library(
    name = "{name}",
    srcs = ["lib/lib{name}.a"],
    linkopts = {linkopts},
    deps = ["{headers}"] + {deps},
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

def _link_libraries(rctx, lib, libraries, headers):
    """Links the archives and returns the text of their targets."""
    build = []
    for name in sorted(libraries):
        archive = lib.get_child("lib{}.a".format(name))
        if not archive.exists:
            continue  # test-only libraries that distributions leave out
        rctx.symlink(archive, "lib/lib{}.a".format(name))
        deps, linkopts = [], []
        for dep in libraries[name]:
            if dep in libraries or dep in _LLVM_OF_CLANG:
                if ":" + dep not in deps:  # LLVM lists some twice
                    deps.append(":" + dep)
            else:
                linkopts += _SYSTEM_LIBRARIES.get(dep, [])
        build.append(_LIBRARY.format(name = name, headers = headers, deps = repr(deps), linkopts = repr(linkopts)))
    return build

def _parse_clang_exports(text):
    """As _parse_exports(), from the text of ClangTargets.cmake."""
    libraries = {}
    for name, deps in _parse_exports(text.replace(" STATIC IMPORTED", " STATIC ")).items():
        libraries[name] = [dep for dep in deps if dep != "LLVM"] + _LLVM_OF_CLANG
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

    rctx.symlink(include.get_child("clang"), "include/clang")
    rctx.symlink(include.get_child("clang-c"), "include/clang-c")
    rctx.symlink(lib.get_child("clang").get_child(LLVM_MAJOR).get_child("include"), "resource/include")
    clang_exports = lib.get_child("cmake").get_child("clang").get_child("ClangTargets.cmake")
    if not clang_exports.exists:
        fail("Clang's libraries were not found: {} is not there. Install Clang's development package (Debian: libclang-{}-dev).".format(
            clang_exports,
            LLVM_MAJOR,
        ))
    clang_libraries = _parse_clang_exports(rctx.read(clang_exports, watch = "no"))

    build = ["package(default_visibility = [\"//visibility:public\"])", _HEADERS]
    build += _link_libraries(rctx, lib, libraries, ":headers")
    build += _link_libraries(rctx, lib, clang_libraries, ":clang_headers")
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
