// SPDX-License-Identifier: GPL-2.0
// The page of tracectl report --html in a browser: node check.mjs MODULES CHROMIUM PAGE TRUTH PICTURES
// Prints TAP. TRUTH is what rvtrace-make-page counted.
import {createRequire} from "node:module";
import {readFileSync, writeFileSync} from "node:fs";

const [modules, chromium, page, truthFile, pictures] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const playwright = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const truth = JSON.parse(readFileSync(truthFile));
const tests = [];
const problems = [];
const test = (name, run) => tests.push([name, run]);

function same(a, b, what) {
	if (JSON.stringify(a) !== JSON.stringify(b))
		throw new Error(`${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`);
}

function holds(condition, what) {
	if (!condition)
		throw new Error(what);
}

const browser = await playwright.chromium.launch({executablePath: chromium, args: ["--no-sandbox"]});

// The page in a window without a network; what it complains of becomes a problem.
async function open(width, height, colorScheme, file = page) {
	const context = await browser.newContext({viewport: {width, height}, colorScheme, offline: true,
						  bypassCSP: false});
	const window = await context.newPage();

	window.setDefaultTimeout(15000);

	await context.route(/^(?!file:)/, route => {
		problems.push(`asks for ${route.request().url()}`);
		route.abort();
	});
	// of this test's own reading of pixels, not of the page
	window.on("console", message => ["error", "warning"].includes(message.type()) &&
		!message.text().includes("willReadFrequently") && problems.push(message.text()));
	window.on("pageerror", error => problems.push(error.stack));
	await window.goto(`file://${file}`);
	await settled(window);
	return window;
}

// What is seen is there in detail.
async function settled(window) {
	await window.waitForFunction(() => window.rvtrace?.view.drawn > 0 && document.readyState === "complete");
	await window.evaluate(async () => {
		for (let quiet = 0; quiet < 3;) {
			await new Promise(done => setTimeout(done, 50));
			quiet = rvtrace.details.busy.size + rvtrace.summaries.busy.size +
				rvtrace.details.wanted.size + rvtrace.summaries.wanted.size ? 0 : quiet + 1;
		}
	});
}

const range = window => window.evaluate(() => [rvtrace.view.from, rvtrace.view.to]);
const wide = ([from, to]) => to - from;
const live = window => window.textContent("#live");

// How many colours a canvas has, and its darkest and lightest ground
const colours = (window, id) => window.evaluate(name => {
	const canvas = document.getElementById(name), {width, height} = canvas;
	const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);

	return new Set(pixels).size;
}, id);

const corner = window => window.evaluate(() => [...document.getElementById("timeline").getContext("2d")
	.getImageData(4, 4, 1, 1).data]);

const wanted = truth.functions.filter(([, calls, own]) => calls || own);
let main;

test("the page is drawn", async () => {
	main = await open(1600, 900, "light");
	const found = await colours(main, "timeline");

	holds(found > 50, `${found} colours`);
});

test("calls and instructions of each function are the truth", async () => {
	const functions = await main.evaluate(() => rvtrace.functions());
	const got = functions.filter(f => f.address !== "0").map(f => [f.address, f.calls, f.own]);

	same(got.sort(), wanted.map(f => f.slice(0, 3)).sort(), "functions");
});

test("and those of all slices in the page are", async () => {
	const got = await main.evaluate(async () => {
		const functions = rvtrace.functions(), totals = await rvtrace.count();

		return totals.map(t => [functions[t.number].address, t.calls, t.own]).filter(t => t[0] !== "0");
	});

	same(got.sort(), wanted.map(f => f.slice(0, 3)).sort(), "slices");
});

