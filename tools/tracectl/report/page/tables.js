// SPDX-License-Identifier: GPL-2.0
// Tables: functions, slices in view, events, gaps, summary.

const byId = id => document.getElementById(id);

function cell(text, number) {
	return element("td", text, number ? {class: "number"} : {});
}

function buttonCell(text, act) {
	const made = element("td"), button = element("button", text, {title: text});

	button.addEventListener("click", act);
	made.append(button);
	return made;
}

function row(...cells) {
	const made = element("tr");

	made.append(...cells);
	return made;
}

function css([r, g, b]) {
	return `rgb(${r} ${g} ${b})`;
}

const functionTable = {sort: "self", descending: true, limit: 200, query: ""};
const columns = [
	{key: "name", title: "Function", of: f => f.name.text},
	{key: "calls", title: "Calls", of: f => f.calls, show: f => count(f.calls)},
	{key: "self", title: "Self time", of: f => f.self, timed: true,
	 show: f => aboutText(f.self, f.selfDoubt)},
	{key: "time", title: "Total time", of: f => f.time, timed: true,
	 show: f => aboutText(f.time, f.timeDoubt)},
	{key: "longest", title: "Longest", of: f => f.longest, timed: true,
	 show: f => f.longest < 0 ? "unknown" : aboutText(f.longest, f.longestDoubt)},
	{key: "own", title: "Instructions", of: f => f.own, show: f => count(f.own)},
	{key: "total", title: "with callees", of: f => f.total, show: f => count(f.total)},
	{key: "file", title: "File", of: f => f.name.file},
];

function shownColumns() {
	return columns.filter(c => !c.timed || trace.index.unit !== "instructions");
}

function matches(text, query) {
	return text.toLowerCase().includes(query.toLowerCase());
}

function sortedFunctions() {
	const column = columns.find(c => c.key === functionTable.sort);
	const sign = functionTable.descending ? -1 : 1;
	const list = trace.functions.filter(f => matches(f.name.text, functionTable.query));

	return list.sort((a, b) => {
		const x = column.of(a), y = column.of(b);

		return sign * (x < y ? -1 : x > y ? 1 : 0) || a.name.number - b.name.number;
	});
}

function sortBy(key) {
	functionTable.descending = functionTable.sort === key ? !functionTable.descending :
		key !== "name" && key !== "file";
	functionTable.sort = key;
	showFunctions();
	byId("functions").querySelector(`[data-key="${key}"]`).focus();
}

function functionHead() {
	return shownColumns().map(({key, title, show}) => {
		const sorted = functionTable.sort === key;
		const head = element("th", undefined, {scope: "col", class: show ? "number" : ""});
		const arrow = sorted ? functionTable.descending ? " \u25be" : " \u25b4" : "";
		const button = element("button", title + arrow, {"data-key": key});

		if (sorted)
			head.setAttribute("aria-sort", functionTable.descending ? "descending" : "ascending");
		button.addEventListener("click", () => sortBy(key));
		head.append(button);
		return head;
	});
}

function functionRow(f) {
	const cells = shownColumns().map(({key, of, show}) => {
		if (key !== "name")
			return cell(show ? show(f) : of(f), show);
		const made = buttonCell(f.name.text, () => showLongest(f.name.number));
		const swatch = element("span", "", {class: "swatch"});

		swatch.style.background = css(colour(f.name.text, f.name.family, palette.dark));
		made.prepend(swatch);
		return made;
	});

	return row(...cells);
}

function showFunctions() {
	const list = sortedFunctions(), shown = list.slice(0, functionTable.limit);

	byId("functions").tHead.rows[0].replaceChildren(...functionHead());
	byId("functions").tBodies[0].replaceChildren(...shown.map(functionRow));
	byId("functions-note").textContent =
		`${plural(list.length, "function")}${list.length > shown.length ?
			`, ${count(shown.length)} shown` : ""}. Times have the digits that are known; \u2248: an estimate by instructions. ` +
		"A name goes to the longest instance.";
	byId("more-functions").hidden = list.length <= shown.length;
	return list;
}

function showVisible() {
	if (!byId("visible").open)
		return;
	const {count: n, list} = visibleSlices(100);

	byId("visible-rows").replaceChildren(...list.map(slice => row(
		buttonCell(slice.name, () => select(slice, true)), cell(slice.row.title),
		cell(spanText(duration(slice)), true))));
	byId("visible-note").textContent = n > list.length ?
		`The ${list.length} longest of ${plural(n, "slice")}. Zoom in to see others.` : "";
}

