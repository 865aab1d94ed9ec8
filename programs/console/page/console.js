// SPDX-License-Identifier: GPL-2.0-only
// The page of basalt-console. It asks for one document, state.json, again and again, and shows it.
// What comes from the server becomes text nodes and never markup.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const NONE = "-";
const KEY_PREFIX = "#key=";
const RETRY_SECONDS = 2;
const LONG_SECONDS = 5;
// a pause between two points that is no part of a line
const GAP_LOOKS = 3.5;
const LEAST_SPAN = 60;
const FEW_ROWS = 10;
const STRETCHED = {viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true"};

// Numbers as programs/top/units.py writes them.

function size(number) {
  let unit = "";
  for (const next of ["K", "M", "G", "T"]) {
    if (Math.abs(number) < 1000) break;
    number /= 1024;
    unit = next;
  }
  const small = unit && Math.abs(number) > 0 && Math.abs(number) < 9.95;
  return number.toFixed(small ? 1 : 0) + unit;
}

function count(number) {
  if (number > 0 && number < 9.95 && !Number.isInteger(number)) return number.toFixed(1);
  if (number < 9999.5) return number.toFixed(0);
  for (const unit of ["k", "m", "g"]) {
    number /= 1000;
    if (number < 999.95 || unit === "g") return number.toFixed(1) + unit;
  }
  return NONE;
}

function percent(share) {
  if (share === null) return NONE;
  const value = 100 * share;
  const nearAnEnd = (value > 0 && value < 9.95) || (value > 90 && value < 99.95);
  return `${value.toFixed(nearAnEnd ? 1 : 0)} %`;
}

function duration(seconds) {
  if (seconds === null) return NONE;
  const whole = Math.floor(seconds);
  if (seconds < 10) return seconds === whole ? `${whole} s` : `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

function milliseconds(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return `${(1000 * seconds).toFixed(seconds < 0.00995 ? 1 : 0)} ms`;
}

function many(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

// Elements.

const find = (selector) => document.querySelector(selector);

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function drawing(name, attributes) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  return made;
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

// Only what has changed is touched: a selection stays, and screen readers are told of changes only.
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function note(section, text) {
  say(find(`#${section} h2 small`), text);
}

// Makes a parent have as many children as wanted.
function grow(parent, wanted, make) {
  while (parent.children.length > wanted) parent.lastElementChild.remove();
  while (parent.children.length < wanted) parent.append(make());
}

// A table: columns are [title, class, value of a row]. A value is text, or an array of shares for a
// bar. `marked` names the class of a row.
class Grid {
  constructor(section, nothing, columns, marked = () => "") {
    this.columns = columns;
    this.marked = marked;
    const box = find(`#${section} .table`);
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", find(`#${section} h2`).firstChild.textContent.trim());
    this.nothing = element("p", "nothing", nothing);
    this.table = element("table");
    const head = this.table.createTHead().insertRow();
    for (const [title, kind] of columns) {
      const cell = element("th", kind, title);
      cell.scope = "col";
      head.append(cell);
    }
    this.body = this.table.createTBody();
    // the narrow page lays rows out by itself, and they still are rows
    this.table.setAttribute("role", "table");
    box.append(this.nothing, this.table);
  }

  show(rows, nothing = "") {
    if (!document.body.classList.contains("all")) rows = rows.slice(0, FEW_ROWS);
    if (nothing) say(this.nothing, nothing);
    this.nothing.hidden = rows.length > 0;
    this.table.hidden = rows.length === 0;
    grow(this.body, rows.length, () => this.newRow());
    rows.forEach((row, number) => this.fill(this.body.children[number], row));
  }

  newRow() {
    const made = element("tr");
    made.setAttribute("role", "row");
    for (const [title, kind] of this.columns) {
      const cell = element("td", kind);
      cell.setAttribute("role", "cell");
      cell.dataset.title = title;
      if (kind === "text") cell.append(element("span"));
      if (kind === "share") cell.append(drawing("svg", STRETCHED));
      made.append(cell);
    }
    return made;
  }

  fill(line, row) {
    line.className = this.marked(row);
    this.columns.forEach(([, kind, value], number) => {
      const cell = line.children[number];
      const found = value(row);
      if (kind === "share") showShares(cell.firstChild, found);
      else say(kind === "text" ? cell.firstChild : cell, String(found));
      if (kind === "number score") cell.classList.toggle("hot", row.score >= 1);
    });
  }
}

// Parts of a bar, each from where the last one ends.
function showShares(svg, shares) {
  grow(svg, shares.length, () => drawing("rect", {y: 0, height: 1}));
  let from = 0;
  shares.forEach((share, number) => {
    const width = share > 0 ? Math.max(0.6, 100 * share) : 0;
    const kind = number ? "freed" : "part";
    set(svg.children[number], {class: kind, x: from.toFixed(2), width: width.toFixed(2)});
    from += width;
  });
}

// Lines of some minutes.
class Chart {
  constructor(title, unit, lines, most = 0) {
    Object.assign(this, {title, unit, lines, most, cursor: null, points: []});
    this.box = element("div", "chart");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.output = element("output");
    this.values = lines.map((name, number) => {
      const pair = element("span");
      pair.append(element("b"));
      const kind = number ? "second-name" : "first-name";
      if (lines.length > 1) pair.append(" ", element("span", kind, name));
      this.output.append(pair);
      return pair.firstChild;
    });
    this.svg = drawing("svg", {viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img"});
    this.area = drawing("path", {class: "area"});
    const kinds = ["line", "line second"];
    this.paths = lines.map((_, number) => drawing("path", {class: kinds[number]}));
    this.rule = drawing("line", {class: "cursor", y1: 0, y2: 40});
    this.svg.append(this.area, ...[...this.paths].reverse(), this.rule);
    const legend = element("div", "legend");
    this.span = element("span");
    this.scale = element("span");
    // where the cursor is
    this.place = element("span", "first-name");
    legend.append(this.span, this.place, this.scale);
    this.box.append(element("h3", "", title), this.output, this.svg, legend);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.moveTo(null));
    this.box.addEventListener("keydown", (event) => this.walk(event));
    this.box.addEventListener("blur", () => this.moveTo(null));
  }

  // `points`: [seconds before now (negative), value of each line]
  show(points, span, gap) {
    this.points = points;
    this.from = span;
    const values = points.flatMap((point) => point.slice(1)).filter((value) => value !== null);
    this.top = this.most || niceTop(Math.max(0, ...values), this.unit === size);
    this.paths.forEach((path, number) => set(path, {d: this.course(number + 1, gap, false)}));
    set(this.area, {d: this.course(1, gap, true)});
    say(this.span, `${duration(Math.round(span))} ago`);
    say(this.scale, `up to ${this.unit(this.top)}`);
    const most = this.unit(Math.max(0, ...values));
    const told = `${this.title}: a line of ${duration(Math.round(span))}, at most ${most}`;
    set(this.svg, {"aria-label": told});
    set(this.box, {"aria-label": this.title});
    this.read();
  }

  x(seconds) {
    return 100 * (1 + seconds / this.from);
  }

  y(value) {
    return 39 - 38 * Math.min(1, value / this.top);
  }

  // A path; where values lack, or looks did, it begins anew.
  course(number, gap, closed) {
    let path = "";
    let last = null;
    const close = () => (closed && last ? `L${this.x(last[0]).toFixed(2)} 39Z` : "");
    for (const point of this.points) {
      if (point[number] === null) continue;
      const place = `${this.x(point[0]).toFixed(2)} ${this.y(point[number]).toFixed(2)}`;
      if (last && point[0] - last[0] <= gap) path += `L${place}`;
      else path += close() + (closed ? `M${this.x(point[0]).toFixed(2)} 39L${place}` : `M${place}`);
      last = point;
    }
    return path + close();
  }

  point(event) {
    const box = this.svg.getBoundingClientRect();
    const seconds = ((event.clientX - box.left) / box.width - 1) * this.from;
    let best = null;
    for (const [at] of this.points) {
      if (best === null || Math.abs(at - seconds) < Math.abs(best - seconds)) best = at;
    }
    this.moveTo(best);
  }

  walk(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || !this.points.length) return;
    event.preventDefault();
    const now = this.cursor === null ? this.points.length : this.index();
    const next = Math.max(0, now + step);
    this.moveTo(next >= this.points.length ? null : this.points[next][0]);
  }

  index() {
    const at = this.points.findIndex((point) => point[0] >= this.cursor);
    return at < 0 ? this.points.length - 1 : at;
  }

  moveTo(seconds) {
    this.cursor = seconds;
    this.read();
  }

  // The values at the cursor, else the last ones.
  read() {
    const at = this.cursor === null ? this.points.length - 1 : this.index();
    const point = this.points[at];
    this.output.setAttribute("aria-live", this.cursor === null ? "off" : "polite");
    this.rule.style.display = this.cursor === null || !point ? "none" : "";
    if (this.cursor !== null && point) set(this.rule, {x1: this.x(point[0]), x2: this.x(point[0])});
    this.values.forEach((shown, number) => {
      const value = point ? point[number + 1] : null;
      say(shown, value === null ? NONE : this.unit(value));
    });
    say(this.place, this.cursor === null || !point ? "" : `${duration(Math.round(-point[0]))} ago`);
  }
}

// 1, 2 or 5 times a power of ten, of bytes a power of two: a scale does not change with each look.
function niceTop(value, bytes) {
  if (value <= 0) return 1;
  if (bytes) return 2 ** Math.ceil(Math.log2(value));
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= value) || 10 * power;
}

