; y[i] += a * x[i]
define ptx_kernel void @saxpy(i32 %n, float %a, ptr noalias %x, ptr noalias %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %done

body:
  %index = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %index
  %py = getelementptr float, ptr %y, i64 %index
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %ax = fmul contract float %a, %vx
  %sum = fadd contract float %ax, %vy
  store float %sum, ptr %py
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
