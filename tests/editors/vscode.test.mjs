// The extension for VS Code: its grammars by the libraries that VS Code has for them, what is in the package, and its client, as it is
// packaged, with the program; VS Code itself is a stub.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../..");
const extension = join(source, "editors/vscode");
const program = process.env.LINCHPIN;
const description = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const languages = description.contributes.grammars;
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "linchpin-vscode-test-"));
  execFileSync("node", [join(extension, "package.mjs"), folder, "1.2.3"], { stdio: ["ignore", "pipe", "pipe"] });
  execFileSync("python3", ["-m", "zipfile", "-e", join(folder, "linchpin-1.2.3.vsix"), join(folder, "package")]);
});
after(() => rmSync(folder, { recursive: true }));

// ---- highlighting ----

function keywordsOf(language) {
  const text = readFileSync(join(source, "src", language, "lexer.h"), "utf8");
  const table = /#define \w+_KEYWORDS\(ROW\)([\s\S]*?)\n\n/.exec(text)[1];
  return new Set([...table.matchAll(/ROW\(\w+, "(\w+)"\)/g)].map((match) => match[1]));
}

function modelsOf(language) {
  const folders = ["examples", "../shared/models"].map((name) => join(source, name)).filter((name) => existsSync(name));
  return folders.flatMap((name) =>
    readdirSync(name, { recursive: true })
      .filter((path) => path.endsWith("." + language))
      .map((path) => join(name, path)),
  );
}

async function loadGrammar(scope) {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => {
      const path = join(extension, languages.find((grammar) => grammar.scopeName === name).path);
      return textmate.parseRawGrammar(readFileSync(path, "utf8"), path);
    },
  });
  return registry.loadGrammar(scope);
}

// Each word of a text with its scopes.
function* scopesOf(grammar, text) {
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const match of line.matchAll(/[A-Za-z_]\w*/g))
      yield [match[0], result.tokens.find((token) => token.startIndex <= match.index && match.index < token.endIndex).scopes];
  }
}

const isKeyword = (scopes) => scopes.some((scope) => /^(keyword|constant\.language|storage)\b/.test(scope));
const isText = (scopes) => scopes.some((scope) => /^(comment|string)\b/.test(scope));

for (const { language, scopeName } of languages) {
  test(`keywords of ${language} have the scope of keywords`, async () => {
    const grammar = await loadGrammar(scopeName);
    const keywords = keywordsOf(language);
    const models = modelsOf(language);
    assert.ok(models.length > 10);
    // of what no model has, a line of its own
    for (const text of [...models.map((path) => readFileSync(path, "utf8")), [...keywords].join("\n")])
      for (const [word, scopes] of scopesOf(grammar, text))
        if (!isText(scopes) && keywords.has(word)) assert.ok(isKeyword(scopes), `${word}: ${scopes}`);
  });

  test(`comments and strings of ${language} are no code`, async () => {
    const grammar = await loadGrammar(scopeName);
    const found = [...scopesOf(grammar, 'a /* if\nelse */ b // while "\nc "new" d')];
    assert.deepEqual(
      found.filter(([, scopes]) => isText(scopes)).map(([word]) => word),
      ["if", "else", "while", "new"],
    );
    const expected = [...scopesOf(grammar, "// expect: violated")].at(-1);
    assert.ok(expected[1].includes(`keyword.other.expect.${language}`));
  });
}

test("words of declarations are names elsewhere", async () => {
  const found = [...scopesOf(await loadGrammar("source.lin"), "value = list[set] + op;")];
  assert.ok(found.every(([, scopes]) => !isKeyword(scopes)), JSON.stringify(found));
});

// ---- the package ----

test("the package has what it names", () => {
  const root = join(folder, "package/extension");
  const packed = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.equal(packed.version, "1.2.3");
  const named = [packed.main, ...languages.map(({ path }) => path), ...packed.contributes.languages.map((entry) => entry.configuration)];
  for (const path of named) assert.ok(existsSync(join(root, path)), path);
  assert.ok(existsSync(join(root, "LICENSE.txt")));
  assert.deepEqual(
    readdirSync(root, { recursive: true }).filter((path) => /node_modules|\.ts$|\.map$/.test(path)),
    [],
  );
});

test("the sources have no errors of types", () => {
  execFileSync(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", extension], { stdio: "pipe" });
});

// ---- the client ----

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function loadExtension() {
  const root = mkdtempSync(join(folder, "loaded-"));
  cpSync(join(folder, "package/extension/extension.js"), join(root, "extension.cjs"));
  cpSync(join(here, "vscode_stub.cjs"), join(root, "node_modules/vscode/index.js"), { recursive: true });
  const loaded = createRequire(join(root, "extension.cjs"));
  return { root, extension: loaded("./extension.cjs"), vscode: loaded("vscode") };
}

test("the client starts the server and shows its diagnostics", { timeout: 120000 }, async () => {
  const { root, extension, vscode } = loadExtension();
  const path = join(root, "wrong.csp");
  writeFileSync(path, "P = a -> Q;\n#assert P deadlockfree;\n");
  const uri = vscode.open(path, "csp");
  vscode.seen.settings = { path: program, arguments: ["--timeout", "5m"] };
  await extension.activate({ subscriptions: [] });
  await until(() => vscode.seen.diagnostics.get(uri)?.length);
  const [found] = vscode.seen.diagnostics.get(uri);
  assert.match(found.message, /Q/);
  assert.equal(found.range.start.line, 0);
  assert.deepEqual(vscode.seen.messages, []);
  // the commands of the lenses
  for (const command of ["linchpin.verify", "linchpin.showResult", "linchpin.cancel", "linchpin.restart"])
    assert.ok(vscode.seen.commands.has(command), command);
  await extension.deactivate();
});

test("a lens decides an assertion, also behind a restart", { timeout: 120000 }, async () => {
  const { root, extension, vscode } = loadExtension();
  const path = join(root, "right.csp");
  writeFileSync(path, "P = a -> P;\n#assert P deadlockfree;\n");
  const uri = vscode.open(path, "csp");
  vscode.seen.settings = { path: program };
  await extension.activate({ subscriptions: [] });
  await vscode.seen.commands.get("linchpin.restart")();
  const answer = await vscode.seen.commands.get("linchpin.verify")(uri, 0);
  assert.equal(answer.verdict, "holds");
  await extension.deactivate();
});

test("a program that is not there is said", { timeout: 120000 }, async () => {
  const { root, extension, vscode } = loadExtension();
  vscode.seen.settings = { path: join(root, "missing") };
  await extension.activate({ subscriptions: [] });
  await until(() => vscode.seen.messages.length);
  assert.ok(vscode.seen.messages.some((message) => message.includes("missing")), vscode.seen.messages.join());
  await extension.deactivate();
});
