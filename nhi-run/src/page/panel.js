"use strict";

// What is shown, as `Panels` in panels/mod.rs has it.
const recording = JSON.parse(document.getElementById("recording").textContent);
for (const column of recording.columns) {
  column.values = new Float64Array(Uint8Array.from(atob(column.values), (c) => c.charCodeAt(0)).buffer);
}

// The place between two samples that is shown: `fraction` of the way from the sample `index` to the next.
const moment = { index: 0, fraction: 0 };

// Colours of the style sheet.
const theme = { curves: [] };
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  for (const name of ["panel", "ink", "quiet", "grid", "faint", "forbidden"]) theme[name] = colour(name);
  theme.curves = [0, 1, 2, 3, 4, 5, 6].map((i) => colour(`curve-${i}`));
  theme.font = `12px ${getComputedStyle(document.body).fontFamily}`;
}
readTheme();

// A new element with attributes and children.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Five significant digits.
function numberText(x) {
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e5) return x.toPrecision(5).replace("-", "−");
  const [mantissa, exponent] = x.toExponential(3).split("e");
  const raised = [...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
  return `${mantissa}·10${raised}`.replace("-", "−");
}

// The value of a column at the moment.
function valueNow(column) {
  const values = recording.columns[column].values;
  const here = values[moment.index];
  return moment.fraction > 0 ? here + moment.fraction * (values[moment.index + 1] - here) : here;
}

// The same of a column whose value is held since the sample before.
function heldNow(column) {
  return recording.columns[column].values[moment.index + (moment.fraction > 0 ? 1 : 0)];
}

// The value of an angle, which may jump by full turns from one sample to the next.
function angleNow(column) {
  const values = recording.columns[column].values;
  const here = values[moment.index];
  if (moment.fraction === 0) return here;
  const turn = values[moment.index + 1] - here;
  return here + moment.fraction * (turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
}

// A canvas with a caption. What moves is drawn over a picture of what does not.
class Panel {
  constructor(title, kind) {
    [this.width, this.height] = [0, 0];
    this.legend = [];
    this.caption = element("figcaption", {}, element("h2", {}, title));
    this.canvas = element("canvas", { role: "img", "aria-label": title });
    this.area = element("div", { class: "area" }, this.canvas);
    this.figure = element("figure", { class: kind }, this.caption, this.area);
    this.still = document.createElement("canvas");
    new ResizeObserver(() => this.redraw()).observe(this.area);
  }

  // Names columns, or what they place, with the colours of their curves, and shows their values.
  addLegend(entries) {
    const list = element("ul", { class: "legend" });
    const names = entries.map(({ name, columns }) => name ?? recording.columns[columns[0]].name);
    entries.forEach(({ columns, colour }, i) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = `var(--curve-${colour})`;
      const value = element("span", { class: "value" });
      list.append(element("li", {}, swatch, names[i], value));
      this.legend.push({ columns, value });
    });
    this.caption.append(list);
    this.canvas.setAttribute("aria-label", `${this.canvas.getAttribute("aria-label")}: ${names.join(", ")}`);
  }

  // Draws all, in the present size.
  redraw() {
    this.width = this.area.clientWidth;
    this.height = this.area.clientHeight;
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.max(1, Math.round(this.width * this.ratio));
      canvas.height = Math.max(1, Math.round(this.height * this.ratio));
    }
    if (this.width < 60 || this.height < 60) return;
    this.drawOn(this.still, (pen) => this.drawStill(pen));
    this.show();
  }

  // Draws what moves, at the moment.
  show() {
    for (const { columns, value } of this.legend) {
      value.textContent = columns.map((column) => numberText(recording.columns[column].values[moment.index])).join(", ");
    }
    if (this.width < 60 || this.height < 60) return;
    this.drawOn(this.canvas, (pen) => {
      pen.drawImage(this.still, 0, 0, this.width, this.height);
      this.drawMoving(pen);
    });
  }

  drawOn(canvas, draw) {
    const pen = canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = theme.font;
    pen.lineJoin = pen.lineCap = "round";
    draw(pen);
  }
}

// A panel with two axes.
class Chart extends Panel {
  // Chooses where the axes are: `x` and `y` are axes with ticks, `names` what is written at them.
  layOut(pen, x, y, names) {
    const labels = y.ticks.map(({ label }) => pen.measureText(label).width);
    this.box = {
      left: Math.ceil(Math.max(20, ...labels)) + 10 + (names.y ? 16 : 0),
      right: this.width - 14,
      top: y.unit ? 20 : 8,
      bottom: this.height - 20 - (names.x ? 15 : 0),
    };
    this.setRanges(x, y);
  }

  setRanges(x, y) {
    const { left, right, top, bottom } = this.box;
    this.x = (value) => left + ((value - x.low) / (x.high - x.low)) * (right - left);
    this.y = (value) => bottom - ((value - y.low) / (y.high - y.low)) * (bottom - top);
  }