// The parts of the page.

const charts = [
  new Chart("Questions and commits a second", count, ["questions", "commits"]),
  new Chart("Rows read a second", count, ["rows_read"]),
  new Chart("Rows written a second", count, ["rows_written"]),
  new Chart("Log, bytes a second", size, ["log"]),
  new Chart("Flushes and compactions write", size, ["flushed", "compacted"]),
  new Chart("Blocks that were in the cache", percent, ["cache_hits"], 1),
  new Chart("Writers wait, of a thread's time", percent, ["stalled"]),
  new Chart("Lock waits a second", count, ["lock_waits"]),
];
const STALLS = [
  ["files in level 0", "l0_file_count_limit"],
  ["of these, while compacted", "locked_l0_file_count_limit"],
  ["bytes to compact", "pending_compaction_limit"],
  ["full memtables", "memtable_limit"],
  ["all", "total"],
];
const ago = (time, now) => `${duration(Math.max(0, now - time))} ago`;

const grids = {
  tree: new Grid("tree", "no table file yet", [
    ["family", "name", (row) => row.family],
    ["level", "number", (row) => row.number],
    ["files", "number", (row) => row.files],
    ["size", "number", (row) => size(row.bytes)],
    ["score", "number score", (row) => row.score.toFixed(2)],
    ["share", "share", (row) => [row.share]],
    ["", "", (row) => row.doing],
  ], (row) => (row.doing ? "running" : "")),
  compactions: new Grid("compactions", "none since the start", [
    ["job", "number", (row) => row.job],
    ["family", "name", (row) => row.family],
    ["levels", "", (row) => `${row.input_level} → ${row.output_level}`],
    ["for", "name", (row) => row.why],
    ["read", "number", (row) => row.read],
    ["written", "number", (row) => row.written],
    ["took", "number", (row) => row.took],
    ["ended", "number", (row) => row.end],
  ], (row) => (row.end === "running" ? "running" : "")),
  stalls: new Grid("stalls", "", [
    ["for", "name", (row) => row.name],
    ["slowed", "number", (row) => row.values[0]],
    ["stopped", "number", (row) => row.values[1]],
    ["slowed since start", "number", (row) => row.values[2]],
    ["stopped since start", "number", (row) => row.values[3]],
  ]),
  locks: new Grid("locks", "nobody waits", [
    ["waits", "number", (row) => row.thread],
    ["for", "", (row) => row.blocker],
    ["held", "", (row) => row.mode],
    ["time", "number", (row) => duration(row.seconds)],
    ["index", "name", (row) => row.index],
    ["wants to", "text", (row) => row.wants],
    ["the other does", "text", (row) => row.other],
  ]),
  transactions: new Grid("transactions", "none", [
    ["thread", "number", (row) => row.thread || NONE],
    ["user", "name", (row) => row.user || NONE],
    ["state", "", (row) => (row.waiting_key ? "waits" : row.state.toLowerCase())],
    ["time", "number", (row) => duration(row.seconds)],
    ["writes", "number", (row) => count(row.writes)],
    ["locks", "number", (row) => count(row.locks)],
    ["does", "text", (row) => row.doing],
  ]),
  statements: new Grid("statements", "none", [
    ["thread", "number", (row) => row.thread],
    ["user", "name", (row) => row.user],
    ["database", "name", (row) => row.database || NONE],
    ["time", "number", (row) => duration(row.seconds)],
    ["rows", "number", (row) => count(row.rows_examined)],
    ["writes", "number", (row) => count(row.writes)],
    ["locks", "number", (row) => count(row.locks)],
    ["memory", "number", (row) => size(row.memory_bytes)],
    ["done", "number", (row) => (row.progress_percent ? percent(row.progress_percent / 100) : "")],
    ["state: statement", "text", (row) => (row.state ? `${row.state}: ${row.text}` : row.text)],
  ]),
  ended: new Grid("ended", "none", [
    ["database", "name", (row) => row.schema || NONE],
    ["times", "number", (row) => count(row.count)],
    ["in all", "number", (row) => duration(Math.round(10 * row.seconds) / 10)],
    ["mean", "number", (row) => milliseconds(row.count ? row.seconds / row.count : 0)],
    ["longest", "number", (row) => milliseconds(row.longest_seconds)],
    ["rows", "number", (row) => count(row.count ? row.rows_examined / row.count : 0)],
    ["sent", "number", (row) => count(row.count ? row.rows_sent / row.count : 0)],
    ["statement", "text", (row) => row.text],
  ]),
  tables: new Grid("tables", "none", [
    ["table", "name", (row) => `${row.schema}.${row.name}`],
    ["files", "number", (row) => row.files],
    ["rows", "number", (row) => count(row.rows)],
    ["data", "number", (row) => size(row.data_bytes)],
    ["on disk", "number", (row) => size(row.disk_bytes)],
    ["in memory", "number", (row) => size(row.memtable_bytes)],
    ["a compaction frees", "number", (row) => size(row.free_bytes)],
    ["", "number", (row) => percent(row.disk_bytes ? row.free_bytes / row.disk_bytes : null)],
    ["on disk, and what is freed", "share", (row) => row.shares],
  ]),
  deadlocks: new Grid("deadlocks", "none since the start", [
    ["number", "number", (row) => row.number],
    ["ago", "number", (row) => row.ago],
    ["transaction", "number", (row) => row.transaction],
    ["", "", (row) => (row.rolled_back ? "rolled back" : "")],
    ["wanted", "", (row) => row.mode.toLowerCase()],
    ["index", "name", (row) => (row.table ? `${row.table}.${row.index}` : NONE)],
    ["key", "text", (row) => row.key],
  ]),
};

