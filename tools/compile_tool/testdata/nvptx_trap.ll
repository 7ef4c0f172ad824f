; NVPTX has no trampolines, and LLVM traps where it lowers one: SIGTRAP.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare i32 @nested(ptr nest, i32)
define void @bounce(ptr %room, ptr %value) {
  call void @llvm.init.trampoline(ptr %room, ptr @nested, ptr %value)
  ret void
}