  drawAxes(pen, x, y, names) {
    const { left, right, top, bottom } = this.box;
    const columns = x.ticks.filter(({ at }) => this.x(at) >= left - 0.5 && this.x(at) <= right + 0.5);
    const rows = y.ticks.filter(({ at }) => this.y(at) <= bottom + 0.5 && this.y(at) >= top - 0.5);
    pen.strokeStyle = theme.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const { at } of columns) line(pen, this.x(at), top, this.x(at), bottom);
    for (const { at } of rows) line(pen, left, this.y(at), right, this.y(at));
    pen.stroke();
    pen.strokeStyle = theme.faint;
    pen.beginPath();
    line(pen, left, top, left, bottom);
    line(pen, left, bottom, right, bottom);
    pen.stroke();

    pen.fillStyle = theme.quiet;
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const widest = Math.max(0, ...columns.map(({ label }) => pen.measureText(label).width)) + 10;
    const distance = columns.length > 1 ? this.x(columns[1].at) - this.x(columns[0].at) : widest;
    const every = Math.ceil(widest / distance);
    // Of labels that would touch, every second or third, that of zero among them.
    const step = columns.length > 1 ? columns[1].at - columns[0].at : 1;
    for (const { at, label } of columns) {
      if (Math.round(at / step) % every === 0) pen.fillText(label, this.x(at), bottom + 6);
    }
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const { at, label } of rows) pen.fillText(label, left - 6, this.y(at));
    if (y.unit) {
      pen.textAlign = "left";
      pen.fillText(y.unit, left - 6, 8);
    }
    pen.textBaseline = "bottom";
    pen.textAlign = "center";
    const below = [names.x, x.unit].filter(Boolean).join(" ");
    if (below) pen.fillText(below, (left + right) / 2, this.height - 1);
    if (names.y) {
      pen.save();
      pen.translate(2, (top + bottom) / 2);
      pen.rotate(-Math.PI / 2);
      pen.textBaseline = "top";
      pen.fillText(names.y, 0, 0);
      pen.restore();
    }
  }

  // Draws within the axes.
  inBox(pen, draw) {
    const { left, right, top, bottom } = this.box;
    pen.save();
    pen.beginPath();
    pen.rect(left - 1, top - 1, right - left + 2, bottom - top + 2);
    pen.clip();
    draw();
    pen.restore();
  }

  // The curve of two columns, up to the moment if `passed`.
  curve(pen, x, y, passed) {
    const [xs, ys] = [recording.columns[x].values, recording.columns[y].values];
    polyline(pen, passed ? moment.index + 1 : recording.samples, (k) => [this.x(xs[k]), this.y(ys[k])]);
    if (passed) lineOn(pen, this.x(valueNow(x)), this.y(valueNow(y)));
  }

  // The same of a column whose value is held since the sample before.
  steps(pen, x, y) {
    const [xs, ys] = [recording.columns[x].values, recording.columns[y].values];
    polyline(pen, 2 * recording.samples, (i) => {
      const k = Math.floor(i / 2);
      return [this.x(xs[i % 2 === 0 ? Math.max(0, k - 1) : k]), this.y(ys[k])];
    });
  }
}

function line(pen, x0, y0, x1, y1) {
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
}

// Goes on to a point, if it is one.
function lineOn(pen, x, y) {
  if (Number.isFinite(x) && Number.isFinite(y)) pen.lineTo(x, y);
}

// A path through `count` points, with gaps where they are not finite or far outside of any picture.
function polyline(pen, count, point) {
  pen.beginPath();
  let drawing = false;
  for (let k = 0; k < count; k++) {
    const [x, y] = point(k);
    const shown = Math.abs(x) < 1e6 && Math.abs(y) < 1e6;
    if (shown && drawing) pen.lineTo(x, y);
    // A line to the same place would not be drawn, and a point between two gaps is to be seen.
    else if (shown) line(pen, x, y, x + 0.01, y);
    drawing = shown;
  }
}

function dot(pen, x, y, colour) {
  pen.beginPath();
  pen.arc(x, y, 4.5, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
  pen.strokeStyle = theme.panel;
  pen.lineWidth = 1.5;
  pen.stroke();
}

function arrow(pen, x0, y0, x1, y1, colour) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const head = Math.min(9, length);
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 2.5;
  pen.beginPath();
  line(pen, x0, y0, x1 - 0.7 * head * Math.cos(angle), y1 - 0.7 * head * Math.sin(angle));
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x1, y1);
  for (const side of [-0.4, 0.4]) pen.lineTo(x1 - head * Math.cos(angle + side), y1 - head * Math.sin(angle + side));
  pen.closePath();
  pen.fill();
}
