// SPDX-License-Identifier: GPL-2.0
// What the user does: pan, zoom, select, search; the views; the keys.

const scroller = byId("scroll"), sheet = byId("sheet");
const tabs = ["timeline", "functions", "flame", "events", "summary"];
const LEAST = 1 / 64;	// ticks of the whole width, at most zoom

function say(text) {
	byId("live").textContent = text;
}

// Both ends stay around the trace.
function setRange(from, to) {
	const end = Math.max(1, trace.index.end), margin = end * 0.02;
	const wide = Math.min(Math.max(to - from, LEAST), end + 2 * margin);
	const middle = (from + to) / 2;

	view.from = Math.min(Math.max(middle - wide / 2, -margin), end + margin - wide);
	view.to = view.from + wide;
	schedule();
}

function showAll() {
	const end = Math.max(1, trace.index.end);

	setRange(-end * 0.01, end * 1.01);
}

function pan(share) {
	const by = (view.to - view.from) * share;

	setRange(view.from + by, view.to + by);
}

// What is at @x stays there.
function zoom(factor, x = (view.gutter + view.width) / 2) {
	const at = timeAt(Math.max(x, view.gutter));

	setRange(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

let rangeTimer = 0;

function showRange() {
	const step = axisStep(20);

	byId("range").textContent = `${whenText(view.from, step)} \u2013 ${whenText(view.to, step)} (${
		timeText(view.to - view.from, step)})`;
	clearTimeout(rangeTimer);
	rangeTimer = setTimeout(() => {
		canvas.setAttribute("aria-label", `Timeline from ${byId("range").textContent}, ` +
			`${plural(trace.sources.length, "CPU")}, ${plural(trace.lanes.length, "thread")}`);
		showVisible();
	}, 200);
}

function placeAll() {
	sheet.style.height = `${Math.max(placeLanes() + AXIS + 12, scroller.clientHeight)}px`;
	schedule();
}

function zoomTo(slice) {
	const room = Math.max((slice.to - slice.from) * 0.4, LEAST);

	setRange(slice.from - room, slice.to + room);
}

function reveal(slice) {
	const y = slice.row.y + (slice.row.type === "source" ? 0 : HEAD + slice.depth * ROW);

	if (y < view.top || y + ROW + AXIS > view.top + view.height)
		scroller.scrollTop = Math.max(0, y - view.height / 3);
	if (slice.to < view.from || slice.from > view.to || (slice.to - slice.from) * scale() < 2)
		zoomTo(slice);
}

function select(slice, show) {
	selection.slice = slice;
	showSelection();
	if (slice) {
		if (!slice.row.open) {
			slice.row.open = true;
			placeAll();
		}
		if (show)
			reveal(slice);
		say(`${slice.name}, ${spanText(duration(slice))}, ${plural(slice.total, "instruction")}, ` +
		    slice.row.title);
	}
	schedule();
}

async function showLongest(number) {
	const f = trace.functions[number], lane = f && trace.laneOf.get(f.longestLane);

	openTab("timeline");
	if (!lane || f.longest < 0) {
		say("No instance has a known duration.");
		return null;
	}
	let best = null;
	const lists = lane.slices.long ? [lane.slices.long] : [];

	for (const tile of tilesAt(lane.slices, f.longestAt))
		lists.push(await details.load(tile.block, decodeTile));
	for (const slices of lists)
		for (let k = 0; slices && k < slices.count; k++)
			if (slices.names[k] === number && slices.begin[k] === f.longestAt &&
			    slices.end[k] - slices.begin[k] === f.longest)
				best = sliceOf(lane, slices, k);
	if (!best)
		return null;
	lane.open = true;
	placeAll();
	zoomTo(best);
	select(best, true);
	canvas.focus({preventScroll: true});
	return best;
}

function rowAt(y) {
	return trace.rows.find(row => y >= row.y && y < row.y + row.height);
}

async function selectAt(x, y) {
	const inside = y - AXIS + view.top, found = rowAt(inside);

	if (!found || y < AXIS)
		return;
	if (x < view.gutter || (found.type === "lane" && inside - found.y < HEAD && x < view.gutter)) {
		fold(found);
		return;
	}
	const depth = found.type === "source" ? 0 : Math.floor((inside - found.y - HEAD) / ROW);

	if (depth >= 0)
		select(await findSlice(found, depth, timeAt(x), 4 / scale()), false);
}

function fold(found) {
	if (found.type === "source")
		return;
	found.open = !found.open;
	say(`${found.title} ${found.open ? "unfolded" : "folded"}`);
	placeAll();
}

// The outermost call of the first thread that can be seen in the middle
async function selectMiddle() {
	const time = (view.from + view.to) / 2;

	for (const found of trace.rows) {
		const y = found.y - view.top + AXIS;

		if (found.type !== "lane" || !found.open || y + found.height < AXIS || y > view.height)
			continue;
		const slice = await findSlice(found, 0, time, (view.to - view.from) / 2);

		if (slice) {
			select(slice, true);
			return;
		}
	}
}

async function step(key) {
	const slice = selection.slice;
	let next = null;

	if (!slice) {
		await selectMiddle();
		return;
	}
	if (key === "ArrowLeft" || key === "ArrowRight") {
		next = await findNext(slice, key === "ArrowLeft" ? -1 : 1);
	} else {
		const depth = slice.depth + (key === "ArrowUp" ? -1 : 1);
		const inside = found => found && found.from < slice.to && found.to > slice.from;

		if (depth >= 0)
			next = await findSlice(slice.row, depth, key === "ArrowUp" ?
				(slice.from + slice.to) / 2 : slice.from, slice.to - slice.from);
		next = inside(next) ? next : null;
	}
	if (next)
		select(next, true);
	else
		say("There is none.");
}

function setQuery(query) {
	functionTable.query = query;
	functionTable.limit = 200;
	palette.dim = null;
	if (query)
		palette.dim = new Set(trace.names.filter(name => matches(name.text, query)).map(n => n.number));
	palette.names.clear();
	const list = showFunctions();

	if (query)
		say(`${plural(list.length, "function")} found`);
	schedule();
	drawFlame();
}

function openTab(name) {
	for (const tab of tabs) {
		byId(`tab-${tab}`).setAttribute("aria-selected", String(tab === name));
		byId(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
		byId(`panel-${tab}`).hidden = tab !== name;
	}
	if (name === "timeline")
		schedule();
	else if (name === "flame")
		showFlame();
	else if (name === "events")
		showEvents();
}

// Light, dark, or as the system has it
function setTheme(choice) {
	const dark = choice === "dark" || (choice === "auto" &&
		matchMedia("(prefers-color-scheme: dark)").matches);
	const button = byId("theme");

	button.dataset.choice = choice;
	button.textContent = {auto: "Auto", light: "Light", dark: "Dark"}[choice];
	button.setAttribute("aria-label", `Colours: ${button.textContent}`);
	document.documentElement.dataset.theme = dark ? "dark" : "light";
	readPalette();
	if (!trace.index)
		return;
	schedule();
	showFunctions();
	drawFlame();
}

function timelineKey(event) {
	const keys = {
		ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15),
		ArrowUp: () => scroller.scrollBy(0, -60), ArrowDown: () => scroller.scrollBy(0, 60),
		"+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": showAll,
		Enter: () => selection.slice ? zoomTo(selection.slice) : selectMiddle(),
		c: () => selection.slice && fold(selection.slice.row),
	};

	if (event.shiftKey && event.key.startsWith("Arrow"))
		step(event.key);
	else if (keys[event.key])
		keys[event.key]();
	else
		return false;
	return true;
}

function pageKey(event) {
	if (event.key === "/") {
		byId("search").focus();
		byId("search").select();
	} else if (event.key === "?") {
		byId("keys").showModal();
	} else if (event.key === "Escape") {
		byId("search").value = "";
		setQuery("");
		select(null);
	} else if (event.key >= "1" && event.key <= "5") {
		openTab(tabs[event.key - 1]);
	} else if (!byId("panel-timeline").hidden && !event.target.closest("button, summary, .table")) {
		return timelineKey(event);
	} else {
		return false;
	}
	return true;
}

function tabKey(event) {
	const at = tabs.findIndex(tab => event.target.id === `tab-${tab}`);
	const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1}[event.key];

	if (to === undefined)
		return;
	const name = tabs[(to + tabs.length) % tabs.length];

	openTab(name);
	byId(`tab-${name}`).focus();
	event.preventDefault();
	event.stopPropagation();
}

function startKeys() {
	document.addEventListener("keydown", event => {
		const typing = event.target.closest("input, select, dialog");

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (typing && !(event.key === "Escape" && event.target.id === "search"))
			return;
		if (pageKey(event))
			event.preventDefault();
	});
	byId("tabs").addEventListener("keydown", tabKey);
	byId("search").addEventListener("input", event => setQuery(event.target.value));
	byId("search").addEventListener("keydown", event => {
		const first = event.key === "Enter" && sortedFunctions()[0];

		if (first)
			showLongest(first.name.number);
		if (event.key === "Escape")
			canvas.focus();
	});
}

function startMouse() {
	let drag = null;

	canvas.addEventListener("pointerdown", event => {
		drag = {x: event.offsetX, from: view.from, to: view.to, moved: false};
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		if (!drag || (!drag.moved && Math.abs(event.offsetX - drag.x) < 4))
			return;
		drag.moved = true;
		const by = (drag.x - event.offsetX) / scale();

		setRange(drag.from + by, drag.to + by);
	});
	canvas.addEventListener("pointerup", event => {
		if (drag && !drag.moved)
			selectAt(event.offsetX, event.offsetY);
		drag = null;
	});
	canvas.addEventListener("pointercancel", () => {
		drag = null;
	});
	canvas.addEventListener("dblclick", event => zoom(0.4, event.offsetX));
	canvas.addEventListener("wheel", event => {
		if (event.ctrlKey || event.metaKey)
			zoom(Math.exp(event.deltaY * 0.003), event.offsetX);
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			pan((event.deltaX || event.deltaY) / view.width);
		else
			return;
		event.preventDefault();
	}, {passive: false});
	scroller.addEventListener("scroll", () => {
		view.top = scroller.scrollTop;
		schedule();
	});
}

function startButtons() {
	const next = {auto: "light", light: "dark", dark: "auto"};

	for (const tab of tabs)
		byId(`tab-${tab}`).addEventListener("click", () => openTab(tab));
	byId("theme").addEventListener("click", () => setTheme(next[byId("theme").dataset.choice]));
	byId("help").addEventListener("click", () => byId("keys").showModal());
	byId("in").addEventListener("click", () => zoom(0.5));
	byId("out").addEventListener("click", () => zoom(2));
	byId("all").addEventListener("click", showAll);
	byId("zoom-selected").addEventListener("click", () => selection.slice && zoomTo(selection.slice));
	byId("longest-selected").addEventListener("click", () =>
		selection.slice?.row.type === "lane" && showLongest(selection.slice.number));
	byId("visible").addEventListener("toggle", showVisible);
	byId("more-functions").addEventListener("click", () => {
		functionTable.limit *= 5;
		showFunctions();
	});
	new ResizeObserver(() => {
		placeAll();
		drawFlame();
	}).observe(document.querySelector("main"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
		setTheme(byId("theme").dataset.choice));
}

// What tests and scripts may use
window.rvtrace = {
	functions: () => trace.functions.map(f => ({
		name: f.name.text, file: f.name.file, address: f.name.address, family: f.name.family,
		calls: f.calls, own: f.own, total: f.total, self: f.self, time: f.time})),
	// Every slice of the page: as many, and their instructions, by function
	async count() {
		const totals = new Map();

		for (const lane of trace.lanes) {
			const add = slices => {
				for (let k = 0; k < slices.count; k++) {
					const sum = totals.get(slices.names[k]) ?? {calls: 0, own: 0};

					sum.calls += slices.endings[k].flags & NO_CALL ? 0 : 1;
					sum.own += slices.own[k];
					totals.set(slices.names[k], sum);
				}
			};

			if (lane.slices.long)
				add(lane.slices.long);
			for (const tile of lane.slices.levels[0] ?? [])
				add(await details.load(tile.block, decodeTile));
		}
		return [...totals].map(([number, sum]) => ({...sum, number}));
	},
	trace, view, selection, setRange, showAll, select, findSlice, setTheme, openTab, showLongest,
	describe, summaries, details,
};

async function start() {
	setTheme("auto");
	startKeys();
	startMouse();
	startButtons();
	startFlame();
	await loadIndex();
	const name = trace.index.object.split("/").filter(part => part).slice(-2).join("/");

	byId("object").textContent = name;
	document.title = `rvtrace: ${name}`;
	placeAll();
	showAll();
	draw();
	performance.mark("painted");
	showSelection();
	showFunctions();
	showSummary();
	// details may follow that the page does not have yet
	if (document.readyState === "loading")
		document.addEventListener("DOMContentLoaded", schedule);
}

start().catch(damaged);
