"""The Remote Execution API's messages, compiled for protobuf's lite runtime.

`@reapi//:remote_execution_cc_proto` gives `build/bazel/remote/execution/v2/remote_execution.pb.h`. The lite runtime has no
descriptors, so a program that links it registers nothing at start-up.

The protocol files come from an installed package (Debian: bazel-bootstrap-source), never from copies in this repository.
`INGOT_REAPI_PROTOS` or the attribute `roots` names other import roots, separated by colons.
"""

_ROOTS = [
    "/usr/src/bazel-bootstrap/third_party/remoteapis",
    "/usr/src/bazel-bootstrap/third_party/googleapis",
    "/usr/include",
]

# The messages that a cache client uses. The well-known types are generated here too: the ones that libprotobuf ships
# belong to its full runtime and would pull it in.
_PROTOS = [
    "build/bazel/remote/execution/v2/remote_execution.proto",
    "build/bazel/semver/semver.proto",
    "google/protobuf/any.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/wrappers.proto",
    "google/rpc/status.proto",
]

# Imported for the services only, whose code is not generated: their headers must exist, their code need not be linked.
_HEADER_ONLY_PROTOS = [
    "google/api/annotations.proto",
    "google/api/http.proto",
    "google/longrunning/operations.proto",
    "google/protobuf/empty.proto",
]

_BUILD = """\
PROTOS = {protos}

HEADER_ONLY_PROTOS = {header_only_protos}

ALL = PROTOS + HEADER_ONLY_PROTOS

genrule(
    name = "messages",
    srcs = ["protos/" + p for p in ALL],
    outs = [p[:-len("proto")] + suffix for p in ALL for suffix in ("pb.h", "pb.cc")],
    cmd = "$(location {protoc}) --proto_path=$$(dirname $(location protos/{first}))/{up} --proto_path={well_known} --cpp_out=lite:$(RULEDIR) " + " ".join(ALL),
    tools = ["{protoc}"],
)

cc_library(
    name = "remote_execution_cc_proto",
    srcs = [p[:-len("proto")] + "pb.cc" for p in PROTOS],
    hdrs = [p[:-len("proto")] + "pb.h" for p in ALL],
    copts = ["-w"],
    includes = ["."],
    linkstatic = True,
    visibility = ["//visibility:public"],
    deps = ["{runtime}"],
)
"""

def _reapi_repository_impl(rctx):
    override = rctx.getenv("INGOT_REAPI_PROTOS")
    roots = override.split(":") if override else (rctx.attr.roots or _ROOTS)
    for proto in _PROTOS + _HEADER_ONLY_PROTOS:
        sources = [r for r in roots if rctx.path(r + "/" + proto).exists]
        if not sources:
            fail("{} is in none of {}. Install Bazel's source package (Debian: bazel-bootstrap-source) and protobuf's development files, or set INGOT_REAPI_PROTOS to the import roots of the Remote Execution API, googleapis and protobuf.".format(proto, ", ".join(roots)))
        rctx.symlink(sources[0] + "/" + proto, "protos/" + proto)
    rctx.file("BUILD.bazel", _BUILD.format(
        protos = repr(_PROTOS),
        header_only_protos = repr(_HEADER_ONLY_PROTOS),
        protoc = str(rctx.attr.protoc),
        runtime = str(rctx.attr.runtime),
        first = _PROTOS[0],
        up = "/".join([".."] * (len(_PROTOS[0].split("/")) - 1)),
        well_known = roots[-1],
    ))
    rctx.file("WORKSPACE", "")

reapi_repository = repository_rule(
    implementation = _reapi_repository_impl,
    doc = "Generates C++ messages for the Remote Execution API from installed protocol files.",
    attrs = {
        "protoc": attr.label(mandatory = True, doc = "The protocol compiler, a file."),
        "roots": attr.string_list(doc = "Import roots of the protocol files; INGOT_REAPI_PROTOS overrides them."),
        "runtime": attr.label(mandatory = True, doc = "The C++ library that generated code links."),
    },
    environ = ["INGOT_REAPI_PROTOS"],
    local = True,
)
