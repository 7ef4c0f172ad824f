; An annotation whose value is no number crashes LLVM while it reads the module.
define void @k() {
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"maxntidx", !"many"}
