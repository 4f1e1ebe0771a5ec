// Reads secrets from standard input; on a terminal it prompts for them and does not show them.
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Where secrets are read, where prompts go, and what Ctrl+C does: in raw mode the terminal sends no signal for it. */
export interface SecretSource {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly prompts: Pick<Writable, 'write'>;
  readonly interrupt: () => void;
}

const ofProcess: SecretSource = {
  input: process.stdin,
  prompts: process.stderr,
  interrupt: () => process.kill(process.pid, 'SIGINT'),
};

/** One line for each prompt, without its line break; empty if there is none. Ctrl+C ends the process. */
export function readSecrets(
  prompts: readonly string[],
  { input, prompts: shown, interrupt }: SecretSource = ofProcess,
): Promise<readonly string[]> {
  const isTerminal = input.isTTY === true;
  // On a terminal the reader controls the echo, and its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: isTerminal });
  let isInterrupted = false;
  const lines: string[] = [];
  const ask = () => {
    if (isTerminal) shown.write(`${lines.length > 0 ? '\n' : ''}${prompts[lines.length]}: `);
  };
  return new Promise((resolve) => {
    ask();
    reader.on('line', (text) => {
      if (lines.length < prompts.length) lines.push(text);
      if (lines.length < prompts.length) ask();
      else reader.close();
    });
    reader.once('SIGINT', () => {
      isInterrupted = true;
      reader.close(); // the terminal shows again what is typed
      interrupt();
    });
    reader.once('close', () => {
      if (isTerminal) shown.write('\n');
      if (!isInterrupted) resolve(prompts.map((_, at) => lines[at] ?? ''));
    });
  });
}

/** A password: one line. */
export async function readPassword(): Promise<string> {
  const [password = ''] = await readSecrets(['Password']);
  return password;
}
