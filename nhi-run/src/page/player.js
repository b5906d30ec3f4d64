// Curves over time. A click sets the time.
class SeriesPanel extends Chart {
  constructor({ title, columns, axis, held, limits }) {
    super(title, "over-time");
    this.held = held;
    this.limits = limits;
    this.columns = columns;
    this.axis = axis;
    this.addLegend(columns.map((column, colour) => ({ columns: [column], colour })));
    const seek = (event) => {
      const share = (event.offsetX - this.box.left) / (this.box.right - this.box.left);
      const { low, high } = recording.timeAxis;
      player.seek(Math.abs(low + share * (high - low) - player.times[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons === 1 && seek(event));
  }

  drawStill(pen) {
    const names = { x: "t" };
    this.layOut(pen, recording.timeAxis, this.axis, names);
    this.drawAxes(pen, recording.timeAxis, this.axis, names);
    this.inBox(pen, () => {
      pen.lineWidth = 1.75;
      // The first curve is on top.
      for (let i = this.columns.length - 1; i >= 0; i--) {
        pen.strokeStyle = theme.curves[i];
        if (this.held) this.steps(pen, recording.time, this.columns[i]);
        else this.curve(pen, recording.time, this.columns[i], false);
        pen.stroke();
      }
      pen.lineWidth = 1.25;
      pen.setLineDash([6, 5]);
      for (const [i, bound] of this.limits) {
        pen.strokeStyle = theme.curves[i];
        pen.beginPath();
        line(pen, this.box.left, this.y(bound), this.box.right, this.y(bound));
        pen.stroke();
      }
      pen.setLineDash([]);
    });
  }

  drawMoving(pen) {
    const x = this.x(valueNow(recording.time));
    pen.strokeStyle = theme.quiet;
    pen.lineWidth = 1;
    pen.beginPath();
    line(pen, x, this.box.top, x, this.box.bottom);
    pen.stroke();
    this.columns.forEach((column, i) => {
      const y = this.y(this.held ? heldNow(column) : valueNow(column));
      if (Number.isFinite(y)) dot(pen, x, y, theme.curves[i]);
    });
  }
}

// A column over another, which the reader chooses.
class PhasePanel extends Chart {
  constructor(columns) {
    super("Phase plane", "phase");
    this.columns = columns;
    const choice = (i, name) => {
      const select = element("select");
      recording.columns.forEach((column, k) => select.append(element("option", { value: k }, column.name)));
      select.value = columns[i];
      select.addEventListener("change", () => {
        this.columns[i] = Number(select.value);
        this.redraw();
      });
      return element("label", {}, `${name} `, select);
    };
    this.caption.append(element("div", { class: "axes" }, choice(0, "horizontal"), choice(1, "vertical")));
  }

  drawStill(pen) {
    const [x, y] = this.columns.map((column) => recording.columns[column]);
    const names = { x: x.name, y: y.name };
    this.canvas.setAttribute("aria-label", `Phase plane: ${y.name} over ${x.name}`);
    this.layOut(pen, x.axis, y.axis, names);
    this.drawAxes(pen, x.axis, y.axis, names);
    this.inBox(pen, () => {
      pen.strokeStyle = theme.faint;
      pen.lineWidth = 1.25;
      this.curve(pen, ...this.columns, false);
      pen.stroke();
    });
  }

  drawMoving(pen) {
    this.inBox(pen, () => {
      pen.strokeStyle = theme.curves[0];
      pen.lineWidth = 2;
      this.curve(pen, ...this.columns, true);
      pen.stroke();
      const [x, y] = [this.x(valueNow(this.columns[0])), this.y(valueNow(this.columns[1]))];
      if (Number.isFinite(x) && Number.isFinite(y)) dot(pen, x, y, theme.curves[0]);
    });
  }
}

const SCENES = { plane: PlaneScene, sphere: SphereScene, space: SpaceScene };

// Moves the moment and shows it in all panels.
class Player {
  constructor() {
    const at = (id) => document.getElementById(id);
    this.button = at("play");
    this.action = at("action");
    this.slider = at("time");
    this.clock = at("clock");
    this.speed = at("speed");
    this.times = recording.time === null ? new Float64Array(1) : recording.columns[recording.time].values;
    // Time since the first sample, which a negative step size counts backwards.
    this.elapsed = 0;
    this.duration = recording.samples > 1 ? this.since(recording.samples - 1) : 0;
    this.playing = false;
    this.panels = [];
  }

  since(k) {
    return Math.abs(this.times[k] - this.times[0]);
  }

  start() {
    document.getElementById("facts").textContent = recording.facts.join(" · ");
    document.getElementById("parameters").textContent = recording.parameters.map(([name, value]) => `${name}\u00a0=\u00a0${value}`).join(", ");
    if (recording.stopped !== null) {
      const notice = document.getElementById("stopped");
      notice.textContent = `The run ended early: ${recording.stopped}`;
      notice.hidden = false;
    }
    if (recording.samples > 0) {
      this.panels = [
        ...recording.scenes.map((scene) => new SCENES[scene.kind](scene)),
        ...(recording.time === null ? [] : recording.series.map((series) => new SeriesPanel(series))),
        ...(recording.phase === null ? [] : [new PhasePanel(recording.phase)]),
      ];
    }
    if (this.panels.length > 0) this.panels[0].figure.classList.add("first");
    document.getElementById("panels").append(...this.panels.map(({ figure }) => figure));
    this.offerSpeeds();
    for (const control of [this.button, this.slider, this.speed]) control.disabled = this.duration === 0;
    document.getElementById("speeds").hidden = this.duration === 0;
    this.slider.max = this.duration || 1;

    this.button.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      readTheme();
      for (const panel of this.panels) panel.redraw();
    });
    this.showClock();
  }

  // Speeds in units of time a second: 1, 2 and 5 times powers of ten. Real time if that takes from 5 seconds to a minute,
  // otherwise about 15 seconds.
  offerSpeeds() {
    if (this.duration === 0) return;
    const wanted = this.duration >= 5 && this.duration <= 60 ? 1 : this.duration / 15;
    let best = null;
    for (let decade = Math.floor(Math.log10(this.duration)) - 3; 10 ** decade < this.duration; decade++) {
      for (const factor of [1, 2, 5]) {
        const speed = Number(`${factor}e${decade}`);
        if (speed < this.duration / 400 || speed > this.duration) continue;
        const option = element("option", { value: speed }, `${speed} ×`);
        this.speed.append(option);
        if (best === null || Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best.value / wanted))) best = option;
      }
    }
    best.selected = true;
  }

  toggle() {
    if (this.duration === 0) return;
    if (!this.playing && this.elapsed >= this.duration) this.seek(0);
    this.playing = !this.playing;
    this.button.classList.toggle("playing", this.playing);
    this.action.textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    let last = null;
    const frame = (now) => {
      if (!this.playing) return;
      // A page in the background has no frames: it goes on where it was.
      const passed = last === null ? 0 : Math.min(0.25, (now - last) / 1000);
      last = now;
      this.seek(this.elapsed + passed * Number(this.speed.value));
      if (this.elapsed >= this.duration) this.toggle();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // Shows the state a time after the first sample.
  seek(elapsed) {
    this.elapsed = Math.min(this.duration, Math.max(0, elapsed)) || 0;
    let [low, high] = [0, Math.max(0, recording.samples - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.since(middle) <= this.elapsed) low = middle;
      else high = middle - 1;
    }
    const gap = low + 1 < recording.samples ? this.since(low + 1) - this.since(low) : 0;
    moment.index = low;
    moment.fraction = gap > 0 ? Math.min(1, (this.elapsed - this.since(low)) / gap) : 0;
    for (const panel of this.panels) panel.show();
    this.showClock();
  }

  showClock() {
    this.slider.value = this.elapsed;
    const time = this.times[0] + (this.times[0] <= this.times[this.times.length - 1] ? this.elapsed : -this.elapsed);
    const step = recording.step === null ? "" : `, step ${recording.columns[recording.step].values[moment.index]}`;
    const text = recording.samples > 0 ? `t = ${numberText(time)}${step}` : "no samples";
    this.clock.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
  }

  key(event) {
    const onControl = event.target.closest?.("select, button");
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("select")) return;
    const samples = event.shiftKey ? 10 : 1;
    const to = (k) => this.seek(this.since(Math.min(recording.samples - 1, Math.max(0, k))));
    const actions = {
      " ": () => this.toggle(),
      ArrowRight: () => to(moment.index + samples),
      // From between two samples to the one before.
      ArrowLeft: () => to(moment.index - samples + (moment.fraction > 0 ? 1 : 0)),
      Home: () => to(0),
      End: () => to(recording.samples - 1),
    };
    // A button acts on the space bar by itself.
    if (!actions[event.key] || this.duration === 0 || (event.key === " " && onControl)) return;
    actions[event.key]();
    event.preventDefault();
  }
}

const player = new Player();
player.start();
