"""Modules of LLVM IR with one feature each, for NVPTX: what its code generator may meet.

    for name, module in features():
        ...  # "math.sin.float", "define float @f(float %a) { ..."

Written out by rules from lists of types, operations and intrinsics; the same on every run.
"""

from collections.abc import Iterator

FLOATS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
ODD_FLOATS = ("fp128", "x86_fp80", "ppc_fp128")
INTEGERS = (1, 3, 8, 13, 16, 24, 32, 33, 48, 64, 65, 128, 256)

UNARY_MATH = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10", "log", "log2", "log10"),
    *("sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", "fabs", "canonicalize"),
)
BINARY_MATH = ("pow", "atan2", "copysign", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum")
TO_INTEGER = ("lround", "llround", "lrint", "llrint")
PAIRS = ("sincos", "modf", "sincospi")

# Of integers: the intrinsic and how many values it takes of the same type.
INTEGER_INTRINSICS = {
    **dict.fromkeys(("ctpop", "bitreverse"), 1),
    **dict.fromkeys(("smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "sshl.sat", "ushl.sat"), 2),
    **dict.fromkeys(("fshl", "fshr"), 3),
}
OVERFLOW_INTRINSICS = ("sadd", "uadd", "ssub", "usub", "smul", "umul")

# Others that anybody can write, as a call with its type.
PLAIN_INTRINSICS = {
    "trap": "call void @llvm.trap()",
    "debugtrap": "call void @llvm.debugtrap()",
    "ubsantrap": "call void @llvm.ubsantrap(i8 1)",
    "donothing": "call void @llvm.donothing()",
    "sideeffect": "call void @llvm.sideeffect()",
    "readcyclecounter": "call i64 @llvm.readcyclecounter()",
    "readsteadycounter": "call i64 @llvm.readsteadycounter()",
    "get.rounding": "call i32 @llvm.get.rounding()",
    "set.rounding": "call void @llvm.set.rounding(i32 1)",
    "get.fpenv": "call i64 @llvm.get.fpenv.i64()",
    "set.fpenv": "call void @llvm.set.fpenv.i64(i64 0)",
    "reset.fpenv": "call void @llvm.reset.fpenv()",
    "get.fpmode": "call i32 @llvm.get.fpmode.i32()",
    "set.fpmode": "call void @llvm.set.fpmode.i32(i32 0)",
    "reset.fpmode": "call void @llvm.reset.fpmode()",
    "returnaddress": "call ptr @llvm.returnaddress(i32 0)",
    "addressofreturnaddress": "call ptr @llvm.addressofreturnaddress.p0()",
    "frameaddress": "call ptr @llvm.frameaddress.p0(i32 0)",
    "sponentry": "call ptr @llvm.sponentry.p0()",
    "stacksave": "call ptr @llvm.stacksave.p0()",
    "thread.pointer": "call ptr @llvm.thread.pointer.p0()",
    "eh.dwarf.cfa": "call ptr @llvm.eh.dwarf.cfa(i32 0)",
    "eh.unwind.init": "call void @llvm.eh.unwind.init()",
    "get.dynamic.area.offset": "call i64 @llvm.get.dynamic.area.offset.i64()",
    "pcmarker": "call void @llvm.pcmarker(i32 0)",
    "vscale": "call i64 @llvm.vscale.i64()",
    "swift.async.context.addr": "call ptr @llvm.swift.async.context.addr()",
    "ptrauth.sign": "call i64 @llvm.ptrauth.sign(i64 1, i32 0, i64 0)",
    "x86.rdtsc": "call i64 @llvm.x86.rdtsc()",
    "amdgcn.workitem.id.x": "call i32 @llvm.amdgcn.workitem.id.x()",
    "arm.hint": "call void @llvm.arm.hint(i32 0)",
    "expect": "call i32 @llvm.expect.i32(i32 1, i32 1)",
    "is.constant": "call i1 @llvm.is.constant.i32(i32 1)",
    "allow.runtime.check": 'call i1 @llvm.allow.runtime.check(metadata !"x")',
    "nvvm.barrier0": "call void @llvm.nvvm.barrier0()",
    "nvvm.read.ptx.sreg.tid.x": "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    "nvvm.read.ptx.sreg.clusterid.x": "call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()",
    "nvvm.redux.sync.add": "call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 -1)",
    "nvvm.exit": "call void @llvm.nvvm.exit()",
    "nvvm.activemask": "call i32 @llvm.nvvm.activemask()",
    "nvvm.bar.warp.sync": "call void @llvm.nvvm.bar.warp.sync(i32 -1)",
    "nvvm.cp.async.wait.all": "call void @llvm.nvvm.cp.async.wait.all()",
    "nvvm.cluster.barrier": "call void @llvm.nvvm.barrier.cluster.arrive()",
    "nvvm.nanosleep": "call void @llvm.nvvm.nanosleep(i32 1)",
    "nvvm.setmaxnreg": "call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 96)",
}

# Intrinsics on memory, with pointers %p and %q.
MEMORY_INTRINSICS = {
    **{f"memcpy.{size}": f"call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)" for size in (0, 1, 7, 64, 4096, 1 << 20)},
    **{f"memmove.{size}": f"call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)" for size in (1, 64, 4096)},
    **{f"memset.{size}": f"call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 {size}, i1 false)" for size in (1, 64, 4096)},
    "memcpy.inline": "call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)",
    "memcpy.atomic": "call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 16, i32 4)",
    "prefetch": "call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)",
    "clear_cache": "call void @llvm.clear_cache(ptr %p, ptr %q)",
    "init.trampoline": "call void @llvm.init.trampoline(ptr %p, ptr @f, ptr %q)",
    "adjust.trampoline": "call ptr @llvm.adjust.trampoline(ptr %p)",
    "invariant.start": "call ptr @llvm.invariant.start.p0(i64 4, ptr %p)",
    "launder": "call ptr @llvm.launder.invariant.group.p0(ptr %p)",
    "ptrmask": "call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -8)",
    "objc.retain": "call ptr @llvm.objc.retain(ptr %p)",
    "va_start": "call void @llvm.va_start.p0(ptr %p)",
}

ATOMIC_OPERATIONS = (
    *("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"),
    *("uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"),
)
FLOAT_ATOMICS = ("fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")

LINKAGES = ("private", "internal", "external", "weak", "weak_odr", "linkonce", "linkonce_odr", "common", "available_externally")
ATTRIBUTES = (
    *("alwaysinline", "noinline", "optnone noinline", "optsize", "minsize", "naked", "cold", "hot", "noreturn", "convergent", "ssp", "sspstrong"),
    *("sspreq", "uwtable", "strictfp", "returns_twice", "speculatable", "jumptable", "sanitize_address", "safestack", "shadowcallstack"),
    *('"probe-stack"="x"', '"patchable-function"="prologue-short-redirect"', '"split-stack"', '"stack-protector-buffer-size"="1"'),
)
CONVENTIONS = ("ccc", "fastcc", "coldcc", "ghccc", "preserve_mostcc", "swiftcc", "tailcc", "spir_func", "spir_kernel", "ptx_device", "ptx_kernel", "amdgpu_kernel", "x86_stdcallcc")
SPACES = (0, 1, 3, 4, 5, 6, 7, 101, 200)

# Initial values of a variable @y, with what they need before it.
INITIALISERS = {
    "zero": ("", "i32", "0"),
    "undef": ("", "i32", "undef"),
    "poison": ("", "i32", "poison"),
    "string": ("", "[4 x i8]", 'c"abc\\00"'),
    "struct": ("", "{i8, i32}", "{i8 1, i32 2}"),
    "packed": ("", "<{i8, i32}>", "<{i8 1, i32 2}>"),
    "packed-pointer": ("@x = global i32 0", "<{i8, ptr}>", "<{i8 1, ptr @x}>"),
    "address": ("@x = global i32 0", "ptr", "@x"),
    "element": ("@x = global [4 x i32] zeroinitializer", "ptr", "getelementptr ([4 x i32], ptr @x, i64 0, i64 2)"),
    "cast": ("@x = addrspace(1) global i32 0", "ptr", "addrspacecast (ptr addrspace(1) @x to ptr)"),
    "number": ("@x = global i32 0", "i64", "ptrtoint (ptr @x to i64)"),
    "short-number": ("@x = global i32 0", "i32", "trunc (i64 ptrtoint (ptr @x to i64) to i32)"),
    "difference": ("@x = global i32 0\n@z = global i32 0", "i64", "sub (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @z to i64))"),
    "function": ("define void @g() {\n ret void\n}", "ptr", "@g"),
    "declared": ("declare void @h()", "ptr", "@h"),
    "table": ("define void @g() {\n ret void\n}", "[2 x ptr]", "[ptr @g, ptr null]"),
    "self": ("", "ptr", "@y"),
    "label": ("define void @g() {\n br label %l\nl:\n ret void\n}", "ptr", "blockaddress(@g, %l)"),
    "float": ("", "float", "1.5"),
    "double": ("", "double", "1.5"),
    "half": ("", "half", "1.5"),
    "bfloat": ("", "bfloat", "1.5"),
    "vector": ("", "<4 x float>", "<float 1.0, float 2.0, float 3.0, float 4.0>"),
    "bits": ("", "<8 x i1>", "zeroinitializer"),
    "null": ("", "ptr", "null"),
    "literal-pointer": ("", "ptr", "inttoptr (i64 4096 to ptr)"),
    "nested": ("", "[2 x {i32, [2 x i8]}]", "[{i32, [2 x i8]} {i32 1, [2 x i8] c\"ab\"}, {i32, [2 x i8]} zeroinitializer]"),
}


def _function(result: str, parameters: str, body: str, before: str = "") -> str:
    return f"{before}\ndefine {result} @f({parameters}) {{\n{body}\n}}\n"


def _math() -> Iterator[tuple[str, str]]:
    for flags in ("", "afn ", "fast "):
        for type_, suffix in FLOATS.items():
            place = f"{type_}.{flags.strip() or 'exact'}"
            for name in UNARY_MATH:
                yield f"math.{name}.{place}", _function(type_, f"{type_} %a", f" %r = call {flags}{type_} @llvm.{name}.{suffix}({type_} %a)\n ret {type_} %r")
            for name in BINARY_MATH:
                yield f"math.{name}.{place}", _function(type_, f"{type_} %a, {type_} %b", f" %r = call {flags}{type_} @llvm.{name}.{suffix}({type_} %a, {type_} %b)\n ret {type_} %r")
            for name in ("fadd", "fsub", "fmul", "fdiv", "frem"):
                yield f"math.{name}.{place}", _function(type_, f"{type_} %a, {type_} %b", f" %r = {name} {flags}{type_} %a, %b\n ret {type_} %r")
            for name in ("powi", "ldexp"):
                yield f"math.{name}.{place}", _function(type_, f"{type_} %a, i32 %b", f" %r = call {flags}{type_} @llvm.{name}.{suffix}.i32({type_} %a, i32 %b)\n ret {type_} %r")
            pair = f"{{{type_}, {type_}}}"
            for name in PAIRS:
                yield f"math.{name}.{place}", _function(pair, f"{type_} %a", f" %r = call {flags}{pair} @llvm.{name}.{suffix}({type_} %a)\n ret {pair} %r")
    for type_, suffix in FLOATS.items():
        for name in TO_INTEGER:
            for bits in (32, 64):
                yield f"math.{name}.{type_}.i{bits}", _function(f"i{bits}", f"{type_} %a", f" %r = call i{bits} @llvm.{name}.i{bits}.{suffix}({type_} %a)\n ret i{bits} %r")
        yield f"math.fma.{type_}", _function(type_, f"{type_} %a", f" %r = call {type_} @llvm.fma.{suffix}({type_} %a, {type_} %a, {type_} %a)\n ret {type_} %r")
        yield f"math.vector.{type_}", _function(f"<2 x {type_}>", f"<2 x {type_}> %a", f" %r = call <2 x {type_}> @llvm.floor.v2{suffix}(<2 x {type_}> %a)\n ret <2 x {type_}> %r")
    for type_ in ODD_FLOATS:
        yield f"type.{type_}.parameter", _function("void", f"{type_} %a", " ret void")
        yield f"type.{type_}.add", _function("void", f"ptr %p", f" %a = load {type_}, ptr %p\n %r = fadd {type_} %a, %a\n store {type_} %r, ptr %p\n ret void")


def _integers() -> Iterator[tuple[str, str]]:
    for bits in INTEGERS:
        type_ = f"i{bits}"
        for name in ("add", "mul", "udiv", "srem", "shl", "ashr", "xor"):
            yield f"integer.{name}.{type_}", _function(type_, f"{type_} %a, {type_} %b", f" %r = {name} {type_} %a, %b\n ret {type_} %r")
        for name, count in INTEGER_INTRINSICS.items():
            values = ", ".join([f"{type_} %a"] * count)
            yield f"integer.{name}.{type_}", _function(type_, f"{type_} %a", f" %r = call {type_} @llvm.{name}.{type_}({values})\n ret {type_} %r")
        for name in OVERFLOW_INTRINSICS:
            both = f"{{{type_}, i1}}"
            yield f"integer.{name}.overflow.{type_}", _function(both, f"{type_} %a", f" %r = call {both} @llvm.{name}.with.overflow.{type_}({type_} %a, {type_} %a)\n ret {both} %r")
        yield f"memory.{type_}", _function("void", "ptr %p", f" %a = load {type_}, ptr %p\n %b = add {type_} %a, 1\n store {type_} %b, ptr %p\n ret void")
        yield f"variable.{type_}", _function(type_, "", f" %r = load {type_}, ptr @y\n ret {type_} %r", f"@y = global {type_} 1")
        for float_ in FLOATS:
            yield f"convert.{type_}.{float_}", _function(float_, f"{type_} %a", f" %r = sitofp {type_} %a to {float_}\n ret {float_} %r")
            yield f"convert.{float_}.{type_}", _function(type_, f"{float_} %a", f" %r = fptoui {float_} %a to {type_}\n ret {type_} %r")


def _memory() -> Iterator[tuple[str, str]]:
    for name, call in MEMORY_INTRINSICS.items():
        yield f"intrinsic.{name}", _function("void", "ptr %p, ptr %q", f" {'%r = ' if ' void ' not in call else ''}{call}\n ret void")
    for name, call in PLAIN_INTRINSICS.items():
        result = call.split()[1]
        body = f" {call}\n ret void" if result == "void" else f" %r = {call}\n ret {result} %r"
        yield f"intrinsic.{name}", _function(result, "", body)
    for bits in (8, 16, 32, 64, 128):
        for name in ATOMIC_OPERATIONS:
            yield f"atomic.{name}.i{bits}", _function(f"i{bits}", f"ptr %p, i{bits} %a", f" %r = atomicrmw {name} ptr %p, i{bits} %a monotonic\n ret i{bits} %r")
        for order in ("monotonic", "acquire", "seq_cst"):
            yield f"atomic.load.{order}.i{bits}", _function(f"i{bits}", "ptr %p", f" %r = load atomic i{bits}, ptr %p {order}, align {bits // 8}\n ret i{bits} %r")
        yield f"atomic.cmpxchg.i{bits}", _function(f"i{bits}", f"ptr %p, i{bits} %a", f" %s = cmpxchg ptr %p, i{bits} %a, i{bits} 1 seq_cst seq_cst\n %r = extractvalue {{i{bits}, i1}} %s, 0\n ret i{bits} %r")
    for type_ in FLOATS:
        for name in FLOAT_ATOMICS:
            yield f"atomic.{name}.{type_}", _function(type_, f"ptr %p, {type_} %a", f" %r = atomicrmw {name} ptr %p, {type_} %a monotonic\n ret {type_} %r")
    for scope in ("singlethread", "block", "cluster", "device", "agent", "workgroup", "system"):
        yield f"atomic.fence.{scope}", _function("void", "", f' fence syncscope("{scope}") seq_cst\n ret void')
    for space in SPACES:
        yield f"space.{space}.load", _function("i32", f"ptr addrspace({space}) %p", f" %r = load i32, ptr addrspace({space}) %p\n ret i32 %r")
        yield f"space.{space}.store", _function("void", f"ptr addrspace({space}) %p", f" store i32 1, ptr addrspace({space}) %p\n ret void")
        yield f"space.{space}.variable", _function("i32", "", f" %r = load i32, ptr addrspace({space}) @y\n ret i32 %r", f"@y = internal addrspace({space}) global i32 undef")
        yield f"space.{space}.initialised", _function("i32", "", f" %r = load i32, ptr addrspace({space}) @y\n ret i32 %r", f"@y = addrspace({space}) global i32 7")


def _declarations() -> Iterator[tuple[str, str]]:
    for linkage in LINKAGES:
        word = "" if linkage == "external" else linkage
        value = "0" if linkage == "common" else "7"
        yield f"linkage.variable.{linkage}", _function("i32", "", " %r = load i32, ptr @y\n ret i32 %r", f"@y = {word} global i32 {value}")
        if linkage not in ("common",):
            yield f"linkage.function.{linkage}", _function("i32", "", " %r = call i32 @g()\n ret i32 %r", f"define {word} i32 @g() noinline {{\n ret i32 1\n}}")
    yield "linkage.variable.extern_weak", _function("i1", "", " %r = icmp eq ptr @y, null\n ret i1 %r", "@y = extern_weak global i32")
    yield "linkage.function.extern_weak", _function("i1", "", " %r = icmp eq ptr @g, null\n ret i1 %r", "declare extern_weak void @g()")
    yield "linkage.declared", _function("void", "", " call void @g()\n ret void", "declare void @g()")
    for attribute in ATTRIBUTES:
        yield f"attribute.{attribute}", f"declare void @g(ptr)\ndefine void @f() {attribute} {{\n %p = alloca [32 x i8]\n store volatile i8 1, ptr %p\n {'unreachable' if 'naked' in attribute or 'noreturn' in attribute else 'ret void'}\n}}\n".replace("declare void @g(ptr)\n", "")
    for convention in CONVENTIONS:
        yield f"convention.{convention}", f"define {convention} void @f(i32 %a, ptr %p) {{\n store i32 %a, ptr %p\n ret void\n}}\n"
    for name, (before, type_, value) in INITIALISERS.items():
        for space in (0, 3, 4):
            if space != 0 and "@y" in value:
                continue
            yield f"initial.{name}.{space}", _function("ptr", "", f" %r = addrspacecast ptr addrspace({space}) @y to ptr\n ret ptr %r" if space else " ret ptr @y", f"{before}\n@y = addrspace({space}) global {type_} {value}")


def _shapes() -> Iterator[tuple[str, str]]:
    kernel = "define ptx_kernel void @k(ptr %p) {\n store i32 1, ptr %p\n ret void\n}"
    yield "kernel.returns", "define ptx_kernel i32 @f() {\n ret i32 1\n}\n"
    yield "kernel.called", f"{kernel}\ndefine ptx_kernel void @f(ptr %p) {{\n call ptx_kernel void @k(ptr %p)\n ret void\n}}\n"
    yield "kernel.called-noinline", f"{kernel.replace('(ptr %p) {', '(ptr %p) noinline {')}\ndefine ptx_kernel void @f(ptr %p) {{\n call ptx_kernel void @k(ptr %p)\n ret void\n}}\n"
    yield "kernel.address", f"{kernel}\ndefine ptx_kernel void @f(ptr %p) {{\n store ptr @k, ptr %p\n ret void\n}}\n"
    yield "kernel.variadic", "define ptx_kernel void @f(i32 %a, ...) {\n ret void\n}\n"
    yield "kernel.empty-struct", "define ptx_kernel void @f({} %a) {\n ret void\n}\n"
    yield "kernel.large", "%s = type {[2000 x double]}\ndefine ptx_kernel void @f(ptr byval(%s) %a, ptr %o) {\n %v = load double, ptr %a\n store double %v, ptr %o\n ret void\n}\n"
    yield "kernel.too-large", "%s = type {[8000 x double]}\ndefine ptx_kernel void @f(ptr byval(%s) %a, ptr %o) {\n %v = load double, ptr %a\n store double %v, ptr %o\n ret void\n}\n"
    yield "kernel.weak", "define weak_odr ptx_kernel void @f() {\n ret void\n}\n"
    yield "kernel.internal", "define internal ptx_kernel void @f() {\n ret void\n}\n"
    yield "kernel.old-annotation", "define void @f() {\n ret void\n}\n!nvvm.annotations = !{!0}\n!0 = !{ptr @f, !\"kernel\", i32 1}\n"
    for bound in ("maxntidx", "reqntidx", "minctasm", "maxnreg", "maxclusterrank", "cluster_dim_x"):
        yield f"kernel.annotation.{bound}", f"define ptx_kernel void @f() {{\n ret void\n}}\n!nvvm.annotations = !{{!0}}\n!0 = !{{ptr @f, !\"{bound}\", i32 4}}\n"
    yield "alias.function", "@a = alias void (), ptr @g\ndefine void @g() noinline {\n ret void\n}\ndefine void @f() {\n call void @a()\n ret void\n}\n"
    yield "alias.variable", "@y = global i32 1\n@a = alias i32, ptr @y\ndefine i32 @f() {\n %r = load i32, ptr @a\n ret i32 %r\n}\n"
    yield "alias.element", "@y = global [4 x i32] zeroinitializer\n@a = alias i32, getelementptr ([4 x i32], ptr @y, i64 0, i64 1)\ndefine i32 @f() {\n %r = load i32, ptr @a\n ret i32 %r\n}\n"
    yield "alias.kernel", f"@a = alias void (ptr), ptr @k\n{kernel}\n"
    yield "ifunc", "@a = ifunc void (), ptr @g\ndefine ptr @g() {\n ret ptr null\n}\ndefine void @f() {\n call void @a()\n ret void\n}\n"
    yield "thread-local", _function("i32", "", " %r = load i32, ptr @y\n ret i32 %r", "@y = thread_local global i32 1")
    yield "prefix", "define void @f() prefix i32 1 {\n ret void\n}\n"
    yield "prologue", "define void @f() prologue i32 1 {\n ret void\n}\n"
    yield "section", _function("i32", "", " %r = load i32, ptr @y\n ret i32 %r", '@y = global i32 1, section "mine"')
    yield "comdat", "$f = comdat any\ndefine linkonce_odr void @f() comdat {\n ret void\n}\n"
    yield "module-assembly", 'module asm ".global .u32 x;"\ndefine void @f() {\n ret void\n}\n'
    yield "circular", "@a = global ptr @b\n@b = global ptr @a\ndefine ptr @f() {\n ret ptr @a\n}\n"
    yield "recursion", "define i32 @f(i32 %a) {\n %c = icmp eq i32 %a, 0\n br i1 %c, label %x, label %y\nx:\n ret i32 1\ny:\n %b = sub i32 %a, 1\n %r = call i32 @f(i32 %b)\n %s = mul i32 %r, %a\n ret i32 %s\n}\n"
    yield "indirect-call", "define i32 @f(ptr %g) {\n %r = call i32 %g(i32 1)\n ret i32 %r\n}\n"
    yield "indirect-branch", "define i32 @f(ptr %p) {\n indirectbr ptr %p, [label %a, label %b]\na:\n ret i32 1\nb:\n ret i32 2\n}\n"
    yield "switch", "define i32 @f(i32 %a) {\n switch i32 %a, label %d [i32 0, label %x\n i32 1, label %y\n i32 2, label %x\n i32 3, label %y\n i32 4, label %x]\nx:\n ret i32 1\ny:\n ret i32 2\nd:\n ret i32 3\n}\n"
    yield "invoke", "declare i32 @p(...)\ndefine void @g() noinline {\n ret void\n}\ndefine void @f() personality ptr @p {\n invoke void @g() to label %a unwind label %b\na:\n ret void\nb:\n %l = landingpad {ptr, i32} cleanup\n ret void\n}\n"
    yield "variadic", "define i32 @g(i32 %a, ...) noinline {\n ret i32 %a\n}\ndefine i32 @f() {\n %r = call i32 (i32, ...) @g(i32 1, double 2.0)\n ret i32 %r\n}\n"
    yield "alloca.dynamic", "define void @f(i64 %n) {\n %p = alloca i8, i64 %n\n store volatile i8 1, ptr %p\n ret void\n}\n"
    yield "vector.scalable", "define <vscale x 4 x i32> @f(<vscale x 4 x i32> %a) {\n ret <vscale x 4 x i32> %a\n}\n"
    for count, type_ in ((2, "i8"), (3, "i32"), (4, "float"), (8, "half"), (16, "i8"), (7, "i64"), (32, "i1"), (2, "double"), (5, "bfloat")):
        yield f"vector.{count}x{type_}", f"define <{count} x {type_}> @f(<{count} x {type_}> %a, ptr %p) {{\n store <{count} x {type_}> %a, ptr %p\n %r = load <{count} x {type_}>, ptr %p\n ret <{count} x {type_}> %r\n}}\n"
    for text in ("mov.u32 $0, 1;", "this is not ptx $0;", "{ .reg .pred p; setp.eq.u32 p, 1, 1; selp.u32 $0, 1, 2, p; }", "// nothing\\0Amov.u32 $0, %laneid;"):
        yield f"assembly.{text[:12]}", f'define i32 @f() {{\n %r = call i32 asm "{text}", "=r"()\n ret i32 %r\n}}\n'
    yield "assembly.vector", 'define <4 x i32> @f() {\n %r = call <4 x i32> asm "mov $0,0;", "=r"()\n ret <4 x i32> %r\n}\n'
    for name in ("a-b", "a.b", "a@b", "a b", "1a", "a$b", "%a", "ä", "_"):
        yield f"name.{name}", f'define void @"{name}"() {{\n ret void\n}}\n'
        yield f"name.kernel.{name}", f'define ptx_kernel void @"{name}"() {{\n ret void\n}}\n'
        yield f"name.variable.{name}", f'@"{name}" = global i32 1\ndefine i32 @f() {{\n %r = load i32, ptr @"{name}"\n ret i32 %r\n}}\n'
    yield "printf", '@s = constant [3 x i8] c"%d\\00"\ndeclare i32 @vprintf(ptr, ptr)\ndefine ptx_kernel void @f() {\n %b = alloca i32\n store i32 1, ptr %b\n %r = call i32 @vprintf(ptr @s, ptr %b)\n ret void\n}\n'
    yield "host.printf", '@s = constant [7 x i8] c"%d %f\\0A\\00"\ndeclare i32 @printf(ptr, ...)\ndefine ptx_kernel void @f(i32 %n, double %x) {\n %r = call i32 (ptr, ...) @printf(ptr @s, i32 %n, double %x)\n ret void\n}\n'
    yield "host.abort", "declare void @abort()\ndefine ptx_kernel void @f() {\n call void @abort()\n unreachable\n}\n"
    yield "host.exit", "declare void @exit(i32)\ndefine ptx_kernel void @f() {\n call void @exit(i32 1)\n unreachable\n}\n"
    yield "host.assert", "declare void @__assert_fail(ptr, ptr, i32, ptr)\ndefine ptx_kernel void @f(ptr %s) {\n call void @__assert_fail(ptr %s, ptr %s, i32 3, ptr %s)\n unreachable\n}\n"
    yield "literal-address", "define ptx_kernel void @f() {\n store i32 1, ptr inttoptr (i64 4096 to ptr)\n ret void\n}\n"
    yield "malloc", "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndefine ptx_kernel void @f(ptr %o) {\n %p = call ptr @malloc(i64 8)\n store ptr %p, ptr %o\n call void @free(ptr %p)\n ret void\n}\n"
    yield "matrix", "define <4 x float> @f(<4 x float> %a) {\n %r = call <4 x float> @llvm.matrix.transpose.v4f32(<4 x float> %a, i32 2, i32 2)\n ret <4 x float> %r\n}\n"
    yield "reflect", "declare i32 @llvm.nvvm.reflect(ptr)\ndefine i32 @f(ptr %p) {\n %r = call i32 @llvm.nvvm.reflect(ptr %p)\n ret i32 %r\n}\n"


def features() -> Iterator[tuple[str, str]]:
    """Each name, which is that of no other, and its module."""
    for group in (_math(), _integers(), _memory(), _declarations(), _shapes()):
        yield from group
