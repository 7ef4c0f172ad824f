"""The rule `device_object`: one compiled file per source."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//targets:targets.bzl", "TARGETS")
load(":device_toolchain.bzl", "TOOLCHAIN_TYPE")

DeviceObjectInfo = provider(
    doc = "The compiled files of a `device_object`.",
    fields = {
        "cpu": "The CPU as the rule names it; empty for the target's default.",
        "objects": "depset of File: one per source.",
        "target": "The target's name, a key of `TARGETS` in `//targets:targets.bzl`.",
    },
)

# What `srcs` may hold: LLVM IR, and the sources that Clang compiles, by the suffixes that it knows.
_IR_EXTENSIONS = ["ll", "bc"]
_SOURCE_EXTENSIONS = ["c", "cc", "cp", "cpp", "cxx", "C", "c++", "cl", "cu", "s", "S", "sx", "i", "ii"]

def _with_dots(extensions):
    return ["." + extension for extension in extensions]

def _find_target(ctx):
    target = TARGETS.get(ctx.attr.target)
    if not target:
        fail("{}: unknown target \"{}\"; this version knows {}.".format(
            ctx.label,
            ctx.attr.target,
            ", ".join(TARGETS.keys()),
        ))
    emit = ctx.attr.emit or target.default_emit
    if emit not in target.extensions:
        fail("{}: target {} cannot emit \"{}\"; it emits {}.".format(
            ctx.label,
            ctx.attr.target,
            emit,
            ", ".join(target.extensions.keys()),
        ))
    return target, emit

def _package_include(ctx, include):
    """The two folders that an element of `includes` means: in the source tree and among generated files."""
    if include.startswith("/"):
        fail("{}: includes: \"{}\" is absolute; name a folder relative to the package.".format(ctx.label, include))
    parts = []
    for part in (ctx.label.workspace_root + "/" + ctx.label.package + "/" + include).split("/"):
        if part == "..":
            if not parts:
                fail("{}: includes: \"{}\" leaves the workspace.".format(ctx.label, include))
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    folder = "/".join(parts)
    return [folder or ".", ctx.bin_dir.path + ("/" + folder if folder else "")]

def _compilation_context(ctx):
    """Headers, folders and macros: of the rule's own attributes and of all that it depends on."""
    root = ctx.label.workspace_root or "."
    own = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        includes = depset([folder for include in ctx.attr.includes for folder in _package_include(ctx, include)]),
        quote_includes = depset([root, ctx.bin_dir.path + ("" if root == "." else "/" + root)]),
        defines = depset(ctx.attr.defines),
    )
    return cc_common.merge_compilation_contexts(
        compilation_contexts = [own] + [dep[CcInfo].compilation_context for dep in ctx.attr.deps],
    )

def _add_front_end_arguments(ctx, args, context):
    args.add_all(context.quote_includes, format_each = "-iquote%s")
    args.add_all(context.includes, format_each = "-I%s")
    args.add_all(context.system_includes, format_each = "-isystem%s")
    args.add_all(context.external_includes, format_each = "-isystem%s")
    args.add_all(context.defines, format_each = "-D%s")
    args.add_all(ctx.attr.copts)

def _compile(ctx, source, output, emit, context):
    args = ctx.actions.args()
    args.add(ctx.attr.target, format = "--target=%s")
    if ctx.attr.cpu:
        args.add(ctx.attr.cpu, format = "--cpu=%s")
    if ctx.attr.cpu_features:
        args.add_joined(ctx.attr.cpu_features, join_with = ",", format_joined = "--features=%s")
    args.add(ctx.attr.opt, format = "-O%s")
    args.add(emit, format = "--emit=%s")
    args.add_all(ctx.attr.kernel_options)
    headers = depset()
    if source.extension not in _IR_EXTENSIONS:
        _add_front_end_arguments(ctx, args, context)
        headers = context.headers
    args.add("-o", output)
    args.add(source)
    ctx.actions.run(
        executable = ctx.toolchains[TOOLCHAIN_TYPE].compile_tool,
        arguments = [args],
        inputs = depset([source], transitive = [headers]),
        outputs = [output],
        env = {},
        mnemonic = "DeviceCompile",
        progress_message = "Compiling %{input} for " + (ctx.attr.cpu or ctx.attr.target),
        toolchain = TOOLCHAIN_TYPE,
    )

