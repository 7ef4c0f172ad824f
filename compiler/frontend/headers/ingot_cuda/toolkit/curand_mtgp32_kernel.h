// Clang's wrapper of a CUDA toolkit's headers includes this one whether a source uses it or not,
// and a toolkit in parts, as on PyPI, has it in one of its own (cuRAND). A real one is found before
// this.
