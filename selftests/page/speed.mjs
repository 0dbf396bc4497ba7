// SPDX-License-Identifier: GPL-2.0
// How fast a page of tracectl report --html is: node speed.mjs MODULES CHROMIUM PAGE
// Prints the times; status 1 if the first paint takes more than 3 s, or a pan more than 100 ms.
import {createRequire} from "node:module";
import {statSync} from "node:fs";

const [modules, chromium, page] = process.argv.slice(2);
const {chromium: launcher} = createRequire(`${modules}/`)("playwright-core");
const browser = await launcher.launch({executablePath: chromium, args: ["--no-sandbox"]});
const window = await browser.newPage({viewport: {width: 1600, height: 900}});
const began = Date.now();

await window.goto(`file://${page}`, {waitUntil: "commit"});
await window.waitForFunction(() => performance.getEntriesByName("painted").length);
const drawn = Date.now() - began;

await window.waitForFunction(() => document.readyState === "complete");
const complete = Date.now() - began;
const paint = await window.evaluate(() => [performance.getEntriesByType("paint")[0].startTime,
					   performance.getEntriesByName("painted")[0].startTime]);

// From a key to the frame after it, for each of 30 pans, at several widths of the range
const pans = await window.evaluate(async () => {
	const results = [], frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
	const end = rvtrace.trace.index.end;

	for (const wide of [1, 0.1, 0.01, 0.001, 0.0001]) {
		const times = [];

		rvtrace.setRange(end * 0.4, end * (0.4 + wide * 0.6));
		await new Promise(done => setTimeout(done, 500));
		for (let i = 0; i < 30; i++) {
			const start = performance.now();

			document.getElementById("timeline").dispatchEvent(
				new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
			await frame();
			times.push(performance.now() - start);
		}
		times.sort((a, b) => a - b);
		results.push([wide, times[15], times[29]]);
	}
	return results;
});

console.log(`${statSync(page).size} bytes; first paint ${Math.round(paint[0])} ms, timeline drawn ` +
	    `${Math.round(paint[1])} ms (${drawn} ms from outside), all read ${complete} ms`);
for (const [wide, median, worst] of pans)
	console.log(`pan over ${wide} of the trace: median ${median.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`);
await browser.close();
process.exit(paint[1] <= 3000 && pans.every(([, median]) => median <= 100) ? 0 : 1);
