// The part of VS Code's interface that the extension meets, for a test without VS Code: one open document, settings, commands that are
// registered, diagnostics that are set. Everything else takes every use and does nothing.
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

const nothing = () =>
  new Proxy(function () {}, {
    get(target, name) {
      if (name === "then" || name === Symbol.iterator || name === "toJSON") return undefined;
      if (name === Symbol.toPrimitive) return () => "";
      if (!(name in target)) target[name] = nothing();
      return target[name];
    },
    apply: () => nothing(),
  });

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(...places) {
    this.start = places.length === 4 ? new Position(places[0], places[1]) : places[0];
    this.end = places.length === 4 ? new Position(places[2], places[3]) : places[1];
  }
}
class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.split(":")[0];
    this.path = this.fsPath = decodeURIComponent(new URL(text).pathname);
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(pathToFileURL(path).href);
  }
  toString() {
    return this.text;
  }
}
class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
}
class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => (this.listeners.push(listener), new Disposable());
  }
  fire(what) {
    for (const listener of this.listeners) listener(what);
  }
  dispose() {}
}
class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  }
  cancel() {}
  dispose() {}
}
class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}
class CancellationError extends Error {}

/** What the test gives, and what it sees. */
const seen = { settings: {}, documents: [], diagnostics: new Map(), commands: new Map(), messages: [], changed: new EventEmitter() };

function open(path, languageId) {
  const text = readFileSync(path, "utf8");
  const uri = Uri.file(path);
  seen.documents.push({ uri, languageId, version: 1, isClosed: false, fileName: path, getText: () => text, lineCount: text.split("\n").length });
  return uri.toString();
}

const disposable = () => new Disposable();
const selected = (selector, document) =>
  selector.some((filter) => filter.language === document.languageId && filter.scheme === document.uri.scheme) ? 10 : 0;

function known(fields) {
  const rest = nothing();
  return new Proxy(fields, { get: (target, name) => (name in target ? target[name] : name === "then" ? undefined : rest[name]) });
}

module.exports = known({
  seen,
  open,
  version: "1.91.0",
  Position,
  Range,
  Uri,
  Disposable,
  EventEmitter,
  CancellationTokenSource,
  CancellationError,
  Diagnostic,
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  env: known({ appName: "test", language: "en", sessionId: "1" }),
  workspace: known({
    get textDocuments() {
      return seen.documents;
    },
    workspaceFolders: undefined,
    notebookDocuments: [],
    getConfiguration: () => ({ get: (name, otherwise) => seen.settings[name] ?? otherwise, inspect: () => undefined }),
    onDidChangeConfiguration: seen.changed.event,
  }),
  window: known({
    visibleTextEditors: [],
    activeTextEditor: undefined,
    tabGroups: { all: [], onDidChangeTabs: disposable, onDidChangeTabGroups: disposable },
    createOutputChannel: () => known({ append() {}, appendLine() {}, dispose() {}, trace() {}, info() {}, warn() {}, error() {} }),
    showErrorMessage: (message) => (seen.messages.push(message), Promise.resolve(undefined)),
  }),
  languages: known({
    match: selected,
    createDiagnosticCollection: () => ({
      set: (uri, found) => seen.diagnostics.set(uri.toString(), found),
      has: () => false,
      get: () => undefined,
      clear() {},
      delete() {},
      dispose() {},
    }),
  }),
  commands: known({
    registerCommand: (name, call) => (seen.commands.set(name, call), new Disposable(() => seen.commands.delete(name))),
    executeCommand: (name, ...words) => Promise.resolve(seen.commands.get(name)?.(...words)),
  }),
});
