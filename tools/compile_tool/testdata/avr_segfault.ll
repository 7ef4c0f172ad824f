; LLVM dereferences nothing where it prints the code for this on AVR: SIGSEGV.
define ptr @whence() {
  %address = call ptr @llvm.returnaddress(i32 0)
  ret ptr %address
}
declare ptr @llvm.returnaddress(i32)
