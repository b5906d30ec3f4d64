// Colours of the three axes of a body, and of paths, as places in the palette.
const AXES = [2, 1, 0];
const PATHS = [3, 4, 5, 6, 0, 1, 2];
// Length of a body's axes: in pixels in the plane, relative to the picture in space.
const FRAME = 36;
const FRAME_IN_SPACE = 0.24;
// Length of a body in the plane in pixels, unless that is given, and its corners, ahead and to the left.
const OUTLINE = 42;
const CORNERS = [[24, 0], [10, -11], [-18, -11], [-18, 11], [10, 11]];

// The colour of the i-th path.
function pathColour(i) {
  return PATHS[i % PATHS.length];
}

// Entries of a legend: a body with its name, or the columns of a point.
function placed({ name, position }, i) {
  const colour = pathColour(i);
  return name === null ? position.map((column) => ({ columns: [column], colour })) : [{ name, columns: position, colour }];
}

// Bodies or points in the plane, a unit equally long on both axes.
class PlaneScene extends Chart {
  constructor(scene) {
    super(scene.title, "in-plane");
    this.scene = scene;
    // A body alone has the axes of its frame, several have the colours of their paths.
    const posed = scene.bodies.filter(({ heading }) => heading !== null);
    this.hasFrame = posed.length === 1 && posed[0].size === null;
    const several = scene.bodies.length > 1;
    this.addLegend(
      scene.bodies.flatMap((body, i) => {
        const { heading } = body;
        return heading === null || several ? placed(body, i) : [...placed(body, i), { columns: [heading], colour: AXES[0] }];
      }),
    );
    if (scene.areas.length > 0) {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = "var(--forbidden)";
      this.caption.querySelector(".legend").append(element("li", {}, swatch, "out of bounds"));
    }
  }

  drawStill(pen) {
    const { names, ranges, margin, ticks } = this.scene.view;
    const [x, y] = ranges.map(([low, high], i) => ({ low, high, ...ticks[i] }));
    const axes = { x: names[0], y: names[1] };
    this.layOut(pen, x, y, axes);
    // The picture holds both ranges with the margin, and with a body at each end.
    const { left, right, top, bottom } = this.box;
    const around = this.scene.bodies.some(({ heading }) => heading !== null) ? 0.6 * OUTLINE : 0;
    const unit = Math.max(
      ...[[x, right - left], [y, bottom - top]].map(([{ low, high }, size]) =>
        Math.max((high - low + margin) / size, (high - low) / Math.max(1, size - 2 * around)),
      ),
    );
    for (const [axis, size] of [[x, right - left], [y, bottom - top]]) {
      const centre = axis.low / 2 + axis.high / 2;
      axis.low = centre - (unit * size) / 2;
      axis.high = centre + (unit * size) / 2;
    }
    this.unit = unit;
    const { room } = this.scene;
    this.longest = room === null ? OUTLINE : Math.min(OUTLINE, Math.max(8, (0.9 * room) / unit));
    this.setRanges(x, y);
    this.drawAxes(pen, x, y, axes);
    this.inBox(pen, () => {
      for (const outlines of this.scene.areas) this.drawArea(pen, outlines);
      pen.strokeStyle = theme.faint;
      pen.lineWidth = 1.25;
      for (const { position } of this.scene.bodies) {
        this.curve(pen, ...position, false);
        pen.stroke();
      }
    });
  }

  // What the motion keeps out of: polygons, of which those within others are holes.
  drawArea(pen, outlines) {
    pen.beginPath();
    for (const outline of outlines) {
      outline.forEach(([x, y], k) => (k ? pen.lineTo(this.x(x), this.y(y)) : pen.moveTo(this.x(x), this.y(y))));
      pen.closePath();
    }
    pen.fillStyle = pen.strokeStyle = theme.forbidden;
    pen.globalAlpha = 0.25;
    pen.fill("evenodd");
    pen.globalAlpha = 1;
    pen.lineWidth = 1.25;
    pen.stroke();
  }

