// The client of `linchpin lsp`. The commands of the lenses are the server's: the client library registers those that it names.
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { documentSelector, serverCommand } from "./server";

let client: LanguageClient | undefined;

async function offerSettings(message: string): Promise<void> {
  if (await vscode.window.showErrorMessage(message, "Set its path"))
    await vscode.commands.executeCommand("workbench.action.openSettings", "linchpin.path");
}

async function start(): Promise<void> {
  const server = serverCommand(vscode.workspace.getConfiguration("linchpin"));
  const options: LanguageClientOptions = { documentSelector, diagnosticCollectionName: "linchpin" };
  client = new LanguageClient("linchpin", "linchpin", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void offerSettings(`linchpin: ${server.command} could not be started (${error instanceof Error ? error.message : error}).`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

/** One after the other: a client that starts cannot be stopped. */
let last: Promise<void> = Promise.resolve();

function restart(): Promise<void> {
  last = last.then(stop).then(start);
  return last;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("linchpin.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("linchpin.path") || change.affectsConfiguration("linchpin.arguments"))
        void restart();
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  return last.then(stop);
}
