// Reads secrets from standard input; on a terminal it prompts for them and does not show them.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** One line for each prompt, without its line break; empty if there is none. */
export function readSecrets(prompts: readonly string[]): Promise<readonly string[]> {
  const isTerminal = process.stdin.isTTY;
  // On a terminal the reader controls the echo, and its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: isTerminal });
  const lines: string[] = [];
  const ask = () => {
    if (isTerminal) process.stderr.write(`${lines.length > 0 ? '\n' : ''}${prompts[lines.length]}: `);
  };
  return new Promise((resolve) => {
    ask();
    reader.on('line', (text) => {
      if (lines.length < prompts.length) lines.push(text);
      if (lines.length < prompts.length) ask();
      else reader.close();
    });
    reader.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(prompts.map((_, at) => lines[at] ?? ''));
    });
  });
}

/** A password: one line. */
export async function readPassword(): Promise<string> {
  const [password = ''] = await readSecrets(['Password']);
  return password;
}
