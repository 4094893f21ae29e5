// The operations of a history as bars, a row for each process. Only what is in view is drawn; where
// bars would be too narrow to be seen, how busy the process is.

import { svg } from "./dom";
import { History, NEVER, OUTCOMES, Order } from "./history";

const ROW = 30, BAR = 20, AXIS = 26, OVERVIEW = 34, NARROWEST = 2, MOST_BARS = 400;
const LEAST_SPACE = 8; // pixels for each operation of a row, else the row shows how busy it is
const CHARACTER = 6.7; // pixels, of the labels' font
const NOTES = 3, NOTE = 12; // lines for the labels of events of no client, and their height

export interface Shown {
  history: History;
  core: Set<number>;
  context: Set<number>;
  found: Set<number>; // by the search
  part: number; // 0: all
  onlyCore: boolean;
  byTime: boolean;
  order: Order | null;
  step: number; // operations of the order that have been taken
  selected: number; // -1: none
}

interface Band { from: number; to: number; label: string } // positions

/** How many of `count` items come first, of which `isFirst` is true and of no others. */
function countFirst(count: number, isFirst: (item: number) => boolean): number {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFirst(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** When an event takes place: by its position, or by its time. */
class Clock {
  private times: Float64Array | null = null;
  readonly end: number;

  constructor(readonly history: History, byTime: boolean) {
    const { invokeTime, responseTime } = history;
    if (byTime && invokeTime && responseTime) {
      this.times = new Float64Array(history.positions);
      for (let i = 0; i < history.count; i++) {
        this.times[history.invoke[i]] = invokeTime[i];
        if (history.response[i] !== NEVER)
          this.times[history.response[i]] = responseTime[i];
      }
      for (let i = 1; i < this.times.length; i++)
        this.times[i] = Math.max(this.times[i], this.times[i - 1]);
      this.end = Math.max(this.times[this.times.length - 1], 1);
    } else {
      this.end = history.positions;
    }
  }

  at(position: number): number {
    if (!this.times)
      return position;
    const whole = Math.min(Math.floor(position), this.times.length - 1);
    const next = Math.min(whole + 1, this.times.length - 1);
    return this.times[whole] + (this.times[next] - this.times[whole]) * (position - whole);
  }

  get timed(): boolean { return this.times !== null; }
}

/** "start-partition" and what stops it: the first start to the last stop of the same process. */
function findBands(history: History): Band[] {
  const bands: Band[] = [], open = new Map<string, Band>();
  for (const { process, function: name, value, position } of history.annotations) {
    const [, verb, what] = /^(start|stop|heal|recover|resume|kill|pause)?(.*)$/.exec(name)!;
    const starts = ["start", "kill", "pause"].includes(verb), key = process + (verb ? "" : what);
    const band = open.get(key);
    if (starts && (!band || band.to !== Infinity)) {
      const begun = { from: position, to: Infinity, label: `${process} ${name} ${value}` };
      open.set(key, begun);
      bands.push(begun);
    } else if (verb && !starts && band) {
      band.to = position;
    }
  }
  for (const band of bands)
    band.to = Math.min(band.to, history.positions);
  return bands;
}

export class Timeline {
  readonly element: SVGSVGElement;
  private clock: Clock;
  private from = 0;
  private to = 1;
  private top = 0; // the first row in view
  private rows: number[] = []; // processes
  private readonly bands: Band[];
  private points: Float64Array | null = null; // by place in the order: a position between events
  private frame = 0;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = false;

  constructor(private readonly shown: Shown, private readonly select: (index: number) => void) {
    this.clock = new Clock(shown.history, shown.byTime);
    this.bands = findBands(shown.history);
    this.element = svg("svg", {
      class: "timeline", tabindex: 0, role: "group",
      "aria-label": "timeline of the operations; arrow keys move, plus and minus zoom, 0 shows all",
    });
    this.element.addEventListener("wheel", event => this.wheel(event), { passive: false });
    this.element.addEventListener("pointerdown", event => this.press(event));
    this.element.addEventListener("pointermove", event => this.move(event));
    for (const name of ["pointerup", "pointercancel"] as const)
      this.element.addEventListener(name, event => this.release(event));
    new ResizeObserver(() => this.redraw()).observe(this.element);
    this.reset();
  }

  /** What is shown has changed: other rows, order or clock. */
  reset(): void {
    const { history, byTime } = this.shown;
    if (this.clock.timed !== byTime)
      this.clock = new Clock(history, byTime);
    this.rows = this.chooseRows();
    this.points = this.shown.order ? this.placePoints(this.shown.order) : null;
    this.top = Math.min(this.top, Math.max(0, this.rows.length - 1));
    this.redraw();
  }

  private isLit(index: number): boolean {
    return this.shown.core.has(index) || this.shown.context.has(index);
  }

  private chooseRows(): number[] {
    const { history, part, onlyCore } = this.shown;
    const rows: number[] = [];
    for (let process = 0; process < history.byProcess.length; process++) {
      const operations = history.byProcess[process];
      if (onlyCore ? operations.some(index => this.isLit(index))
                   : !part || operations.some(index => history.part[index] === part))
        rows.push(process);
    }
    const number = (process: number) => Number(history.processName(process));
    return rows.sort((a, b) => number(a) - number(b) || a - b);
  }

  /** A point in time for each operation of a legal order, behind the point of the one before. */
  private placePoints(order: Order): Float64Array {
    const { history } = this.shown, points = new Float64Array(order.indices.length);
    for (let i = 0, slot = 0; i < points.length;) {
      slot = Math.max(slot, history.invoke[order.indices[i]]);
      let end = i + 1;
      while (end < points.length && history.invoke[order.indices[end]] <= slot)
        end++;
      for (let k = i; k < end; k++)
        points[k] = slot + (k - i + 1) / (end - i + 1);
      i = end;
    }
    return points;
  }

  // ---- what is in view ----

  private width = 900; // pixels, when it was drawn last
  private height = 420;
  private labels = 130;

  private measure(): void {
    this.width = this.element.clientWidth || 900;
    this.height = this.element.clientHeight || 420;
    this.labels = Math.min(130, this.width / 5);
  }

  private get visibleRows(): number {
    const whole = this.notes ? 4 : 0; // the frame may take as much of the last row
    return Math.max(1, Math.floor((this.height - AXIS - OVERVIEW - this.notes + whole) / ROW));
  }

  /** The room for labels of events of no client, between the rows and the overview. */
  private get notes(): number {
    return this.shown.history.annotations.length ? NOTES * NOTE + 4 : 0;
  }

  private x(at: number): number {
    return this.labels + (at - this.from) / (this.to - this.from) * (this.width - this.labels);
  }

  private show(from: number, to: number): void {
    const least = Math.min(this.clock.end, 4);
    const length = Math.min(Math.max(to - from, least), this.clock.end * 1.04 + 1);
    const low = -0.02 * this.clock.end - 0.5, high = this.clock.end * 1.02 + 0.5;
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - length / 2, low), Math.max(low, high - length));
    this.to = this.from + length;
    this.redraw();
  }

  /** All of it. */
  fit(): void { this.show(-0.02 * this.clock.end, this.clock.end * 1.02); }

  /** These operations, with some room about them. */
  fitTo(indices: Iterable<number>): void {
    const { history } = this.shown;
    let from = Infinity, to = -Infinity, row = Infinity;
    for (const index of indices) {
      const end = history.response[index] === NEVER ? history.invoke[index] + 1
                                                    : history.response[index];
      from = Math.min(from, this.clock.at(history.invoke[index]));
      to = Math.max(to, this.clock.at(end));
      row = Math.min(row, this.rows.indexOf(history.process[index]));
    }
    if (from > to)
      return this.fit();
    const room = Math.max((to - from) * 0.15, this.clock.timed ? 0 : 1);
    if (row >= 0 && (row < this.top || row >= this.top + this.visibleRows))
      this.top = row;
    this.show(from - room, to + room);
  }

  /** Moves an operation into view, and keeps the scale. */
  reveal(index: number): void {
    const { history } = this.shown;
    const begin = this.clock.at(history.invoke[index]), row = this.rows.indexOf(history.process[index]);
    if (row >= 0 && (row < this.top || row >= this.top + this.visibleRows))
      this.top = Math.max(0, row - (this.visibleRows >> 1));
    const length = this.to - this.from;
    if (begin < this.from || begin > this.to)
      this.show(begin - length / 2, begin + length / 2);
    else
      this.redraw();
  }

  zoom(factor: number, about = (this.from + this.to) / 2): void {
    this.show(about - (about - this.from) * factor, about + (this.to - about) * factor);
  }

  pan(part: number): void {
    const by = (this.to - this.from) * part;
    this.show(this.from + by, this.to + by);
  }

  scroll(rows: number): void {
    this.top = Math.min(Math.max(0, this.top + rows),
                        Math.max(0, this.rows.length - this.visibleRows));
    this.redraw();
  }

  // ---- pointers ----

  private atPointer(clientX: number): number {
    const x = clientX - this.element.getBoundingClientRect().left - this.labels;
    return this.from + x / (this.width - this.labels) * (this.to - this.from);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((event.deltaX || event.deltaY) / this.width);
    else if (event.altKey)
      this.scroll(Math.sign(event.deltaY));
    else
      this.zoom(Math.exp(event.deltaY / 400), this.atPointer(event.clientX));
  }

  private press(event: PointerEvent): void {
    this.dragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before)
      return;
    const now = { x: event.clientX, y: event.clientY };
    if (!this.dragged && Math.hypot(now.x - before.x, now.y - before.y) < 4)
      return;
    if (!this.dragged)
      this.element.setPointerCapture(event.pointerId);
    this.dragged = true;
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const factor = Math.abs(before.x - other.x) / Math.max(1, Math.abs(now.x - other.x));
      if (factor > 0)
        this.zoom(factor, this.atPointer((now.x + other.x) / 2));
    } else {
      this.pan((before.x - now.x) / (this.width - this.labels));
      const rows = Math.trunc((before.y - now.y) / ROW);
      if (rows)
        this.scroll(rows);
      else
        now.y = before.y;
    }
    this.pointers.set(event.pointerId, now);
  }

  private release(event: PointerEvent): void { this.pointers.delete(event.pointerId); }

  // ---- drawing ----

  redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw(): void {
    const height = AXIS + OVERVIEW + this.notes + ROW * Math.max(1, this.rows.length);
    this.element.style.height = `min(${height}px, 70vh)`;
    this.measure();
    const parts: Node[] = [this.drawAxis()];
    const visible = this.rows.slice(this.top, this.top + this.visibleRows + (this.notes ? 0 : 1));
    parts.push(...this.drawAnnotations());
    visible.forEach((process, i) => parts.push(this.drawRow(process, AXIS + i * ROW)));
    parts.push(...this.drawPoints(visible), this.drawOverview());
    this.element.replaceChildren(...parts);
  }

  private drawAxis(): SVGGElement {
    const group = svg("g", { class: "axis" });
    const rough = (this.to - this.from) / Math.max(2, this.width / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].find(by => by * power >= rough)! * power,
                          this.clock.timed ? 0 : 1);
    for (let at = Math.max(0, Math.ceil(this.from / step) * step); at <= this.to; at += step) {
      const x = this.x(at);
      if (x < this.labels)
        continue;
      group.append(svg("line", { x1: x, x2: x, y1: AXIS - 6, y2: this.height - OVERVIEW }),
                   svg("text", { x: x + 3, y: AXIS - 9 }, at.toLocaleString("en-US")));
    }
    group.append(svg("text", { x: 4, y: AXIS - 9, class: "unit" },
                     this.clock.timed ? "time" : "event"));
    return group;
  }

  /** Events of no client, and bands between those that start something and those that stop it. A
   * label stands in the first line that has room for it, or in none: pointing at its event shows it. */
  private drawAnnotations(): SVGGElement[] {
    const { annotations } = this.shown.history, drawn: SVGGElement[] = [];
    const top = AXIS, height = this.height - AXIS - OVERVIEW;
    const clip = (x: number) => Math.min(Math.max(x, this.labels), this.width);
    const ends = new Array<number>(NOTES).fill(0);
    for (const { from, to, label } of this.bands) {
      const left = clip(this.x(this.clock.at(from))), right = clip(this.x(this.clock.at(to)));
      if (right > left && drawn.length < MOST_BARS)
        drawn.push(svg("g", { class: "annotation band" },
          svg("rect", { x: left, y: top, width: right - left, height }, svg("title", {}, label))));
    }
    for (const annotation of annotations) {
      const x = this.x(this.clock.at(annotation.position));
      if (x < this.labels || x > this.width || drawn.length >= MOST_BARS)
        continue;
      const label = `${annotation.process} ${annotation.function} ${annotation.value}`;
      const group = svg("g", { class: "annotation" },
        svg("rect", { x: x - 2, y: top, width: 4, height }, svg("title", {}, label)));
      drawn.push(group);
      const line = ends.findIndex(end => end < x), room = Math.floor((this.width - x - 8) / CHARACTER);
      if (line < 0 || room < 4)
        continue;
      const text = label.length > room ? label.slice(0, room - 1) + "\u2026" : label;
      ends[line] = x + 8 + text.length * CHARACTER;
      group.append(svg("text", { x: x + 5, y: this.height - OVERVIEW - 4 - NOTE * line }, text));
    }
    return drawn;
  }

  /** The first operation of the process that begins behind this time. */
  private firstBehind(operations: Uint32Array, time: number): number {
    const { invoke } = this.shown.history;
    return countFirst(operations.length, at => this.clock.at(invoke[operations[at]]) <= time);
  }

  private drawRow(process: number, y: number): SVGGElement {
    const { history } = this.shown, operations = history.byProcess[process];
    const group = svg("g", { class: "row" });
    group.append(svg("line", { x1: 0, x2: this.width, y1: y + ROW, y2: y + ROW }));
    const first = Math.max(0, this.firstBehind(operations, this.from) - 1);
    const last = this.firstBehind(operations, this.to);
    const most = Math.min(MOST_BARS, (this.width - this.labels) / LEAST_SPACE);
    const few = last - first <= most;
    if (!few)
      group.append(this.drawActivity(operations, first, last, y));
    const marked = this.marked();
    const own = operations.slice(first, last).filter(index => marked.has(index));
    if (own.length > most) { // a violation of very many operations
      group.append(this.drawActivity(own, 0, own.length, y, "marked"), this.drawProcess(process, y));
      return group;
    }
    const bars = [...own].filter(index => this.isInView(index))
      .map(index => this.drawBar(index, this.next(index), y));
    const labels = bars.flatMap(bar => [...bar.querySelectorAll(".beside")]);
    if (few)
      for (let i = first; i < last; i++)
        if (!marked.has(operations[i]))
          group.append(this.drawBar(operations[i], operations[i + 1], y, labels));
    group.append(...bars); // in front of the others
    group.append(this.drawProcess(process, y));
    return group;
  }

  private isInView(index: number): boolean {
    const { invoke } = this.shown.history;
    return this.clock.at(invoke[index]) <= this.to && this.end(index, this.next(index)) >= this.from;
  }

  /** What is drawn however small it is. */
  private marked(): Set<number> {
    const { core, context, found, selected } = this.shown;
    return new Set([...core, ...context, ...found, ...(selected >= 0 ? [selected] : [])]);
  }

  /** The operation that the process calls next. */
  private next(index: number): number | undefined {
    const { history } = this.shown, operations = history.byProcess[history.process[index]];
    return operations[countFirst(operations.length,
      at => history.invoke[operations[at]] <= history.invoke[index])];
  }

  private drawProcess(process: number, y: number): SVGGElement {
    const name = `process ${this.shown.history.processName(process)}`;
    const room = Math.floor((this.labels - 8) / CHARACTER);
    const label = name.length > room ? name.slice(0, room - 1) + "\u2026" : name;
    return svg("g", { class: "process" },
               svg("rect", { x: 0, y: y + 1, width: this.labels - 2, height: ROW - 2 }),
               svg("text", { x: 4, y: y + ROW / 2 + 4 }, label, svg("title", {}, name)));
  }

  private end(index: number, next: number | undefined): number {
    const { history } = this.shown, response = history.response[index];
    if (response !== NEVER)
      return this.clock.at(response);
    return next === undefined ? this.clock.end : this.clock.at(history.invoke[next] - 0.3);
  }

  /** `labels`: those of other bars that stand beside them, over which no label is written. */
  private drawBar(index: number, next: number | undefined, y: number,
                  labels: Element[] = []): SVGGElement {
    const { history, part, core, context, selected, found } = this.shown;
    const begin = this.x(this.clock.at(history.invoke[index]));
    const left = Math.max(begin, this.labels - 4);
    const right = Math.min(this.x(this.end(index, next)), this.width + 4);
    const width = Math.max(right - left, NARROWEST), outcome = OUTCOMES[history.outcome[index]];
    const lit = core.size > 0 ? this.isLit(index) : !part || history.part[index] === part;
    const classes = ["operation", outcome, lit ? "lit" : "dim", core.has(index) ? "core" : "",
                     context.has(index) ? "context" : "", index === selected ? "selected" : "",
                     found.has(index) ? "found" : ""];
    const label = history.label(index), room = Math.floor((width - 8) / CHARACTER);
    const group = svg("g", {
      class: classes.filter(Boolean).join(" "), "data-operation": index,
      click: () => this.dragged || this.select(index),
    });
    group.append(svg("rect", { x: left, y: y + (ROW - BAR) / 2, width, height: BAR, rx: 3 },
                     svg("title", {}, label)));
    if (outcome === "info")
      group.append(svg("line", { class: "pending", x1: left + width, x2: this.width,
                                 y1: y + ROW - 5, y2: y + ROW - 5 }));
    if (outcome === "fail") // struck through: it did not happen
      group.append(svg("line", { class: "struck", x1: left, x2: left + width,
                                 y1: y + (ROW + BAR) / 2, y2: y + (ROW - BAR) / 2 }));
    if (core.has(index) && label.length > room)
      group.append(svg("text", { class: "beside", x: left + width + 4, y: y + ROW / 2 + 4 }, label));
    else if (room >= 3 && !labels.some(other => {
      const from = Number(other.getAttribute("x"));
      return from < left + 4 + Math.min(room, label.length) * CHARACTER &&
        left < from + other.textContent!.length * CHARACTER;
    }))
      group.append(svg("text", { x: left + 4, y: y + ROW / 2 + 4 },
                       label.length > room ? label.slice(0, room - 1) + "\u2026" : label));
    return group;
  }

  /** How much of the time the process was inside an operation, in steps of 3 pixels. */
  private drawActivity(operations: Uint32Array, first: number, last: number,
                       y: number, kind = ""): SVGPathElement {
    const step = 3, bins = Math.ceil((this.width - this.labels) / step) + 1;
    const scale = (this.width - this.labels) / (this.to - this.from) / step;
    const busy = new Float32Array(bins);
    for (let i = first; i < last; i++) {
      const index = operations[i], begin = this.clock.at(this.shown.history.invoke[index]);
      const left = Math.max(0, (begin - this.from) * scale);
      const right = Math.min(bins - 1, (this.end(index, operations[i + 1]) - this.from) * scale);
      for (let bin = Math.floor(left); bin <= right; bin++)
        busy[bin] += Math.min(right, bin + 1) - Math.max(left, bin);
    }
    const base = y + (ROW + BAR) / 2, path: string[] = [];
    busy.forEach((part, bin) => {
      if (part > 0)
        path.push(`M${this.labels + bin * step} ${base}v${-(1 + (BAR - 1) * Math.min(1, part)).toFixed(1)}h${step}V${base}z`);
    });
    return svg("path", { class: `activity ${kind}`, d: path.join("") });
  }

  private drawPoints(visible: number[]): SVGGElement[] {
    const { order, history, step } = this.shown;
    if (!order || !this.points)
      return [];
    const points = this.points;
    const low = countFirst(points.length, at => this.clock.at(points[at]) < this.from);
    let end = low;
    while (end < points.length && this.clock.at(points[end]) <= this.to && end - low <= MOST_BARS)
      end++;
    if (end - low > MOST_BARS)
      return [];
    const group = svg("g", { class: "points" }), way: string[] = [];
    for (let i = low; i < end; i++) {
      const row = visible.indexOf(history.process[order.indices[i]]);
      if (row < 0)
        continue;
      const x = this.x(this.clock.at(points[i])), y = AXIS + row * ROW + ROW / 2;
      if (x < this.labels)
        continue;
      way.push(`${x.toFixed(1)} ${y}`);
      group.append(svg("g", { class: i < step ? "point taken" : "point" },
                       svg("circle", { cx: x, cy: y - 10, r: 7 }),
                       svg("text", { x, y: y - 7 }, String(i + 1))));
    }
    if (way.length > 1)
      group.prepend(svg("path", { class: "way", d: "M" + way.join("L") }));
    return [group];
  }

  /** All of the history, and where the view is. */
  private drawOverview(): SVGGElement {
    const { history, core } = this.shown, y = this.height - OVERVIEW + 6;
    const width = this.width - this.labels, whole = this.clock.end;
    const at = (time: number) => this.labels + Math.max(0, Math.min(1, time / whole)) * width;
    const group = svg("g", { class: "overview" });
    group.append(svg("rect", { class: "whole", x: this.labels, y, width, height: OVERVIEW - 10 }));
    const left = at(this.from), right = at(this.to);
    const places = new Set([...core].map(index => Math.round(at(this.clock.at(history.invoke[index])))));
    for (const x of places)
      group.append(svg("line", { class: "mark", x1: x, x2: x, y1: y, y2: y + OVERVIEW - 10 }));
    group.append(svg("rect", { class: "view", x: left, y, width: Math.max(3, right - left),
                               height: OVERVIEW - 10 }),
                 svg("text", { x: 4, y: y + 16 }, "overview"));
    group.addEventListener("click", event => {
      const share = (event.clientX - this.element.getBoundingClientRect().left - this.labels) / width;
      const length = this.to - this.from;
      this.show(share * whole - length / 2, share * whole + length / 2);
    });
    return group;
  }
}
