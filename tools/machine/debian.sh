# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the scripts of the machine: Debian packages through an apt of our
# own (state, cache and sources apart from the system's; no root needed).
#
# A "world" is one set of sources: guest (trixie riscv64), trixie (amd64, and
# source packages), host (bookworm with backports, amd64), sid (amd64).

RVTRACE_CACHE=${RVTRACE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rvtrace}
DEBIAN_MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
DEBIAN_SECURITY_MIRROR=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
DEBIAN_KEYRING=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

say()
{
	printf '  %-7s %s\n' "$1" "$2"
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# quiet LOG COMMAND...: run with the output in LOG, shown only on failure
quiet()
{
	local log=$1

	shift
	mkdir -p "$(dirname "$log")"
	if ! "$@" > "$log" 2>&1; then
		tail -n 40 "$log" >&2
		die "failed: $* (log: $log)"
	fi
}

# progress LOG NINJA...: as quiet; on a terminal a line says how far it is
progress()
{
	local log=$1 interactive=

	if [ ! -t 1 ]; then
		quiet "$@"
		return
	fi
	shift
	mkdir -p "$(dirname "$log")"
	# mawk reads whole blocks of a pipe unless told
	[ "$(readlink -f "$(command -v awk)")" != /usr/bin/mawk ] || interactive='-W interactive'
	# shellcheck disable=SC2086 # options
	NINJA_STATUS='[%f/%t %e] ' "$@" 2>&1 | awk $interactive -v log_file="$log" '
		{ print > log_file }
		match($0, /^\[[0-9]+\/[0-9]+ [0-9.]+\]/) {
			split(substr($0, 2, RLENGTH - 2), done, /[\/ ]/)
			left = done[1] ? done[3] / done[1] * (done[2] - done[1]) / 60 : 0
			printf "\r          %d of %d objects, about %.0f min left \033[K", done[1], done[2], left + 0.5
			fflush()
		}
		END { printf "\r\033[K" }'
	[ "${PIPESTATUS[0]}" -eq 0 ] || { tail -n 40 "$log" >&2; die "failed: $* (log: $log)"; }
}

# A checksum of the contents of files and of text on stdin when "-" is given
content_key()
{
	cat "$@" | sha256sum | cut -c1-16
}

# lock NAME: one at a time for the rest of this process
lock()
{
	mkdir -p "$RVTRACE_CACHE"
	exec 9> "$RVTRACE_CACHE/$1.lock"
	if ! flock -n 9; then
		say WAIT "another run holds $1"
		flock 9
	fi
}

debian_sources()
{
	local by="[signed-by=$DEBIAN_KEYRING]"

	case $1 in
	guest)
		echo "deb $by $DEBIAN_MIRROR trixie main" ;;
	trixie)
		echo "deb $by $DEBIAN_MIRROR trixie main"
		echo "deb-src $by $DEBIAN_MIRROR trixie main" ;;
	host)
		echo "deb $by $DEBIAN_MIRROR bookworm main"
		echo "deb $by $DEBIAN_MIRROR bookworm-backports main"
		echo "deb $by $DEBIAN_SECURITY_MIRROR bookworm-security main" ;;
	sid)
		echo "deb $by $DEBIAN_MIRROR sid main" ;;
	*)
		die "no such set of packages: $1" ;;
	esac
}

debian_architecture()
{
	case $1 in
	guest) echo riscv64 ;;
	*) echo amd64 ;;
	esac
}

# debian_apt WORLD COMMAND...: an apt command on that world
debian_apt()
{
	local world=$1

	shift
	APT_CONFIG=$RVTRACE_CACHE/apt/$world/apt.conf "$@"
}

debian_read_lists()
{
	local log=$RVTRACE_CACHE/apt/$1/update.log

	debian_apt "$1" apt-get -q update > "$log" 2>&1 && ! grep -q '^[WE]: Failed' "$log"
}

