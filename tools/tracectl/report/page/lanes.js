// SPDX-License-Identifier: GPL-2.0
// Lanes: what is in the index, their order and places, and how numbers and times are written.

const FAMILIES = ["user", "kernel", "module", "trap", "signal", "unknown"];
const ROW = 18, HEAD = 24, AXIS = 26;

// Filled by loadIndex()
const trace = {names: [], functions: [], lanes: [], sources: [], rows: [], index: null};

function makeTrack(kind, from) {
	return {
		kind, rows: from.rows, longBlock: from.long[0], longCount: from.long[1], long: null,
		levels: from.levels.map(tiles => tiles.map(
			([first, last, slices, block]) => ({first, last, slices, block}))),
	};
}

function laneTitle(lane) {
	if (lane.tid === 0)
		return `idle, CPU ${lane.hart}`;
	if (lane.tid < 0)
		return `CPU ${lane.hart}, unknown thread`;
	return `${lane.comm || "?"} ${lane.tid}`;
}

function laneKind(lane) {
	if (lane.tid === 0)
		return "idle thread";
	if (lane.observer)
		return "records this trace";
	if (lane.tid < 0)
		return "hart whose threads are unknown";
	return lane.kernel || lane.pid < 0 ? "thread of the kernel" : `thread of process ${lane.pid}`;
}

// What a user looks at first: programs with most instructions.
function laneOrder(a, b) {
	const late = lane => (lane.tid === 0 ? 2 : 0) + (lane.observer ? 1 : 0);

	return late(a) - late(b) || b.instructions - a.instructions;
}

async function loadIndex() {
	const bytes = await readBlock("index");
	const index = JSON.parse(new TextDecoder().decode(bytes));

	trace.index = index;
	trace.names = index.names.map(([text, file, family, address], number) => (
		{number, text, file: file < 0 ? "" : index.files[file], family: FAMILIES[family],
		 address}));
	trace.functions = index.functions.map((f, number) => (
		{name: trace.names[number], calls: f[0], own: f[1], total: f[2], self: f[3],
		 selfDoubt: f[4], time: f[5], timeDoubt: f[6], longest: f[7],
		 longestDoubt: f[8], longestAt: f[9], longestLane: f[10]}));
	trace.lanes = index.lanes.map(lane => (
		{...lane, type: "lane", title: laneTitle(lane), about: laneKind(lane),
		 slices: makeTrack("calls", lane.slices), harts: makeTrack("harts", lane.harts)}));
	trace.sources = index.sources.map(source => (
		{...source, type: "source", title: `CPU ${source.hart}`, about: "which thread ran",
		 slices: makeTrack("lanes", source.lanes)}));
	trace.laneOf = new Map(trace.lanes.map(lane => [lane.number, lane]));
	trace.sourceOf = new Map(trace.sources.map(source => [source.source, source]));
	trace.rows = [...trace.sources.sort((a, b) => a.hart - b.hart),
		      ...trace.lanes.sort(laneOrder)];
	for (const row of trace.rows)
		row.open = row.type === "source" || (row.tid !== 0 && !row.observer);
	trace.calls = trace.functions.reduce((sum, f) => sum + f.calls, 0);
	await Promise.all(trace.rows.flatMap(row => [row.slices, row.harts]).map(loadLong));
}

async function loadLong(track) {
	if (!track || track.longBlock < 0)
		return;
	const bytes = await readBlock(`b${track.longBlock}`);

	if (bytes)
		track.long = decodeLong(bytes, track.longCount);
}

// Places of all lanes, from the top; returns the height.
function placeLanes() {
	let y = 0;

	for (const row of trace.rows) {
		row.y = y;
		row.height = HEAD;
		if (row.open)
			row.height += (row.type === "source" ? 0 : row.slices.rows * ROW) + 8;
		y += row.height;
	}
	return y;
}

// A slice's name in a track
function nameIn(track, number) {
	if (track.kind === "calls")
		return trace.names[number]?.text ?? "?";
	if (track.kind === "harts")
		return trace.sourceOf.get(number)?.title ?? `source ${number}`;
	return trace.laneOf.get(number)?.title ?? `thread ${number}`;
}

function count(value) {
	return value.toLocaleString("en-US");
}

function plural(value, what) {
	return `${count(value)} ${what}${value === 1 ? "" : "s"}`;
}

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

// Where the last digit of a number is that may be wrong by @doubt: a power of ten
function lastDigit(doubt) {
	return doubt > 0 ? 10 ** Math.floor(Math.log10(doubt) + 1e-5) : 0;
}

// A number of ticks, with no more digits than are known; @doubt in ticks, too.
function timeText(ticks, doubt = 0, signed = false) {
	const {unit, rate} = trace.index, value = ticks * rate;
	// a counter tells no more than its own ticks
	const place = Math.max(lastDigit(doubt * rate), lastDigit(rate));
	const rounded = Math.round(value / place) * place || 0;	// no -0
	const sign = signed && rounded >= 0 ? "+" : "";

	if (unit !== "ns")
		return `${sign}${count(Math.round(rounded))} ${unit}`;
	const [scale, name] = UNITS.find(([size]) => Math.abs(rounded) >= size) ?? [1, "ns"];
	const digits = Math.min(9, Math.max(0, Math.round(Math.log10(scale / place))));

	return `${sign}${(rounded / scale).toLocaleString("en-US",
		{minimumFractionDigits: digits, maximumFractionDigits: digits})} ${name}`;
}

// How wrong a time may be: one digit, not less than it is.
function doubtText(doubt) {
	const place = Math.max(lastDigit(doubt), 1);

	return timeText(Math.ceil(doubt / place - 1e-9) * place, place);
}

function spanText({best, least, most}) {
	if (Number.isNaN(best))
		return "unknown";
	if (most === Infinity)
		return `at least ${timeText(least, lastDigit(least) / 100)}`;
	const doubt = Math.max(most - best, best - least);

	if (!doubt)
		return timeText(best);
	if (doubt >= best)
		return `at most ${doubtText(most)}`;
	return `${timeText(best, doubt)} \u00b1 ${doubtText(doubt)}`;
}

// In tables: as many digits as are known; of an estimate one
function aboutText(best, doubt) {
	if (!best)
		return doubt ? `\u2264 ${doubtText(doubt)}` : "0";
	return doubt >= best ? `\u2248 ${timeText(best, best)}` : timeText(best, doubt);
}

// A time, as other outputs of tracectl count it
function whenText(ticks, doubt) {
	return timeText(ticks + trace.index.shown / trace.index.rate, doubt);
}

function momentText(best, earliest, latest) {
	if (Number.isNaN(earliest))
		return "unknown";
	if (latest === Infinity)
		return `${whenText(earliest)} or later`;
	const doubt = Math.max(latest - best, best - earliest);

	return whenText(best, doubt) + (doubt ? ` \u00b1 ${doubtText(doubt)}` : "");
}
