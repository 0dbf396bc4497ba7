# SPDX-License-Identifier: GPL-2.0
# Sourced: what an encoder of the debug specification's trace emits.

# emit_bits NAMES: separated by commas, as tracectl encode --emit has them; the encoder's number
emit_bits()
{
	local n=0 i=1 name

	for name in pc branch priv loadaddr storeaddr loaddata storedata timestamp; do
		case ,$1, in
		*,$name,*) n=$((n | i)) ;;
		esac
		i=$((2 * i))
	done
	echo $n
}
