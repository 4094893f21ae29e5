// The data of the page: what html/html.c writes.

export interface Part { object?: string; key?: string; operations: number; verdict: string | null }

export interface Annotation {
  process: string; function: string; value: string; position: number; time?: number; line: number;
}

export interface PackedOrder {
  length: number; order: string; first: number; states: string; stuck?: number[];
}

export interface PackedHistory {
  operations: number;
  processes: string[];
  functions: string[];
  columns: Record<string, string>;
  parts: Part[];
  annotations: Annotation[];
  orders: PackedOrder[];
}

export interface Partial { order: number[]; state: string; stuck: number[] }

/** A violation of a history, as in the JSON of `check`. */
export interface Violation {
  reason: string;
  spec?: string;
  object?: string;
  key?: unknown;
  core?: number[];
  core_complete?: boolean;
  context?: number[];
  evidence?: number[];
  partials?: Partial[];
}

/** A step of a model's execution, or of a net's run. */
export interface ModelStep {
  process: number; event: string; line?: number; visible: boolean; changes: Record<string, string>;
  /** Of an included file; else the line is one of the model's own. */
  file?: string;
}

/** An access of real code. */
export interface Access {
  thread: number; operation?: number; file?: string | null; line?: number; access: string; location?: string | null;
  value?: string | null; from?: string | null;
}

/** A history that an automaton accepts, letter by letter. */
export interface Reading {
  about: string;
  /** Of a small history; else they are those of the recorded one. */
  operations?: string[];
  events: number;
  /** An operation, 1 for its return, the letter, and the state behind it. */
  steps: [number, number, string, number][];
}

export interface Automaton {
  name: string;
  rule: string;
  initial: number;
  states: { name: string; accepts?: "all" | "whole" }[];
  left_out: string;
  /** From, to, and the letters, a line each. */
  edges: [number, number, string][];
  readings: Reading[];
}

/** An operation of a history that automata or rules are tried on. */
export interface SmallOperation { method: string; value?: number; call: number; return: number }

export interface Fields extends Violation {
  input: string;
  violations?: Violation[];
  trace?: ModelStep[] | Access[];
  start?: Record<string, string>;
  loop_start?: number;
  failure?: string;
  /** Of an execution: its operations, and why they are a violation. */
  history?: Violation;
  operations?: string[] | number;
  client?: string[];
  unordered?: string[];
  also_in?: string[];
  also_in_unknown?: string[];
  memory_model?: string;
  [name: string]: unknown;
}

/** Lines of a source file by number: those of the steps of an execution, and those about them. */
export interface Source { file: string; lines: Record<string, string> }

export interface Answer {
  subject: string;
  about?: string | null;
  verdict: string;
  facts?: string;
  reason: string;
  replay?: string;
  warnings?: string[];
  fields?: Fields;
  automata?: Automaton[];
  history?: PackedHistory;
  sources?: Source[];
}

export function readAnswers(): Answer[] {
  return [...document.querySelectorAll<HTMLScriptElement>("script.answer")].map(
    script => JSON.parse(script.text) as Answer);
}

/** The violations of an answer. */
export function violationsOf(answer: Answer): Violation[] {
  const fields = answer.fields;
  if (fields?.history?.reason && answer.verdict === "violated")
    return [fields.history];
  if (!fields || answer.verdict !== "violation")
    return [];
  return fields.violations ?? [{ ...fields, reason: answer.reason }];
}