  drawMoving(pen) {
    this.inBox(pen, () => {
      // The first one is on top.
      for (let i = this.scene.bodies.length - 1; i >= 0; i--) {
        const { position, heading, size } = this.scene.bodies[i];
        pen.strokeStyle = theme.curves[pathColour(i)];
        pen.lineWidth = 2.25;
        this.curve(pen, ...position, true);
        pen.stroke();
        const [x, y] = [this.x(valueNow(position[0])), this.y(valueNow(position[1]))];
        if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
        if (heading !== null) {
          const length = size === null ? this.longest : size / this.unit;
          const colour = this.hasFrame ? theme.ink : theme.curves[pathColour(i)];
          this.drawBody(pen, x, y, angleNow(heading), length, colour);
        }
        dot(pen, x, y, theme.curves[pathColour(i)]);
      }
    });
  }

  // A body that points ahead, and the axes of its frame if it is alone.
  drawBody(pen, x, y, angle, length, colour) {
    if (!Number.isFinite(angle)) return;
    pen.save();
    pen.translate(x, y);
    pen.rotate(-angle);
    pen.beginPath();
    for (const [ahead, left] of CORNERS) pen.lineTo((ahead * length) / OUTLINE, (-left * length) / OUTLINE);
    pen.closePath();
    pen.globalAlpha = this.hasFrame ? 0.16 : 0.3;
    pen.fillStyle = colour;
    pen.fill();
    pen.globalAlpha = this.hasFrame ? 0.7 : 1;
    pen.strokeStyle = colour;
    pen.lineWidth = this.hasFrame ? 1 : 1.5;
    pen.stroke();
    pen.globalAlpha = 1;
    if (this.hasFrame) {
      arrow(pen, 0, 0, FRAME, 0, theme.curves[AXES[0]]);
      arrow(pen, 0, 0, 0, -FRAME, theme.curves[AXES[1]]);
    }
    pen.restore();
  }
}

