// SPDX-License-Identifier: GPL-2.0
// What is in the page: blocks of compressed bytes, decoded when they are needed. See docs/page.md.

const BUCKETS = 256;
const KINDS = ["function", "trap", "signal"];
const KIND = 11, HAS_RESTING = 1 << 13, HAS_INTERRUPTED = 1 << 14, HAS_COUNTS = 1 << 15;
// flags of what is no call: older, a part, a coroutine that goes on, one that began before
const NO_CALL = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 8;

// Seven bits of each character; "~" and a digit stand for those that HTML would change.
function bytesOf(text) {
	const bytes = new Uint8Array(text.length * 7 >> 3);
	const special = [0, 13, 60, 126];
	let bits = 0, held = 0, size = 0;

	for (let i = 0; i < text.length; i++) {
		let code = text.charCodeAt(i);

		if (code === 126)
			code = special[text.charCodeAt(++i) - 48];
		bits |= code << held;
		held += 7;
		if (held >= 8) {
			bytes[size++] = bits;
			bits >>>= 8;
			held -= 8;
		}
	}
	return bytes.subarray(0, size);
}

async function inflate(bytes) {
	const stream = new DecompressionStream("deflate");
	const writer = stream.writable.getWriter();

	writer.write(bytes).catch(() => {});
	writer.close().catch(() => {});
	return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

// The block with that id, or null while the page is still being read.
async function readBlock(id) {
	const element = document.getElementById(id);

	// What follows is there, so it is whole.
	if (!element || (document.readyState === "loading" && !element.nextElementSibling))
		return null;
	return inflate(bytesOf(element.textContent));
}

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let byte = this.bytes[this.at++], value = byte & 0x7f, scale = 0x80;

		while (byte & 0x80) {
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 0x80;
		}
		return value;
	}

	signed() {
		const value = this.number();

		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	byte() {
		return this.bytes[this.at++];
	}

	part(size) {
		this.at += size;
		return new Reader(this.bytes.subarray(this.at - size, this.at));
	}

	// From the earliest to the latest time; 0: no end is known.
	width() {
		const width = this.number();

		return width ? width - 1 : Infinity;
	}

	// The bounds of a time, from the last ones; NaN: the time is unknown.
	bound(last, best) {
		switch (this.byte()) {
		case 0:
			return last;
		case 1: {
			const earliest = last[1];

			return [earliest, earliest + this.width()];
		}
		case 2:
			return [best, best];
		case 3: {
			const earliest = last[0] + this.signed();

			return [earliest, earliest + this.width()];
		}
		default:
			return [NaN, NaN];
		}
	}

	span() {
		const best = this.number(), below = this.number(), above = this.number();

		return {best, least: best - below, most: best + above};
	}

	// What is known of a slice at its end; instructions only where they do not follow.
	ending(flagsFrom) {
		const flags = flagsFrom.number(), ending = {flags};

		if (flags & HAS_RESTING)
			ending.resting = this.span();
		if (flags & HAS_INTERRUPTED)
			ending.interrupted = this.span();
		if (flags & HAS_COUNTS) {
			ending.own = this.number();
			ending.total = this.number();
		}
		return ending;
	}
}

// Slices as columns, of which there is one object for each tile.
function newSlices(count) {
	const column = () => new Float64Array(count);

	return {
		count: 0, names: new Int32Array(count), rows: new Int32Array(count),
		// where they are drawn: within a tick, instructions tell the order
		from: column(), to: column(),
		begin: column(), beginEarliest: column(), beginLatest: column(),
		end: column(), endEarliest: column(), endLatest: column(),
		first: column(), own: column(), total: column(),
		endings: new Array(count),
	};
}

// Where events with the same time are drawn: as far into the tick as instructions were executed.
function spread(times, counts) {
	const drawn = Float64Array.from(times), n = times.length;

	for (let i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && times[next] === times[i]; next++)
			;
		const room = next < n ? Math.min(1, times[next] - times[i]) : 1;
		const whole = (next < n ? counts[next] : counts[next - 1] + 1) - counts[i];

		for (let k = i + 1; k < next && whole > 0 && room > 0; k++)
			drawn[k] += room * (counts[k] - counts[i]) / whole;
	}
	return drawn;
}

function decodeTile(bytes) {
	const reader = new Reader(bytes), events = reader.number(), base = reader.number();
	let time = reader.signed(), bound = [reader.signed(), 0];

	// the bounds that were the last before
	bound = [bound[0], bound[0] + reader.width()];
	let count = reader.number();
	const sizes = [0, 1, 2, 3, 4, 5].map(() => reader.number());
	const [nameOf, timeOf, countOf, boundOf, flagsOf, more] = sizes.map(size => reader.part(size));
	const times = new Float64Array(events), counts = new Float64Array(events);
	const bounds = new Array(events), codes = new Int32Array(events);

	for (let i = 0; i < events; i++) {
		codes[i] = nameOf.number();
		times[i] = time += timeOf.signed();
		counts[i] = count += countOf.signed();
		const read = boundOf.bound(bound, time);

		// an unknown time has no bounds: the last ones stay
		if (!Number.isNaN(read[0]))
			bound = read;
		bounds[i] = read;
	}
	return nest({base, codes, times, counts, bounds, drawn: spread(times, counts), flagsOf, more});
}

