"use strict";
(function () {
  const charts = JSON.parse(document.getElementById("data").textContent);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plots = [];
  let zooming = false;

  // Zooming one chart zooms all of them.
  function zoomAll(from) {
    if (zooming) return;
    zooming = true;
    const { min, max } = from.scales.x;
    for (const p of plots) if (p !== from) p.setScale("x", { min, max });
    zooming = false;
  }

  // The warm-up lies under a shade.
  function shadeWarmUp(u, until) {
    if (!(until > 0)) return;
    const left = Math.max(u.valToPos(0, "x", true), u.bbox.left);
    const right = Math.min(u.valToPos(until, "x", true), u.bbox.left + u.bbox.width);
    if (right <= left) return;
    u.ctx.fillStyle = style("--warm");
    u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
  }

  function draw(c) {
    const place = document.getElementById("chart-" + c.id);
    const axis = { stroke: () => style("--text"), grid: { stroke: () => style("--line"), width: 1 }, ticks: { stroke: () => style("--line"), width: 1 } };
    const series = [{ label: "second" }].concat(c.lines.map((l) => ({
      label: l.label, stroke: l.colour, width: 1.5, dash: l.dashed ? [6, 4] : undefined, points: { show: false },
      value: (u, v) => (v == null ? "-" : v.toLocaleString("en", { maximumFractionDigits: 2 })),
    })));
    const u = new uPlot({
      width: place.clientWidth, height: 260, series,
      scales: { x: { time: false }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.08 : 1] } },
      axes: [axis, Object.assign({ size: 70 }, axis)],
      cursor: { sync: { key: "weir" }, drag: { x: true, y: false } },
      hooks: { drawClear: [(u) => shadeWarmUp(u, c.from)], setScale: [(u, key) => key === "x" && zoomAll(u)] },
    }, uPlot.join(c.lines.map((l) => [l.x, l.y])), place);
    plots.push(u);
    for (const [kind, make] of [["png", png], ["svg", svg]]) {
      const b = document.createElement("button");
      b.type = "button";
      b.className = "save";
      b.textContent = "save as " + kind.toUpperCase();
      b.dataset.save = kind;
      b.addEventListener("click", () => save(c.id + "." + kind, make(u, c)));
      document.getElementById("save-" + c.id).append(b);
    }
  }

  // A picture as a data URL: nothing leaves the page.
  function save(name, url) {
    const a = document.createElement("a");
    a.download = name;
    a.href = url;
    a.click();
  }

  const shown = (u, c) => c.lines.filter((l, i) => u.series[i + 1].show);

  // The chart as it is seen, zoomed and without hidden lines, with its title and the names of its lines.
  function png(u, c) {
    const from = u.ctx.canvas, scale = devicePixelRatio || 1, head = 30 * scale, foot = 26 * scale;
    const out = document.createElement("canvas");
    out.width = from.width;
    out.height = from.height + head + foot;
    const g = out.getContext("2d");
    g.fillStyle = style("--back");
    g.fillRect(0, 0, out.width, out.height);
    g.drawImage(from, 0, head);
    g.font = "bold " + 14 * scale + "px sans-serif";
    g.fillStyle = style("--text");
    g.fillText(c.title + " (" + c.unit + ")", 10 * scale, 20 * scale);
    g.font = 12 * scale + "px sans-serif";
    let x = 10 * scale;
    const y = head + from.height + 14 * scale;
    for (const l of shown(u, c)) {
      g.fillStyle = l.colour;
      g.fillRect(x, y - 5 * scale, 12 * scale, 3 * scale);
      g.fillStyle = style("--text");
      g.fillText(l.label, x + 16 * scale, y);
      x += 34 * scale + g.measureText(l.label).width;
    }
    return out.toDataURL("image/png");
  }

  function svg(u, c) {
    const width = u.width, height = u.height, scale = devicePixelRatio || 1, head = 30;
    const box = { left: u.bbox.left / scale, top: u.bbox.top / scale, width: u.bbox.width / scale, height: u.bbox.height / scale };
    const safe = (t) => t.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
    const text = (x, y, t, more) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${style("--text")}" ${more || ""}>${safe(String(t))}</text>`;
    const px = (v) => u.valToPos(v, "x") + box.left, py = (v) => u.valToPos(v, "y") + box.top + head;
    const part = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + head + 26}" font-family="sans-serif" font-size="12">`,
      `<rect width="100%" height="100%" fill="${style("--back")}"/>`, text(10, 20, `${c.title} (${c.unit})`, 'font-size="14" font-weight="bold"'),
      `<clipPath id="in"><rect x="${box.left}" y="${box.top + head}" width="${box.width}" height="${box.height}"/></clipPath>`];
    const splits = (n) => (u.axes[n]._splits || []).filter((v) => v != null);
    for (const v of splits(1)) {
      part.push(`<path d="M${box.left} ${py(v).toFixed(1)}h${box.width}" stroke="${style("--line")}"/>`, text(box.left - 6, py(v) + 4, v.toLocaleString("en"), 'text-anchor="end"'));
    }
    for (const v of splits(0)) part.push(text(px(v), box.top + head + box.height + 18, v.toLocaleString("en"), 'text-anchor="middle"'));
    let x = 10;
    for (const l of shown(u, c)) {
      let d = "", down = false;
      l.x.forEach((v, i) => {
        if (l.y[i] == null) { down = false; return; }
        d += `${down ? "L" : "M"}${px(v).toFixed(1)} ${py(l.y[i]).toFixed(1)}`;
        down = true;
      });
      part.push(`<path d="${d}" clip-path="url(#in)" fill="none" stroke="${l.colour}" stroke-width="1.5"${l.dashed ? ' stroke-dasharray="6 4"' : ""}/>`);
      part.push(`<rect x="${x}" y="${height + head + 5}" width="12" height="3" fill="${l.colour}"/>`, text(x + 16, height + head + 10, l.label));
      x += 34 + 7 * l.label.length;
    }
    part.push("</svg>");
    return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(part.join("\n"));
  }

  charts.forEach(draw);
  const redraw = () => plots.forEach((p) => p.redraw(false, true));
  document.getElementById("theme").addEventListener("click", () => {
    const dark = style("color-scheme") === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", () => plots.forEach((p) => p.setSize({ width: p.root.parentNode.clientWidth, height: 260 })));
  document.documentElement.dataset.charts = plots.length;
})();
