// The page: which answers there are, and the one that is looked at.

import { Answer, readAnswers } from "./answers";
import { AutomataView } from "./automaton_view";
import { counted, html, sentence } from "./dom";
import { History } from "./history";
import { HistoryView } from "./history_view";
import { ExecutionView } from "./execution_view";
import { makeTables } from "./tables";

const BAD = ["violation", "violated", "unsafe", "error"];
const page = document.getElementById("page")!;
const main = html("main", {});

function badge(answer: Answer): HTMLElement {
  const kind = BAD.includes(answer.verdict) ? "bad" : answer.verdict === "unknown" ? "open" : "good";
  return html("span", { class: `badge ${kind}` }, answer.verdict);
}

function title(answer: Answer): string {
  return answer.subject + (answer.about ? `: ${answer.about}` : "");
}

async function show(answer: Answer): Promise<void> {
  document.title = `${title(answer)}: ${answer.verdict}`;
  main.replaceChildren(
    html("h2", {}, title(answer), " ", badge(answer)),
    html("p", { class: "about" }, answer.facts || null),
    ...(answer.warnings ?? []).map(warning => html("p", { class: "warning" }, "warning: ", warning)));
  const told = answer.fields?.history?.reason; // of an execution's operations, in words
  if (told)
    main.append(html("p", { class: "reason" }, ...sentence(told)));
  if (answer.reason && answer.verdict !== "violation")
    main.append(html("p", { class: told ? "about" : "reason" }, ...sentence(answer.reason)));
  const about = answer.fields?.finding;
  if (typeof about === "string")
    main.append(html("p", { class: "finding" }, about));
  const execution = answer.fields?.trace?.length ? new ExecutionView(answer.fields, answer.sources)
    : null;
  if (execution)
    main.append(execution.element);
  const history = answer.history?.operations ? await History.read(answer.history) : null;
  const automata = answer.automata
    ? new AutomataView(answer.automata, operation => history?.label(operation) ?? "") : null;
  if (automata)
    main.append(automata.element);
  if (history) {
    if (execution)
      history.isIn = { title: "in the execution", place: index => execution.stepsOf(index) };
    const view = new HistoryView(answer, history);
    if (automata)
      automata.onStep = operation => view.select(operation);
    if (execution) {
      main.append(html("h3", {}, "Its operations"));
      execution.onStep = operation => view.select(operation);
      view.onSelect = operation => execution.showOperation(operation);
    }
    main.append(view.element);
  }
  if (answer.fields)
    main.append(...makeTables(answer.fields, automata !== null));
  if (answer.replay)
    main.append(html("h3", {}, "Step through it in a terminal"), html("pre", {}, answer.replay));
  document.body.dataset.ready = "true";
}

function list(answers: Answer[]): HTMLElement {
  const buttons = answers.map((answer, i) => html("button", {
    type: "button", click: () => {
      buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
      void show(answer);
    },
  }, badge(answer), " ", title(answer)));
  const first = Math.max(0, answers.findIndex(answer => BAD.includes(answer.verdict)));
  buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === first)));
  const nav = html("nav", { "aria-label": "answers" },
    html("p", {}, counted(answers.length, "answer")), ...buttons);
  requestAnimationFrame(() => { // where there are many, the chosen one is in view
    nav.scrollTop = buttons[first].offsetTop - nav.offsetTop - nav.clientHeight / 2;
  });
  return nav;
}

function theme(): HTMLElement {
  const themes = ["as the system", "light", "dark"];
  let chosen = 0;
  const button = html("button", { type: "button", class: "theme", click: () => {
    chosen = (chosen + 1) % themes.length;
    document.documentElement.dataset.theme = chosen ? themes[chosen] : "";
    button.textContent = `colours: ${themes[chosen]}`;
  } }, `colours: ${themes[0]}`);
  return button;
}

const answers = readAnswers();
page.replaceChildren(html("header", {}, html("h1", {}, "linchpin report"), theme()));
if (answers.length > 1)
  page.append(list(answers));
page.append(main);
const first = answers.find(answer => BAD.includes(answer.verdict)) ?? answers[0];
if (first)
  void show(first);
else
  main.append(html("p", {}, "There are no answers."));
