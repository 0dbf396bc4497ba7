// SPDX-License-Identifier: GPL-2.0
// The timeline: what is drawn above the slices.

const canvas = document.getElementById("timeline"), context = canvas.getContext("2d");
const FONT = "11px system-ui, sans-serif";
const widths = new Map();

// As much of a text as there is room for
function fit(text, room) {
	let width = widths.get(text);

	if (width === undefined) {
		width = context.measureText(text).width;
		widths.set(text, width);
	}
	if (width <= room)
		return text;
	const part = text.slice(0, Math.floor(text.length * (room - 8) / width));

	return part ? `${part}\u2026` : "";
}

function drawLabels() {
	context.font = FONT;
	context.textBaseline = "middle";
	context.fillStyle = palette.text;
	for (const {track, name, x0, x1, y, height} of labels) {
		if (track.kind === "harts" || y + height < AXIS)
			continue;
		const text = fit(nameIn(track, name), x1 - x0 - 8);

		if (text && y + height / 2 > AXIS)
			context.fillText(text, x0 + 5, y + height / 2 - 0.5);
	}
}

// 1, 2 or 5 times a power of ten, in ticks
function axisStep(room) {
	const least = room / scale() * trace.index.rate, power = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].find(n => n * power >= least) * power;

	return Math.max(step / trace.index.rate, 1);
}

function drawAxis() {
	const step = axisStep(110), zero = trace.index.shown / trace.index.rate;
	const first = Math.ceil((view.from + zero) / step);

	context.fillStyle = palette.lane;
	context.fillRect(0, 0, view.width, AXIS);
	context.font = FONT;
	context.textBaseline = "middle";
	context.strokeStyle = palette.line;
	context.lineWidth = 1;
	context.beginPath();
	for (let i = first; i * step <= view.to + zero; i++) {
		const x = Math.round(xOf(i * step - zero)) + 0.5;

		context.moveTo(x, AXIS - 6);
		context.lineTo(x, AXIS);
		context.fillStyle = palette.soft;
		if (x + 60 < view.width)
			context.fillText(timeText(i * step, step), x + 4, AXIS / 2 - 1);
	}
	context.moveTo(0, AXIS - 0.5);
	context.lineTo(view.width, AXIS - 0.5);
	context.stroke();
}

function drawGutter() {
	const compact = view.gutter < 150;

	for (const row of trace.rows) {
		const y = row.y - view.top + AXIS;

		if (y + row.height < AXIS || y > view.height)
			continue;
		context.fillStyle = palette.lane;
		context.fillRect(0, y, view.gutter, row.height);
		context.fillStyle = palette.line;
		context.fillRect(0, y + row.height - 1, view.width, 1);
		context.fillRect(view.gutter - 1, y, 1, row.height);
		// the title stays while any of its rows can be seen
		const top = Math.max(y, Math.min(AXIS, y + row.height - (row.open ? 54 : HEAD)));

		context.font = `600 ${FONT}`;
		context.fillStyle = palette.text;
		const arrow = row.type === "source" ? "" : row.open ? "\u25be " : "\u25b8 ";

		context.fillText(fit(arrow + row.title, view.gutter - 14), 8, top + 13);
		context.font = FONT;
		context.fillStyle = palette.soft;
		if (row.open && row.height > HEAD + 16)
			context.fillText(fit(row.about, view.gutter - 28), compact ? 8 : 20, top + 29);
		if (row.open && row.height > HEAD + 32 && row.type === "lane")
			context.fillText(fit(`${count(row.calls)} calls`, view.gutter - 28),
					 compact ? 8 : 20, top + 45);
	}
}

// Hatched, or a line where there is no room
function drawGap(x0, x1, y, height, loss) {
	const left = Math.max(view.gutter, x0), width = Math.min(x1, view.width) - left;

	if (width < 0)
		return;
	if (width < 4) {
		context.fillStyle = loss ? palette.loss : palette.soft;
		context.fillRect(left, y, Math.max(1.5, width), height);
		return;
	}
	context.save();
	context.beginPath();
	context.rect(left, y, width, height);
	context.fillStyle = palette.ground;
	context.fill();
	context.clip();
	context.strokeStyle = loss ? palette.loss : palette.soft;
	context.lineWidth = 1.5;
	context.beginPath();
	for (let x = left - height; x < left + width + 3; x += 6) {
		context.moveTo(x, y + height);
		context.lineTo(x + height, y);
	}
	context.rect(left, y, width, height);
	context.stroke();
	context.restore();
}