function showHeader(state, seen) {
  const server = seen.server;
  say(find("#host"), server.host);
  const up = duration(seen.counters.uptime || 0);
  const versions = `MariaDB ${server.version}, Basalt ${server.plugin_version}`;
  say(find("#versions"), `${versions}, up ${up}, ${state.where}`);
  const cost = Object.values(seen.cost).reduce((sum, value) => sum + value, 0);
  say(find("#look"), `look ${state.look} took ${cost.toFixed(1)} ms`);
  const number = seen.attention.length ? `(${seen.attention.length}) ` : "";
  document.title = `${state.problem ? "gone: " : number}${server.host} - Basalt`;
}

function showSentences(state, seen) {
  let found = seen.attention.map((text) => ["bad", text]);
  if (!seen.server.sees_all) {
    const hidden = "Without the privilege PROCESS the server hides transactions, locks and sizes.";
    found.push(["warn", hidden]);
  }
  if (!found.length) found = [["good", "Nothing needs attention."]];
  if (state.problem) {
    const why = state.problem[0].toUpperCase() + state.problem.slice(1);
    found = [["bad", `${why}. What is shown is of before; the console tries again.`]];
  }
  sentences(found);
}

function sentences(found) {
  const list = find("#sentences");
  grow(list, found.length, () => element("li"));
  found.forEach(([kind, text], number) => {
    list.children[number].className = kind;
    say(list.children[number], text);
  });
}