test("a selected slice has its time and instructions", async () => {
	const functions = await main.evaluate(() => rvtrace.functions());
	let compared = 0;

	for (const [address, , , begin, end, own, total, flags] of wanted.slice(0, 60)) {
		const number = functions.findIndex(f => f.address === address);
		const got = await main.evaluate(async n => {
			const slice = await rvtrace.showLongest(n);

			return [slice.begin, slice.end, slice.own, slice.total, slice.flags & 0x7ff];
		}, number);

		same(got, [begin, end, own, total, flags], functions[number].name);
		compared++;
	}
	holds(compared > 20, `${compared} compared`);
	const shown = await main.textContent("#selected"), slice = await main.evaluate(() => {
		const {name, own, total} = rvtrace.selection.slice;

		return {name, own: own.toLocaleString("en-US"), total: total.toLocaleString("en-US")};
	});

	for (const part of [slice.name, `${slice.total}, ${slice.own} without callees`, "Duration", "\u00b5s"])
		holds(shown.includes(part), `${shown} lacks ${part}`);
	holds((await live(main)).startsWith(slice.name), await live(main));
});

test("losses and software trace are there, as many as there were", async () => {
	same(await main.evaluate(() => [rvtrace.trace.index.marks.count, rvtrace.trace.index.gaps.count]),
	     [truth.marks, truth.gaps], "marks and gaps");
	await main.click("#tab-events");
	await main.waitForSelector("#gaps-rows tr");
	same(await main.locator("#gaps-rows tr").count(), Math.min(1000, truth.gaps), "rows of gaps");
	same(await main.locator("#marks-rows tr").count(), Math.min(1000, truth.marks), "rows of events");
	holds((await main.textContent("#gaps-rows")).includes("lost: the encoder lost messages"), "no reason");
	await main.click("#gaps-rows button >> nth=0");
	same(await main.getAttribute("#tab-timeline", "aria-selected"), "true", "timeline");
	await settled(main);
});

test("keys zoom, pan, and show all", async () => {
	await main.focus("#timeline");
	await main.keyboard.press("0");
	const all = await range(main);

	await main.keyboard.press("+");
	const near = await range(main);

	holds(Math.abs(wide(near) / wide(all) - 0.6) < 0.01, `${all} ${near}`);
	await main.keyboard.press("ArrowRight");
	const right = await range(main);

	holds(right[0] > near[0] && Math.abs(wide(right) - wide(near)) < 1e-6, `${near} ${right}`);
	await main.keyboard.press("-");
	await main.keyboard.press("0");
	same(await range(main), all, "range");
});

test("Enter selects, Shift and arrows go to callees, callers and neighbours", async () => {
	await main.keyboard.press("Escape");
	await main.keyboard.press("Enter");
	await main.waitForFunction(() => rvtrace.selection.slice);
	const depth = () => main.evaluate(() => rvtrace.selection.slice.depth);
	const go = async (key, to) => {
		await main.keyboard.press(key);
		await main.waitForFunction(n => rvtrace.selection.slice.depth === n, to);
	};

	same(await depth(), 0, "depth");
	for (const to of [1, 2, 3])
		await go("Shift+ArrowDown", to);
	await go("Shift+ArrowUp", 2);
	// neighbours: of a tile, the order in time of one row
	const order = await main.evaluate(async () => {
		const lane = rvtrace.trace.lanes[0], tile = lane.slices.levels[0][0];
		const slices = await rvtrace.details.load(tile.block), row = slices.rows[100];
		const times = [...slices.from.subarray(0, slices.count)].filter((_, k) => slices.rows[k] === row);

		times.sort((a, b) => a - b);
		rvtrace.select(await rvtrace.findSlice(lane, row, times[3], 0), true);
		return times.slice(2, 6);
	});
	const neighbour = async (key, from) => {
		await main.keyboard.press(key);
		await main.waitForFunction(wanted => rvtrace.selection.slice.from === wanted, from);
	};

	await neighbour("Shift+ArrowRight", order[2]);
	await neighbour("Shift+ArrowRight", order[3]);
	await neighbour("Shift+ArrowLeft", order[2]);
	await neighbour("Shift+ArrowLeft", order[1]);
});

