-- SPDX-License-Identifier: GPL-2.0
-- After the last row: indexes, which are made faster then, and the usual questions.
CREATE INDEX call_parent ON call (parent);
CREATE INDEX call_function ON call (function);
CREATE INDEX call_entered ON call (entered);
CREATE INDEX call_duration ON call (ended - entered) WHERE kind = 'function';
CREATE INDEX run_started ON run (started);
CREATE INDEX event_time ON event (time);
CREATE VIEW calls AS SELECT call.id, call.name, function.file, thread.name AS thread,
	call.kind, call.entered, call.ended - call.entered AS duration,
	call.ended - call.entered - call.resting - call.interrupted AS time,
	call.own_time, call.resting, call.interrupted, call.instructions,
	call.own_instructions, call.depth, call.flags, call.parent
	FROM call JOIN thread ON thread.id = call.thread
	LEFT JOIN function ON function.id = call.function;
CREATE VIEW functions AS SELECT call.name, function.file, sum(called) AS calls,
	sum(own_time) AS own_time,
	sum(CASE WHEN recursive THEN 0 ELSE ended - entered - resting - interrupted END) AS time,
	sum(own_instructions) AS own_instructions,
	sum(CASE WHEN recursive THEN 0 ELSE instructions END) AS instructions,
	max(ended - entered) AS longest
	FROM call LEFT JOIN function ON function.id = call.function
	GROUP BY call.function, call.name ORDER BY own_time DESC;
CREATE VIEW paths AS SELECT call.id, (
	WITH RECURSIVE up (parent, step, path) AS (
		SELECT call.parent, 0, call.name
		UNION ALL SELECT c.parent, step + 1, c.name || ' > ' || path
		FROM up JOIN call AS c ON c.id = up.parent)
	SELECT path FROM up ORDER BY step DESC LIMIT 1) AS path FROM call;
CREATE VIEW slowest AS SELECT call.name, ended - entered AS duration,
	ended - entered - resting - interrupted AS time, resting, interrupted,
	thread.name AS thread, entered, call.id,
	(SELECT path FROM paths WHERE paths.id = call.id) AS path
	FROM call JOIN thread ON thread.id = call.thread
	WHERE kind = 'function' ORDER BY ended - entered DESC;
CREATE VIEW system_call AS SELECT call.*, (
	WITH RECURSIVE above (id, name, step) AS (
		SELECT c.id, c.name, 1 FROM call AS c WHERE c.parent = call.id
		UNION ALL SELECT c.id, c.name, step + 1
		FROM above JOIN call AS c ON c.parent = above.id WHERE step < 4)
	SELECT name FROM above WHERE name GLOB '__riscv_*sys_*'
	ORDER BY step LIMIT 1) AS handler
	FROM call WHERE kind IN ('system call', 'exception', 'trap');
CREATE VIEW system_calls AS SELECT handler, count(*) AS calls,
	sum(ended - entered) AS duration, max(ended - entered) AS longest,
	sum(resting) AS resting, sum(instructions) AS instructions
	FROM system_call WHERE handler IS NOT NULL OR kind = 'system call'
	GROUP BY handler ORDER BY duration DESC;
CREATE VIEW interrupts AS SELECT name, count(*) AS count,
	sum(ended - entered) AS duration, max(ended - entered) AS longest,
	sum(instructions) AS instructions
	FROM call WHERE kind = 'interrupt' GROUP BY name ORDER BY duration DESC;
CREATE VIEW threads AS SELECT thread.*, count(run.thread) AS runs,
	sum(run.ended - run.started) AS time, sum(run.instructions) AS instructions
	FROM thread LEFT JOIN run ON run.thread = thread.id
	GROUP BY thread.id ORDER BY time DESC;
