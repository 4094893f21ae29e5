// Violation automata: drawn, and read along the histories that they accept.

import { Automaton, Reading } from "./answers";
import { counted, grouped, html, svg } from "./dom";
import { Drawn, Edge, layOut, Placed, Size } from "./layout";

const LETTER = 6.7, LINE = 13, STATE = 30, LOOP = 16, MOST_STATES = 30;

function labelSize(lines: string[]): Size {
  return { width: Math.max(...lines.map(line => line.length)) * LETTER + 8, height: lines.length * LINE + 6 };
}

/** Lines of text, the last at `y`. */
function label(lines: string[], x: number, y: number): SVGElement {
  return svg("text", { x, y, class: "letters" }, ...lines.map((line, i) =>
    svg("tspan", { x, y: y - (lines.length - 1 - i) * LINE }, line)));
}

/** A history of few operations: a row each, calls and returns in their order. */
export function drawHistory(operations: { label: string; call: number; ret: number }[],
                            now = -1): SVGElement {
  const longest = Math.max(0, ...operations.map(({ label: name }) => name.length));
  const step = longest * LETTER + 12, row = 22;
  const width = 2 * operations.length * step + 20;
  const bars = operations.map(({ label: name, call, ret }, i) => {
    const kind = now < 0 ? "" : call > now ? " later" : call === now || ret === now ? " now" : "";
    return svg("g", { class: `bar${kind}` },
      svg("rect", { x: 10 + call * step, y: 4 + i * row, width: (ret - call) * step, height: row - 4, rx: 3 }),
      svg("text", { x: 15 + call * step, y: 4 + i * row + 13 }, name));
  });
  return svg("svg", { class: "small-history", width, height: operations.length * row + 8, role: "img",
                      "aria-label": `a history: ${operations.map(({ label: name }) => name).join(", ")}` },
             ...bars);
}

/** One automaton, with a history that it reads. */
class Drawing {
  readonly element: HTMLElement;
  private readonly states = new Map<number, SVGElement>();
  private readonly edges = new Map<string, SVGElement>();
  private readonly halves: number[]; // of the widths of states