# A mirror that is not done with its update may still have the distribution as it was
# before, complete and signed, by its other name.
debian_read_stable()
{
	local lists=$RVTRACE_CACHE/apt/$1/state/lists sources=$RVTRACE_CACHE/apt/$1/etc/sources.list

	grep -q ' trixie ' "$sources" || return
	sed 's/ trixie / stable /' "$sources" > "$sources.used"
	debian_read_lists "$1" && grep -q '^Codename: trixie$' "$lists"/*_dists_stable_InRelease
}

debian_update()
{
	local world=$1 root=$RVTRACE_CACHE/apt/$1 try

	cp "$root/etc/sources.list" "$root/etc/sources.list.used"
	for try in 1 2 3; do
		if debian_read_lists "$world"; then
			touch "$root/updated"
			return 0
		fi
		sleep $((try * 5))
	done
	if debian_read_stable "$world"; then
		say NOTE "package lists of $world are those of before the mirror's update"
		touch "$root/updated"
		return 0
	fi
	cp "$root/etc/sources.list" "$root/etc/sources.list.used"
	[ -e "$root/updated" ] || {
		tail -n 20 "$root/update.log" >&2
		die "cannot read the package lists of $world"
	}
	say NOTE "package lists of $world not refreshed, using those at hand"
	touch "$root/updated"
}

# debian_world WORLD: create and, once a day, refresh its package lists
debian_world()
{
	local world=$1 root=$RVTRACE_CACHE/apt/$1

	mkdir -p "$root"/state/lists/partial "$root"/cache/archives/partial "$root"/etc/apt.conf.d \
		"$root"/etc/preferences.d "$RVTRACE_CACHE/packages"
	touch "$root/state/status"
	debian_sources "$world" > "$root/etc/sources.list.new"
	cat > "$root/apt.conf" <<-EOF
	Dir::State "$root/state";
	Dir::State::status "$root/state/status";
	Dir::Cache "$root/cache";
	Dir::Etc "$root/etc";
	Dir::Etc::sourcelist "$root/etc/sources.list.used";
	Dir::Etc::sourceparts "-";
	APT::Architecture "$(debian_architecture "$world")";
	APT::Architectures { "$(debian_architecture "$world")"; };
	APT::Install-Recommends "false";
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Acquire::Retries "3";
	// a mirror that lags behind is good enough: all it has is signed
	Acquire::Check-Valid-Until "false";
	EOF
	if ! cmp -s "$root/etc/sources.list.new" "$root/etc/sources.list" ||
	   [ ! -e "$root/etc/sources.list.used" ]; then
		mv "$root/etc/sources.list.new" "$root/etc/sources.list"
		rm -f "$root/updated"
	fi
	if [ -z "$(find "$root/updated" -mmin -1440 2> /dev/null)" ]; then
		say APT "package lists of $world"
		debian_update "$world"
	fi
}

# debian_find WORLD REGEX: names of packages, the newest version last
debian_find()
{
	debian_apt "$1" apt-cache pkgnames | { grep -E -- "^$2\$" || true; } | sort -V
}

# debian_closure WORLD PACKAGE...: names of these and all they depend on
debian_closure()
{
	local world=$1

	shift
	debian_apt "$world" apt-get -q -s install "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | sort -u
}

# debian_uris WORLD PACKAGE...: lines of `file checksum`
debian_uris()
{
	local world=$1

	shift
	debian_apt "$world" apt-get -q download --print-uris "$@" | awk -F "[' ]+" '{ print $3, $5 }'
}

# debian_fetch WORLD PACKAGE...: download into the cache, print one path a line
# A mirror in the middle of its update is read again.
debian_fetch()
{
	local world=$1 try missing file sum list

	shift
	for try in 1 2 3 4; do
		list=$(debian_uris "$world" "$@") || list=
		missing=
		while read -r file sum; do
			[ -n "$file" ] || continue
			printf '%s  %s\n' "${sum#*:}" "$RVTRACE_CACHE/packages/$file" |
				sha256sum --status -c - 2> /dev/null || missing="$missing ${file%%_*}"
		done <<-EOF
		$list
		EOF
		if [ -n "$list" ] && [ -z "$missing" ]; then
			echo "$list" | sed "s|^\([^ ]*\) .*|$RVTRACE_CACHE/packages/\1|"
			return 0
		fi
		# shellcheck disable=SC2086
		(cd "$RVTRACE_CACHE/packages" && debian_apt "$world" apt-get -q download ${missing:-"$@"}) \
			> "$RVTRACE_CACHE/apt/$world/download.log" 2>&1 && continue
		sleep $((try * 5))
		debian_update "$world" >&2
	done
	tail -n 20 "$RVTRACE_CACHE/apt/$world/download.log" >&2
	die "cannot download from $world: ${missing:-$*}"
}

# debian_unpack DIRECTORY DEB...
debian_unpack()
{
	local dir=$1 deb

	shift
	mkdir -p "$dir"
	for deb in "$@"; do
		dpkg-deb -x "$deb" "$dir" || die "cannot unpack $deb"
	done
}
