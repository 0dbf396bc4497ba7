// SPDX-License-Identifier: GPL-2.0
// The timeline: pixels of slices go to an image; text, gaps and the selection are drawn above.

// What is seen: times in ticks, and the rest in CSS pixels
const view = {from: 0, to: 1, width: 0, height: 0, gutter: 180, top: 0, ratio: 1};

function scale() {
	return (view.width - view.gutter) / (view.to - view.from);
}

function xOf(time) {
	return view.gutter + (time - view.from) * scale();
}

function timeAt(x) {
	return view.from + (x - view.gutter) / scale();
}

// Stable for a name
function hash(text) {
	let value = 2166136261;

	for (let i = 0; i < text.length; i++)
		value = Math.imul(value ^ text.charCodeAt(i), 16777619);
	return (value ^ value >>> 15) >>> 0;
}

function rgb(hue, saturation, light) {
	const a = saturation * Math.min(light, 1 - light);

	return [0, 8, 4].map(n => {
		const k = (n + hue / 30) % 12;

		return Math.round(255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	});
}

const HUES = {user: [186, 48], kernel: [20, 38], module: [272, 52], trap: [350, 8],
	      signal: [110, 40], unknown: [220, 0], lane: [150, 260]};

function colour(text, family, dark) {
	const value = hash(text), [hue, range] = HUES[family];
	const saturation = family === "unknown" ? 0.05 : family === "lane" ? 0.26 : dark ? 0.36 : 0.54;
	const light = (dark ? 0.28 : 0.74) + (value >>> 16 & 7) * 0.012;

	return rgb((hue + value % 997 / 997 * range) % 360, saturation, light);
}

function pixel([r, g, b]) {
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

function mixed(colour, ground, share) {
	return colour.map((part, i) => Math.round(ground[i] + (part - ground[i]) * share));
}

// Colours of the theme, and of names in 16 strengths, made when they are first needed.
const palette = {dark: false, dim: null, names: new Map()};

function parseColour(text) {
	const value = parseInt(text.trim().slice(1), 16);

	return [value >> 16, value >> 8 & 255, value & 255];
}

function readPalette() {
	const style = getComputedStyle(document.documentElement);

	for (const name of ["ground", "line", "text", "soft", "accent", "loss", "lane", "mark"])
		palette[name] = style.getPropertyValue(`--${name}`).trim();
	palette.dark = style.getPropertyValue("--dark").trim() === "1";
	palette.groundParts = parseColour(palette.ground);
	palette.names.clear();
}

function lookOf(track, number) {
	if (track.kind === "calls") {
		const name = trace.names[number];

		return colour(name?.text ?? "", name?.family ?? "unknown", palette.dark);
	}
	const lane = track.kind === "lanes" ? trace.laneOf.get(number) : null;

	if (lane?.tid === 0)
		return mixed(parseColour(palette.text), palette.groundParts, 0.09);
	if (lane?.observer)
		return mixed(parseColour(palette.text), palette.groundParts, 0.22);
	return colour(nameIn(track, number), "lane", palette.dark);
}

// The pixel of a name, 15: in full
function pixelOf(track, number, share) {
	const key = (track.kind === "calls" ? 0 : track.kind === "lanes" ? 1 : 2) + number * 3;
	let strengths = palette.names.get(key);

	if (!strengths) {
		const look = lookOf(track, number), ground = palette.groundParts;
		const dim = track.kind === "calls" && palette.dim && !palette.dim.has(number);

		strengths = Array.from({length: 17}, (_, i) => pixel(mixed(look, ground,
			(dim ? 0.22 : 1) * (i === 16 ? 0.55 : 0.3 + 0.7 * i / 15))));
		palette.names.set(key, strengths);
	}
	return strengths[share];
}

// The image under way: pixels, and what text goes where
let image = null, pixels = null;
const labels = [];

function rowPixels(y) {
	const top = Math.round(y * view.ratio);

	return top >= 0 && top < image.height ? top * image.width : -1;
}

// A slice, or a part of a summary, in the first line of its row; others are copied from that.
function paint(track, line, name, from, to, share, y, height) {
	const left = view.gutter * view.ratio, k = scale() * view.ratio;
	const begin = left + (from - view.from) * k, end = left + (to - view.from) * k;

	if (end < left || begin > image.width)
		return;
	const x0 = Math.max(left, Math.floor(begin));
	const x1 = Math.min(image.width, Math.max(Math.floor(end), x0 + 1));

	pixels.fill(pixelOf(track, name, share), line + x0, line + x1);
	if (share === 15 && x1 - x0 > 3 && begin >= left)
		pixels[line + x0] = pixelOf(track, name, 16);
	if (share === 15 && x1 - x0 > 26 * view.ratio)
		labels.push({track, name, x0: x0 / view.ratio, x1: x1 / view.ratio, y, height});
}

function paintSlices(track, slices, lines, place) {
	const {names, rows, from, to, count: n} = slices;
	const least = 0.4 / (scale() * view.ratio), isLong = slices === track.long;

	for (let k = 0; k < n; k++) {
		const line = lines[rows[k]];

		if (line === undefined || line < 0 || to[k] < view.from || from[k] > view.to ||
		    (isLong && to[k] - from[k] < least))
			continue;
		paint(track, line, names[k], from[k], to[k], 15, place(rows[k]), lines.height);
	}
}

function paintSummary(track, tile, summary, lines, from, to) {
	const size = Math.max(1, tile.last - tile.first) / BUCKETS;
	const {rows, buckets, names, shares} = summary;
	let k = 0;

	// what is the same in buckets that follow is one
	while (k < summary.count) {
		const begin = tile.first + buckets[k] * size, first = k;

		for (k++; k < summary.count && rows[k] === rows[first] && names[k] === names[first] &&
		     shares[k] === shares[first] && buckets[k] === buckets[k - 1] + 1; k++)
			;
		const end = tile.first + (buckets[k - 1] + 1) * size, line = lines[rows[first]];

		if (line !== undefined && line >= 0 && end >= from && begin <= to)
			paint(track, line, names[first], Math.max(begin, from), Math.min(end, to),
			      Math.min(14, shares[first]), 0, 0);
	}
}

const details = new Blocks(48, () => schedule()), summaries = new Blocks(400, () => schedule());

function want(track, level, tile) {
	if (level)
		summaries.want(tile.block, decodeSummary);
	else
		details.want(tile.block, decodeTile);
}

function have(level, tile) {
	return (level ? summaries : details).get(tile.block);
}

function paintTile(track, level, tile, lines, place, from, to) {
	const decoded = have(level, tile);

	if (!decoded)
		want(track, level, tile);
	else if (level)
		paintSummary(track, tile, decoded, lines, from, to);
	else
		paintSlices(track, decoded, lines, place);
	return !!decoded;
}

// A tile, or those that tell more where it would be coarse; as long as these are not there, the tile.
function paintLevel(track, level, number, lines, place) {
	const tile = track.levels[level][number];

	if (tile.last < view.from || tile.first > view.to)
		return;
	const width = (tile.last - tile.first) * scale();

	if (level && width > BUCKETS * 1.5) {
		const step = level > 1 ? trace.index.fan : 1, next = track.levels[level - 1];

		for (let i = number * step; i < Math.min((number + 1) * step, next.length); i++) {
			const finer = next[i];

			if (finer.last < view.from || finer.first > view.to)
				continue;
			if (have(level - 1, finer)) {
				paintLevel(track, level - 1, i, lines, place);
			} else {
				want(track, level - 1, finer);
				paintTile(track, level, tile, lines, place, finer.first, finer.last);
			}
		}
		return;
	}
	if (!paintTile(track, level, tile, lines, place, -Infinity, Infinity))
		loading = true;
}

let loading = false;

// The rows of a track, from @y on, each @height; only lines that can be seen are painted.
function paintTrack(track, y, height, top, bottom) {
	const lines = {height}, first = Math.max(0, Math.floor((top - y) / height));
	const last = Math.min(track.rows - 1, Math.ceil((bottom - y) / height));
	const thick = Math.round((height - 2) * view.ratio), place = row => y + row * height;

	for (let row = first; row <= last; row++) {
		const line = rowPixels(Math.max(place(row), top));

		if (line >= 0)
			lines[row] = line;
	}
	for (let i = 0; i < (track.levels[track.levels.length - 1]?.length ?? 0); i++)
		paintLevel(track, track.levels.length - 1, i, lines, place);
	if (track.long)
		paintSlices(track, track.long, lines, place);
	for (let row = first; row <= last; row++) {
		const line = lines[row];

		if (line === undefined)
			continue;
		const hidden = Math.max(0, top - place(row)) * view.ratio;
		const end = Math.min(pixels.length, line + (thick - hidden) * image.width);

		for (let at = line + image.width; at < end; at += image.width)
			pixels.copyWithin(at, line, line + image.width);
	}
}

function paintRows() {
	for (const row of trace.rows) {
		const y = row.y - view.top + AXIS;

		if (y + row.height < AXIS || y > view.height)
			continue;
		if (row.type === "source") {
			paintTrack(row.slices, y + 4, 22, AXIS, view.height);
			continue;
		}
		paintTrack(row.harts, y + 9, 8, AXIS, view.height);
		if (row.open)
			paintTrack(row.slices, y + HEAD, ROW, AXIS, view.height);
	}
}