// A picture in perspective, which dragging and the arrow keys turn.
class SpaceView extends Panel {
  constructor(title) {
    super(title, "in-space");
    this.camera = { ...recording.camera };
    this.canvas.tabIndex = 0;
    let held = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      held = [event.clientX, event.clientY];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      this.turn((held[0] - event.clientX) / 120, (event.clientY - held[1]) / 120);
      held = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (held = null));
    const turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
    this.canvas.addEventListener("keydown", (event) => {
      if (!turns[event.key]) return;
      this.turn(...turns[event.key]);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  turn(azimuth, elevation) {
    this.camera.azimuth += azimuth;
    this.camera.elevation = Math.min(1.5, Math.max(-1.5, this.camera.elevation + elevation));
    this.redraw();
  }

  // The place of a point in the picture, and how near it is, as `Camera::project` in panels/scene.rs has it.
  project([x, y, z]) {
    const { azimuth, elevation, distance } = this.camera;
    const [sinA, cosA, sinE, cosE] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
    const [right, front] = [cosA * y - sinA * x, cosA * x + sinA * y];
    const [up, near] = [cosE * z - sinE * front, cosE * front + sinE * z];
    const scale = (distance / (distance - near)) * this.unit();
    return [this.width / 2 + scale * right, this.height / 2 - scale * up, near];
  }

  // Pixels of a unit in the distance of the centre. The outline of the unit ball fits, with room for labels.
  unit() {
    const { distance } = this.camera;
    return (Math.min(this.width, this.height) / 2 - 30) * Math.sqrt(1 - 1 / distance ** 2);
  }

  // Strokes through points in space.
  path(pen, count, point) {
    polyline(pen, count, (k) => this.project(point(k)));
    pen.stroke();
  }

  text(pen, text, point) {
    const [x, y] = this.project(point);
    pen.fillText(text, x, y);
  }

  // The axes of a body at `origin`, the farthest first.
  drawFrame(pen, origin, axes) {
    const [x, y] = this.project(origin);
    const tips = axes.map((axis, i) => ({ i, tip: this.project(origin.map((o, j) => o + axis[j])) }));
    tips.sort((a, b) => a.tip[2] - b.tip[2]);
    for (const { i, tip } of tips) {
      if (!tip.every(Number.isFinite)) continue;
      arrow(pen, x, y, tip[0], tip[1], theme.curves[AXES[i]]);
    }
  }
}

// The axes of a body, columns of R in the given order, at the moment: orthogonal and of length 1 between samples, too.
function axesNow(rotation) {
  const entries = rotation.map(valueNow);
  const column = (i) => [entries[i], entries[i + 3], entries[i + 6]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
  const [a, b] = [unit(column(0)), column(1)];
  const along = dot(a, b);
  const c = unit(b.map((x, i) => x - along * a[i]));
  return [a, c, [a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2], a[0] * c[1] - a[1] * c[0]]];
}

// The traces of a body's axes on the unit sphere.
class SphereScene extends SpaceView {
  constructor({ title, rotation }) {
    super(title);
    this.rotation = rotation;
    const list = element("ul", { class: "legend" });
    AXES.forEach((colour, i) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = `var(--curve-${colour})`;
      list.append(element("li", {}, swatch, `axis ${i + 1}`));
    });
    this.caption.append(list);
  }

  tip(axis, k) {
    return [axis, axis + 3, axis + 6].map((entry) => recording.columns[this.rotation[entry]].values[k]);
  }

  // Strokes the points of a curve on the sphere that are on the side towards the camera, or on the other one.
  side(pen, front, count, point) {
    const horizon = 1 / this.camera.distance;
    this.path(pen, count, (k) => {
      const at = point(k);
      return this.project(at)[2] > horizon === front ? at : [NaN, NaN, NaN];
    });
  }

  drawStill(pen) {
    const [x, y] = this.project([0, 0, 0]);
    const radius = this.unit() / Math.sqrt(1 - 1 / this.camera.distance ** 2);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.strokeStyle = theme.faint;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.strokeStyle = theme.grid;
    pen.lineWidth = 1;
    const around = (k) => (k * Math.PI) / 36;
    for (const latitude of [-60, -30, 0, 30, 60].map((degrees) => (degrees * Math.PI) / 180)) {
      const [height, size] = [Math.sin(latitude), Math.cos(latitude)];
      this.side(pen, true, 73, (k) => [size * Math.cos(around(k)), size * Math.sin(around(k)), height]);
    }
    for (const longitude of [0, 30, 60, 90, 120, 150].map((degrees) => (degrees * Math.PI) / 180)) {
      const [cos, sin] = [Math.cos(longitude), Math.sin(longitude)];
      this.side(pen, true, 73, (k) => [Math.cos(around(k)) * cos, Math.cos(around(k)) * sin, Math.sin(around(k))]);
    }
    AXES.forEach((colour, axis) => {
      pen.strokeStyle = theme.curves[colour];
      pen.lineWidth = 1;
      for (const [front, strength] of [[false, 0.12], [true, 0.3]]) {
        pen.globalAlpha = strength;
        this.side(pen, front, recording.samples, (k) => this.tip(axis, k));
      }
      pen.globalAlpha = 1;
    });
    // Directions in space.
    pen.fillStyle = theme.quiet;
    pen.strokeStyle = theme.quiet;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, axis) => {
      const along = (length) => [0, 1, 2].map((i) => (i === axis ? length : 0));
      this.path(pen, 2, (k) => along(1 + 0.06 * k));
      const end = this.project(along(1.06));
      const away = Math.atan2(end[1] - y, end[0] - x);
      pen.fillText(name, end[0] + 10 * Math.cos(away), end[1] + 10 * Math.sin(away));
    });
  }

  drawMoving(pen) {
    const axes = axesNow(this.rotation);
    const count = moment.index + 2;
    AXES.forEach((colour, axis) => {
      pen.strokeStyle = theme.curves[colour];
      const point = (k) => (k > moment.index ? axes[axis] : this.tip(axis, k));
      for (const [front, strength, width] of [[false, 0.4, 1.25], [true, 1, 2]]) {
        pen.globalAlpha = strength;
        pen.lineWidth = width;
        this.side(pen, front, count, point);
      }
      pen.globalAlpha = 1;
    });
    this.drawFrame(pen, [0, 0, 0], axes);
    pen.fillStyle = theme.ink;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    axes.forEach((axis, i) => this.text(pen, String(i + 1), axis.map((x) => 1.12 * x)));
  }
}

// Bodies or points in space, over their shadows on a floor.
class SpaceScene extends SpaceView {
  constructor({ title, bodies, view, ball }) {
    super(title);
    this.bodies = bodies;
    this.view = view;
    this.addLegend(bodies.flatMap(placed));
    this.ball = ball;
  }

  place(position) {
    return position.map((x, i) => (x - this.ball.centre[i]) / this.ball.size);
  }

  at(body, k) {
    return this.place(body.position.map((column) => recording.columns[column].values[k]));
  }

  onFloor([x, y]) {
    return [x, y, -this.ball.half[2]];
  }

