// SPDX-License-Identifier: GPL-2.0
// Flame graph: stacks of all threads, or of each, as wide as their share of time or instructions.

const flame = {nodes: null, shown: null, root: 0, at: 0, boxes: []};
const flameCanvas = document.getElementById("flame"), flameContext = flameCanvas.getContext("2d");
const FLAME_ROW = 20;

async function loadFlame() {
	const bytes = await readBlock(`b${trace.index.nodes}`);

	if (bytes)
		flame.nodes = decodeNodes(bytes);
	if (trace.index.unit === "instructions") {
		byId("flame-by").value = "own";
		byId("flame-by").disabled = true;
	}
	return !!bytes;
}

function nodeName(tree, i) {
	const node = tree[i];

	if (!i)
		return "all";
	if (node.parent === 0 && !byId("flame-merge").checked)
		return trace.laneOf.get(node.name)?.title ?? "?";
	return trace.names[node.name]?.text ?? "smaller stacks";
}

// The same stacks of all threads as one
function mergeThreads(nodes) {
	const merged = [{...nodes[0], callees: []}], known = new Map(), numbers = new Array(nodes.length).fill(0);

	for (let i = 1; i < nodes.length; i++) {
		const node = nodes[i], parent = numbers[node.parent];
		const key = `${parent} ${node.name}`;
		let number = node.parent === 0 ? 0 : known.get(key);

		if (number === undefined) {
			number = merged.length;
			known.set(key, number);
			merged.push({parent, name: node.name, calls: 0, own: 0, self: 0, callees: []});
			merged[parent].callees.push(number);
		}
		numbers[i] = number;
		merged[number].own += node.own;
		merged[number].self += node.self;
		merged[number].calls += node.calls;
	}
	return merged;
}

function weighFlame() {
	const by = byId("flame-by").value;
	const tree = byId("flame-merge").checked ? mergeThreads(flame.nodes) :
		flame.nodes.map(node => ({...node}));

	for (const node of tree)
		node.width = Math.max(0, node[by]);
	for (let i = tree.length - 1; i > 0; i--)
		tree[tree[i].parent].width += tree[i].width;
	for (const node of tree)
		node.callees.sort((a, b) => tree[b].width - tree[a].width);
	flame.shown = tree;
	flame.root = flame.at = 0;
}

function flameColour(i) {
	const node = flame.shown[i], name = trace.names[node.name];

	if (!i || (node.parent === 0 && !byId("flame-merge").checked))
		return colour(nodeName(flame.shown, i), "lane", palette.dark);
	return colour(name?.text ?? "", name?.family ?? "unknown", palette.dark);
}

// Boxes from the root on, as deep as they are wider than a pixel
function layOutFlame(width) {
	const tree = flame.shown, boxes = [], path = [];

	for (let i = flame.root; i > 0; i = tree[i].parent)
		path.unshift(tree[i].parent);
	path.forEach((i, depth) => boxes.push({i, x: 0, width, depth, above: true}));
	const waiting = [{i: flame.root, x: 0, depth: path.length}];
	const k = width / (tree[flame.root].width || 1);

	while (waiting.length) {
		const {i, x, depth} = waiting.pop();
		let at = x;

		boxes.push({i, x, width: tree[i].width * k, depth});
		for (const callee of tree[i].callees) {
			if (tree[callee].width * k >= 1)
				waiting.push({i: callee, x: at, depth: depth + 1});
			at += tree[callee].width * k;
		}
	}
	return boxes;
}

