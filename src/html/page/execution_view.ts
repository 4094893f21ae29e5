// An execution step by step: a lane for each process or thread, and what the shared state is then.

import { Access, Fields, ModelStep, Source } from "./answers";
import { counted, grouped, html } from "./dom";

const PAGE = 400;
const LINES_ABOUT = 4; // of the source, before and behind that of a step

interface Step {
  lane: number;
  text: string;
  visible: boolean;
  changes: Record<string, string>;
  file: string; // empty: the input itself
  line: number; // 0: none
  from?: string | null;
  writer?: number; // of what was read: the step that wrote it, if it is known
  call?: string; // that begins with this step
  result?: string; // of the call that ends with this step
}

function isAccess(step: ModelStep | Access): step is Access {
  return "access" in step;
}

/** What a step does, in a line. */
function toStep(step: ModelStep | Access, files: Set<string>): Step {
  if (!isAccess(step))
    return { lane: step.process, text: step.event, visible: step.visible, changes: step.changes,
             file: step.file ?? "", line: step.line ?? 0 };
  const place = step.line ? `${files.size > 1 ? `${step.file}:` : ""}${step.line}: ` : "";
  const what = [step.access, step.location].filter(Boolean).join(" ");
  const changes: Record<string, string> = {};
  if (step.location && /^(try_)?lock$/.test(step.access) && !step.value)
    changes[step.location] = `held by thread ${step.thread}`;
  else if (step.location && step.access === "unlock")
    changes[step.location] = "free";
  else if (step.location && step.value && /store|write|->|fetch|exchange|update/.test(step.access + step.value))
    changes[step.location] = step.value.split("->").at(-1)!.trim();
  return { lane: step.thread, text: place + what + (step.value ? ` = ${step.value}` : ""),
           visible: false, changes, from: step.from, file: step.file ?? "", line: step.line ?? 0 };
}

/** Of what was read: which step wrote it. Left open where several could be meant. */
function findWriters(steps: Step[], trace: Access[]): void {
  steps.forEach((step, i) => {
    const [, thread, line] = /^thread (\d+), line (\d+)/.exec(step.from ?? "") ?? [];
    const location = trace[i].location, could: number[] = [];
    for (let k = 0; thread && location && k < i; k++)
      if (trace[k].thread === Number(thread) && trace[k].line === Number(line) &&
          location in steps[k].changes)
        could.push(k);
    const read = trace[i].value?.split("->")[0].trim();
    const same = could.filter(k => steps[k].changes[location!] === read);
    step.writer = same.length === 1 ? same[0] : could.length === 1 ? could[0] : undefined;
  });
}

