"""Analysis tests of `device_object`: the actions that it makes, and what it refuses."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/rules:defs.bzl", "DeviceObjectInfo", "device_object")

def _actions_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    compilations = [a for a in analysistest.target_actions(env) if a.mnemonic == "DeviceCompile"]
    asserts.equals(env, 2, len(compilations))
    for action in compilations:
        arguments = action.argv[1:]
        asserts.equals(
            env,
            ["--target=nvptx64", "--cpu=sm_90", "--features=+ptx80,+ptx81", "-O3", "--emit=bc", "--entry=a,b", "-o"],
            arguments[:7],
        )
        asserts.equals(env, 1, len(action.outputs.to_list()))

        # Nothing of the machine is in the key: no variable, and no input but the source and the tool.
        asserts.equals(env, {}, action.env)
        sources = [f for f in action.inputs.to_list() if f.is_source]
        asserts.equals(env, 1, len(sources))
    names = sorted([f.short_path.split("/")[-1] for f in target[DeviceObjectInfo].objects.to_list()])
    asserts.equals(env, ["a.bc", "b.bc"], names)
    asserts.equals(env, "nvptx64", target[DeviceObjectInfo].target)
    return analysistest.end(env)

_actions_test = analysistest.make(_actions_test_impl)

def _sources_test_impl(ctx):
    env = analysistest.begin(ctx)
    compilations = [a for a in analysistest.target_actions(env) if a.mnemonic == "DeviceCompile"]
    asserts.equals(env, 2, len(compilations))
    source, ir = compilations
    package = "tools/rules/tests"
    for argument in [
        "-iquote.",
        "-I" + package + "/include",
        "-DONE=1",
        "-DFROM_LIBRARY",
        "-std=c17",
    ]:
        asserts.true(env, argument in source.argv, "{} is not in {}".format(argument, source.argv))
        asserts.false(env, argument in ir.argv, "{} is in {}".format(argument, ir.argv))
    generated = [a for a in source.argv if a.startswith("-I") and a.endswith("/bin/" + package + "/include")]
    asserts.equals(env, 1, len(generated))
    headers = sorted([f.basename for f in source.inputs.to_list() if f.basename.endswith(".h")])
    asserts.equals(env, ["library.h", "own.h"], headers)
    asserts.equals(env, [], [f for f in ir.inputs.to_list() if f.basename.endswith(".h")])
    asserts.equals(env, {}, source.env)
    return analysistest.end(env)

_sources_test = analysistest.make(_sources_test_impl)

def _refusal_test_impl(ctx):
    env = analysistest.begin(ctx)
    for text in ctx.attr.says:
        asserts.expect_failure(env, text)
    return analysistest.end(env)

_refusal_test = analysistest.make(
    _refusal_test_impl,
    attrs = {"says": attr.string_list()},
    expect_failure = True,
)

def device_object_test_suite(name):
    """Declares the tests.

    Args:
      name: of the suite.
    """
    device_object(
        name = name + "_two_sources",
        srcs = ["a.ll", "b.ll"],
        cpu = "sm_90",
        cpu_features = ["+ptx80", "+ptx81"],
        kernel_options = ["--entry=a,b"],
        emit = "bc",
        opt = "3",
        tags = ["manual"],
        target = "nvptx64",
    )
    _actions_test(name = name + "_actions", target_under_test = name + "_two_sources")

    cc_library(
        name = name + "_library",
        hdrs = ["library.h"],
        defines = ["FROM_LIBRARY"],
        tags = ["manual"],
    )
    device_object(
        name = name + "_source_and_ir",
        srcs = ["c.c", "a.ll"],
        hdrs = ["include/own.h"],
        copts = ["-std=c17"],
        defines = ["ONE=1"],
        includes = ["include"],
        tags = ["manual"],
        target = "avr",
        deps = [name + "_library"],
    )
    _sources_test(name = name + "_sources", target_under_test = name + "_source_and_ir")

    device_object(
        name = name + "_twice",
        srcs = ["a.c", "a.ll"],
        tags = ["manual"],
        target = "avr",
    )
    _refusal_test(
        name = name + "_refuses_two_sources_of_one_name",
        says = ["two sources are called a"],
        target_under_test = name + "_twice",
    )

    device_object(
        name = name + "_outside",
        srcs = ["a.c"],
        includes = ["../../../.."],
        tags = ["manual"],
        target = "avr",
    )
    _refusal_test(
        name = name + "_refuses_a_folder_outside",
        says = ["leaves the workspace"],
        target_under_test = name + "_outside",
    )

    device_object(
        name = name + "_unknown_target",
        srcs = ["a.ll"],
        tags = ["manual"],
        target = "nvtpx64",
    )
    _refusal_test(
        name = name + "_refuses_an_unknown_target",
        says = ["nvtpx64", "avr, nvptx64"],
        target_under_test = name + "_unknown_target",
    )

    device_object(
        name = name + "_impossible_emit",
        srcs = ["a.ll"],
        emit = "obj",
        tags = ["manual"],
        target = "nvptx64",
    )
    _refusal_test(
        name = name + "_refuses_what_the_target_cannot_emit",
        says = ["obj", "asm", "bc"],
        target_under_test = name + "_impossible_emit",
    )

    native.test_suite(
        name = name,
        tests = [
            name + "_actions",
            name + "_sources",
            name + "_refuses_a_folder_outside",
            name + "_refuses_two_sources_of_one_name",
            name + "_refuses_an_unknown_target",
            name + "_refuses_what_the_target_cannot_emit",
        ],
    )
