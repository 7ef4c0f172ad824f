; y[i] = a * x[i] + y[i], one thread per element.

define ptx_kernel void @saxpy(i32 %n, float %a, ptr noalias readonly %x, ptr noalias %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit

body:
  %index = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %index
  %py = getelementptr inbounds float, ptr %y, i64 %index
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %r = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %r, ptr %py, align 4
  br label %exit

exit:
  ret void
}

; The sum of a block's elements: a tree reduction in shared memory, one result per block.
@partial = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @block_sum(ptr noalias readonly %x, ptr noalias %sums) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %ctaid, 256
  %i = add i32 %base, %tid
  %index = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %index
  %v = load float, ptr %px, align 4
  %slot = getelementptr inbounds [256 x float], ptr addrspace(3) @partial, i32 0, i32 %tid
  store float %v, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier0()
  br label %loop

loop:
  %stride = phi i32 [ 128, %entry ], [ %half, %next ]
  %active = icmp slt i32 %tid, %stride
  br i1 %active, label %add, label %next

add:
  %other = add i32 %tid, %stride
  %other.slot = getelementptr inbounds [256 x float], ptr addrspace(3) @partial, i32 0, i32 %other
  %mine = load float, ptr addrspace(3) %slot, align 4
  %theirs = load float, ptr addrspace(3) %other.slot, align 4
  %sum = fadd float %mine, %theirs
  store float %sum, ptr addrspace(3) %slot, align 4
  br label %next

next:
  call void @llvm.nvvm.barrier0()
  %half = lshr i32 %stride, 1
  %more = icmp sgt i32 %half, 0
  br i1 %more, label %loop, label %done

done:
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %write, label %exit

write:
  %total = load float, ptr addrspace(3) @partial, align 4
  %out.index = sext i32 %ctaid to i64
  %out = getelementptr inbounds float, ptr %sums, i64 %out.index
  store float %total, ptr %out, align 4
  br label %exit

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.fma.f32(float, float, float)
