"""The toolchain of the device rules."""

TOOLCHAIN_TYPE = Label("//tools/rules:toolchain_type")

def _device_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        compile_tool = ctx.attr.compile_tool[DefaultInfo].files_to_run,
    )]

device_toolchain = rule(
    implementation = _device_toolchain_impl,
    doc = """Names the compile tool that the device rules run.

Wrap it in a `toolchain` of type `@ingot//tools/rules:toolchain_type` and register that, for example to use an installed
Ingot in place of one built from source.""",
    attrs = {
        "compile_tool": attr.label(
            doc = "The `ingot-compile` program, for the execution platform.",
            cfg = "exec",
            executable = True,
            allow_files = True,
            mandatory = True,
        ),
    },
)
