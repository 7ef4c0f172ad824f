"""The installed libcurl as a repository: its archive, without the libraries behind protocols that Ingot does not speak.

    deps = ["@curl"]

A distribution builds libcurl with everything: LDAP, SSH, HTTP/2 and 3, Kerberos, public suffixes for cookies, Brotli. Some of
those libraries have no archive (a static program cannot link them), others register constructors that every start of the
program would pay for, and all of them are code that must never run in a program that speaks HTTP/1.1 over TCP and TLS to a
cache. So what libcurl's archive asks of them is read from the archive itself, whatever its version, and each function gets a
stand-in. What libcurl calls first in each library fails in its stand-in, so that whoever reached one after all would
get libcurl's own error "could not start this protocol" and nothing behind it would be called. The others return 0 or a null
pointer, which is also what initialisations must return for libcurl itself to start.

A name that the table below does not know is left alone: linking fails and names it.
"""

_HEADERS = ["/usr/include/x86_64-linux-gnu/curl", "/usr/include/aarch64-linux-gnu/curl", "/usr/include/curl", "/usr/local/include/curl"]
_ARCHIVES = ["/usr/lib/x86_64-linux-gnu/libcurl.a", "/usr/lib/aarch64-linux-gnu/libcurl.a", "/usr/lib/libcurl.a", "/usr/local/lib/libcurl.a"]

# Prefixes of the libraries that are left out.
_ABSENT = ["Brotli", "RTMP_", "ber_", "gss_", "idn2_", "ldap_", "libssh2_", "nghttp2_", "nghttp3_", "ngtcp2_", "psl_"]

# Those that must report a failure with something else than 0 or a null pointer: what libcurl calls before anything else of
# the library. 13 << 16 is GSS_S_FAILURE (RFC 2744), which all functions of that library can return.
_FAILING = {
    "gss_": "13L << 16",
    "idn2_lookup_": "-1L",
    "ldap_init": "-1L",
    "ldap_url_parse": "-1L",
    "nghttp2_session_callbacks_new": "-1L",
    "nghttp2_session_client_new": "-1L",
    "ngtcp2_conn_client_new": "-1L",
    "ngtcp2_crypto_ossl_ctx_new": "-1L",
}

# Data, not functions.
_DATA = ["GSS_C_"]

_BUILD = """\
cc_library(
    name = "curl",
    srcs = ["lib/libcurl.a"],
    hdrs = glob(["include/curl/*.h"]),
    includes = ["include"],
    defines = ["CURL_STATICLIB"],
    linkopts = ["-lz", "-lzstd", "-lpthread"],
    visibility = ["//visibility:public"],
    deps = [
        ":absent",
        "{ssl}",
    ],
)

cc_library(
    name = "absent",
    srcs = ["absent.c"],
    linkstatic = True,
)
"""

def _starts_with_any(name, prefixes):
    return any([name.startswith(prefix) for prefix in prefixes])

def _undefined(rctx, archive):
    nm = rctx.which("nm") or rctx.which("llvm-nm-22") or rctx.which("llvm-nm")
    if not nm:
        fail("@curl: nm is not on PATH; it lists what libcurl needs. Install binutils.")
    result = rctx.execute([nm, "--undefined-only", archive])
    if result.return_code != 0:
        fail("{} {} failed: {}".format(nm, archive, result.stderr))
    names = {}
    for line in result.stdout.split("\n"):
        if " U " in line:
            names[line.split(" U ")[1].strip()] = True
    return sorted(names)

def _absent_source(names):
    lines = ["/* What libcurl refers to and never calls here; see tools/deps/curl.bzl. */"]
    for name in names:
        if _starts_with_any(name, _DATA):
            lines.append("void *{} = 0;".format(name))
        elif _starts_with_any(name, _ABSENT):
            value = "0"
            for prefix, failure in _FAILING.items():
                if name.startswith(prefix):
                    value = failure
            lines.append("long {}(void) {{ return {}; }}".format(name, value))
    return "\n".join(lines) + "\n"

def _first(rctx, candidates):
    for candidate in candidates:
        if rctx.path(candidate).exists:
            return rctx.path(candidate)
    fail("@curl: none of {} exists. Install libcurl with OpenSSL and its archive (Debian: libcurl4-openssl-dev).".format(
        ", ".join(candidates),
    ))

def _curl_repository_impl(rctx):
    archive = _first(rctx, _ARCHIVES)
    rctx.symlink(archive, "lib/libcurl.a")
    rctx.symlink(_first(rctx, _HEADERS), "include/curl")
    rctx.file("absent.c", _absent_source(_undefined(rctx, archive)))
    rctx.file("BUILD.bazel", _BUILD.format(ssl = str(rctx.attr.ssl)))
    rctx.file("WORKSPACE", "")

curl_repository = repository_rule(
    implementation = _curl_repository_impl,
    doc = "Makes the installed libcurl available for HTTP and HTTPS, linked statically.",
    attrs = {
        "ssl": attr.label(mandatory = True, doc = "The TLS library that libcurl was built with, a target."),
    },
    environ = ["PATH"],
    local = True,
)
