// What is known of one operation, and the orders that can be stepped through.

import { Violation } from "./answers";
import { counted, grouped, html } from "./dom";
import { History, NEVER, Order, OUTCOMES } from "./history";

const OUTCOME_WORDS = {
  ok: "ok: it happened",
  fail: "fail: it did not happen",
  info: "info: it may or may not have happened, any time after its call",
} as const;

function row(name: string, value: Node | string): HTMLElement[] {
  return [html("dt", {}, name), html("dd", {}, value)];
}

/** An operation in a list: a button, its process, and what else is known of it there. */
export function operationItem(history: History, index: number, click: () => void,
                              more: { class?: string; current?: boolean; state?: string | null } = {}): HTMLElement {
  return html("li", { class: more.class },
    html("button", { type: "button", class: "link", click, "aria-current": more.current && "step" },
         history.label(index)),
    html("span", { class: "who" }, ` process ${history.processName(history.process[index])}`),
    more.state === undefined || more.state === null ? null : html("code", {}, more.state));
}

/** Argument, result, time, place in the file, and the object before and after. */
export function describeOperation(history: History, file: string, index: number,
                                  order: Order | null): HTMLElement {
  const list = html("dl", { class: "facts" });
  const result = history.result(index), place = history.place(index);
  list.append(...row("operation", `${index}: ${history.label(index)}`),
              ...row("process", history.processName(history.process[index])),
              ...row("argument", history.argument(index)),
              ...row("result", result ?? "none recorded"),
              ...row("outcome", OUTCOME_WORDS[OUTCOMES[history.outcome[index]]]));
  if (place)
    list.append(...(history.isIn ? row(history.isIn.title, place)
                             : row("in the file", `${file}, ${place}`)));
  if (history.invokeTime && history.responseTime) {
    const begin = history.invokeTime[index], end = history.responseTime[index];
    list.append(...row("time", history.response[index] === NEVER
      ? `${history.time(begin)}, and never returned`
      : `${history.time(begin)} to ${history.time(end)} (${grouped(end - begin)})`));
  }
  const part = history.part[index] ? history.parts[history.part[index] - 1] : null;
  if (part && history.parts.length > 1)
    list.append(...row("part", history.partName(part)));
  const taken = order ? order.indices.indexOf(index) : -1;
  if (order && taken >= 0) {
    list.append(...row("in the order", `number ${grouped(taken + 1)} of ${grouped(order.indices.length)}`));
    const before = taken ? order.stateAfter(taken - 1) : null, after = order.stateAfter(taken);
    if (before !== null)
      list.append(...row("object before", html("code", {}, before)));
    if (after !== null)
      list.append(...row("object after", html("code", {}, after)));
  } else if (order) {
    list.append(...row("in the order", "not in it"));
  }
  return list;
}

const PAGE = 100;

/** Steps through orders: the linearization, or those that went furthest before none could follow. */
export class Steps {
  readonly element = html("section", { class: "steps", "aria-label": "orders" });
  private chosen = 0;
  step = 0;

  constructor(private readonly history: History, private readonly violation: Violation | null,
              private readonly orders: Order[], private readonly changed: () => void,
              private readonly select: (index: number) => void) {
    this.step = this.order ? this.order.indices.length : 0;
    this.draw();
  }

  get order(): Order | null { return this.orders[this.chosen] ?? null; }

  go(step: number): void {
    if (!this.order)
      return;
    this.step = Math.max(0, Math.min(this.order.indices.length, step));
    this.draw();
    this.changed();
    if (this.step)
      this.select(this.order.indices[this.step - 1]);
  }

  private choose(number: number): void {
    this.chosen = number;
    this.step = this.order ? this.order.indices.length : 0;
    this.draw();
    this.changed();
  }

  private button(label: string, text: string, step: number, enabled: boolean): HTMLElement {
    return html("button", { type: "button", "aria-label": label, disabled: !enabled,
                            click: () => this.go(step) }, text);
  }

  private drawChoice(): HTMLElement | null {
    if (this.orders.length < 2)
      return null;
    const choice = html("select", { id: "order", change: () => this.choose(choice.selectedIndex) },
      ...this.orders.map((order, i) => html("option", { selected: i === this.chosen },
        `order ${i + 1}: ${counted(order.indices.length, "operation")}`)));
    return html("label", { for: "order" }, "which ", choice);
  }

  draw(): void {
    const order = this.order;
    if (!order) {
      this.element.replaceChildren();
      return;
    }
    const length = order.indices.length, first = Math.max(0, Math.min(this.step - PAGE / 2, length - PAGE));
    const list = html("ol", { start: first + 1, class: "order" });
    for (let i = first; i < Math.min(length, first + PAGE); i++) {
      const index = order.indices[i], state = order.stateAfter(i);
      list.append(operationItem(this.history, index, () => this.go(i + 1), {
        class: i + 1 === this.step ? "now" : i < this.step ? "" : "later", current: i + 1 === this.step, state }));
    }
    const { stuck } = order;
    const parts: (Node | null)[] = [
      html("h3", {}, this.violation ? "The longest legal orders" : "A legal order of all operations"),
      html("p", {}, this.violation
        ? "Each respects what came before what, and the object allows every answer; then none can follow."
        : "It respects what came before what, and the object allows every answer."),
      this.drawChoice(),
      html("div", { class: "buttons" },
        this.button("first step", "\u00ab", 1, this.step > 1),
        this.button("step back", "\u25c0", this.step - 1, this.step > 1),
        html("span", { class: "count" }, `${grouped(this.step)} of ${grouped(length)}`),
        this.button("step forward", "\u25b6", this.step + 1, this.step < length),
        this.button("last step", "\u00bb", length, this.step < length)),
      first ? html("p", { class: "more" }, `${counted(first, "operation")} before these`) : null,
      list,
      first + PAGE < length
        ? html("p", { class: "more" }, `${counted(length - first - PAGE, "operation")} behind these`)
        : null];
    if (this.violation && this.step === length && stuck.length)
      parts.push(html("p", { class: "stuck" }, "Then none of these can follow: "),
        html("ul", { class: "stuck" }, ...stuck.map(index =>
          operationItem(this.history, index, () => this.select(index)))));
    this.element.replaceChildren(...parts.filter((part): part is Node => part !== null));
    if (list.querySelector<HTMLElement>(".now"))
      list.scrollTop = list.querySelector<HTMLElement>(".now")!.offsetTop - list.offsetTop -
        list.clientHeight / 2;
  }
}