/** "thread 1: push(1) -> done" stands at the first and the last step of this call. */
function placeCalls(steps: Step[], trace: Access[], calls: string[]): void {
  calls.forEach((call, number) => {
    const own = steps.filter((_, i) => trace[i].operation === number);
    const [, name, result] = /^thread \d+: (.*?\))(?: -> (.*))?/.exec(call) ?? [];
    if (!own.length || !name)
      return;
    own[0].call = name;
    own[own.length - 1].result = result;
  });
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
  private readonly source = html("section", { class: "source", "aria-label": "source" });
  private now: number; // steps taken
  private rounds = 0; // of the loop, that are over
  private readonly isProgram: boolean; // its steps are lines of source
  private readonly operations: number[]; // of each step; -1: none

  /** Called with the operation that the latest step belongs to. */
  onStep: (operation: number) => void = () => {};

  constructor(private readonly fields: Fields, private readonly sources: Source[] = []) {
    const trace = fields.trace as (ModelStep | Access)[];
    const files = new Set(trace.filter(isAccess).map(step => step.file ?? ""));
    this.steps = trace.map(step => toStep(step, files));
    this.lanes = [...new Set(this.steps.map(step => step.lane))].sort((a, b) => a - b);
    this.now = this.steps.length;
    const isCode = trace.every(isAccess);
    this.isProgram = !isCode && this.steps.some(step => step.line);
    this.operations = this.findOperations();
    if (isCode) {
      findWriters(this.steps, trace);
      placeCalls(this.steps, trace, Array.isArray(fields.operations) ? fields.operations : []);
    }
    const name = isCode ? "thread" : "process";
    const lanes = html("div", { class: "lanes", tabindex: 0, role: "group",
                                "aria-label": "steps; arrow keys go through them" },
      html("table", {},
        html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "step"),
          ...this.lanes.map(lane => html("th", { scope: "col" },
            this.lanes.length > 1 || lane ? `${name} ${lane}` : "event")))),
        this.body));
    lanes.addEventListener("keydown", event => this.key(event));
    this.element.append(html("div", {}, this.heading(files), this.buttons(), lanes),
                        html("div", {}, this.source, this.state));
    this.go(this.now);
  }

  /** Behind which step the loop begins; Infinity: there is none. */
  private get loop(): number { return this.fields.loop_start ?? Infinity; }

  /** "steps 3 to 9" of an operation; empty: it has none. */
  stepsOf(operation: number): string {
    const first = this.operations.indexOf(operation) + 1;
    const last = this.operations.lastIndexOf(operation) + 1;
    return !first ? "" : first === last ? `step ${first}` : `steps ${first} to ${last}`;
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
                only ? `, lines of ${this.fileName(only)}` : null);
  }

  /** A file as the user named it, if it is the input. */
  private fileName(path: string): string {
    return path.endsWith(`/${this.fields.input}`) ? this.fields.input : path;
  }

  private buttons(): HTMLElement {
    const button = (label: string, text: string, step: () => number) =>
      html("button", { type: "button", "aria-label": label, click: () => this.go(step()) }, text);
    return html("div", { class: "controls" },
      button("beginning", "\u00ab", () => 0),
      html("button", { type: "button", "aria-label": "back", click: () => this.back() }, "\u25c0"),
      this.count,
      html("button", { type: "button", "aria-label": "forward", click: () => this.forward() }, "\u25b6"),
      button("end", "\u00bb", () => this.steps.length),
      this.loop < Infinity ? button("beginning of the loop", "loop", () => this.loop + 1) : null);
  }

  /** One step on; behind the last step of a lasso its loop begins once more. */
  private forward(): void {
    const again = this.now === this.steps.length && this.loop < this.steps.length;
    this.go(again ? this.loop + 1 : this.now + 1, this.rounds + Number(again));
  }

  private back(): void {
    const before = this.rounds > 0 && this.now === this.loop + 1;
    this.go(before ? this.steps.length : this.now - 1, this.rounds - Number(before));
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowUp: () => this.back(), ArrowLeft: () => this.back(),
      ArrowDown: () => this.forward(), ArrowRight: () => this.forward(),
      Home: () => this.go(0), End: () => this.go(this.steps.length),
      PageUp: () => this.go(this.now - 20), PageDown: () => this.go(this.now + 20) };
    if (!(event.key in actions))
      return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Shows the state after so many steps, with so many rounds of the loop before. */
  go(now: number, rounds = 0): void {
    this.now = Math.max(0, Math.min(this.steps.length, now));
    this.rounds = this.now > this.loop ? rounds : 0;
    this.count.textContent = `${grouped(this.now)} of ${grouped(this.steps.length)}` +
      (this.rounds ? `, round ${grouped(this.rounds + 1)} of the loop` : "");
    this.drawSteps();
    this.drawState();
    this.drawSource();
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
    for (let i = first; i < last; i++) {
      if (i === this.loop)
        rows.push(html("tr", {}, html("td", { class: "more", colspan: this.lanes.length + 1 },
                                      "the loop:")));
      rows.push(this.drawStep(i));
    }
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
                     i >= this.loop ? "loop" : ""].filter(Boolean).join(" ");
    const cells = this.lanes.map(lane => html("td", { class: "lane" },
      lane === step.lane && classes.includes("fault") ? "\u2717 " : null,
      ...(lane === step.lane ? this.drawCell(step) : [])));
    return html("tr", { class: classes || undefined, "data-step": i + 1, click: () => this.go(i + 1) },
                html("td", { class: "number" }, String(i + 1)), ...cells);
  }

  /** What a step does, with the call that it begins or ends, and where the value read is from. */
  private drawCell({ text, visible, from, writer, call, result }: Step): HTMLElement[] {
    const cells = [html("span", { class: visible ? "event visible" : "event" }, text)];
    if (call)
      cells.unshift(html("span", { class: "call" }, call));
    if (from)
      cells.push(html("span", { class: from.includes("stale") ? "from stale" : "from" },
        `from ${from}`, writer === undefined ? null : html("button", {
          type: "button", class: "link", click: (event: Event) => {
            event.stopPropagation();
            this.go(writer + 1);
          } }, `step ${writer + 1}`)));
    if (result)
      cells.push(html("span", { class: "call" }, `\u2192 ${result}`));
    return cells;
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
    const take = ({ changes, lane }: Step) => {
      changed = new Set();
      for (const [name, value] of Object.entries(changes))
        changed.add(setValue(values, this.owner(name, lane), value));
    };
    if (this.rounds) // another round changes nothing that the first has not
      this.steps.forEach(take);
    this.steps.slice(this.rounds ? this.loop : 0, this.now).forEach(take);
    if (!this.now)
      changed.clear();
    const title = !this.now ? "At the start" : `After step ${grouped(this.now)}` +
      (this.rounds ? `, in round ${grouped(this.rounds + 1)} of the loop` : "");
    this.state.replaceChildren(html("h3", {}, title),
      values.size ? html("table", {}, html("thead", {}, html("tr", {},
          html("th", { scope: "col" }, "what"), html("th", { scope: "col" }, "value"))),
        html("tbody", {}, ...[...values].map(([name, value]) =>
          html("tr", { class: changed.has(name) ? "changed" : undefined },
               html("td", {}, name), html("td", {}, html("code", {}, value))))))
      : html("p", {}, "There is nothing to show."),
      ...list("Operations", Array.isArray(this.fields.operations) ? this.fields.operations : []),
      ...list("What a client does to see it", this.fields.client),
      ...list(this.fields.finding === "data race" ? "To be ordered" : "How it comes about",
              this.fields.unordered),
      ...list("Memory models", this.models()));
  }

  /** The line of the latest step, among its neighbours; of a step without one, such as a return,
   * the line at which its process was before. */
  private drawSource(): void {
    const now = this.steps[this.now - 1];
    const step = now && this.steps.slice(0, this.now).filter(
      ({ lane, line }) => lane === now.lane && line).at(-1);
    const source = step && this.sources.find(({ file }) => file === (step.file || this.fields.input));
    if (!source) {
      this.source.replaceChildren(this.sources.length && now
        ? html("p", { class: "more" }, "No line yet.") : "");
      return;
    }
    const lines: HTMLElement[] = [];
    for (let line = step.line - LINES_ABOUT; line <= step.line + LINES_ABOUT; line++)
      if (source.lines[line] !== undefined)
        lines.push(html("span", { class: "line", "aria-current": line === step.line && "true" },
                        `${line}: ${source.lines[line]}`));
    const where = `${this.fileName(source.file)}, line ${step.line}`;
    this.source.replaceChildren(html("h3", {}, step === now ? where : `${where}, before this step`),
                                html("pre", { tabindex: 0 }, html("code", {}, ...lines)));
  }
}
