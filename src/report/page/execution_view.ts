// An execution step by step: a lane for each process or thread, and what the shared state is then.

import { Access, Fields, ModelStep } from "./answers";
import { counted, grouped, html } from "./dom";

const PAGE = 400;

interface Step {
  lane: number;
  text: string;
  visible: boolean;
  changes: Record<string, string>;
  from?: string | null;
}

function isAccess(step: ModelStep | Access): step is Access {
  return "access" in step;
}

/** What a step does, in a line. */
function toStep(step: ModelStep | Access, files: Set<string>): Step {
  if (!isAccess(step))
    return { lane: step.process, text: step.event, visible: step.visible, changes: step.changes };
  const place = step.line ? `${files.size > 1 ? `${step.file}:` : ""}${step.line}: ` : "";
  const what = [step.access, step.location].filter(Boolean).join(" ");
  const changes: Record<string, string> = {};
  if (step.location && step.value && /store|write|->|fetch|exchange|update/.test(step.access + step.value))
    changes[step.location] = step.value.split("->").at(-1)!.trim();
  return { lane: step.thread, text: place + what + (step.value ? ` = ${step.value}` : ""),
           visible: false, changes, from: step.from };
}

/** Sets a variable, or a field of a node that is shown whole; answers the name it is shown by. */
function setValue(values: Map<string, string>, name: string, value: string): string {
  const [node, field] = name.split(".", 2), whole = values.get(node);
  if (field === undefined || whole === undefined || !whole.includes(`${field} = `)) {
    values.set(name, value);
    return name;
  }
  const at = whole.indexOf(`${field} = `) + field.length + 3;
  let end = at, depth = 0;
  for (; end < whole.length && (depth > 0 || !",}".includes(whole[end])); end++)
    depth += Number("{[(".includes(whole[end])) - Number("}])".includes(whole[end]));
  values.set(node, whole.slice(0, at) + value + whole.slice(end));
  return node;
}

function list(title: string, texts: string[] | undefined): HTMLElement[] {
  return texts?.length
    ? [html("h3", {}, title), html("ul", {}, ...texts.map(text => html("li", {}, text)))] : [];
}

export class ExecutionView {
  readonly element = html("div", { class: "execution" });
  private readonly steps: Step[];
  private readonly lanes: number[];
  private readonly body = html("tbody");
  private readonly state = html("section", { class: "state", "aria-live": "polite",
                                             "aria-label": "state" });
  private readonly count = html("span", { class: "count" });
  private now: number; // steps taken
  private readonly isProgram: boolean; // its steps are lines of source
  private readonly operations: number[]; // of each step; -1: none

  /** Called with the operation that the latest step belongs to. */
  onStep: (operation: number) => void = () => {};