// Begins and ends become slices; those that are in other tiles, too, are among the long ones.
function nest({base, codes, times, counts, bounds, drawn, flagsOf, more}) {
	const slices = newSlices(codes.length >> 1), open = [];
	let below = base, last = counts[0];

	for (let i = 0; i < codes.length; i++) {
		if (open.length)
			open[open.length - 1].own += counts[i] - last;
		last = counts[i];
		if (codes[i]) {
			open.push({event: i, own: 0});
			continue;
		}
		const slice = open.pop();

		if (!slice) {
			below--;
			continue;
		}
		const k = slices.count++, from = slice.event, ending = more.ending(flagsOf);

		slices.names[k] = codes[from] - 1;
		slices.rows[k] = below + open.length;
		slices.from[k] = drawn[from];
		slices.to[k] = drawn[i];
		slices.begin[k] = times[from];
		slices.end[k] = times[i];
		[slices.beginEarliest[k], slices.beginLatest[k]] = bounds[from];
		[slices.endEarliest[k], slices.endLatest[k]] = bounds[i];
		slices.first[k] = counts[from];
		slices.own[k] = ending.own ?? slice.own;
		slices.total[k] = ending.total ?? counts[i] - counts[from];
		slices.endings[k] = ending;
	}
	return slices;
}

function decodeLong(bytes, count) {
	const reader = new Reader(bytes), slices = newSlices(count);

	for (let k = 0; k < count; k++) {
		slices.rows[k] = reader.number();
		slices.names[k] = reader.number();
		slices.begin[k] = slices.from[k] = reader.signed();
		[slices.beginEarliest[k], slices.beginLatest[k]] = reader.bound([0, 0], slices.begin[k]);
		slices.end[k] = slices.to[k] = reader.signed();
		[slices.endEarliest[k], slices.endLatest[k]] = reader.bound([0, 0], slices.end[k]);
		slices.first[k] = reader.number();
		const ending = reader.ending(reader);

		slices.own[k] = ending.own;
		slices.total[k] = ending.total;
		slices.endings[k] = ending;
	}
	slices.count = count;
	return slices;
}

// For rows and buckets: the name with the largest share, and how much any name takes, of 15.
function decodeSummary(bytes) {
	const reader = new Reader(bytes), count = reader.number();
	const summary = {count, rows: new Int32Array(count), buckets: new Uint8Array(count),
			 names: new Int32Array(count), shares: new Uint8Array(count)};
	let at = 0;

	for (let i = 0; i < count; i++) {
		at += reader.number();
		summary.rows[i] = at / BUCKETS;
		summary.buckets[i] = at % BUCKETS;
	}
	for (let i = 0; i < count; i++)
		summary.names[i] = reader.number();
	for (let i = 0; i < count; i++)
		summary.shares[i] = reader.byte();
	return summary;
}

function decodeMarks(bytes, count) {
	const reader = new Reader(bytes), marks = [];
	let time = 0, bound = [0, 0];

	for (let i = 0; i < count; i++) {
		time += reader.signed();
		const read = reader.bound(bound, time);

		if (!Number.isNaN(read[0]))
			bound = read;
		marks.push({
			time, earliest: read[0], latest: read[1], end: time + reader.number(),
			source: reader.number(), kind: reader.number(), thread: reader.signed(),
			id: reader.number(),
			value: BigInt(reader.number()) + (BigInt(reader.number()) << 32n),
		});
	}
	return marks;
}

// Stacks: each node after its parent.
function decodeNodes(bytes) {
	const reader = new Reader(bytes), count = reader.number();
	const nodes = [{parent: -1, name: -1, calls: 0, own: 0, self: 0, callees: []}];

	for (let i = 1; i < count; i++) {
		const parent = i - reader.number();

		nodes.push({parent, name: reader.number(), calls: reader.number(),
			    own: reader.number(), self: reader.signed(), callees: []});
		nodes[parent].callees.push(i);
	}
	return nodes;
}

function damaged() {
	const banner = document.getElementById("banner");

	banner.hidden = false;
	banner.textContent = "A part of this page is damaged: write it again.";
}

// Decoded blocks, the last used ones; what is asked for comes later, and then `arrived` is called.
class Blocks {
	constructor(limit, arrived) {
		this.limit = limit;
		this.arrived = arrived;
		this.kept = new Map();
		this.wanted = new Map();
		this.busy = new Map();
	}

	// What is decoded, or null
	get(number) {
		const value = this.kept.get(number);

		if (value === undefined)
			return null;
		this.kept.delete(number);
		this.kept.set(number, value);
		return value;
	}

	// Those wanted last come first.
	want(number, decode) {
		if (!this.kept.has(number) && !this.busy.has(number))
			this.wanted.set(number, decode);
		this.start();
	}

	forget() {
		this.wanted.clear();
	}

	async load(number, decode) {
		const there = this.get(number);

		if (there)
			return there;
		if (!this.busy.has(number))
			this.busy.set(number, this.fetch(number, decode));
		return this.busy.get(number);
	}

	async fetch(number, decode) {
		let value = null;

		try {
			const bytes = await readBlock(`b${number}`);

			value = bytes && decode(bytes);
			if (value)
				this.keep(number, value);
		} catch {
			damaged();
		} finally {
			this.busy.delete(number);
		}
		return value;
	}

	keep(number, value) {
		this.kept.set(number, value);
		if (this.kept.size > this.limit)
			this.kept.delete(this.kept.keys().next().value);
	}

	start() {
		while (this.wanted.size && this.busy.size < 2) {
			const [number, decode] = [...this.wanted].pop();

			this.wanted.delete(number);
			this.load(number, decode).then(value => {
				this.start();
				if (value)
					this.arrived();
			});
		}
	}
}
