# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What suites of tracectl decode --raw share; after tap.sh. Messages and output are in $run.
tracectl=build/host-asan/bin/tracectl
vectors=selftests/vectors/ntrace
t1=$vectors/t1
qsort=$vectors/qsort
etrace=selftests/vectors/etrace
run=$(mktemp -d) || exit
trap 'rm -rf "$run"' EXIT

tap_make SANITIZE=1 $tracectl

# truth FOLDER: the addresses that were executed, as the verb prints them
truth()
{
	case $1 in
	*/t1) gzip -dc "$1/test-PCONLY.txt.gz" ;;
	*) gzip -dc "$1/qsort.pconly.gz" ;;
	esac | tr -d '\r' | tr A-F a-f
}

program()
{
	case $1 in
	*/t1) echo "$1/test.elf" ;;
	*) echo "$1/qsort.riscv" ;;
	esac
}

# decode FOLDER TRACE OPTION...
decode()
{
	local folder=$1 trace=$2

	shift 2
	$tracectl decode --raw --elf "$(program "$folder")" "$@" "$trace"
}

# pcs FOLDER TRACE OPTION...: exactly these, and nothing is said
pcs()
{
	local folder=$1 trace=$2

	shift 2
	decode "$folder" "$folder/$trace" --format ntrace --output pc "$@" > "$run/pc" 2> "$run/err" ||
		{ cat "$run/err"; return 1; }
	[ ! -s "$run/err" ] || { cat "$run/err"; return 1; }
	truth "$folder" | cmp - "$run/pc"
}

# status EXPECTED COMMAND...: messages are in $run/err
status()
{
	local expected=$1 status=0

	shift
	"$@" > "$run/out" 2> "$run/err" || status=$?
	! grep -q Sanitizer "$run/err" || { cat "$run/err"; return 1; }
	[ $status -eq "$expected" ] || { echo "exit status $status, not $expected: $*"; cat "$run/err"; return 1; }
}

# told STATUS PATTERN COMMAND...: ends so, with one line that says it
told()
{
	local expected=$1 pattern=$2

	shift 2
	status "$expected" "$@" && [ "$(head -n 1 "$run/err")" ] || return
	[ "$expected" -eq 2 ] || [ "$(wc -l < "$run/err")" -eq 1 ] || { cat "$run/err"; return 1; }
	grep -q -- "$pattern" "$run/err" || { echo "not told: $pattern"; cat "$run/err"; return 1; }
}

# metadata FILE FORMAT KEY=VALUE...: of a recording whose encoder has these attributes; with E-Trace, parameters
metadata()
{
	python3 - "$@" <<-'EOF'
	import json, sys
	name, kind, *given = sys.argv[1:]
	values = dict(g.split("=") for g in given)
	source = {"component": "encoder0", "cpus": [0], "harts": [0], "format": kind, "src_id": 0,
	          "src_bits": int(values.pop("src_bits", 0)), "attributes": {"generation": "TCI 1.0"}}
	machine = values.pop("machine", "riscv64")
	if kind == "etrace":
	    source["etrace"] = {k: int(v) for k, v in values.items()}
	else:
	    source["attributes"].update(values)
	json.dump({"schema": 2, "host": {"machine": machine}, "sinks": [{"name": "rvtrace0", "sources": [source]}]},
	          open(name, "w"))
	EOF
}