  constructor(private readonly fields: Fields) {
    const trace = fields.trace as (ModelStep | Access)[];
    const files = new Set(trace.filter(isAccess).map(step => step.file ?? ""));
    this.steps = trace.map(step => toStep(step, files));
    this.lanes = [...new Set(this.steps.map(step => step.lane))].sort((a, b) => a - b);
    this.now = this.steps.length;
    this.isProgram = this.steps.some(step => /^\d+: /.test(step.text));
    this.operations = this.findOperations();
    const name = trace.length && isAccess(trace[0]) ? "thread" : "process";
    const lanes = html("div", { class: "lanes", tabindex: 0, role: "group",
                                "aria-label": "steps; arrow keys go through them" },
      html("table", {},
        html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "step"),
          ...this.lanes.map(lane => html("th", { scope: "col" },
            this.lanes.length > 1 || lane ? `${name} ${lane}` : "event")))),
        this.body));
    lanes.addEventListener("keydown", event => this.key(event));
    this.element.append(html("div", {}, this.heading(files), this.buttons(), lanes), this.state);
    this.go(this.now);
  }

  /** Operations are numbered by their calls, as in the history that is made of them. */
  private findOperations(): number[] {
    const running = new Map<number, number>();
    let count = 0;
    return this.steps.map(({ lane, text }) => {
      if (text.startsWith("inv."))
        running.set(lane, count++);
      const operation = running.get(lane) ?? -1;
      if (text.startsWith("res."))
        running.delete(lane);
      return operation;
    });
  }

  /** Goes to the last step of an operation, unless it is at one of its steps. */
  showOperation(operation: number): void {
    const last = this.operations.lastIndexOf(operation);
    if (last >= 0 && this.operations[this.now - 1] !== operation)
      this.go(last + 1);
  }

  private heading(files: Set<string>): HTMLElement {
    const only = files.size === 1 ? [...files][0] : "";
    return html("h3", {}, `The execution, ${counted(this.steps.length, "step")}`,
                only ? `, lines of ${only}` : null);
  }

  private buttons(): HTMLElement {
    const button = (label: string, text: string, step: () => number) =>
      html("button", { type: "button", "aria-label": label, click: () => this.go(step()) }, text);
    return html("div", { class: "controls" },
      button("beginning", "\u00ab", () => 0), button("back", "\u25c0", () => this.now - 1), this.count,
      button("forward", "\u25b6", () => this.now + 1), button("end", "\u00bb", () => this.steps.length));
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowUp: this.now - 1, ArrowLeft: this.now - 1, ArrowDown: this.now + 1,
      ArrowRight: this.now + 1, Home: 0, End: this.steps.length,
      PageUp: this.now - 20, PageDown: this.now + 20 };
    if (!(event.key in steps))
      return;
    event.preventDefault();
    this.go(steps[event.key]);
  }

  /** Shows the state after so many steps. */
  go(now: number): void {
    this.now = Math.max(0, Math.min(this.steps.length, now));
    this.count.textContent = `${grouped(this.now)} of ${grouped(this.steps.length)}`;
    this.drawSteps();
    this.drawState();
    requestAnimationFrame(() => this.scrollToStep());
    this.onStep(this.operations[this.now - 1] ?? -1);
  }

  /** Without moving the page. */
  private scrollToStep(): void {
    const row = this.body.querySelector<HTMLElement>(".now"), lanes = this.body.closest(".lanes");
    if (!row || !lanes)
      return;
    lanes.scrollTop = Math.min(lanes.scrollTop, row.offsetTop - 40);
    lanes.scrollTop = Math.max(lanes.scrollTop,
                               row.offsetTop + row.offsetHeight - lanes.clientHeight + 4);
  }

  private drawSteps(): void {
    const first = this.steps.length <= PAGE ? 0
      : Math.max(0, Math.min(this.now - PAGE / 2, this.steps.length - PAGE));
    const rows: HTMLElement[] = [], last = Math.min(this.steps.length, first + PAGE);
    const more = (count: number, words: string) => count > 0 && rows.push(html("tr", {},
      html("td", { class: "more", colspan: this.lanes.length + 1 }, `${counted(count, "step")} ${words}`)));
    more(first, "before these");
    for (let i = first; i < last; i++)
      rows.push(this.drawStep(i));
    more(this.steps.length - last, "behind these");
    if (this.fields.loop_start !== undefined)
      rows.push(html("tr", {}, html("td", { class: "more", colspan: this.lanes.length + 1 },
        `and again from step ${this.fields.loop_start + 1}, for ever`)));
    this.body.replaceChildren(...rows);
  }

  private drawStep(i: number): HTMLElement {
    const step = this.steps[i], last = i + 1 === this.steps.length;
    const classes = [i + 1 === this.now ? "now" : "",
                     last && this.fields.failure === "event" ? "fault" : "",
                     i >= (this.fields.loop_start ?? Infinity) ? "loop" : ""].filter(Boolean).join(" ");
    const cells = this.lanes.map(lane => html("td", { class: "lane" },
      lane !== step.lane ? null
        : html("span", { class: step.visible ? "event visible" : "event" }, step.text),
      lane === step.lane && step.from
        ? html("span", { class: step.from.includes("stale") ? "from stale" : "from" }, `from ${step.from}`)
        : null));
    return html("tr", { class: classes || undefined, "data-step": i + 1, click: () => this.go(i + 1) },
                html("td", { class: "number" }, String(i + 1)), ...cells);
  }

  /** Of a program in .lin: what is not there at the start is a process's own, unless it is a node. */
  private owner(name: string, lane: number): string {
    const shared = name in (this.fields.start ?? {}) || /\d/.test(name) || name.includes(".");
    return shared || !this.isProgram ? name : `${name} (process ${lane})`;
  }

  /** Under which models the scenario was run, and what came of it. */
  private models(): string[] {
    const { memory_model: model, also_in: also, also_in_unknown: open } = this.fields;
    if (!model || !also)
      return [];
    const others = ["rc11", "tso", "sc"].filter(other => other !== model);
    return [`${model}: violated`, ...others.map(other => `${other}: ` +
      (also.includes(other) ? "violated" : open?.includes(other) ? "not decided" : "not violated"))];
  }

  private drawState(): void {
    const values = new Map<string, string>(Object.entries(this.fields.start ?? {}));
    let changed = new Set<string>();
    for (let i = 0; i < this.now; i++) {
      const { changes, lane } = this.steps[i];
      changed = new Set();
      for (const [name, value] of Object.entries(changes)) {
        const owner = this.owner(name, lane);
        changed.add(setValue(values, owner, value));
      }
    }
    const title = this.now ? `After step ${grouped(this.now)}` : "At the start";
    this.state.replaceChildren(html("h3", {}, title),
      values.size ? html("table", {}, html("thead", {}, html("tr", {},
          html("th", { scope: "col" }, "what"), html("th", { scope: "col" }, "value"))),
        html("tbody", {}, ...[...values].map(([name, value]) =>
          html("tr", { class: changed.has(name) ? "changed" : undefined },
               html("td", {}, name), html("td", {}, html("code", {}, value))))))
      : html("p", {}, "There is nothing to show."),
      ...list("Operations", Array.isArray(this.fields.operations) ? this.fields.operations : []),
      ...list("What a client does to see it", this.fields.client),
      ...list("What would have to be ordered", this.fields.unordered),
      ...list("Memory models", this.models()));
  }
}
