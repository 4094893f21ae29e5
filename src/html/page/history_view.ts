// The view of a history: why, when, which, and in what order.

import { Answer, Violation, violationsOf } from "./answers";
import { counted, grouped, html, sentence } from "./dom";
import { History, Order } from "./history";
import { describeOperation, operationItem, Steps } from "./inspector";
import { Shown, Timeline } from "./timeline";

const MOST_ROWS = 12, MOST_TOLD = 30, MOST_FOUND = 200, MOST_PARTS = 500;

/** Which object and key it is about, where these have names. */
function named(violation: Violation): string[] {
  return [...(violation.object ? [`object ${violation.object}`] : []),
          ...(violation.key !== undefined ? [`key ${JSON.stringify(violation.key)}`] : [])];
}

/** The same in front of a sentence. */
function whose(violation: Violation): HTMLElement | null {
  const names = named(violation);
  return names.length ? html("strong", {}, `${names.join(", ")}: `) : null;
}

export class HistoryView {
  readonly element = html("div", { class: "history" });
  private readonly violations: Violation[];
  private readonly shown: Shown;
  private readonly timeline: Timeline;
  private readonly details = html("section", { class: "details", "aria-live": "polite",
                                               "aria-label": "operation" });
  private readonly matches = html("div", { class: "matches" });
  private readonly side = html("div", { class: "side" });
  private readonly story = html("section", { class: "story", "aria-label": "violation" });
  private steps: Steps;
  private current = 0; // violation
  private hits: number[] = [];
  private hit = -1;

  /** Called with an operation that was chosen. */
  onSelect: (index: number) => void = () => {};

  constructor(private readonly answer: Answer, private readonly history: History) {
    this.violations = violationsOf(answer);
    const crowded = this.violations.length > 0 && history.byProcess.length > MOST_ROWS;
    this.shown = { history, core: new Set(), context: new Set(), found: new Set(), part: 0,
                   onlyCore: crowded, byTime: false, order: null, step: 0, selected: -1 };
    this.timeline = new Timeline(this.shown, index => this.select(index));
    this.steps = this.makeSteps();
    this.element.append(this.story, this.makeControls(), this.timeline.element, this.makeLegend(),
                        html("div", { class: "columns" },
                             html("div", {}, this.details, this.matches), this.side));
    this.take(0);
    this.timeline.element.addEventListener("keydown", event => this.key(event));
  }

  // ---- violations and orders ----

  private get violation(): Violation | null { return this.violations[this.current] ?? null; }

  private ordersHere(): Order[] {
    if (this.violations.length < 2)
      return this.history.orders;
    const counts = this.violations.map(violation => violation.partials?.length ?? 0);
    const first = counts.slice(0, this.current).reduce((sum, count) => sum + count, 0);
    return this.history.orders.slice(first, first + counts[this.current]);
  }

  private makeSteps(): Steps {
    return new Steps(this.history, this.violation, this.ordersHere(), () => this.follow(),
                     index => this.select(index));
  }

  private follow(): void {
    this.shown.order = this.steps.order;
    this.shown.step = this.steps.step;
    this.timeline.reset();
  }

  /** Shows a violation, or what there is without one. */
  private take(number: number): void {
    this.current = number;
    const violation = this.violation;
    const core = violation?.core?.length ? violation.core : violation?.evidence ?? [];
    this.shown.core = new Set(core);
    this.shown.context = new Set(violation?.context ?? []);
    this.shown.part = core.length && this.history.parts.length > 1 ? this.history.part[core[0]] : 0;
    this.steps = this.makeSteps();
    this.side.replaceChildren(this.makeParts(), this.steps.element);
    this.follow();
    this.tell();
    this.select(-1);
    this.toViolation();
  }

  toViolation(): void {
    if (this.shown.core.size)
      this.timeline.fitTo([...this.shown.core, ...this.shown.context]);
    else
      this.timeline.fit();
  }