  constructor(automaton: Automaton, readings: Reading[]) {
    const { states } = automaton;
    this.halves = states.map(({ name }) => Math.max(STATE, name.length * LETTER + 20) / 2);
    const passed = new Set(readings.flatMap(({ steps }) => steps.map(step => step[3])));
    const isLarge = states.length > MOST_STATES;
    const shown = states.map((_, i) => i).filter(i => !isLarge || i === automaton.initial || passed.has(i));
    const number = new Map(shown.map((state, i) => [state, i]));
    const all: Edge[] = automaton.edges.map(([from, to, letters]) => ({ from, to, lines: letters.split("\n") }));
    const loops = new Map(all.filter(({ from, to }) => from === to).map(({ from, lines }) => [from, lines]));
    const edges = all.filter(({ from, to }) => from !== to && number.has(from) && number.has(to))
      .map(edge => ({ ...edge, from: number.get(edge.from)!, to: number.get(edge.to)! }));
    const sizes = shown.map(state => this.size(state, loops.get(state)));
    const made = layOut(sizes, edges, number.get(automaton.initial)!, labelSize);
    const place = (state: number) => made.states[number.get(state)!];
    const picture = svg("svg", {
      class: "automaton", role: "img", width: made.width + 60, height: made.height + 24,
      viewBox: `-50 -14 ${made.width + 60} ${made.height + 24}`,
      "aria-label": `${automaton.name}: ${counted(states.length, "state")}; the table says the same` },
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 9,
                                      markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
                          svg("path", { d: "M0 0L8 4L0 8Z" }))));
    for (const edge of made.edges)
      picture.append(this.edge(edge, shown[edge.from], shown[edge.to]));
    for (const state of shown)
      picture.append(this.state(automaton, state, place(state), loops.get(state)));
    this.element = html("div", {},
      isLarge ? html("p", {}, `Of ${grouped(states.length)} states those are drawn that the history passes.`) : null,
      html("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": "drawing" }, picture));
  }

  private size(state: number, loop: string[] | undefined): Size {
    const above = loop ? labelSize(loop) : { width: 0, height: 0 };
    return { width: Math.max(2 * this.halves[state], above.width),
             height: STATE + (loop ? LOOP + above.height : 0) };
  }

  private edge(edge: Drawn, from: number, to: number): SVGElement {
    const half = labelSize(edge.lines).width / 2, forward = edge.points.at(-1)!.x > edge.points[0].x ? 1 : -1;
    const points = edge.points.flatMap((point, i) =>
      i === 0 ? { x: point.x + forward * this.halves[from], y: point.y - STATE / 2 }
        : i === edge.points.length - 1 ? { x: point.x - forward * (this.halves[to] + 1), y: point.y - STATE / 2 }
        : point.x === edge.label.x && point.y === edge.label.y
          ? [{ x: point.x - forward * half, y: point.y }, { x: point.x + forward * half, y: point.y }] : point);
    const path = points.slice(1).map((point, i) => {
      const middle = (points[i].x + point.x) / 2;
      return `C${middle} ${points[i].y} ${middle} ${point.y} ${point.x} ${point.y}`;
    });
    const group = svg("g", { class: "edge" },
      svg("path", { d: `M${points[0].x} ${points[0].y}${path.join("")}`, "marker-end": "url(#arrow)" }),
      label(edge.lines, edge.label.x, edge.label.y - 5));
    this.edges.set(`${from} ${to}`, group);
    return group;
  }

  private state(automaton: Automaton, state: number, { x, y }: Placed, loop: string[] | undefined): SVGElement {
    const { name, accepts } = automaton.states[state], half = this.halves[state], top = y - STATE;
    const box = (inset: number) => svg("rect", {
      x: x - half + inset, y: top + inset, width: 2 * half - 2 * inset, height: STATE - 2 * inset,
      rx: STATE / 2 - inset });
    const group = svg("g", { class: `state${accepts ? ` accepting ${accepts}` : ""}` }, box(0),
                      accepts ? box(3) : null, svg("text", { x, y: y - STATE / 2 + 4 }, name));
    if (state === automaton.initial)
      group.append(svg("path", { class: "start", d: `M${x - half - 34} ${y - STATE / 2}H${x - half - 1}`,
                                 "marker-end": "url(#arrow)" }));
    if (loop) {
      const around = svg("g", { class: "edge" },
        svg("path", { d: `M${x - 9} ${top}C${x - 20} ${top - LOOP - 6} ${x + 20} ${top - LOOP - 6} ${x + 9} ${top - 1}`,
                      "marker-end": "url(#arrow)" }),
        label(loop, x, top - LOOP - 3));
      this.edges.set(`${state} ${state}`, around);
      group.append(around);
    }
    this.states.set(state, group);
    return group;
  }

  /** Lights the state that it is in, and the edge that led there. */
  light(before: number | null, state: number): void {
    this.states.forEach((group, which) => group.classList.toggle("now", which === state));
    this.edges.forEach((group, which) => group.classList.toggle("now", which === `${before} ${state}`));
  }
}

/** Automata, one at a time, and what each accepts, letter by letter. */
export class AutomataView {
  readonly element = html("div", { class: "automata" });
  private readonly body = html("div");
  private drawing: Drawing | null = null;
  private automaton: Automaton;
  private reading: Reading | null = null;
  private now = 0; // letters read
  private readonly story = html("div", { class: "reading" });

  /** Called with the operation whose event was read; -1: none. */
  onStep: (operation: number) => void = () => {};

  /** `name`: how an operation of the recorded history is called. */
  constructor(automata: Automaton[], private readonly name: (operation: number) => string) {
    const first = [/^a false alarm/, /./].map(kind =>
      automata.findIndex(({ readings }) => readings.some(({ about }) => kind.test(about)))).find(i => i >= 0) ?? 0;
    this.automaton = automata[first];
    const buttons = automata.map((automaton, i) => html("button", {
      type: "button", "aria-pressed": String(i === first), click: () => {
        buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
        this.show(automaton);
      } }, automaton.name));
    this.element.append(html("h3", {}, counted(automata.length, "violation automaton", "violation automata")),
                        automata.length > 1 ? html("div", { class: "controls choice" }, ...buttons) : "", this.body);
    this.show(this.automaton);
  }

  private show(automaton: Automaton): void {
    const { readings } = automaton;
    this.automaton = automaton;
    this.drawing = new Drawing(automaton, readings);
    const choice = html("select", { id: "reading", change: () => this.read(readings[choice.selectedIndex]) },
                        ...readings.map(({ about }) => html("option", {}, about)));
    this.body.replaceChildren(
      html("p", {}, html("strong", {}, automaton.name), automaton.rule ? `: ${automaton.rule}` : null),
      this.drawing.element,
      html("p", { class: "about" }, "Two borders: it accepts; dashed: only where nothing is pending. A letter is an " +
        "event, a method, and the colours of the value; without colours all, without call or ret both" +
        (automaton.left_out ? `; ${automaton.left_out}.` : ".")),
      this.table(),
      readings.length > 1 ? html("label", { for: "reading" }, "reading ", choice) : "",
      this.story);
    this.read(readings[0] ?? null);
  }

