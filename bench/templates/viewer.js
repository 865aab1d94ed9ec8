// Zoom, moving, and values under the pointer, for each <figure data-view> of a report. Nothing is
// fetched. The drawing itself is matplotlib's; when it is zoomed, its series are scaled inside the
// axes, and the numbers on the axes are written anew.
"use strict";

// What a number of a report looks like: three digits that count.
function numberText(value) {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return size >= 10 ? value.toFixed(1) : String(Number(value.toPrecision(3)));
}

// One axis: `start` and `length` in units of the drawing, seen `scale` times, moved by `shift`.
class Axis {
  constructor(known, start, length, upwards) {
    this.log = known.log;
    this.ends = known.ends.map((end) => this.bent(end));
    this.start = start;
    this.length = length;
    this.upwards = upwards;
    this.whole();
  }
  bent(value) { return this.log ? Math.log10(value) : value; }
  whole() { this.scale = 1; this.shift = 0; }
  // where a value is drawn
  place(value) {
    const part = (this.bent(value) - this.ends[0]) / (this.ends[1] - this.ends[0]);
    const plain = this.start + this.length * (this.upwards ? 1 - part : part);
    return plain * this.scale + this.shift;
  }
  value(place) {
    let part = ((place - this.shift) / this.scale - this.start) / this.length;
    if (this.upwards) part = 1 - part;
    const bent = this.ends[0] + part * (this.ends[1] - this.ends[0]);
    return this.log ? 10 ** bent : bent;
  }
  zoom(factor, around) {
    const scale = Math.min(1000, Math.max(1, this.scale * factor));
    this.shift = around - (around - this.shift) * (scale / this.scale);
    this.scale = scale;
    this.move(0);
  }
  // never beyond what was drawn
  move(by) {
    const most = this.start * (1 - this.scale);
    const least = most + this.length * (1 - this.scale);
    this.shift = Math.min(most, Math.max(least, this.shift + by));
  }
  shown() {
    const ends = [this.value(this.start), this.value(this.start + this.length)];
    return ends.sort((a, b) => a - b);
  }
  ticks() {
    const [low, high] = this.shown();
    if (this.log && high / low > 30) return Axis.decades(low, high);
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((many) => many * unit >= rough);
    const found = [];
    for (let n = Math.ceil(low / step); n * step <= high; n++) found.push(n * step);
    return found.map((value) => Number(value.toPrecision(12)));
  }
  static decades(low, high) {
    const found = [];
    for (let n = Math.ceil(Math.log10(low)); 10 ** n <= high; n++) found.push(10 ** n);
    return found;
  }
}