test("zoom goes down to the instruction", async () => {
	const found = await main.evaluate(async () => {
		const f = rvtrace.functions(), lane = rvtrace.trace.lanes[0];
		const tile = lane.slices.levels[0][0], slices = rvtrace.details.get(tile.block);
		const k = slices.total.findIndex((total, i) => i < slices.count && total > 2 && total < 9);

		rvtrace.setRange(slices.from[k] - 1 / 32, slices.to[k] + 1 / 32);
		return {width: (slices.to[k] - slices.from[k]) / (rvtrace.view.to - rvtrace.view.from), f: f.length};
	});

	holds(found.width > 0.1, `a slice of a few instructions has ${found.width} of the width`);
	await settled(main);
	holds(await colours(main, "timeline") > 10, "nothing is drawn there");
});

test("a click selects what is there, and unfolds lanes", async () => {
	await main.keyboard.press("Escape");
	await main.keyboard.press("0");
	await main.evaluate(() => document.getElementById("scroll").scrollTo(0, 0));
	await settled(main);
	const box = await main.locator("#timeline").boundingBox();
	const y = await main.evaluate(() => rvtrace.trace.lanes[0].y + 26 + 24 + 9 - rvtrace.view.top);

	await main.mouse.click(box.x + 700, box.y + y);
	await main.waitForFunction(() => rvtrace.selection.slice?.name === "main");
	const open = () => main.evaluate(() => rvtrace.trace.lanes[0].open);

	await main.mouse.click(box.x + 40, box.y + y);
	same(await open(), false, "open");
	await main.keyboard.press("c");
	same(await open(), true, "open");
});

test("search filters functions, and Enter goes to the longest instance", async () => {
	const name = await main.evaluate(() => rvtrace.functions().find(f => f.calls > 5 && /_\d+$/.test(f.name)).name);

	await main.keyboard.press("/");
	same(await main.evaluate(() => document.activeElement.id), "search", "focus");
	await main.keyboard.type(name);
	holds(/^\d+ functions? found$/.test(await live(main)), await live(main));
	const rows = await main.locator("#functions tbody tr").count();

	same(rows, await main.evaluate(n => rvtrace.functions().filter(f => f.name.includes(n)).length, name), "rows");
	await main.keyboard.press("Enter");
	await main.waitForFunction(n => rvtrace.selection.slice?.name.includes(n), name);
	await main.focus("#timeline");
	await main.keyboard.press("Escape");
	same(await main.inputValue("#search"), "", "search");
});

test("functions can be sorted by each column", async () => {
	await main.keyboard.press("2");
	const first = () => main.textContent("#functions tbody tr:first-child td:nth-child(2)");

	await main.click("[data-key=calls]");
	same(await first(), Math.max(...wanted.map(f => f[1])).toLocaleString("en-US"), "calls");
	same(await main.getAttribute("th:has([data-key=calls])", "aria-sort"), "descending", "sorted");
	await main.click("[data-key=calls]");
	holds(Number(await first()) < 10, await first());
});

test("names of the trace are text", async () => {
	const names = await main.evaluate(() => rvtrace.functions().map(f => f.name));

	holds(names.includes("</script><img src=x onerror=alert(1)>"), "the name is not there");
	await main.fill("#search", "onerror");
	holds((await main.textContent("#functions tbody")).includes("<img src=x"), "the table lacks it");
	same(await main.locator("img").count(), 0, "images");
	await main.fill("#search", "");
	const raw = readFileSync(page, "latin1");

	holds(!raw.includes("onerror=alert"), "it is in the file as it is");
});

