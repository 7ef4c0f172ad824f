; An instruction of sm_80 and later.
define ptx_kernel void @copy(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  ret void
}
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
