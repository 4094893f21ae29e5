// What answers say in tables: lists of objects among the fields.

import { Fields, SmallOperation } from "./answers";
import { drawHistory } from "./automaton_view";
import { grouped, html } from "./dom";

const TITLES: Record<string, string> = {
  properties: "Properties", sizes: "What was looked at, by size", automata: "Automata",
  questions: "Questions about any number of threads", not_made: "Rules without automata",
};

type Row = Record<string, unknown>;

function isSmall(value: unknown): value is SmallOperation[] {
  return Array.isArray(value) && value.length > 0 && typeof value[0]?.method === "string";
}

function draw(operations: SmallOperation[]): Element {
  return drawHistory(operations.map(({ method, value, call, return: ret }) => ({
    label: value === undefined ? method : `${method} ${String.fromCharCode(96 + value)}`, call, ret })));
}

function cell(value: unknown): string {
  return value === null || value === undefined ? ""
    : typeof value === "number" ? (Number.isInteger(value) ? grouped(value) : value.toFixed(3))
    : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function table(title: string, rows: Row[]): HTMLElement[] {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
    .filter(name => rows.every(row => typeof row[name] !== "object" || row[name] === null));
  return [html("h3", {}, title), html("div", { class: "wide", tabindex: 0, role: "group", "aria-label": title },
    html("table", {},
      html("thead", {}, html("tr", {}, ...names.map(name => html("th", { scope: "col" }, name.replaceAll("_", " "))))),
      html("tbody", {}, ...rows.map(row => html("tr", {}, ...names.map(name => html("td", {}, cell(row[name]))))))))];
}

/** The histories of rows that have one, each under what its row is about. */
function histories(rows: Row[]): Element[] {
  return rows.flatMap(row => isSmall(row.history)
    ? [html("h3", {}, String(row.name ?? row.automaton ?? row.rule)),
       html("p", {}, cell(row.reason)), draw(row.history)] : []);
}

/** All of them; `drawn`: the automata are drawn, with the histories that they accept. */
export function makeTables(fields: Fields, drawn: boolean): Element[] {
  const history: unknown = fields.history, made: Element[] = [];
  if (isSmall(history) && !(drawn && fields.difference === "false alarm"))
    made.push(html("h3", {}, "The history"), draw(history));
  for (const [name, title] of Object.entries(TITLES)) {
    const rows = fields[name];
    if (Array.isArray(rows) && rows.length && typeof rows[0] === "object")
      made.push(...table(title, rows as Row[]), ...histories(rows as Row[]));
  }
  return made;
}