function drawFlame() {
	if (!flame.shown || byId("panel-flame").hidden)
		return;
	const holder = flameCanvas.parentElement, width = holder.clientWidth;
	const boxes = layOutFlame(width), rows = Math.max(...boxes.map(box => box.depth)) + 1;
	const height = Math.max(rows * FLAME_ROW + 8, holder.clientHeight - 4), ratio = window.devicePixelRatio || 1;
	const c = flameContext;

	flame.boxes = boxes;
	flameCanvas.width = width * ratio;
	flameCanvas.height = height * ratio;
	flameCanvas.style.width = `${width}px`;
	flameCanvas.style.height = `${height}px`;
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.font = FONT;
	c.textBaseline = "middle";
	for (const {i, x, width: wide, depth, above} of boxes) {
		const y = depth * FLAME_ROW + 2;
		const dim = palette.dim && !palette.dim.has(flame.shown[i].name);

		c.globalAlpha = above ? 0.55 : dim ? 0.3 : 1;
		c.fillStyle = css(flameColour(i));
		c.fillRect(x, y, Math.max(0.5, wide - 1), FLAME_ROW - 1);
		c.globalAlpha = 1;
		c.fillStyle = palette.text;
		if (wide > 26)
			c.fillText(fit(nodeName(flame.shown, i), wide - 10), x + 5, y + FLAME_ROW / 2 - 0.5);
		if (i === flame.at) {
			c.strokeStyle = palette.accent;
			c.lineWidth = 2;
			c.strokeRect(x + 1, y + 1, Math.max(2, wide - 3), FLAME_ROW - 3);
		}
	}
}

function shareText(value, whole) {
	return whole ? `${(100 * value / whole).toFixed(1)} %` : "0 %";
}

function showFlameFacts() {
	const tree = flame.shown, node = tree[flame.at], timed = byId("flame-by").value === "self";
	// a sum of many times, each uncertain
	const amount = value => timed ? `\u2248 ${timeText(value, value / 20)}` : count(value);

	byId("flame-name").textContent = nodeName(tree, flame.at);
	facts(byId("flame-facts"), [
		["Share of all", shareText(node.width, tree[0].width)],
		[timed ? "Time" : "Instructions", amount(node.width)],
		["of it without callees", amount(timed ? node.self : node.own)],
		["Calls", flame.at ? count(node.calls) : count(trace.calls)],
	]);
	byId("flame-rows").replaceChildren(...node.callees.slice(0, 60).map(i => row(
		buttonCell(nodeName(tree, i), () => goFlame(i, true)),
		cell(shareText(tree[i].width, tree[0].width), true))));
	byId("flame-note").textContent = timed ?
		"time in which threads ran" : "instructions executed";
	flameCanvas.setAttribute("aria-label", `Flame graph: ${nodeName(tree, flame.at)}, ` +
		shareText(node.width, tree[0].width));
}

function goFlame(i, zoom) {
	flame.at = i;
	if (zoom)
		flame.root = i;
	showFlameFacts();
	drawFlame();
	say(`${nodeName(flame.shown, i)}, ${shareText(flame.shown[i].width, flame.shown[0].width)}`);
}

async function showFlame() {
	if (!flame.nodes && !await loadFlame())
		return;
	if (!flame.shown)
		weighFlame();
	showFlameFacts();
	drawFlame();
}

function flameKey(event) {
	const tree = flame.shown, node = tree?.[flame.at];

	if (!node)
		return false;
	const siblings = node.parent >= 0 ? tree[node.parent].callees : [flame.at];
	const place = siblings.indexOf(flame.at);
	const next = {ArrowUp: node.parent, ArrowDown: node.callees[0], ArrowLeft: siblings[place - 1],
		      ArrowRight: siblings[place + 1]}[event.key];

	if (event.key === "Enter")
		goFlame(flame.at, true);
	else if (event.key === "Escape")
		goFlame(0, true);
	else if (event.key.startsWith("Arrow"))
		next >= 0 && goFlame(next, false);
	else
		return false;
	return true;
}

function startFlame() {
	const again = () => {
		weighFlame();
		showFlameFacts();
		drawFlame();
	};

	byId("flame-by").addEventListener("change", again);
	byId("flame-merge").addEventListener("change", again);
	byId("flame-up").addEventListener("click", () => goFlame(0, true));
	flameCanvas.addEventListener("click", event => {
		const x = event.offsetX, depth = Math.floor((event.offsetY - 2) / FLAME_ROW);
		const box = flame.boxes.find(b => b.depth === depth && x >= b.x && x < b.x + b.width);

		if (box)
			goFlame(box.i, true);
	});
	flameCanvas.addEventListener("keydown", event => {
		if (!event.ctrlKey && !event.metaKey && flameKey(event)) {
			event.preventDefault();
			event.stopPropagation();
		}
	});
}