  private tell(): void {
    const violation = this.violation;
    if (!violation) {
      this.story.replaceChildren();
      return;
    }
    const core = violation.core ?? [], shown = [...new Set([...(core.length ? core : violation.evidence ?? []),
                                                            ...(violation.context ?? [])])];
    shown.sort((a, b) => this.history.invoke[a] - this.history.invoke[b]);
    const parts: Node[] = this.history.isIn ? [] // it has been said at the top
      : [html("p", { class: "reason" }, this.history.parts.length > 1 ? whose(violation) : null,
              ...sentence(violation.reason))];
    if (this.violations.length > 1)
      parts.unshift(html("label", { for: "violation" }, "violation ", this.makeViolationChoice()));
    if (shown.length)
      parts.push(this.makeTable(shown.slice(0, MOST_TOLD)));
    if (shown.length > MOST_TOLD)
      parts.push(html("p", { class: "more" },
                      `and ${counted(shown.length - MOST_TOLD, "operation")} more, on the timeline`));
    if (core.length)
      parts.push(html("p", {}, violation.core_complete
        ? `${counted(core.length, "operation is a violation by itself", "operations are a violation by themselves")}: without any one of them it would be none.`
        : `${counted(core.length, "operation is", "operations are")} known to be a violation; fewer may do.`));
    this.story.replaceChildren(...parts);
  }

  private makeViolationChoice(): HTMLElement {
    const choice = html("select", { id: "violation", change: () => this.take(choice.selectedIndex) },
      ...this.violations.map((violation, i) => html("option", { selected: i === this.current },
        [`${i + 1} of ${this.violations.length}`, ...named(violation)].join(", "))));
    return choice;
  }

  private makeTable(indices: number[]): HTMLElement {
    const { history } = this;
    return html("table", { class: "core" },
      html("thead", {}, html("tr", {}, ...["operation", "process", history.isIn?.title ?? "in the file",
                                                        "what it is"].map(
        title => html("th", { scope: "col" }, title)))),
      html("tbody", {}, ...indices.map(index => html("tr", {},
        html("td", {}, html("button", { type: "button", class: "link",
                                        click: () => { this.select(index); this.timeline.reveal(index); } },
                            history.label(index))),
        html("td", {}, history.processName(history.process[index])),
        html("td", {}, history.place(index)),
        html("td", {}, this.shown.context.has(index) ? "context" : "core")))));
  }

  // ---- one operation ----

  select(index: number): void {
    if (index === this.shown.selected && index >= 0)
      return;
    this.shown.selected = index;
    this.onSelect(index);
    this.timeline.redraw();
    this.details.replaceChildren(html("h3", {}, "Operation"),
      index < 0 ? html("p", {}, "Choose one in the timeline, or in a list.")
                : describeOperation(this.history, this.answer.fields?.input ?? this.answer.subject,
                                    index, this.steps.order));
    if (index >= 0)
      this.timeline.reveal(index);
  }

  // ---- parts ----

  private makeParts(): HTMLElement {
    const { parts } = this.history;
    if (parts.length < 2)
      return html("div");
    const bad = parts.map((part, i) => ({ part, number: i + 1 }))
      .sort((a, b) => Number(b.part.verdict === "violation") - Number(a.part.verdict === "violation"));
    const choose = (number: number) => {
      this.shown.part = number;
      this.timeline.reset();
      this.side.replaceChild(this.makeParts(), this.side.firstChild!);
    };
    const item = (label: string, number: number, verdict: string | null, count: number) =>
      html("li", {}, html("button", { type: "button", class: "link", click: () => choose(number),
                                      "aria-pressed": String(this.shown.part === number) }, label),
           html("span", { class: `verdict ${verdict ?? ""}` },
                number ? verdict ?? "not looked at, or not decided" : ""),
           html("span", { class: "who" }, counted(count, "operation")));
    return html("section", { class: "parts", "aria-label": "parts" },
      html("h3", {}, `${grouped(parts.length)} objects or keys, decided each on its own`),
      html("ul", {}, item("all", 0, null, this.history.count),
        ...bad.slice(0, MOST_PARTS).map(({ part, number }) =>
          item(this.history.partName(part), number, part.verdict, part.operations))),
      bad.length > MOST_PARTS
        ? html("p", {}, `and ${grouped(bad.length - MOST_PARTS)} more: search for a value of theirs`)
        : null);
  }

