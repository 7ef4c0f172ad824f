; LLVM keeps roots for a garbage collector in a place that PTX has no word for: a fatal error, SIGABRT.
define void @collects() gc "shadow-stack" {
  %root = alloca ptr
  call void @llvm.gcroot(ptr %root, ptr null)
  ret void
}
declare void @llvm.gcroot(ptr, ptr)
