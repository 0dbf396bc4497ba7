// SPDX-License-Identifier: GPL-2.0
// Slices by place: which one is at a point, before, behind, above and below another one; what is known of it.

const selection = {slice: null};

function sliceOf(row, slices, k) {
	const ending = slices.endings[k];

	return {
		row, track: row.slices, slices, k, number: slices.names[k], depth: slices.rows[k],
		name: nameIn(row.slices, slices.names[k]), from: slices.from[k], to: slices.to[k],
		begin: slices.begin[k], end: slices.end[k], own: slices.own[k], total: slices.total[k],
		begins: [slices.begin[k], slices.beginEarliest[k], slices.beginLatest[k]],
		ends: [slices.end[k], slices.endEarliest[k], slices.endLatest[k]],
		flags: ending.flags, resting: ending.resting, interrupted: ending.interrupted,
	};
}

function duration({begins, ends}) {
	if (Number.isNaN(begins[1]) || Number.isNaN(ends[1]))
		return {best: NaN};
	return {best: ends[0] - begins[0], least: Math.max(0, ends[1] - begins[2]),
		most: ends[2] - begins[1]};
}

// Without the time in which the thread did not run, or an interrupt did
function ownDuration(slice) {
	const whole = duration(slice), none = {best: 0, least: 0, most: 0};
	const rest = slice.resting ?? none, other = slice.interrupted ?? none;

	return {best: Math.max(0, whole.best - rest.best - other.best),
		least: Math.max(0, whole.least - rest.most - other.most),
		most: Math.max(0, whole.most - rest.least - other.least)};
}

const FLAGS = [
	[1 << 0, "tail call: entered by a jump that ended its caller's frame"],
	[1 << 1, "executed before the trace shows it"],
	[1 << 2, "entered not at its start: no call"],
	[1 << 3, "a coroutine that goes on: no call"],
	[1 << 4, "cut: left because of a gap, or at the end of the trace"],
	[1 << 5, "left because another coroutine goes on"],
	[1 << 6, "unwound: left by a jump over it (longjmp, exception, exit)"],
	[1 << 8, "it began before the time that is shown"],
	[1 << 9, "it ended after the time that is shown"],
	[1 << 10, "left by a tail call: the next function has its place"],
	[1 << 7, "inferred: which frame control returned to is the likeliest one"],
];

function flagTexts(flags) {
	const texts = FLAGS.filter(([bit]) => flags & bit).map(([, text]) => text);

	if (flags >> KIND & 3)
		texts.unshift(KINDS[flags >> KIND & 3]);
	return texts;
}

// Leaf tiles of a track that touch a time, nearest ones first if none does
function tilesAt(track, time) {
	const tiles = track.levels[0] ?? [];
	const near = tile => Math.max(tile.first - time, time - tile.last, 0);
	const best = Math.min(...tiles.map(near));

	return tiles.filter(tile => near(tile) === best);
}

function betterMatch(slices, k, time, best) {
	const away = Math.max(slices.from[k] - time, time - slices.to[k], 0);

	return !best || away < best.away ? {slices, k, away} : best;
}

// The slice of a row at a time, or the nearest one that is not over @reach away
async function findSlice(row, depth, time, reach) {
	let best = null;
	const track = row.slices, lists = track.long ? [track.long] : [];

	for (const tile of tilesAt(track, time)) {
		const slices = await details.load(tile.block, decodeTile);

		if (slices)
			lists.push(slices);
	}
	for (const slices of lists)
		for (let k = 0; k < slices.count; k++)
			if (slices.rows[k] === depth)
				best = betterMatch(slices, k, time, best);
	return best && best.away <= reach ? sliceOf(row, best.slices, best.k) : null;
}

// The next slice in time, or the previous one, at the same depth
async function findNext(slice, step) {
	const {row, track, depth} = slice, tiles = track.levels[0] ?? [];
	let best = null;
	const consider = slices => {
		for (let k = 0; k < slices.count; k++) {
			const ahead = (slices.from[k] - slice.from) * step;

			if (slices.rows[k] === depth && ahead > 0 && (!best || ahead < best.ahead))
				best = {slices, k, ahead};
		}
	};

	if (track.long)
		consider(track.long);
	const order = step > 0 ? tiles.filter(tile => tile.last >= slice.from) :
		[...tiles].reverse().filter(tile => tile.first <= slice.from);

	for (const tile of order) {
		const edge = (step > 0 ? tile.first : tile.last) - slice.from;

		if (best && edge * step > best.ahead)
			break;
		const slices = await details.load(tile.block, decodeTile);

		if (slices)
			consider(slices);
	}
	return best && sliceOf(row, best.slices, best.k);
}

// Slices that can be seen, longest first; and whether there are more
function visibleSlices(limit) {
	const found = [];

	for (const row of trace.rows) {
		const y = row.y - view.top + AXIS;

		if (y + row.height < AXIS || y > view.height || !row.open || row.type === "source")
			continue;
		const lists = (row.slices.levels[0] ?? []).filter(
			tile => tile.last >= view.from && tile.first <= view.to).map(
			tile => details.kept.get(tile.block));

		for (const slices of [row.slices.long, ...lists])
			for (let k = 0; slices && k < slices.count; k++)
				if (slices.to[k] >= view.from && slices.from[k] <= view.to)
					found.push([slices.to[k] - slices.from[k], row, slices, k]);
	}
	found.sort((a, b) => b[0] - a[0]);
	return {count: found.length,
		list: found.slice(0, limit).map(([, row, slices, k]) => sliceOf(row, slices, k))};
}

function element(tag, text, attributes = {}) {
	const made = document.createElement(tag);

	if (text !== undefined)
		made.textContent = text;
	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, value);
	return made;
}

function describe(slice) {
	const whole = slice.row.type === "source";
	const rows = [["Start", momentText(...slice.begins)], ["Duration", spanText(duration(slice))]];

	if (slice.resting)
		rows.push(["Not running", spanText(slice.resting)]);
	if (slice.interrupted)
		rows.push(["In interrupts", spanText(slice.interrupted)]);
	if (slice.resting || slice.interrupted)
		rows.push(["Own time", spanText(ownDuration(slice))]);
	rows.push(["Instructions", whole ? count(slice.total) :
		   `${count(slice.total)}, ${count(slice.own)} without callees`]);
	rows.push([whole ? "CPU" : "Thread", slice.row.title]);
	if (!whole) {
		const name = trace.names[slice.number];

		rows.push(["File", name?.file || (name?.family === "unknown" ? "unknown code" : "none")]);
		rows.push(["Depth", count(slice.depth)]);
		for (const text of flagTexts(slice.flags))
			rows.push(["Note", text]);
	}
	return rows;
}

function showSelection() {
	const panel = document.getElementById("selected"), slice = selection.slice;

	panel.replaceChildren();
	document.getElementById("actions").hidden = !slice;
	if (!slice) {
		panel.append(element("p", "Nothing is selected. Click a slice, or press Enter in the timeline."));
		return;
	}
	panel.append(element("h3", slice.name));
	const list = element("dl");

	for (const [name, value] of describe(slice))
		list.append(element("dt", name), element("dd", value));
	panel.append(list);
}