// Tiles of marks that can be seen; beyond some, only where they are.
function eachMark(marks, draw, drawTile) {
	const seen = marks.tiles.filter(([first, last]) => last >= view.from && first <= view.to);

	for (const [first, last, number, block] of seen) {
		const list = seen.length <= 16 ? summaries.get(block) : null;

		if (list) {
			for (const mark of list)
				if (mark.end >= view.from && mark.time <= view.to)
					draw(mark);
			continue;
		}
		if (seen.length <= 16)
			summaries.want(block, bytes => decodeMarks(bytes, number));
		drawTile(first, last);
	}
}

function drawMarks() {
	const sources = new Map(), threads = new Map();

	for (const row of trace.rows) {
		const y = row.y - view.top + AXIS;

		if (y + row.height < AXIS || y > view.height)
			continue;
		if (row.type === "source")
			sources.set(row.source, y);
		else if (row.tid > 0)
			threads.set(row.tid, y);
	}
	const last = new Map();

	context.fillStyle = palette.mark;
	eachMark(trace.index.marks, mark => {
		const x = xOf(mark.time), y = sources.get(mark.source);

		if (y === undefined || x < view.gutter)
			return;
		// one for all that are as near as this
		if (Math.abs(x - (last.get(y) ?? -100)) < 9) {
			context.fillRect(x, y + 26, 1, 2);
			return;
		}
		last.set(y, x);
		context.beginPath();
		context.moveTo(x, y + 20);
		context.lineTo(x + 4, y + 28);
		context.lineTo(x - 4, y + 28);
		context.fill();
	}, (first, last) => {
		for (const y of sources.values())
			context.fillRect(Math.max(view.gutter, xOf(first)), y + 25,
					 xOf(last) - xOf(first), 2);
	});
	eachMark(trace.index.gaps, gap => {
		for (const [y, height] of [[sources.get(gap.source), 20], [threads.get(gap.thread), 8]])
			if (y !== undefined)
				drawGap(xOf(gap.time), xOf(gap.end), y + (height === 8 ? 9 : 4), height,
					gap.id);
	}, (first, last) => {
		for (const y of sources.values())
			drawGap(xOf(first), xOf(last), y + 4, 4, true);
	});
}

// Instructions of the selected slice, where there is room for each
function drawInstructions({from, to, total}, y) {
	const step = (to - from) * scale() / total;

	if (!(step > 5) || total > 5000)
		return;
	context.fillStyle = palette.text;
	for (let i = 1; i < total; i++)
		context.fillRect(xOf(from) + i * step, y + ROW - 7, 1, 4);
}

function drawSelection() {
	const slice = selection.slice;

	if (!slice)
		return;
	const row = slice.row, height = row.type === "source" ? 22 : ROW;
	const y = row.y - view.top + AXIS + (row.type === "source" ? 4 : HEAD + slice.depth * ROW);
	const x0 = Math.max(view.gutter - 2, xOf(slice.from));
	const x1 = Math.min(view.width + 2, xOf(slice.to));

	if (x1 < view.gutter || x0 > view.width || y + height < AXIS || !row.open)
		return;
	drawInstructions(slice, y);
	context.lineWidth = 2;
	context.strokeStyle = palette.ground;
	context.strokeRect(x0 - 2, y - 2, Math.max(4, x1 - x0) + 3, height + 2);
	context.strokeStyle = palette.accent;
	context.strokeRect(x0, y, Math.max(3, x1 - x0) - 1, height - 2);
}

let scheduled = 0;

function schedule() {
	scheduled ||= requestAnimationFrame(draw);
}

function resize() {
	const box = canvas.parentElement.parentElement, ratio = window.devicePixelRatio || 1;

	view.width = box.clientWidth;
	view.height = box.clientHeight;
	view.gutter = view.width < 600 ? 104 : 180;
	if (canvas.width === Math.round(view.width * ratio) &&
	    canvas.height === Math.round(view.height * ratio))
		return;
	view.ratio = ratio;
	canvas.width = Math.round(view.width * ratio);
	canvas.height = Math.round(view.height * ratio);
	canvas.style.width = `${view.width}px`;
	canvas.style.height = `${view.height}px`;
}

function draw() {
	const began = performance.now();

	scheduled = 0;
	resize();
	if (!trace.index || !canvas.width || !canvas.height)
		return;
	if (image?.width !== canvas.width || image.height !== canvas.height) {
		image = context.createImageData(canvas.width, canvas.height);
		pixels = new Uint32Array(image.data.buffer);
	}
	details.forget();
	summaries.forget();
	labels.length = 0;
	loading = false;
	pixels.fill(pixel(palette.groundParts));
	paintRows();
	context.setTransform(1, 0, 0, 1, 0, 0);
	context.putImageData(image, 0, 0);
	context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	drawLabels();
	drawMarks();
	drawGutter();
	drawSelection();
	drawAxis();
	showRange();
	view.drawTime = performance.now() - began;
	view.drawn = (view.drawn ?? 0) + 1;
}
