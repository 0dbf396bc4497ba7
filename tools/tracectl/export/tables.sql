-- SPDX-License-Identifier: GPL-2.0
-- Before the first row. docs/export.md explains it.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE function (
	id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT, address INTEGER,
	named INTEGER NOT NULL, module INTEGER NOT NULL, kernel INTEGER NOT NULL);
CREATE TABLE thread (
	id INTEGER PRIMARY KEY, name TEXT NOT NULL, pid INTEGER, tid INTEGER,
	hart INTEGER NOT NULL, comm TEXT, kernel INTEGER NOT NULL,
	observer INTEGER NOT NULL);
CREATE TABLE call (
	id INTEGER PRIMARY KEY, parent INTEGER, thread INTEGER NOT NULL,
	function INTEGER, name TEXT NOT NULL, kind TEXT NOT NULL, cause INTEGER,
	privilege INTEGER, depth INTEGER NOT NULL, address INTEGER NOT NULL,
	return_address INTEGER,
	entered INTEGER, entered_earliest INTEGER, entered_latest INTEGER,
	ended INTEGER, ended_earliest INTEGER, ended_latest INTEGER,
	own_instructions INTEGER NOT NULL, instructions INTEGER NOT NULL,
	own_time INTEGER NOT NULL,
	resting INTEGER NOT NULL, resting_least INTEGER NOT NULL, resting_most INTEGER,
	interrupted INTEGER NOT NULL, interrupted_least INTEGER NOT NULL,
	interrupted_most INTEGER,
	called INTEGER NOT NULL, recursive INTEGER NOT NULL, flags TEXT NOT NULL);
CREATE TABLE run (
	thread INTEGER NOT NULL, hart INTEGER NOT NULL,
	started INTEGER, started_earliest INTEGER, started_latest INTEGER,
	ended INTEGER, ended_earliest INTEGER, ended_latest INTEGER,
	instructions INTEGER NOT NULL);
CREATE TABLE loss (
	id INTEGER PRIMARY KEY, hart INTEGER, thread INTEGER NOT NULL,
	lost INTEGER NOT NULL, reason TEXT NOT NULL, bytes INTEGER,
	time INTEGER, time_earliest INTEGER, time_latest INTEGER);
CREATE TABLE gap (
	thread INTEGER NOT NULL, loss INTEGER NOT NULL, call INTEGER,
	started INTEGER, ended INTEGER);
CREATE TABLE event (
	thread INTEGER NOT NULL, hart INTEGER NOT NULL, call INTEGER,
	time INTEGER, time_earliest INTEGER, time_latest INTEGER,
	name TEXT NOT NULL, identifier INTEGER, value INTEGER, address INTEGER);
