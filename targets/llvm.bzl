"""How code that includes LLVM's headers is compiled."""

# LLVM is built without run-time type information, so a class derived from one of its classes must be as well. Its headers
# are not warning-free at the levels that this project uses for its own code.
LLVM_COPTS = [
    "-fno-rtti",
    "-Wno-unused-parameter",
]
