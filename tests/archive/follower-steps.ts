// What tests of servers that follow an archive do with them.
import { setTimeout as sleep } from 'node:timers/promises';

/** The members of replies that these tests read. */
export interface AskedReply {
  readonly data?: {
    readonly document?: Readonly<Record<string, unknown>> | null;
    readonly documents?: readonly Readonly<Record<string, unknown>>[];
  };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly errorCode: string; readonly message: string }[];
}

/** Sends a command to a keyspace or table, as `/k/t`. */
export async function ask(url: string, path: string, command: object): Promise<AskedReply> {
  const reply = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return (await reply.json()) as AskedReply; // the server wrote it
}

/** Sends a command that must succeed. */
export async function must(url: string, path: string, command: object): Promise<AskedReply> {
  const reply = await ask(url, path, command);
  if (reply.errors !== undefined) throw new Error(JSON.stringify(reply.errors));
  return reply;
}

const mostTries = 600;

/** Waits until something holds, at most about a minute. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (await holds()) return;
    await sleep(100);
  }
  throw new Error('it did not come to that');
}
