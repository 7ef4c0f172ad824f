"""clang-tidy as Bazel actions, so that only what changed is checked again.

    bazel build --config=clang-tidy //...

The program is the system's `clang-tidy-22`; its checks are in `.clang-tidy` at the root of the workspace.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _command_line(ctx, toolchain, compilation):
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # A module map says which headers may be included, which the compiler has checked already.
        unsupported_features = ctx.disabled_features + ["layering_check", "module_maps"],
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        user_compile_flags = ctx.fragments.cpp.cxxopts + ctx.fragments.cpp.copts + getattr(ctx.rule.attr, "copts", []),
        include_directories = compilation.includes,
        quote_include_directories = compilation.quote_includes,
        system_include_directories = depset(transitive = [compilation.system_includes, compilation.external_includes]),
        preprocessor_defines = depset(transitive = [compilation.defines, compilation.local_defines]),
    )
    return cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )

def _clang_tidy_aspect_impl(target, ctx):
    if CcInfo not in target or target.label.workspace_name or not hasattr(ctx.rule.files, "srcs"):
        return []
    toolchain = find_cpp_toolchain(ctx)
    compilation = target[CcInfo].compilation_context
    flags = None
    reports = []
    for source in ctx.rule.files.srcs:
        if not source.is_source or source.extension != "cc":
            continue
        if flags == None:
            flags = [f for f in _command_line(ctx, toolchain, compilation) if f not in ("-MD", "-c")]
        report = ctx.actions.declare_file("{}.{}.clang-tidy".format(source.basename, ctx.rule.attr.name))
        args = ctx.actions.args()
        args.add(report)
        args.add("clang-tidy-22")
        args.add("--quiet")
        args.add(ctx.file._config, format = "--config-file=%s")
        args.add(source)
        args.add("--")
        args.add_all(flags)
        ctx.actions.run_shell(
            # Its count of suppressed warnings is no finding; its output is shown only where there is one.
            command = "report=$1; shift; \"$@\" > \"$report\" 2>&1 || { cat \"$report\"; exit 1; }",
            arguments = [args],
            inputs = depset([source, ctx.file._config], transitive = [compilation.headers, toolchain.all_files]),
            outputs = [report],
            mnemonic = "ClangTidy",
            progress_message = "clang-tidy " + source.short_path,
        )
        reports.append(report)
    return [OutputGroupInfo(clang_tidy = depset(reports))]

clang_tidy_aspect = aspect(
    implementation = _clang_tidy_aspect_impl,
    doc = "Checks the C++ sources of a target of this workspace with clang-tidy.",
    attrs = {
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_config": attr.label(default = "//:.clang-tidy", allow_single_file = True),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
