// Prints the grammar.json that tree-sitter makes of a grammar.js: node grammar.cjs GRAMMAR_JS. Its functions are those of tree-sitter's
// documentation, "The Grammar DSL"; what they make is described by its grammar.schema.json.
const { resolve } = require("node:path");

const PLACEHOLDER = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });

function rule(value) {
  if (value === undefined || value === null)
    throw new Error("a rule is not defined");
  if (typeof value === "string")
    return { type: "STRING", value };
  if (value instanceof RegExp)
    return { type: "PATTERN", value: value.source, ...(value.flags && { flags: value.flags }) };
  if (typeof value.type !== "string")
    throw new Error(`not a rule: ${value}`);
  return value;
}

function ranked(type) {
  return (value, content) => content === undefined ? { type, value: 0, content: rule(value) }
    : { type, value, content: rule(content) };
}

const blank = () => ({ type: "BLANK" });
const choice = (...members) => ({ type: "CHOICE", members: members.map(rule) });
const seq = (...members) => ({ type: "SEQ", members: members.map(rule) });
const token = content => ({ type: "TOKEN", content: rule(content) });
token.immediate = content => ({ type: "IMMEDIATE_TOKEN", content: rule(content) });
const prec = ranked("PREC");
prec.left = ranked("PREC_LEFT");
prec.right = ranked("PREC_RIGHT");
prec.dynamic = ranked("PREC_DYNAMIC");

function alias(content, value) {
  const named = typeof value !== "string";
  return { type: "ALIAS", content: rule(content), named, value: named ? value.name : value };
}

function grammar(options) {
  const symbols = make => (make ? make(PLACEHOLDER) : []);
  const names = make => symbols(make).map(symbol => symbol.name);
  const rules = Object.fromEntries(Object.entries(options.rules).map(
    ([name, make]) => [name, rule(make(PLACEHOLDER))]));
  return { grammar: {
    name: options.name,
    ...(options.word && { word: options.word(PLACEHOLDER).name }),
    rules,
    extras: options.extras ? symbols(options.extras).map(rule) : [rule(/\s/)],
    conflicts: symbols(options.conflicts).map(conflict => conflict.map(symbol => symbol.name)),
    precedences: symbols(options.precedences).map(row => row.map(rule)),
    externals: symbols(options.externals).map(rule),
    inline: names(options.inline),
    supertypes: names(options.supertypes),
  } };
}

Object.assign(globalThis, {
  alias, blank, choice, grammar, prec, seq, token,
  field: (name, content) => ({ type: "FIELD", name, content: rule(content) }),
  optional: content => choice(content, blank()),
  repeat: content => ({ type: "REPEAT", content: rule(content) }),
  repeat1: content => ({ type: "REPEAT1", content: rule(content) }),
});

console.log(JSON.stringify(require(resolve(process.argv[2])).grammar, null, 2));