  drawStill(pen) {
    const [low, high] = [this.ball.half.map((half) => -half), this.ball.half];
    // The edges of the floor that are nearest, which have the ticks.
    const near = [[1, 0, 0], [0, 1, 0]].map((axis, i) => (this.project(axis)[2] > this.project([0, 0, 0])[2] ? high[i] : low[i]));
    const ticks = this.view.ticks.map(({ ticks }, i) =>
      ticks
        .map(({ at, label }) => ({ at: (at - this.ball.centre[i]) / this.ball.size, label }))
        .filter(({ at }) => at >= low[i] && at <= high[i]),
    );
    pen.lineWidth = 1;
    pen.strokeStyle = theme.grid;
    for (const { at } of ticks[0]) this.path(pen, 2, (k) => [at, k ? high[1] : low[1], low[2]]);
    for (const { at } of ticks[1]) this.path(pen, 2, (k) => [k ? high[0] : low[0], at, low[2]]);
    pen.strokeStyle = theme.faint;
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]].map(([i, j]) => [i ? high[0] : low[0], j ? high[1] : low[1]]);
    this.path(pen, 5, (k) => [...corners[k], low[2]]);
    // The third axis stands at a corner of the floor at the side of the picture.
    const upright = corners.slice(0, 4).reduce((a, b) => (this.project([...b, 0])[0] < this.project([...a, 0])[0] ? b : a));
    this.path(pen, 2, (k) => [...upright, k ? high[2] : low[2]]);

    pen.fillStyle = theme.quiet;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    const outward = (i) => near[i] + Math.sign(near[i]) * 0.09;
    for (const { at, label } of ticks[0]) this.text(pen, label, [at, outward(1), low[2]]);
    for (const { at, label } of ticks[1]) this.text(pen, label, [outward(0), at, low[2]]);
    const name = (i) => [this.view.names[i], this.view.ticks[i].unit].filter(Boolean).join(" ");
    this.text(pen, name(0), [0, near[1] + Math.sign(near[1]) * 0.22, low[2]]);
    this.text(pen, name(1), [near[0] + Math.sign(near[0]) * 0.22, 0, low[2]]);
    pen.textAlign = "right";
    for (const { at, label } of ticks[2]) {
      const [x, y] = this.project([...upright, at]);
      pen.fillText(label, x - 6, y);
    }
    const [x, y] = this.project([...upright, high[2]]);
    pen.textAlign = "center";
    pen.fillText(name(2), x, y - 12);

    for (const body of this.bodies) {
      pen.strokeStyle = theme.grid;
      pen.lineWidth = 2;
      this.path(pen, recording.samples, (k) => this.onFloor(this.at(body, k)));
      pen.strokeStyle = theme.faint;
      pen.lineWidth = 1.25;
      this.path(pen, recording.samples, (k) => this.at(body, k));
    }
  }

  drawMoving(pen) {
    const drawn = this.bodies.map((body, i) => ({ body, colour: theme.curves[pathColour(i)], here: this.place(body.position.map(valueNow)) }));
    for (const { body, colour, here } of drawn) {
      pen.strokeStyle = theme.faint;
      pen.lineWidth = 1;
      pen.setLineDash([3, 4]);
      this.path(pen, 2, (k) => (k ? here : this.onFloor(here)));
      pen.setLineDash([]);
      pen.strokeStyle = colour;
      pen.lineWidth = 2.25;
      this.path(pen, moment.index + 2, (k) => (k > moment.index ? here : this.at(body, k)));
    }
    // Those that are nearer cover the others.
    const near = ({ here }) => this.project(here)[2];
    for (const { body, colour, here } of drawn.sort((a, b) => near(a) - near(b))) {
      if (!here.every(Number.isFinite)) continue;
      if (body.radius !== null) this.drawBall(pen, here, body.radius / this.ball.size, colour);
      if (body.rotation) {
        this.drawFrame(pen, here, axesNow(body.rotation).map((axis) => axis.map((x) => FRAME_IN_SPACE * x)));
      }
      const [x, y] = this.project(here);
      dot(pen, x, y, colour);
    }
  }

  drawBall(pen, centre, radius, colour) {
    const [x, y, near] = this.project(centre);
    const { distance } = this.camera;
    pen.beginPath();
    pen.arc(x, y, (radius * this.unit() * distance) / (distance - near), 0, 2 * Math.PI);
    pen.globalAlpha = 0.3;
    pen.fillStyle = colour;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}