test("the flame graph has all instructions, and keys", async () => {
	await main.click("#tab-flame");
	await main.selectOption("#flame-by", "own");
	await main.waitForFunction(() => document.getElementById("flame-facts").children.length);
	holds(await colours(main, "flame") > 30, "it is not drawn");
	const total = await main.evaluate(() => rvtrace.trace.lanes.reduce((sum, l) => sum + l.instructions, 0));

	holds((await main.textContent("#flame-facts")).includes(total.toLocaleString("en-US")), "its total differs");
	await main.focus("#flame");
	for (let i = 0; i < 3; i++)
		await main.keyboard.press("ArrowDown");
	const name = await main.textContent("#flame-name");

	holds(name !== "all", name);
	await main.keyboard.press("Enter");
	await main.keyboard.press("Escape");
	same(await main.textContent("#flame-name"), "all", "root");
	await main.check("#flame-merge");
	holds((await main.textContent("#flame-facts")).includes(total.toLocaleString("en-US")), "merged, it differs");
	await main.uncheck("#flame-merge");
});

test("? shows the keys, Escape closes them; tabs have arrow keys", async () => {
	await main.focus("#flame");
	await main.keyboard.press("?");
	holds(await main.locator("#keys").isVisible(), "not shown");
	await main.keyboard.press("Escape");
	holds(!await main.locator("#keys").isVisible(), "still shown");
	await main.focus("#tab-flame");
	await main.keyboard.press("ArrowLeft");
	same(await main.evaluate(() => document.activeElement.id), "tab-functions", "tab");
});

test("the table of slices in view selects, too", async () => {
	await main.click("#tab-timeline");
	await main.click("#visible summary");
	await main.waitForSelector("#visible-rows tr");
	await main.click("#visible-rows button >> nth=2");
	const name = await main.textContent("#visible-rows tr:nth-child(3) button");

	same(await main.evaluate(() => rvtrace.selection.slice.name), name, "selected");
	await main.click("#visible summary");
});

test("light and dark follow the system, and the switch", async () => {
	const light = await corner(main);

	holds(light[0] > 200, `light: ${light}`);
	for (const [scheme, dark] of [["dark", true], ["light", false]]) {
		await main.emulateMedia({colorScheme: scheme});
		await settled(main);
		same((await corner(main))[0] < 80, dark, `dark with ${scheme}`);
	}
	await main.click("#theme");
	await main.click("#theme");
	await settled(main);
	holds((await corner(main))[0] < 80, "the switch does nothing");
	await main.click("#theme");
});

for (const width of [400, 900, 1600]) {
	for (const scheme of ["light", "dark"]) {
		test(`${width} pixels, ${scheme}: axe finds nothing`, async () => {
			const window = await open(width, 800, scheme);

			await window.evaluate(() => rvtrace.showLongest(5));
			await window.evaluate(axe);
			for (const tab of ["timeline", "functions", "flame", "events", "summary"]) {
				await window.click(`#tab-${tab}`);
				await settled(window);
				if (pictures)
					writeFileSync(`${pictures}/${width}-${scheme}-${tab}.png`, await window.screenshot());
				const {violations} = await window.evaluate(() => axe.run());

				same(violations.map(v => [v.id, v.nodes[0].html]), [], tab);
				holds(await window.evaluate(() =>
					document.documentElement.scrollWidth <= innerWidth), `${tab} is too wide`);
			}
			await window.context().close();
		});
	}
}

test("the network is refused by the page itself", async () => {
	const refused = await main.evaluate(() => fetch("http://192.0.2.1/").then(() => false, () => true));

	holds(refused, "fetched");
	const asked = problems.filter(p => p.startsWith("asks for"));

	same(asked, [], "requests");
	// what the browser says of this one
	for (let i = problems.length; i--;)
		if (/Content Security Policy|192\.0\.2\.1/.test(problems[i]))
			problems.splice(i, 1);
});

test("nothing was complained of", async () => same(problems, [], "console"));

console.log(`1..${tests.length}`);
for (const [i, [name, run]] of tests.entries()) {
	try {
		await run();
		console.log(`ok ${i + 1} - ${name}`);
	} catch (error) {
		console.log(`not ok ${i + 1} - ${name}`);
		console.log(String(error.stack).replace(/^/gm, "# "));
	}
}
await browser.close();
