// SPDX-License-Identifier: GPL-2.0
/* BPF programs: code that the kernel makes. */
#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storm.h"

/* As many instructions before the end as tell the programs apart. */
static int load_filter(unsigned int number)
{
	struct bpf_insn insns[16];
	unsigned int n = 0, i;
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .license = (uintptr_t)"GPL",
		.insns = (uintptr_t)insns,
	};

	insns[n++] = (struct bpf_insn) {
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
	};
	for (i = 0; i < 4 * number + 4; i++)
		insns[n++] = (struct bpf_insn) {
			.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_0, .imm = 1,
		};
	insns[n++] = (struct bpf_insn) { .code = BPF_JMP | BPF_EXIT };
	attr.insn_cnt = n;
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

bool storm_load_filters(struct storm *storm)
{
	unsigned int i;
	int fd;

	for (i = 0; i < STORM_FILTERS; i++) {
		fd = load_filter(i);
		if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, storm->filters[i]) < 0 ||
		    setsockopt(storm->filters[i][0], SOL_SOCKET, SO_ATTACH_BPF, &fd,
			       sizeof(fd)) < 0)
			return false;
		close(fd);
	}
	return true;
}

/* A filter returns how many bytes of a datagram remain. */
bool storm_use_filter(const struct storm *storm, uint32_t random)
{
	unsigned int number = random % STORM_FILTERS;
	char bytes[32] = "";

	return send(storm->filters[number][1], bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	       recv(storm->filters[number][0], bytes, sizeof(bytes), 0) == 4 * number + 4;
}
