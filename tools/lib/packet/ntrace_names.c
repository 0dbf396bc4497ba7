// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of N-Trace messages. */
#include <rvtrace/ntrace.h>

const char *rvtrace_ntrace_tcode_name(unsigned int tcode)
{
	switch (tcode) {
	case RVTRACE_NTRACE_OWNERSHIP:
		return "Ownership";
	case RVTRACE_NTRACE_DIRECT_BRANCH:
		return "DirectBranch";
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
		return "IndirectBranch";
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		return "DataAcquisition";
	case RVTRACE_NTRACE_ERROR:
		return "Error";
	case RVTRACE_NTRACE_PROG_TRACE_SYNC:
		return "ProgTraceSync";
	case RVTRACE_NTRACE_DIRECT_BRANCH_SYNC:
		return "DirectBranchSync";
	case RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC:
		return "IndirectBranchSync";
	case RVTRACE_NTRACE_RESOURCE_FULL:
		return "ResourceFull";
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
		return "IndirectBranchHist";
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC:
		return "IndirectBranchHistSync";
	case RVTRACE_NTRACE_REPEAT_BRANCH:
		return "RepeatBranch";
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		return "ProgTraceCorrelation";
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		return "AuxAccessWrite";
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE:
		return "InCircuitTrace";
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC:
		return "InCircuitTraceSync";
	}
	if (tcode >= RVTRACE_NTRACE_VENDOR_FIRST && tcode <= RVTRACE_NTRACE_VENDOR_LAST)
		return "Vendor";
	return "Reserved";
}
