/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bare metal, RV32 and RV64: the way into main(), traps, and the way into U-mode.
 *
 * An exception is over when the next instruction goes on; an ecall with a7 = LEAVE goes on
 * in M-mode. A timer interrupt asks for the next one.
 */
#if __riscv_xlen == 64
#define LOAD	ld
#define STORE	sd
#define BYTES	8
#else
#define LOAD	lw
#define STORE	sw
#define BYTES	4
#endif

#define LEAVE		77
#define MTIME		0x200bff8
#define MTIMECMP	0x2004000
#define CAUSE_U_ECALL	8
#define MPP		0x1800
#define FS		0x6000

	.section .text.start, "ax"
	.globl _start
_start:
	la	sp, stack_top
	la	t0, trap
	csrw	mtvec, t0
	la	t0, saved
	csrw	mscratch, t0
	/* U-mode may reach everything. */
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	call	main
1:	j	1b

	.align	2
trap:
	csrrw	t0, mscratch, t0
	STORE	t1, 0(t0)
	STORE	t2, BYTES(t0)
	csrr	t1, mcause
	bltz	t1, interrupt

	/* Over an instruction of 2 or 4 bytes */
	csrr	t1, mepc
	lhu	t2, 0(t1)
	andi	t2, t2, 3
	addi	t1, t1, 2
	addi	t2, t2, -3
	bnez	t2, 2f
	addi	t1, t1, 2
2:	csrw	mepc, t1

	li	t2, LEAVE
	bne	a7, t2, back
	csrr	t1, mcause
	li	t2, CAUSE_U_ECALL
	bne	t1, t2, back
	li	t1, MPP
	csrs	mstatus, t1
back:
	LOAD	t1, 0(t0)
	LOAD	t2, BYTES(t0)
	csrrw	t0, mscratch, t0
	mret

interrupt:
	STORE	t3, (2 * BYTES)(t0)
	STORE	t4, (3 * BYTES)(t0)
	la	t3, period
	lw	t3, 0(t3)
	li	t1, MTIME
#if __riscv_xlen == 64
	ld	t2, 0(t1)
	add	t2, t2, t3
	li	t1, MTIMECMP
	sd	t2, 0(t1)
#else
	lw	t2, 0(t1)
	lw	t4, 4(t1)
	add	t2, t2, t3
	sltu	t3, t2, t3
	add	t4, t4, t3
	li	t1, MTIMECMP
	li	t3, -1
	sw	t3, 4(t1)
	sw	t2, 0(t1)
	sw	t4, 4(t1)
#endif
	LOAD	t3, (2 * BYTES)(t0)
	LOAD	t4, (3 * BYTES)(t0)
	j	back

/* to_user(): returns in U-mode */
	.globl to_user
to_user:
	li	t0, MPP
	csrc	mstatus, t0
	la	t0, 1f
	csrw	mepc, t0
	mret
1:	ret

	.data
	.align	4
saved:	.space	64
/* Ticks of the timer from one interrupt to the next */
	.globl	period
period:	.word	1000

	.bss
	.align	4
stack:	.space	65536
stack_top:
