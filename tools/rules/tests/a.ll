; Analysed, never compiled.