  // ---- search ----

  private search(words: string): void {
    const wanted = words.trim().toLowerCase();
    const process = /^process\s+(.+)$/.exec(wanted)?.[1];
    this.hits = [];
    let all = 0;
    for (let i = 0; wanted && i < this.history.count; i++) {
      const hit = process !== undefined
        ? this.history.processName(this.history.process[i]).toLowerCase() === process
        : this.history.label(i).toLowerCase().split(/[\s\[\](){},]+/).includes(wanted) ||
          (wanted.includes(" ") && this.history.label(i).toLowerCase().includes(wanted));
      all += Number(hit);
      if (hit && this.hits.length < MOST_FOUND)
        this.hits.push(i);
    }
    this.hit = -1;
    this.shown.found = new Set(this.hits);
    this.timeline.redraw();
    this.matches.replaceChildren(...!wanted ? [] : [
      html("p", { role: "status" }, `${counted(all, "operation")} found` +
           (all > this.hits.length ? `, the first ${MOST_FOUND} are shown` : "")),
      html("ul", {}, ...this.hits.map((index, i) =>
        operationItem(this.history, index, () => this.toHit(i))))]);
  }

  private toHit(number: number): void {
    if (!this.hits.length)
      return;
    this.hit = (number + this.hits.length) % this.hits.length;
    this.select(this.hits[this.hit]);
  }

  // ---- controls ----

  private makeControls(): HTMLElement {
    const button = (text: string, title: string, click: () => void) =>
      html("button", { type: "button", title, click }, text);
    const input = html("input", { type: "search", id: "search", placeholder: "value, or process 3",
                                  input: () => this.search(input.value),
                                  keydown: (event: KeyboardEvent) => {
                                    if (event.key === "Enter")
                                      this.toHit(this.hit + (event.shiftKey ? -1 : 1));
                                  } });
    const only = html("input", { type: "checkbox", id: "only", checked: this.shown.onlyCore, change: () => {
      this.shown.onlyCore = only.checked;
      this.timeline.reset();
      this.toViolation();
    } });
    const time = html("input", { type: "checkbox", id: "time", change: () => {
      this.shown.byTime = time.checked;
      this.timeline.reset();
      this.toViolation();
    } });
    const bar = html("div", { class: "controls", role: "toolbar", "aria-label": "timeline" },
      html("label", { for: "search" }, "search ", input),
      button("\u2212", "zoom out (-)", () => this.timeline.zoom(1.5)),
      button("+", "zoom in (+)", () => this.timeline.zoom(1 / 1.5)),
      button("all", "show all (0)", () => this.timeline.fit()));
    if (this.violations.length) {
      bar.append(button("violation", "go to the violation (v)", () => this.toViolation()),
                 html("label", { for: "only" }, only, " only its processes"));
    }
    if (this.history.invokeTime)
      bar.append(html("label", { for: "time" }, time, " by time"));
    return bar;
  }

  private makeLegend(): HTMLElement {
    const sample = (kind: string, text: string) =>
      html("span", { class: "sample" }, html("span", { class: `swatch ${kind}` }), text);
    return html("p", { class: "legend" }, sample("ok", "ok"), sample("fail", "fail: did not happen"),
      sample("info", "info: may have happened, any time later"),
      this.violations.length ? sample("corelike", "the violation; the rest is dimmed") : null,
      this.history.annotations.length ? sample("nemesis", "events of no client") : null);
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.timeline.pan(-0.2),
      ArrowRight: () => this.timeline.pan(0.2),
      ArrowUp: () => this.timeline.scroll(-1),
      ArrowDown: () => this.timeline.scroll(1),
      "+": () => this.timeline.zoom(1 / 1.5),
      "=": () => this.timeline.zoom(1 / 1.5),
      "-": () => this.timeline.zoom(1.5),
      "0": () => this.timeline.fit(),
      v: () => this.toViolation(),
      n: () => this.toHit(this.hit + 1),
      "]": () => this.steps.go(this.steps.step + 1),
      "[": () => this.steps.go(this.steps.step - 1),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action)
      return;
    event.preventDefault();
    action();
  }
}