  private table(): HTMLElement {
    const name = (state: number) => this.automaton.states[state].name;
    return html("details", {}, html("summary", {}, "The same as a table"),
      html("table", {},
        html("thead", {}, html("tr", {}, ...["from", "letters", "to"].map(title => html("th", { scope: "col" }, title)))),
        html("tbody", {}, ...this.automaton.edges.map(([from, to, letters]) => html("tr", {},
          html("td", {}, name(from)), html("td", {}, letters.split("\n").join(", ")),
          html("td", {}, name(to) + (this.automaton.states[to].accepts ? " (accepts)" : "")))))));
  }

  private read(reading: Reading | null): void {
    this.reading = reading;
    this.go(reading?.steps.length ?? 0);
  }

  /** Shows the state after so many letters. */
  private go(now: number): void {
    const { reading, automaton } = this, steps = reading?.steps ?? [];
    this.now = Math.max(0, Math.min(steps.length, now));
    const stateAfter = (count: number) => count ? steps[count - 1][3] : automaton.initial;
    this.drawing?.light(this.now ? stateAfter(this.now - 1) : null, stateAfter(this.now));
    if (!reading) {
      this.story.replaceChildren(html("p", {}, "No history that it accepts is at hand."));
      return;
    }
    const label = (operation: number) => reading.operations?.[operation] ?? this.name(operation);
    const button = (text: string, title: string, to: number) =>
      html("button", { type: "button", "aria-label": title, click: () => this.go(to) }, text);
    const rows = steps.map(([operation, returned, letter, state], i) => html("tr", {
      class: i + 1 === this.now ? "now" : undefined, click: () => this.go(i + 1) },
      html("td", { class: "number" }, String(i + 1)),
      html("td", {}, `${label(operation)} ${returned ? "returns" : "is called"}`),
      html("td", {}, letter), html("td", {}, automaton.states[state].name)));
    const list = html("div", { class: "lanes", tabindex: 0, role: "group",
                               "aria-label": "letters; arrow keys go through them",
                               keydown: (event: KeyboardEvent) => this.key(event) },
      html("table", {}, html("thead", {}, html("tr", {}, ...["letter", "event", "read as", "then in"].map(
        title => html("th", { scope: "col" }, title)))), html("tbody", {}, ...rows)));
    const hadFocus = this.story.querySelector(".lanes") === document.activeElement;
    this.story.replaceChildren(html("h3", {}, `Reading ${reading.about}`),
      reading.operations ? drawHistory(reading.operations.map((text, operation) => ({
        label: text,
        call: steps.findIndex(step => step[0] === operation && !step[1]),
        ret: steps.findIndex(step => step[0] === operation && step[1] === 1) })), this.now - 1) : "",
      steps.length < reading.events
        ? html("p", { class: "about" }, `Of ${counted(reading.events, "event")} those are shown that lead to another state.`)
        : "",
      html("div", { class: "controls" }, button("\u00ab", "beginning", 0), button("\u25c0", "back", this.now - 1),
           html("span", { class: "count" }, `${grouped(this.now)} of ${grouped(steps.length)}`),
           button("\u25b6", "forward", this.now + 1), button("\u00bb", "end", steps.length),
           html("span", { "aria-live": "polite" }, `in ${automaton.states[stateAfter(this.now)].name}` +
                (automaton.states[stateAfter(this.now)].accepts ? ", which accepts" : ""))),
      list);
    if (hadFocus)
      list.focus();
    const row = list.querySelector<HTMLElement>(".now");
    list.scrollTop = row ? row.offsetTop - list.clientHeight / 2 : 0;
    this.onStep(this.now ? steps[this.now - 1][0] : -1);
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowUp: this.now - 1, ArrowLeft: this.now - 1, ArrowDown: this.now + 1, ArrowRight: this.now + 1,
      Home: 0, End: this.reading?.steps.length ?? 0 };
    if (!(event.key in steps))
      return;
    event.preventDefault();
    this.go(steps[event.key]);
  }
}
