"""System libraries as repositories, read from their pkg-config files.

    pkg_config_repository(
        name = "absl",
        headers = ["absl"],
        module_prefix = "absl_",
    )

gives `@absl//:status`, `@absl//:strings` and so on: one `cc_library` per pkg-config module, linked statically where the
package ships an archive, with the dependencies that its `Requires` lines name. The headers are symlinked into the
repository, so Bazel tracks them like any other input.
"""

_SEARCH_PATH = [
    "/usr/lib/x86_64-linux-gnu/pkgconfig",
    "/usr/lib/aarch64-linux-gnu/pkgconfig",
    "/usr/lib/pkgconfig",
    "/usr/share/pkgconfig",
    "/usr/local/lib/pkgconfig",
]

# An archive outside the linker's own search is not looked for: these are libraries of the C run time itself.
_C_LIBRARY = ["m", "pthread", "rt", "dl", "atomic"]

_TARGET = """\
cc_library(
    name = "{name}",
    srcs = {srcs},
    hdrs = {hdrs},
    linkopts = {linkopts},
    deps = {deps},
)
"""

def _search_path(rctx):
    override = rctx.getenv("PKG_CONFIG_PATH")
    return (override.split(":") if override else []) + _SEARCH_PATH

def _expand(text, variables):
    # A variable may name another one; pkg-config files nest two or three deep at most.
    for _ in range(4):
        for name, value in variables.items():
            text = text.replace("${" + name + "}", value)
    return text

def _parse(text):
    """Returns the fields of a pkg-config file as {field: expanded value}."""
    variables, fields = {}, {}
    for line in text.split("\n"):
        colon, equals = line.find(":"), line.find("=")
        if line.startswith("#"):
            continue
        if equals > 0 and (colon < 0 or equals < colon):
            variables[line[:equals].strip()] = line[equals + 1:].strip()
        elif colon > 0:
            fields[line[:colon].strip()] = line[colon + 1:].strip()
    return {name: _expand(value, variables) for name, value in fields.items()}

def _modules(rctx):
    """Returns {module: path of its .pc file} for the modules the attributes ask for."""
    found = {}
    for directory in _search_path(rctx):
        path = rctx.path(directory)
        if not path.exists:
            continue
        for entry in path.readdir(watch = "no"):
            name = entry.basename.removesuffix(".pc")
            wanted = name in rctx.attr.modules or (rctx.attr.module_prefix and name.startswith(rctx.attr.module_prefix))
            if wanted and entry.basename.endswith(".pc") and name not in found:
                found[name] = entry
    return found

def _requires(fields):
    words = (fields.get("Requires", "") + "," + fields.get("Requires.private", "")).replace(",", " ").split(" ")
    names, skip = [], False
    for word in words:
        if skip:
            skip = False  # the version after an operator
        elif word in ["=", ">=", "<=", ">", "<", "!="]:
            skip = True
        elif word:
            names.append(word)
    return names

def _share_constants(text, prefixes):
    lines = text.split("\n")
    return "\n".join(["inline " + line if [p for p in prefixes if line.startswith(p)] else line for line in lines])

def _link_header(rctx, source, target, header):
    """Returns the headers that are files of the repository's own now."""
    shared = {path: prefixes for path, prefixes in rctx.attr.shared_constants.items() if path.startswith(header + "/")}
    if not shared:
        rctx.symlink(source, target)
        return []
    own = []
    for entry in source.readdir(watch = "no"):
        path, link = header + "/" + entry.basename, target + "/" + entry.basename
        if path in shared:
            rctx.file(link, _share_constants(rctx.read(entry, watch = "no"), shared[path]), executable = False)
            own.append(link)
        else:
            rctx.symlink(entry, link)
    return own

def _link_headers(rctx):
    includes, own = [], []
    for root in ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/local/include"]:
        here = "include/" + root[1:].replace("/", "_")
        for header in rctx.attr.headers:
            source = rctx.path(root + "/" + header)
            if source.exists:
                own += _link_header(rctx, source, here + "/" + header, header)
                if here not in includes:
                    includes.append(here)
    return includes, own

def _pkg_config_repository_impl(rctx):
    modules = _modules(rctx)
    if not modules or [m for m in rctx.attr.modules if m not in modules]:
        fail("@{}: no pkg-config file for {} in {}. Install {}.".format(
            rctx.original_name if hasattr(rctx, "original_name") else rctx.name,
            ", ".join(rctx.attr.modules) or rctx.attr.module_prefix + "*",
            ":".join(_search_path(rctx)),
            rctx.attr.package,
        ))
    includes, own_headers = _link_headers(rctx)
    build = [
        "package(default_visibility = [\"//visibility:public\"])",
        "cc_library(name = \"headers\", hdrs = glob([\"include/**\"]), includes = {})".format(repr(includes)),
    ]
    for program in rctx.attr.programs:
        path = rctx.which(program)
        if not path:
            fail("{} is not on PATH. Install {}.".format(program, rctx.attr.package))
        rctx.symlink(path, "bin/" + program)
        build.append("exports_files([\"bin/{}\"])".format(program))
    for module in sorted(modules):
        fields = _parse(rctx.read(modules[module], watch = "no"))
        srcs, linkopts = [], []
        directories = []
        flags = [f for f in (fields.get("Libs", "") + " " + fields.get("Libs.private", "")).split(" ") if f]
        for flag in flags:
            if flag.startswith("-L"):
                directories.append(flag[2:])
        for flag in flags:
            if flag.startswith("-l"):
                archive = None
                for directory in ([] if flag[2:] in _C_LIBRARY else directories + ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]):
                    path = rctx.path("{}/lib{}.a".format(directory, flag[2:]))
                    if path.exists:
                        archive = path
                        break
                if archive:
                    link = "lib/" + archive.basename
                    if not rctx.path(link).exists:
                        rctx.symlink(archive, link)
                    if link not in srcs:
                        srcs.append(link)
                else:
                    linkopts.append(flag)
            elif not flag.startswith("-L"):
                linkopts.append(flag)
        deps = [":headers"]
        for required in _requires(fields):
            dep = ":" + required.removeprefix(rctx.attr.module_prefix)
            if required in modules and required != module and dep not in deps:
                deps.append(dep)
        build.append(_TARGET.format(
            name = module.removeprefix(rctx.attr.module_prefix),
            srcs = repr(srcs),
            # layering_check takes links into the system's folder for the system's own headers, but not these.
            hdrs = repr(own_headers),
            linkopts = repr(linkopts),
            deps = repr(deps),
        ))
    rctx.file("BUILD.bazel", "\n".join(build))
    rctx.file("WORKSPACE", "")

pkg_config_repository = repository_rule(
    implementation = _pkg_config_repository_impl,
    doc = "Makes libraries that pkg-config knows available as targets, one per pkg-config module.",
    attrs = {
        "headers": attr.string_list(doc = "Header files and folders, relative to the system's include folders."),
        "module_prefix": attr.string(doc = "Take every pkg-config module of this prefix; targets drop the prefix."),
        "modules": attr.string_list(doc = "pkg-config modules, each a target of its name."),
        "package": attr.string(mandatory = True, doc = "What to install, named in the error where it is missing."),
        "shared_constants": attr.string_list_dict(doc = """\
Headers of a folder in `headers` whose constants are to be `inline`, and how the lines begin that define them. A constant with a
constructor that is not inline is constructed at every start of a program once for each source file that includes the header."""),
        "programs": attr.string_list(doc = "Programs of the package, symlinked to bin/."),
    },
    environ = ["PKG_CONFIG_PATH", "PATH"],
    local = True,
)
