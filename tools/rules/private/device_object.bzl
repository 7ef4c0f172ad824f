"""The rule `device_object`: one compiled file per source."""

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

def _device_object_impl(ctx):
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
    tool = ctx.toolchains[TOOLCHAIN_TYPE].compile_tool
    outputs = []
    for source in ctx.files.srcs:
        stem = source.basename[:-len(source.extension) - 1]
        output = ctx.actions.declare_file("{}/{}.{}".format(ctx.label.name, stem, target.extensions[emit]))
        args = ctx.actions.args()
        args.add(ctx.attr.target, format = "--target=%s")
        if ctx.attr.cpu:
            args.add(ctx.attr.cpu, format = "--cpu=%s")
        if ctx.attr.cpu_features:
            args.add_joined(ctx.attr.cpu_features, join_with = ",", format_joined = "--features=%s")
        args.add(ctx.attr.opt, format = "-O%s")
        args.add(emit, format = "--emit=%s")
        args.add("-o", output)
        args.add(source)
        ctx.actions.run(
            executable = tool,
            arguments = [args],
            inputs = [source],
            outputs = [output],
            env = {},
            mnemonic = "DeviceCompile",
            progress_message = "Compiling %{input} for " + (ctx.attr.cpu or ctx.attr.target),
            toolchain = TOOLCHAIN_TYPE,
        )
        outputs.append(output)
    objects = depset(outputs)
    return [
        DefaultInfo(files = objects, runfiles = ctx.runfiles(outputs)),
        DeviceObjectInfo(cpu = ctx.attr.cpu, objects = objects, target = ctx.attr.target),
    ]

device_object = rule(
    implementation = _device_object_impl,
    doc = """Compiles device code: each source becomes one file, `NAME/STEM.EXTENSION`.

The actions (mnemonic `DeviceCompile`) read their sources and the compile tool and nothing else, so they are safe in any
remote cache and run on any remote worker.""",
    attrs = {
        "cpu": attr.string(doc = "GPU architecture (`sm_90`) or chip (`atmega328p`); `ingot targets TARGET` lists them. Default: the target's."),
        "cpu_features": attr.string_list(doc = "CPU features on top of the CPU's own: `+ptx80`, `-lpm`."),
        "emit": attr.string(doc = "`asm`, `obj` or `bc`. Default: the target's (`asm`, that is PTX, for nvptx64; `obj` for avr)."),
        "opt": attr.string(
            doc = "Optimisation level.",
            default = "2",
            values = ["0", "1", "2", "3", "s", "z"],
        ),
        "srcs": attr.label_list(
            doc = "LLVM IR as text (`.ll`) or bitcode (`.bc`).",
            allow_files = [".ll", ".bc"],
            mandatory = True,
        ),
        "target": attr.string(doc = "The device family: `nvptx64` or `avr`.", mandatory = True),
    },
    toolchains = [TOOLCHAIN_TYPE],
)