function hexText(value) {
	return `0x${value.toString(16)}`;
}

const MARKS = ["data", "circuit", "register", "trace point", "other"];
const LISTED = 1000;

async function firstMarks(marks) {
	const list = [];

	for (const [, , number, block] of marks.tiles) {
		if (list.length >= LISTED)
			break;
		list.push(...await summaries.load(block, bytes => decodeMarks(bytes, number)) ?? []);
	}
	return list.slice(0, LISTED);
}

function cpuText(source) {
	return trace.sourceOf.get(source)?.title ?? `source ${source}`;
}

function goTo(mark) {
	const room = Math.max(mark.end - mark.time, 100 / trace.index.rate, view.to - view.from > 1e4 ?
			      (trace.index.end || 1) / 2000 : (view.to - view.from) / 4);

	openTab("timeline");
	setRange(mark.time - room, mark.end + room);
}

function listed(total, list, what) {
	return total > list.length ? `The first ${count(list.length)} of ${plural(total, what)}.` :
		total ? plural(total, what) + "." : `No ${what} in this trace.`;
}

async function showEvents() {
	const {marks, gaps, gapKinds} = trace.index;
	const list = await firstMarks(marks), lost = await firstMarks(gaps);

	byId("marks-rows").replaceChildren(...list.map(mark => {
		const time = buttonCell(momentText(mark.time, mark.earliest, mark.latest), () => goTo(mark));

		time.classList.add("number");
		return row(time, cell(cpuText(mark.source)), cell(mark.thread < 0 ? "" : mark.thread),
			   cell(`${MARKS[mark.kind]} ${mark.id}`), cell(hexText(mark.value), true));
	}));
	byId("marks-note").textContent = listed(marks.count, list, "event");
	byId("gaps-rows").replaceChildren(...lost.map(gap => {
		const time = buttonCell(momentText(gap.time, gap.earliest, gap.latest), () => goTo(gap));

		time.classList.add("number");
		return row(time, cell(`\u2264 ${doubtText(gap.end - gap.time)}`, true),
			   cell(cpuText(gap.source)),
			   cell(`${gap.id ? "lost: " : ""}${gapKinds[gap.kind][1]}`));
	}));
	byId("gaps-note").textContent = listed(gaps.count, lost, "gap");
}

function facts(list, pairs) {
	list.replaceChildren(...pairs.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
}

function lossText() {
	const {gapKinds} = trace.index, kinds = gapKinds.filter(([number]) => number);

	return kinds.length ? kinds.map(([number, text]) => `${count(number)} \u00d7 ${text}`).join("; ") :
		"nothing";
}

function uncertainText() {
	const {unit} = trace.index;

	if (unit === "instructions")
		return "the trace has no times: the axis counts the instructions of each thread, or CPU";
	return "only messages have times; \u00b1 is how much earlier or later something may have been";
}

function showSummary() {
	const {index} = trace, pairs = [["Recording", index.object]];

	if (index.unit !== "instructions")
		pairs.push(["Begin", `${count(index.base)} ${index.unit}`]);
	pairs.push(["Length", timeText(index.end, index.endDoubt)], ["Times", uncertainText()],
		   ["Function calls", count(trace.calls)], ["Slices", count(index.slices)],
		   ["Functions", count(trace.names.length)], ["Gaps", lossText()],
		   ["Software trace", plural(index.marks.count, "event")]);
	if (index.merged)
		pairs.push(["Flame graph", `${plural(index.merged, "small stack")} shown with others`]);
	if (index.folded)
		pairs.push(["Stacks", `too many: ${plural(index.folded, "call")} counted for the caller`]);
	if (index.unnested)
		pairs.push(["Not nested", plural(index.unnested, "event")]);
	facts(byId("summary-facts"), pairs);
	byId("summary-lanes").replaceChildren(...trace.lanes.map(lane => row(
		cell(lane.title), cell(lane.about), cell(aboutText(...lane.ran), true),
		cell(count(lane.instructions), true), cell(count(lane.calls), true))));
	byId("summary-sources").replaceChildren(...trace.sources.map(source => row(
		cell(source.title), cell(count(source.instructions), true),
		cell(count(source.gaps), true), cell(count(source.losses), true))));
	const losses = trace.sources.reduce((sum, source) => sum + source.losses, 0);

	byId("banner").hidden = !losses;
	byId("banner").textContent = `Trace was lost in ${plural(losses, "place")}: hatched in the timeline, ` +
		"listed under Events.";
}
