"""How both programs are linked: one static file each that starts as fast as it can.

What was measured on the compile tool (32 MB, LLVM for two targets), by instructions and page faults of a small compilation:

- In a static program GCC's start-up code registers `.eh_frame` with the unwinder, which reads all of it: one instruction in six of
  a small compilation. The unwinder finds the table by its program header all the same, so the registration is taken out.
- Start-up code beside other start-up code (`keep-text-section-prefix`): one page fault in six of the start.
"""

STATIC_PROGRAM_LINKOPTS = [
    "-fuse-ld=lld",
    "-Wl,--gc-sections",
    "-Wl,--icf=all",
    "-Wl,-z,keep-text-section-prefix",
    "-Wl,-z,norelro",
    # crtbeginT.o calls the two functions if there are any: their references become those to symbols of address 0.
    "-Wl,--wrap=__register_frame_info",
    "-Wl,--wrap=__deregister_frame_info",
    "-Wl,--defsym=__wrap___register_frame_info=0",
    "-Wl,--defsym=__wrap___deregister_frame_info=0",
] + select({
    Label("//tools:optimized"): ["-s"],
    "//conditions:default": [],
})

def hot_symbols_linkopts(symbols):
    """Puts the functions that a program's usual short run calls side by side; see tools/make_hot_symbols.sh.

    Args:
      symbols: the file of their names, which must also be in the program's additional_linker_inputs.

    Returns:
      Options for the program's linkopts.
    """
    return [
        "-Wl,--symbol-ordering-file=$(location {})".format(symbols),
        "-Wl,--no-warn-symbol-ordering",
    ]
