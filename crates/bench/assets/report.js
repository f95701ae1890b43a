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
