// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-data.h"
#include "tools/encode/etrace-data-fields.h"
#include "tools/encode/etrace-payload.h"

/* Bits of the longest payload */
static unsigned int longest(const struct etrace_params *p)
{
	unsigned int size = etrace_log2_up(p->data_width / 8);
	unsigned int head = (p->mmacas ? 6 : 3) + etrace_size_width(p) + p->lrid_width + 2;
	unsigned int bits = head + size + p->data_width + p->daddress_width;
	unsigned int csr_length = etrace_csr_length_width(p);
	unsigned int csr = 3 + 4 + 2 + 2 * (csr_length + (8u << csr_length)) + 12;

	/* operand; subtype */
	if (p->dtype_width > 3)
		bits += 3 + size + p->data_width;
	return p->dtype_width > 2 && csr > bits ? csr : bits;
}

const char *etrace_check_data(const struct etrace_params *p)
{
	if (!p->data)
		return NULL;
	if (p->data_width < 8 || p->data_width > 128 || p->data_width & (p->data_width - 1))
		return "data_width is not 8, 16, 32, 64 or 128";
	if (p->daddress_width < 8 || p->daddress_width > 64)
		return "daddress_width is not 8 to 64";
	if (!p->dtype_width || p->dtype_width > 4)
		return "dtype_width is not 1 to 4";
	if (p->lrid_width > 8)
		return "lrid_width is not 0 to 8";
	if (p->ddiff_width < 1 || p->ddiff_width > 2)
		return "ddiff_width is not 1 or 2";
	if (p->mmacas && !p->standard_support)
		return "mmacas needs the standard support packet";
	if (!etrace_has_values(p) && !etrace_has_addresses(p))
		return "no_address and no_data leave nothing of data trace";
	if ((longest(p) + 7) / 8 * 8 + p->type_bits + p->src_bits % 8 > ETRACE_MAX_PAYLOAD)
		return "a data access with these widths is longer than 31 bytes";
	return NULL;
}