function showRates(state) {
  const history = state.history;
  const oldest = history.length ? -history[0][0] : 0;
  const span = Math.min(state.history_seconds, Math.max(LEAST_SPAN, oldest));
  for (const chart of charts) {
    const columns = chart.lines.map((name) => 1 + state.lines.indexOf(name));
    const points = history.map((point) => [point[0], ...columns.map((column) => point[column])]);
    chart.show(points, span, GAP_LOOKS * Math.max(state.interval, 1));
  }
  note("rates", `the last ${duration(Math.round(span))}, a look every ${duration(state.interval)}`);
}

function showTree(seen) {
  const total = seen.levels.reduce((sum, level) => sum + level.bytes, 0);
  const files = seen.levels.reduce((sum, level) => sum + level.files, 0);
  const rows = seen.levels.map((level) => ({
    ...level,
    share: total ? level.bytes / total : 0,
    doing: seen.compactions.map((its) => doing(its, level)).filter(Boolean).join(", "),
  }));
  grids.tree.show(rows);
  note("tree", `${many(files, "file")}, ${size(total)}`);
}

// What a compaction does to a level.
function doing(compaction, level) {
  if (compaction.family !== level.family) return "";
  if (compaction.input_level === level.number) return `↓ to ${compaction.output_level}`;
  return compaction.output_level === level.number ? `← from ${compaction.input_level}` : "";
}

