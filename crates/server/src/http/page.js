
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
    e.append(...children);
    return e;
  };
  const plain = (n) => n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M" : n >= 1e4 ? (n / 1e3).toFixed(1) + " k"
    : n >= 100 || Number.isInteger(n) ? Math.round(n).toString() : n.toFixed(1);
  const bytes = (n) => n >= 2 ** 30 ? (n / 2 ** 30).toFixed(2) + " GiB" : n >= 2 ** 20 ? (n / 2 ** 20).toFixed(1) + " MiB" : Math.round(n / 1024) + " KiB";
  const millis = (n) => n >= 1000 ? (n / 1000).toFixed(2) + " s" : n >= 10 ? n.toFixed(0) + " ms" : n.toFixed(2) + " ms";
  const percent = (n) => n.toFixed(1) + " %";

  // Title, lines as [field, label], how a value is written; stacked: the lines are added up.
  const CHARTS = [
    { title: "Throughput per second", lines: [["commits", "commits"], ["statements", "statements"]], shown: plain },
    { title: "Latency of statements", lines: [["p99", "99 %"], ["p95", "95 %"], ["p50", "half"]], shown: millis },
    { title: "Dirty pages", lines: [["dirty_share", "share"], ["dirty_limit", "limit"]], shown: percent },
    { title: "Checkpoint age", lines: [["checkpoint_age", "age"], ["log_capacity", "log capacity"]], shown: bytes },
    { title: "Pages written per second, by cause", stacked: true, shown: plain,
      lines: [["written_age", "age"], ["written_dirty", "dirty"], ["written_free", "free frames"], ["written_extra", "idle"], ["written_users", "sessions"], ["written_rescue", "rescue"]] },
    { title: "Pressure (0 to 1000)", lines: [["pressure", "pressure"]], shown: plain, least: 100 },
    { title: "Sessions", lines: [["connected", "connected"], ["running", "running"], ["lock_waits", "wait for rows"]], shown: plain },
    { title: "Rows and pages per second", lines: [["rows_read", "rows read"], ["rows_changed", "rows changed"], ["pages_read", "pages read"]], shown: plain },
    { title: "History to purge", lines: [["history", "transactions"]], shown: plain },
    { title: "Memory", lines: [["resident", "process"], ["connection_memory", "sessions"]], shown: bytes },
  ];
  let fields = [], samples = [], last = 0, paused = false, lists = {};
  const column = (name) => fields.indexOf(name);
  const colour = (n) => getComputedStyle(document.documentElement).getPropertyValue("--c" + n).trim();

  for (const chart of CHARTS) {
    chart.canvas = make("canvas", { tabindex: "0", role: "img" });
    chart.when = make("span", { class: "none" });
    chart.values = chart.lines.map(() => make("span"));
    chart.swatches = chart.lines.map(() => make("i"));
    const legend = make("ul", { class: "legend" }, ...chart.lines.map((line, n) => make("li", {}, chart.swatches[n], line[1] + " ", chart.values[n])));
    byId("charts").append(make("figure", {}, make("figcaption", {}, make("b", {}, chart.title), chart.when), legend, chart.canvas));
    chart.canvas.addEventListener("keydown", (e) => {
      const shown = visible().length;
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -shown, End: shown }[e.key];
      if (e.key === "Escape") chart.cursor = undefined;
      else if (move !== undefined) chart.cursor = Math.max(0, Math.min(shown - 1, (chart.cursor ?? shown - 1) + move));
      else return;
      e.preventDefault();
      draw(chart);
    });
    chart.canvas.addEventListener("pointermove", (e) => {
      const shown = visible().length;
      chart.cursor = Math.max(0, Math.min(shown - 1, Math.round(e.offsetX / chart.canvas.clientWidth * (shown - 1))));
      draw(chart);
    });
    chart.canvas.addEventListener("pointerleave", () => { chart.cursor = undefined; draw(chart); });
  }

  function visible() {
    return samples.slice(-Number(byId("span").value));
  }

  function draw(chart) {
    const rows = visible();
    const canvas = chart.canvas, scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * scale)) { canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale); }
    const g = canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    if (!rows.length) return;
    const columns = chart.lines.map((line) => column(line[0]));
    const value = (row, n) => row[2][columns[n]] || 0;
    let most = chart.least || 1e-9;
    for (const row of rows) {
      const all = columns.map((_, n) => value(row, n));
      most = Math.max(most, chart.stacked ? all.reduce((a, b) => a + b, 0) : Math.max(...all));
    }
    const x = (i) => rows.length > 1 ? i / (rows.length - 1) * (width - 2) + 1 : width / 2;
    // Above the highest value is room for the scale.
    const y = (v) => height - 3 - v / most * (height - 20);
    const below = rows.map(() => 0);
    chart.lines.forEach((line, n) => {
      g.strokeStyle = g.fillStyle = chart.swatches[n].style.background = colour(n);
      g.lineWidth = 1.6;
      g.beginPath();
      const top = rows.map((row, i) => chart.stacked ? below[i] + value(row, n) : value(row, n));
      rows.forEach((_, i) => i ? g.lineTo(x(i), y(top[i])) : g.moveTo(x(i), y(top[i])));
      if (chart.stacked) {
        for (let i = rows.length - 1; i >= 0; i--) g.lineTo(x(i), y(below[i]));
        g.closePath();
        g.globalAlpha = .75;
        g.fill();
        g.globalAlpha = 1;
        top.forEach((v, i) => { below[i] = v; });
      } else g.stroke();
    });
    const at = Math.min(chart.cursor ?? rows.length - 1, rows.length - 1);
    if (chart.cursor !== undefined) {
      g.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x(at), 0);
      g.lineTo(x(at), height);
      g.stroke();
    }
    // The top of the scale.
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();
    g.fillText(chart.shown(most < 1e-6 ? 0 : most), 2, 11);
    const told = chart.lines.map((line, n) => {
      const text = chart.shown(value(rows[at], n));
      chart.values[n].textContent = text;
      return line[1] + " " + text;
    });
    chart.when.textContent = chart.cursor === undefined ? "" : new Date(rows[at][1]).toLocaleTimeString();
    canvas.setAttribute("aria-label", chart.title + ": " + told.join(", ") + (chart.cursor === undefined ? "" : " at " + chart.when.textContent));
  }

  function table(columns, rows) {
    const head = make("tr", {}, ...columns.map((c) => make("th", { scope: "col", class: c.kind || "" }, c.name)));
    const body = rows.map((row) => make("tr", {}, ...columns.map((c) => make("td", { class: c.kind || "" }, c.of(row)))));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  }

  const nothing = (text) => make("p", { class: "none" }, text);

  // What changes something is a POST with a JSON body; the browser sends the cookie and the origin.
  async function post(path, body) {
    const answer = await fetch(path, { method: "POST", cache: "no-store", credentials: "same-origin", headers: { Accept: "application/json", "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    return answer.json();
  }

  let user = null, wanted = null;

  function showAccount() {
    byId("account").textContent = user ? "Log out " + user : "Log in";
  }

  function askLogin(why) {
    byId("login-error").textContent = why || "";
    if (!byId("login").open) byId("login").showModal();
  }

  async function logIn(e) {
    e.preventDefault();
    try {
      user = (await post("/api/login", { user: byId("user").value, password: byId("password").value })).user;
      byId("login").close();
      byId("password").value = "";
    } catch (e) {
      askLogin(e.message);
    }
    showAccount();
  }

  async function logInOrOut() {
    if (!user) return askLogin();
    user = null;
    showAccount();
    await post("/api/logout", {}).catch(() => {});
  }

  function askKill(id, told) {
    wanted = id;
    byId("kill-what").textContent = told;
    byId("kill-error").textContent = "";
    byId("kill").showModal();
  }

  async function kill(e) {
    e.preventDefault();
    try {
      await post("/api/kill", { id: wanted, query: e.submitter && e.submitter.value === "query" });
      byId("kill").close();
    } catch (e) {
      if (e.status === 401) {
        user = null;
        showAccount();
        byId("kill").close();
        askLogin("To end a connection log in with an account that may do it.");
      } else byId("kill-error").textContent = e.message;
    }
  }

  function showWaits(waits) {
    // Shorter ones are gone before they are read.
    const open = waits ? waits.open.filter((w) => w.seconds >= .05) : [];
    if (!open.length) return byId("waits").replaceChildren(nothing("Nobody waits."));
    const who = (id) => {
      const s = waits.sessions[id];
      return (id ? "connection " + id : "the server") + (s ? " (" + s.user + "@" + s.host + ", " + s.command + " for " + s.seconds + " s)" : "");
    };
    // Roots are those that others wait for and that wait for nobody; a circle begins anywhere.
    const of = new Map();
    for (const w of open) of.set(w.blocker, [...(of.get(w.blocker) || []), w]);
    const waiting = new Set(open.map((w) => w.session));
    const seen = new Set();
    const below = (id) => {
      if (seen.has(id) || !of.has(id)) return "";
      seen.add(id);
      return make("ul", {}, ...of.get(id).map((w) => make("li", {},
        who(w.session) + " waits " + w.seconds.toFixed(1) + " s: " + w.cause + (w.object ? " on " + w.object : ""), w.session ? below(w.session) : "")));
    };
    const roots = [...of.keys()].filter((id) => !waiting.has(id) || !id);
    const tree = make("ul", { class: "tree" });
    for (const id of [...roots, ...of.keys()]) {
      if (seen.has(id)) continue;
      const head = make("b", {}, id ? who(id) + " has what these wait for" : "No session stands in the way");
      const item = make("li", {}, head);
      if (id) {
        const end = make("button", { type: "button", "data-kill": id, "aria-label": "End connection " + id }, "End");
        end.addEventListener("click", () => askKill(id, who(id)));
        item.append(end);
      }
      item.append(below(id));
      tree.append(item);
    }
    // A button that has the focus keeps it over the second.
    const focused = document.activeElement && document.activeElement.dataset.kill;
    byId("waits").replaceChildren(tree);
    if (focused) tree.querySelector('[data-kill="' + focused + '"]')?.focus();
  }

  function showLists() {
    const s = lists.server;
    if (s) {
      const up = s.uptime;
      byId("about").textContent = "version " + s.version + " on " + (s.host || "this machine") + ":" + s.port + ", up " + (up >= 86400 ? Math.floor(up / 86400) + " d " : "")
        + Math.floor(up % 86400 / 3600) + " h " + Math.floor(up % 3600 / 60) + " min, flush policy " + s.policy + ", pressed by: " + s.pressure_cause
        + ", last backup: " + (s.last_backup ? new Date(s.last_backup * 1000).toLocaleString() : "none since the start");
    }
    const of = (name) => (row) => row[name];
    byId("statements").replaceChildren(!lists.statements ? nothing("Statements are not summarised (performance_schema=OFF).")
      : !lists.statements.length ? nothing("No statement has ended yet.") : table([
        { name: "Statement", kind: "text statement", of: (r) => (r.schema ? r.schema + ": " : "") + r.text },
        { name: "Time", of: (r) => r.seconds.toFixed(1) + " s" }, { name: "Count", of: (r) => plain(r.count) },
        { name: "Mean", of: (r) => millis(r.mean_ms) }, { name: "95 %", of: (r) => millis(r.p95_ms) }, { name: "Longest", of: (r) => millis(r.max_ms) },
        { name: "Locked", of: (r) => r.lock_seconds.toFixed(1) + " s" },
        { name: "Rows read", of: (r) => plain(r.examined) }, { name: "Sent", of: (r) => plain(r.sent) },
        { name: "Pages read", of: (r) => plain(r.pages_read) }, { name: "Dirtied", of: (r) => plain(r.pages_dirtied) }, { name: "Redo", of: (r) => bytes(r.redo) }, { name: "Errors", of: (r) => plain(r.errors) },
      ], lists.statements));
    showWaits(lists.waits);
    const stalls = lists.stalls || [];
    byId("stalls").replaceChildren(!stalls.length ? nothing("None since the start.") : table([
      { name: "Began", kind: "text", of: (r) => new Date(r.began_ms).toLocaleTimeString() },
      { name: "Lasted", of: (r) => r.ended_ms ? ((r.ended_ms - r.began_ms) / 1000).toFixed(1) + " s" : "still" },
      { name: "Sessions", of: (r) => plain(r.sessions) },
      { name: "Cause", kind: "text", of: (r) => (r.cause || "unknown") + (r.object ? " on " + r.object : "") + (r.blocker ? ", connection " + r.blocker : "") },
    ], stalls));
    const memory = Object.entries(lists.memory || {});
    const most = Math.max(1, ...memory.map((m) => m[1]));
    byId("memory").replaceChildren(table([
      { name: "Owner", kind: "text", of: (m) => m[0] === "resident" ? "whole process" : m[0] }, { name: "Bytes", of: (m) => bytes(m[1]) },
      { name: "Share", kind: "text", of: (m) => { const bar = make("div", { class: "bar" }); bar.style.width = (m[1] / most * 100).toFixed(1) + "%"; return bar; } },
    ], memory));
  }

  function state(text, bad) {
    const e = byId("state");
    // Told to screen readers when it changes, not each second.
    if (e.textContent !== text) e.textContent = text;
    e.classList.toggle("bad", bad);
  }

  async function poll() {
    if (!paused && !document.hidden) {
      try {
        const answer = await fetch("/api/now?after=" + last, { cache: "no-store", credentials: "same-origin", headers: { Accept: "application/json" } });
        if (answer.status === 401 && !byId("login").open) askLogin();
        if (!answer.ok) throw new Error((await answer.text()).trim());
        const now = await answer.json();
        const rows = now.samples;
        if (rows.length && rows[0][0] <= last) samples = [];
        fields = now.fields;
        samples = samples.concat(rows).slice(-600);
        if (rows.length) last = rows[rows.length - 1][0];
        lists = now;
        state(now.not_ready ? "not ready: " + now.not_ready : "ready", Boolean(now.not_ready));
        CHARTS.forEach(draw);
        showLists();
        document.documentElement.dataset.samples = samples.length;
      } catch (e) {
        state("no answer: " + e.message, true);
      }
    }
    setTimeout(poll, 1000);
  }

  function pause() {
    paused = !paused;
    byId("pause").setAttribute("aria-pressed", paused);
    byId("pause").textContent = paused ? "Go on" : "Pause";
  }

  function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    CHARTS.forEach(draw);
  }

  byId("account").addEventListener("click", logInOrOut);
  byId("login-form").addEventListener("submit", logIn);
  byId("login-cancel").addEventListener("click", () => byId("login").close());
  byId("kill-form").addEventListener("submit", kill);
  byId("kill-cancel").addEventListener("click", () => byId("kill").close());
  byId("pause").addEventListener("click", pause);
  byId("theme").addEventListener("click", theme);
  byId("controls").addEventListener("submit", (e) => e.preventDefault());
  byId("span").addEventListener("change", () => CHARTS.forEach(draw));
  addEventListener("resize", () => CHARTS.forEach(draw));
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || ["SELECT", "INPUT"].includes(e.target.tagName)) return;
    if (e.key === "p") pause();
    else if (e.key === "d") theme();
    else if ("123".includes(e.key)) { byId("span").selectedIndex = Number(e.key) - 1; CHARTS.forEach(draw); }
  });
  poll();
})();
