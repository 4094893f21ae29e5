// A recorded history: its operations by index, in typed arrays.

import { Annotation, PackedHistory, PackedOrder, Part } from "./answers";
import { Numbers, Texts, unpack } from "./packed";

/** Of `response`: no completion was recorded. */
export const NEVER = 0xffffffff;

export const OUTCOMES = ["ok", "fail", "info"] as const;

/** An order of operations with the object after each, as far as that is known. */
export class Order {
  constructor(readonly indices: Uint32Array, private readonly first: number,
              private readonly states: Texts, readonly stuck: number[]) {}

  /** The object after the operation at `place`; null: not known. */
  stateAfter(place: number): string | null {
    const number = place - this.first;
    return number >= 0 && number < this.states.count ? this.states.at(number) : null;
  }

  static async read(packed: PackedOrder): Promise<Order> {
    const numbers = new Numbers(await unpack(packed.order));
    const indices = new Uint32Array(packed.length);
    for (let i = 0, before = 0; i < packed.length; i++)
      indices[i] = before += numbers.signed();
    return new Order(indices, packed.first, new Texts(await unpack(packed.states)),
                     packed.stuck ?? []);
  }
}

export class History {
  readonly process: Uint32Array;
  readonly function_: Uint32Array;
  readonly outcome: Uint8Array; // an index of OUTCOMES
  readonly recorded: Uint8Array; // 1: the completion carried a value
  readonly invoke: Uint32Array; // positions in the order of events
  readonly response: Uint32Array; // or NEVER
  readonly invokeLine: Uint32Array; // 0: none
  readonly responseLine: Uint32Array;
  readonly part: Uint32Array; // one more than the number in `parts`; 0: none
  /** Times relative to `timeBase`; null: none were recorded. */
  readonly invokeTime: Float64Array | null = null;
  readonly responseTime: Float64Array | null = null;
  readonly timeBase: bigint = 0n;
  readonly positions: number;
  /** The operations of each process, in the order of their invocations. */
  readonly byProcess: Uint32Array[];

  private constructor(private readonly packed: PackedHistory,
                      columns: Record<string, Uint8Array>, readonly orders: Order[]) {
    const count = packed.operations;
    const numbers = (name: string) => new Numbers(columns[name]);
    const fill = (name: string) => {
      const source = numbers(name), column = new Uint32Array(count);
      for (let i = 0; i < count; i++)
        column[i] = source.next();
      return column;
    };
    this.process = fill("process");
    this.function_ = fill("function");
    this.part = fill("part");
    const outcome = numbers("outcome");
    this.outcome = new Uint8Array(count);
    this.recorded = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const both = outcome.next();
      this.outcome[i] = both & 3;
      this.recorded[i] = both >> 2;
    }
    this.invoke = new Uint32Array(count);
    this.response = new Uint32Array(count);
    this.invokeLine = new Uint32Array(count);
    this.responseLine = new Uint32Array(count);
    const invoke = numbers("invoke"), response = numbers("response");
    const invokeLine = numbers("invoke_line"), responseLine = numbers("response_line");
    let last = 0;
    for (let i = 0, position = 0, line = 0; i < count; i++) {
      this.invoke[i] = position += invoke.signed();
      this.invokeLine[i] = line += invokeLine.signed();
      const length = response.next(), lines = responseLine.signed();
      this.response[i] = length ? position + length : NEVER;
      this.responseLine[i] = lines ? line + lines : 0;
      last = Math.max(last, position, length ? position + length : 0);
    }
    this.positions = count ? last + 1 : 1;
    if (columns.invoke_time) {
      const called = numbers("invoke_time"), lasted = numbers("response_time");
      this.invokeTime = new Float64Array(count);
      this.responseTime = new Float64Array(count);
      for (let i = 0, time = 0; i < count; i++) {
        if (i === 0)
          this.timeBase = called.exact();
        else
          time += called.signed();
        this.invokeTime[i] = time;
        this.responseTime[i] = time + lasted.signed();
      }
    }
    this.args = new Texts(columns.argument, count);
    this.results = new Texts(columns.result, count);
    this.byProcess = this.groupByProcess();
  }

  private readonly args: Texts;
  private readonly results: Texts;

  static async read(packed: PackedHistory): Promise<History> {
    const columns: Record<string, Uint8Array> = {};
    await Promise.all(Object.entries(packed.columns).map(
      async ([name, column]) => { columns[name] = await unpack(column); }));
    return new History(packed, columns, await Promise.all(packed.orders.map(Order.read)));
  }

  private groupByProcess(): Uint32Array[] {
    const counts = new Uint32Array(this.packed.processes.length);
    for (const process of this.process)
      counts[process]++;
    const rows = [...counts].map(count => new Uint32Array(count));
    counts.fill(0);
    let sorted = true;
    for (let i = 0; i < this.count; i++) {
      const process = this.process[i], at = counts[process]++;
      rows[process][at] = i;
      sorted &&= at === 0 || this.invoke[rows[process][at - 1]] < this.invoke[i];
    }
    if (!sorted)
      for (const row of rows)
        row.sort((a, b) => this.invoke[a] - this.invoke[b]);
    return rows;
  }

  get count(): number { return this.packed.operations; }
  get parts(): Part[] { return this.packed.parts; }
  get annotations(): Annotation[] { return this.packed.annotations; }

  processName(process: number): string { return this.packed.processes[process]; }
  functionName(index: number): string { return this.packed.functions[this.function_[index]]; }
  argument(index: number): string { return this.args.at(index); }
  /** Null: none was recorded. */
  result(index: number): string | null {
    return this.recorded[index] ? this.results.at(index) : null;
  }

  /** "enqueue 7", "dequeue → 7", "read → ?". */
  label(index: number): string {
    const argument = this.argument(index), result = this.result(index);
    const outcome = OUTCOMES[this.outcome[index]];
    let label = this.functionName(index) + (argument === "nil" ? "" : " " + argument);
    if (outcome === "fail")
      label += " failed";
    else if (outcome === "info" || this.response[index] === NEVER)
      label += " \u2192 ?";
    else if (result !== null && (result !== argument || argument === "nil"))
      label += " \u2192 " + result;
    return label;
  }

  /** Of an execution's operations: where they are in it, in place of lines of a file. */
  isIn: { title: string; place: (index: number) => string } | null = null;

  /** "line 3", "lines 3 and 8"; empty: none. */
  place(index: number): string {
    if (this.isIn)
      return this.isIn.place(index);
    const first = this.invokeLine[index], second = this.responseLine[index];
    if (!first)
      return "";
    return second && second !== first ? `lines ${first} and ${second}` : `line ${first}`;
  }

  /** A time as it was recorded. */
  time(relative: number): string { return String(this.timeBase + BigInt(Math.round(relative))); }

  /** What a part is: an object, a key of one, or all of it. */
  partName(part: Part): string {
    return [part.object && `object ${part.object}`, part.key !== undefined && `key ${part.key}`]
      .filter(Boolean).join(", ") || "the whole history";
  }
}
