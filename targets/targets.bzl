"""The targets that Bazel rules know: the same list as registry.cc, which a test compares with this one.

    load("//targets:targets.bzl", "TARGETS")

    TARGETS["avr"].extensions["obj"]  # "o"
"""

TARGETS = {
    "avr": struct(
        triple = "avr",
        default_cpu = "avr2",
        default_emit = "obj",
        extensions = {
            "asm": "s",
            "obj": "o",
            "bc": "bc",
            "ll": "ll",
            "raw-ll": "ll",
            "preprocessed": "i",
        },
    ),
    "nvptx64": struct(
        triple = "nvptx64-nvidia-cuda",
        default_cpu = "sm_75",
        default_emit = "asm",
        extensions = {
            "asm": "ptx",
            "bc": "bc",
            "ll": "ll",
            "raw-ll": "ll",
            "preprocessed": "i",
        },
    ),
}

def describe_targets():
    """Returns one line for each target, for the test that compares TARGETS with the records in C++."""
    return [
        "{} {} {} {} {}".format(
            name,
            target.triple,
            target.default_cpu,
            target.default_emit,
            " ".join(["{}={}".format(kind, extension) for kind, extension in target.extensions.items()]),
        )
        for name, target in sorted(TARGETS.items())
    ]
