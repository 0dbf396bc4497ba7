// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: data accesses in a list of executed addresses. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"

/* @operand: it may have one, too */
static const struct {
	const char *name;
	uint8_t dtype;
	bool csr;
	bool operand;
} kinds[] = {
	{ "load", INGRESS_LOAD, false, false },
	{ "store", INGRESS_STORE, false, false },
	{ "csrrw", INGRESS_CSR_RW, true, true },
	{ "csrrs", INGRESS_CSR_RS, true, true },
	{ "csrrc", INGRESS_CSR_RC, true, true },
	{ "amocas-failed", INGRESS_CAS_FAILED, false, true },
	{ "amoswap", INGRESS_SWAP, false, true },
	{ "amoadd", INGRESS_ADD, false, true },
	{ "amoand", INGRESS_AND, false, true },
	{ "amoor", INGRESS_OR, false, true },
	{ "amoxor", INGRESS_XOR, false, true },
	{ "amomax", INGRESS_MAX, false, true },
	{ "amomin", INGRESS_MIN, false, true },
	{ "sc-failed", INGRESS_SC_FAILED, false, false },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static size_t find_kind(const char *line)
{
	size_t i;

	for (i = 0; i < KINDS; i++) {
		size_t length = strlen(kinds[i].name);

		if (!strncmp(line, kinds[i].name, length) && line[length] == ' ')
			break;
	}
	return i;
}

bool encode_is_access(const char *line)
{
	return find_kind(line) < KINDS;
}

/* Blanks, then a number. */
static bool take_number(const char **at, uint64_t *value)
{
	char *rest;

	while (**at == ' ')
		(*at)++;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &rest, 0);
	if (errno || (*rest && *rest != ' '))
		return false;
	*at = rest;
	return true;
}

const char *encode_access(const char *line, struct ingress_access *access)
{
	size_t kind = find_kind(line);
	const char *at = line + strlen(kinds[kind].name);
	uint64_t bytes = 1;

	*access = (struct ingress_access) { .dtype = kinds[kind].dtype };
	if (!kinds[kind].csr && (!take_number(&at, &bytes) || !bytes || bytes > 8 ||
				 (bytes & (bytes - 1))))
		return "not a size of 1, 2, 4 or 8";
	access->size = __builtin_ctzll(bytes);
	if (!take_number(&at, &access->address))
		return "not the address of an access";
	if (kinds[kind].csr && access->address > 0xfff)
		return "not a CSR";
	if (*at && !take_number(&at, &access->data[0]))
		return "not the data of an access";
	if (*at && kinds[kind].operand && !take_number(&at, &access->operand[0]))
		return "not the operand of an access";
	return *at ? "more than an access has" : NULL;
}

void encode_access_code(uint32_t bits, struct ingress_access *access)
{
	unsigned int opcode = bits & 0x7f;

	/* amomin, amomax: of unsigned numbers */
	if (opcode == 0x2f)
		access->unsigned_order = bits >> 30 == 3;
	if (opcode != 0x73)
		return;
	access->unread = access->dtype == INGRESS_CSR_RW && !(bits >> 7 & 0x1f);
	access->unwritten = access->dtype != INGRESS_CSR_RW && !(bits >> 15 & 0x1f);
}
