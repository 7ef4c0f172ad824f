; Firmware pieces that any AVR chip can run; the board's own code passes the port's address and the pin's mask.

; Toggles a pin `count` times, with a busy wait of `ticks` loops between two edges.
define void @blink(ptr %port, i8 %mask, i8 %count, i16 %ticks) {
entry:
  %none = icmp eq i8 %count, 0
  br i1 %none, label %exit, label %toggle

toggle:
  %left = phi i8 [ %count, %entry ], [ %left.next, %waited ]
  %old = load volatile i8, ptr %port
  %new = xor i8 %old, %mask
  store volatile i8 %new, ptr %port
  br label %wait

wait:
  %tick = phi i16 [ %ticks, %toggle ], [ %tick.next, %wait ]
  call void asm sideeffect "nop", ""()
  %tick.next = sub i16 %tick, 1
  %again = icmp ne i16 %tick.next, 0
  br i1 %again, label %wait, label %waited

waited:
  %left.next = sub i8 %left, 1
  %more = icmp ne i8 %left.next, 0
  br i1 %more, label %toggle, label %exit

exit:
  ret void
}

; An 8-bit sample times gain/256: one MUL on a chip that has a multiplier, a call of a library function on one that has not.
define i8 @scale(i8 %sample, i8 %gain) {
  %s = zext i8 %sample to i16
  %g = zext i8 %gain to i16
  %product = mul i16 %s, %g
  %high = lshr i16 %product, 8
  %result = trunc i16 %high to i8
  ret i8 %result
}

; CRC-16/XMODEM of `length` bytes (polynomial 0x1021, start value 0): what a boot loader checks a page with.
define i16 @crc16(ptr readonly %data, i16 %length) {
entry:
  %empty = icmp eq i16 %length, 0
  br i1 %empty, label %exit, label %byte

byte:
  %index = phi i16 [ 0, %entry ], [ %index.next, %byte.done ]
  %crc = phi i16 [ 0, %entry ], [ %crc.shifted, %byte.done ]
  %p = getelementptr i8, ptr %data, i16 %index
  %b = load i8, ptr %p
  %wide = zext i8 %b to i16
  %high = shl i16 %wide, 8
  %mixed = xor i16 %crc, %high
  br label %bit

bit:
  %n = phi i8 [ 8, %byte ], [ %n.next, %bit ]
  %c = phi i16 [ %mixed, %byte ], [ %crc.shifted, %bit ]
  %top = icmp slt i16 %c, 0
  %shifted = shl i16 %c, 1
  %reduced = xor i16 %shifted, 4129
  %crc.shifted = select i1 %top, i16 %reduced, i16 %shifted
  %n.next = sub i8 %n, 1
  %bits.left = icmp ne i8 %n.next, 0
  br i1 %bits.left, label %bit, label %byte.done

byte.done:
  %index.next = add i16 %index, 1
  %bytes.left = icmp ult i16 %index.next, %length
  br i1 %bytes.left, label %byte, label %exit

exit:
  %result = phi i16 [ 0, %entry ], [ %crc.shifted, %byte.done ]
  ret i16 %result
}