class Viewer {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.known = JSON.parse(figure.dataset.view);
    const [left, top, width, height] = this.known.box;
    this.x = new Axis(this.known.x, left, width, false);
    this.y = new Axis(this.known.y, top, height, true);
    this.group = this.clipped();
    this.cursor = this.element("line", { y1: top, y2: top + height, stroke: "#888",
      "stroke-dasharray": "3 3", visibility: "hidden" }, this.svg);
    this.ticks = this.element("g", { class: "ticks" }, this.svg);
    this.tip = this.html("div", "tip");
    this.buttons();
    this.listen();
  }
  element(name, attributes, parent) {
    const made = document.createElementNS(this.svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  }
  html(name, kind) {
    const made = document.createElement(name);
    made.className = kind;
    this.figure.append(made);
    return made;
  }
  // Puts all series into one group that can be scaled, inside one that shows only what is between
  // the axes.
  clipped() {
    const [x, y, width, height] = this.known.box;
    const clip = this.element("clipPath", { id: `clip-${this.figure.id}` }, this.svg);
    this.element("rect", { x, y, width, height }, clip);
    const frame = this.element("g", { "clip-path": `url(#${clip.id})` });
    const group = this.element("g", { class: "zoomed" }, frame);
    const moving = this.known.moving.map((id) => document.getElementById(id)).filter(Boolean);
    if (moving.length) moving[0].before(frame);
    for (const one of moving) {
      group.append(one);
      for (const path of one.querySelectorAll("[clip-path]")) path.removeAttribute("clip-path");
      for (const path of one.querySelectorAll("path")) {
        // as wide as before, however much it is scaled
        if (!path.closest("defs")) path.setAttribute("vector-effect", "non-scaling-stroke");
      }
    }
    return group;
  }
  buttons() {
    const tools = this.html("div", "tools");
    const [left, top, width, height] = this.known.box;
    const middle = { x: left + width / 2, y: top + height / 2 };
    const actions = { "+": () => this.zoom(1.5, middle), "−": () => this.zoom(1 / 1.5, middle),
      "whole": () => this.whole() };
    for (const [text, action] of Object.entries(actions)) {
      const button = document.createElement("button");
      button.textContent = text;
      button.addEventListener("click", action);
      tools.append(button);
    }
  }
  // The wheel is the page's own until the plot is chosen, so that a reader can scroll past it.
  listen() {
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== this.figure) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.25 : 0.8, this.point(event));
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => {
      this.figure.focus({ preventScroll: true });
      this.held = this.point(event);
      event.preventDefault();
    });
    addEventListener("pointerup", () => { this.held = null; });
    this.svg.addEventListener("pointermove", (event) => this.moved(event));
    this.svg.addEventListener("pointerleave", () => this.hideTip());
    this.svg.addEventListener("dblclick", () => this.whole());
  }
  // the pointer in units of the drawing
  point(event) {
    return new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(this.svg.getScreenCTM().inverse());
  }
  zoom(factor, around) {
    if (!this.known.bars) this.x.zoom(factor, around.x);  // bars keep their places
    this.y.zoom(factor, around.y);
    this.draw();
  }
  whole() {
    this.x.whole();
    this.y.whole();
    this.draw();
  }
  moved(event) {
    const here = this.point(event);
    if (this.held) {
      this.x.move(here.x - this.held.x);
      this.y.move(here.y - this.held.y);
      this.held = here;
      this.draw();
    }
    this.showTip(here, event);
  }
  draw() {
    const { x, y } = this;
    const zoomed = x.scale > 1 || y.scale > 1;
    const matrix = `matrix(${x.scale} 0 0 ${y.scale} ${x.shift} ${y.shift})`;
    this.group.setAttribute("transform", matrix);
    for (const dot of this.group.querySelectorAll("use")) this.keepSize(dot);
    this.number(zoomed);
    this.hideTip();
  }
  // A dot moves with its point, and does not grow.
  keepSize(dot) {
    const [left, top] = [dot.getAttribute("x"), dot.getAttribute("y")];
    const scale = `scale(${1 / this.x.scale} ${1 / this.y.scale})`;
    dot.setAttribute("transform", `translate(${left} ${top}) ${scale} translate(${-left} ${-top})`);
  }
  // The numbers on the axes: those that were drawn, or new ones while it is zoomed.
  number(zoomed) {
    this.ticks.replaceChildren();
    const old = this.known.bars ? '[id*="-ytick_"]' : '[id*="-xtick_"], [id*="-ytick_"]';
    for (const tick of this.svg.querySelectorAll(old)) tick.style.display = zoomed ? "none" : "";
    if (!zoomed) return;
    const [left, top, , height] = this.known.box;
    const bottom = top + height;
    const font = { "font-size": 9, "font-family": "sans-serif" };
    for (const value of this.y.ticks()) {
      const y = this.y.place(value);
      this.line(left - 3.5, y, left, y);
      this.text(value, { x: left - 6, y: y + 3, "text-anchor": "end", ...font });
    }
    if (this.known.bars) return;
    for (const value of this.x.ticks()) {
      const x = this.x.place(value);
      this.line(x, bottom, x, bottom + 3.5);
      this.text(value, { x, y: bottom + 13, "text-anchor": "middle", ...font });
    }
  }
  line(x1, y1, x2, y2) {
    this.element("line", { x1, y1, x2, y2, stroke: "#000", "stroke-width": 0.8 }, this.ticks);
  }
  text(value, attributes) {
    const text = Math.abs(value) >= 1e4 ? value.toLocaleString("en-US") : String(value);
    this.element("text", attributes, this.ticks).textContent = text;
  }
  showTip(here, event) {
    const [left, top, width, height] = this.known.box;
    const inside = here.x >= left && here.x <= left + width && here.y >= top
      && here.y <= top + height;
    const nearest = inside ? this.nearest(here.x) : null;
    if (!nearest) return this.hideTip();
    const place = this.x.place(nearest[0]);
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, place);
    this.cursor.setAttribute("visibility", this.known.bars ? "hidden" : "visible");
    this.tip.replaceChildren(nearest[2] || numberText(nearest[0]));
    for (const one of this.known.series) this.addValue(one, nearest[0]);
    this.tip.style.display = "block";
    const box = this.figure.getBoundingClientRect();
    const right = event.clientX - box.left > box.width / 2;
    this.tip.style.left = right ? "" : `${event.clientX - box.left + 15}px`;
    this.tip.style.right = right ? `${box.right - event.clientX + 15}px` : "";
    this.tip.style.top = `${event.clientY - box.top + 10}px`;
  }
  addValue(one, x) {
    const point = this.closest(one.points, (p) => Math.abs(this.x.place(p[0]) - this.x.place(x)));
    if (!point || point[1] === null || (this.known.bars && point[0] !== x)) return;
    const line = document.createElement("div");
    const colour = document.createElement("b");
    colour.style.background = one.colour;
    line.append(colour, `${one.title}: ${numberText(point[1])} ${this.known.unit}`);
    this.tip.append(line);
  }
  hideTip() {
    this.tip.style.display = "none";
    this.cursor.setAttribute("visibility", "hidden");
  }
  // The point of all series that is drawn closest to this place from left to right.
  nearest(place) {
    const all = this.known.series.flatMap((one) => one.points);
    return this.closest(all, (p) => Math.abs(this.x.place(p[0]) - place));
  }
  closest(points, distance) {
    let best = null, least = Infinity;
    for (const point of points) {
      const far = distance(point);
      if (far < least) [best, least] = [point, far];
    }
    return best;
  }
}

document.body.classList.add("viewer");
for (const figure of document.querySelectorAll("figure[data-view]")) new Viewer(figure);