function showCompactions(seen) {
  const running = seen.compactions.map((its) => ({
    ...its,
    why: its.reason,
    read: many(its.files, "file"),
    written: "",
    took: duration(Math.max(0, seen.time - its.started)),
    end: "running",
  }));
  const ended = seen.ended.map((its) => ({
    ...its,
    why: its.status === "OK" ? its.reason : its.status,
    read: size(its.input_bytes),
    written: size(its.output_bytes),
    took: duration(Math.round(10 * its.seconds) / 10),
    end: ago(its.ended, seen.time),
  }));
  grids.compactions.show([...running, ...ended]);
  const limit = seen.background_write_limit;
  const byHand = seen.counters.rocksdb_manual_compactions_running || 0;
  const pace = limit ? `at most ${size(limit)} a second` : "no limit";
  note("compactions", `${running.length} running, ${byHand} asked for by hand; ${pace}`);
}

function showStalls(seen) {
  const {rates, counters} = seen;
  const rows = STALLS.map(([name, counter]) => {
    const names = ["slowdowns", "stops"].map((kind) => `rocksdb_stall_${counter}_${kind}`);
    const grown = (its) => Math.round((rates.a_second[its] || 0) * rates.seconds);
    const now = names.map((its) => (rates.since_start ? NONE : grown(its)));
    return {name, counter, values: [...now, ...names.map((its) => counters[its] || 0)]};
  });
  const met = (row) => row.counter === "total" || row.values[2] || row.values[3];
  grids.stalls.show(rows.filter(met));
  note("stalls", `writers wait ${percent(rates.stalled_threads)} of a thread's time`);
}

