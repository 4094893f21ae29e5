// How the language server is started, and for which documents: without VS Code, so that tests can use it, too.

export interface Settings {
  get<T>(name: string, otherwise: T): T;
}

export interface ServerCommand {
  command: string;
  args: string[];
}

/** The command line: the program of `linchpin.path` with `lsp` and the words of `linchpin.arguments`. */
export function serverCommand(settings: Settings): ServerCommand {
  const program = settings.get("path", "linchpin").trim();
  return { command: program || "linchpin", args: ["lsp", ...settings.get<string[]>("arguments", [])] };
}

/** Documents on the disk and new ones, of both languages. */
export const documentSelector = ["lin", "csp"].flatMap((language) => [
  { scheme: "file", language },
  { scheme: "untitled", language },
]);