def _device_object_impl(ctx):
    target, emit = _find_target(ctx)
    context = _compilation_context(ctx)
    outputs = {}
    for source in ctx.files.srcs:
        stem = source.basename[:-len(source.extension) - 1]
        if stem in outputs:
            fail("{}: two sources are called {}; each makes one file {}/{}.{}. Put them into two targets.".format(
                ctx.label,
                stem,
                ctx.label.name,
                stem,
                target.extensions[emit],
            ))
        output = ctx.actions.declare_file("{}/{}.{}".format(ctx.label.name, stem, target.extensions[emit]))
        _compile(ctx, source, output, emit, context)
        outputs[stem] = output
    objects = depset(outputs.values())
    return [
        DefaultInfo(files = objects, runfiles = ctx.runfiles(outputs.values())),
        DeviceObjectInfo(cpu = ctx.attr.cpu, objects = objects, target = ctx.attr.target),
    ]

device_object = rule(
    implementation = _device_object_impl,
    doc = """Compiles device code: each source becomes one file, `NAME/STEM.EXTENSION`.

The actions (mnemonic `DeviceCompile`) read their sources, the headers of `hdrs` and `deps`, and the compile tool with the
freestanding C headers in it, and nothing else; so they are safe in any remote cache and run on any remote worker. A header
that is not declared is not there: the compiler says which one it misses, and `hdrs` or `deps` is where to add it.

    device_object(
        name = "blink",
        srcs = ["blink.c", "vectors.S"],
        hdrs = ["board.h"],
        copts = ["-std=c17", "-Wall"],
        cpu = "atmega328p",
        defines = ["F_CPU=16000000UL"],
        includes = ["include"],
        opt = "s",
        target = "avr",
        deps = [":registers"],  # a cc_library
    )
""",
    attrs = {
        "copts": attr.string_list(doc = "Options of Clang for the sources, such as `-std=c17`; `ingot compile --help` says which are taken. Not for LLVM IR."),
        "cpu": attr.string(doc = "GPU architecture (`sm_90`) or chip (`atmega328p`); `ingot targets TARGET` lists them. Default: the target's."),
        "cpu_features": attr.string_list(doc = "CPU features on top of the CPU's own: `+ptx80`, `-lpm`."),
        "defines": attr.string_list(doc = "Macros for the sources, `NAME` or `NAME=VALUE`, each as it is."),
        "deps": attr.label_list(
            doc = "`cc_library` targets whose headers, include folders and `defines` the sources use. What they compile for the host is not linked.",
            providers = [CcInfo],
        ),
        "emit": attr.string(doc = "`asm`, `obj` or `bc`. Default: the target's (`asm`, that is PTX, for nvptx64; `obj` for avr)."),
        "hdrs": attr.label_list(
            doc = "Headers, and other files that the sources name by `#include` or `#embed`.",
            allow_files = True,
        ),
        "includes": attr.string_list(doc = "Folders of the package in which headers are looked for, as by `-I`; generated headers too."),
        "kernel_options": attr.string_list(
            doc = "Options about kernels, for sources and LLVM IR alike: `--entry=saxpy`, `--max-threads=256`, `--ptx=8.3`, " +
                  "`--relocatable=true` and others of `ingot compile --help`.",
        ),
        "opt": attr.string(
            doc = "Optimisation level.",
            default = "2",
            values = ["0", "1", "2", "3", "s", "z"],
        ),
        "srcs": attr.label_list(
            doc = "C (`.c`), C++ (`.cc`, `.cpp`, …), OpenCL C (`.cl`), CUDA (`.cu`), assembly (`.S` is preprocessed, `.s` is not), or LLVM IR as text (`.ll`) or bitcode (`.bc`).",
            allow_files = _with_dots(_IR_EXTENSIONS + _SOURCE_EXTENSIONS),
            mandatory = True,
        ),
        "target": attr.string(doc = "The device family: `nvptx64` or `avr`.", mandatory = True),
    },
    toolchains = [TOOLCHAIN_TYPE],
)