function showCache(seen) {
  const {rates, counters, server} = seen;
  const used = counters.rocksdb_block_cache_usage || 0;
  const again = rates.write_amplification;
  const facts = [
    ["cache", size(server.cache_bytes)],
    ["used", percent(server.cache_bytes ? used / server.cache_bytes : null)],
    ["hits", percent(rates.cache_hits)],
    ["misses a second", count(rates.a_second.rocksdb_block_cache_data_miss || 0)],
    ["files that filters spare", percent(rates.filter_use)],
    ["memtables", size(counters.rocksdb_memtable_total || 0)],
    ["not yet flushed", size(counters.rocksdb_memtable_unflushed || 0)],
    ["full memtables", String(seen.memtables.reduce((sum, its) => sum + its.full, 0))],
    ["write amplification", again === null ? NONE : again.toFixed(1)],
  ];
  const list = find("#cache dl");
  grow(list, facts.length, () => {
    const made = element("div");
    made.append(element("dt"), element("dd"));
    return made;
  });
  facts.forEach(([name, value], number) => {
    say(list.children[number].firstChild, name);
    say(list.children[number].lastChild, value);
  });
}

function blockerOf(wait) {
  if (wait.blocker === null) return "?";
  if (wait.blocker_thread === null) return `transaction ${wait.blocker}`;
  if (!wait.blocker_thread) return "prepared, no connection";
  return wait.sure ? String(wait.blocker_thread) : `perhaps ${wait.blocker_thread}`;
}

function showLocks(seen) {
  const {rates, counters} = seen;
  const does = new Map(seen.transactions.map((its) => [its.id, its.doing]));
  const rows = seen.waits.map((wait) => ({
    ...wait,
    blocker: blockerOf(wait),
    wants: does.get(wait.transaction) || NONE,
    other: does.get(wait.blocker) || NONE,
  }));
  grids.locks.show(rows);
  const hint = find("#locks .note");
  hint.hidden = !seen.waits_note;
  say(hint, seen.waits_note);
  const waits = count(rates.a_second.rocksdb_row_lock_waits || 0);
  const deadlocks = many(counters.rocksdb_row_lock_deadlocks || 0, "deadlock");
  const timeouts = many(counters.rocksdb_row_lock_wait_timeouts || 0, "timeout");
  const now = `${seen.numbers.waits} now, ${waits} begin a second`;
  note("locks", `${now}; since the start ${deadlocks}, ${timeouts}`);
}

function showTransactions(seen) {
  grids.transactions.show(seen.transactions);
  const oldest = seen.oldest_snapshot_seconds;
  const taken = oldest === null ? "" : `, the oldest taken ${duration(oldest)} ago`;
  const snapshots = many(seen.snapshots, "snapshot");
  note("transactions", `${seen.numbers.transactions} open, ${snapshots}${taken}`);
}

function showStatements(seen) {
  const {counters} = seen;
  grids.statements.show(seen.statements);
  const connections = many(counters.threads_connected || 0, "connection");
  const slow = `${counters.slow_queries || 0} slow ones since the start`;
  note("statements", `${seen.numbers.statements} now, ${connections}; ${slow}`);
  const hidden = seen.server.keeps_statements ? "none" : "performance_schema is off or hidden";
  grids.ended.show(seen.digests, hidden);
  note("ended", `most time first; looked at ${ago(seen.tables_time, seen.time)}`);
}

