// Reads a password from standard input; on a terminal it is asked for and not shown.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The first line, without its line break; empty when there is none. */
export function readPassword(): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write('Password: ');
  // On a terminal the reader takes over the echo and writes it nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: isTerminal });
  return new Promise((resolve) => {
    let line = '';
    reader.once('line', (text) => {
      line = text;
      reader.close();
    });
    reader.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      resolve(line);
    });
  });
}