function showTables(seen) {
  const largest = Math.max(1, ...seen.tables.map((table) => table.disk_bytes));
  const rows = seen.tables.map((table) => {
    const freed = Math.min(table.free_bytes, table.disk_bytes);
    return {...table, shares: [(table.disk_bytes - freed) / largest, freed / largest]};
  });
  grids.tables.show(rows);
  note("tables", `looked at ${ago(seen.tables_time, seen.time)}`);
  grids.deadlocks.show(seen.deadlocks.map((its) => ({...its, ago: ago(its.time, seen.time)})));
}

function show(state) {
  const {seen} = state;
  document.body.classList.toggle("gone", Boolean(state.problem));
  const live = state.problem ? `gone for ${duration(Math.round(state.age))}` : "live";
  say(find("#live"), paused ? "paused" : live);
  showHeader(state, seen);
  showSentences(state, seen);
  showRates(state);
  showTree(seen);
  showCompactions(seen);
  showStalls(seen);
  showCache(seen);
  showLocks(seen);
  showTransactions(seen);
  showStatements(seen);
  showTables(seen);
}

// Asking.

let key = "";
let paused = false;
let timer = 0;
// the last document
let last = null;

// The key comes with the address that basalt-console prints, and does not stay in it.
function takeKey() {
  if (location.hash.startsWith(KEY_PREFIX)) {
    sessionStorage.setItem("key", location.hash.slice(KEY_PREFIX.length));
    history.replaceState(null, "", location.pathname);
  }
  key = sessionStorage.getItem("key") || "";
}

async function look() {
  clearTimeout(timer);
  let seconds = RETRY_SECONDS;
  try {
    const answer = await fetch("state.json", {headers: {"X-Basalt-Key": key}, cache: "no-store"});
    if (answer.status === 403) {
      seconds = 0;
      lost("This page needs the whole address that basalt-console has printed, with the key.");
      return;
    }
    last = await answer.json();
    silence(last, Number(answer.headers.get("Age")));
    seconds = last.interval;
    if (!paused) show(last);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    lost("The program basalt-console does not answer; the page tries again.");
  } finally {
    clearTimeout(timer);
    if (!paused && !document.hidden && seconds) timer = setTimeout(look, 1000 * seconds);
  }
}

// A look that does not end, because the server hangs.
function silence(state, seconds) {
  if (state.problem || seconds < Math.max(LONG_SECONDS, 3 * state.interval)) return;
  state.problem = `the server has not answered for ${duration(seconds)}`;
  state.age += seconds;
}

function lost(text) {
  document.body.classList.add("gone");
  say(find("#live"), "no answer");
  sentences([["bad", text]]);
}

function pause() {
  paused = !paused;
  find("#pause").setAttribute("aria-pressed", String(paused));
  document.body.classList.toggle("paused", paused);
  if (paused) {
    clearTimeout(timer);
    say(find("#live"), "paused");
  } else {
    look();
  }
}

// Whole statements, and rows beyond the first of each table.
function all() {
  const on = document.body.classList.toggle("all");
  find("#all").setAttribute("aria-pressed", String(on));
  if (last) show(last);
}

function goTo(number) {
  const link = find(`#parts li:nth-child(${number}) a`);
  if (link) link.click();
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "p") pause();
  else if (event.key === "a") all();
  else if (event.key >= "1" && event.key <= "9") goTo(Number(event.key));
}

function begin() {
  takeKey();
  find("#charts").append(...charts.map((chart) => chart.box));
  for (const section of document.querySelectorAll("main section")) {
    const link = element("a", "", section.dataset.part);
    link.href = `#${section.id}`;
    const item = element("li");
    item.append(link);
    find("#parts").append(item);
  }
  find("#pause").addEventListener("click", pause);
  find("#all").addEventListener("click", all);
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", () => {
    if (location.hash.startsWith(KEY_PREFIX)) {
      takeKey();
      look();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !paused) look();
  });
  look();
}

begin();
