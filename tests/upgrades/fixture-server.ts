// Sends the requests of fixtures to a running server.
import type { FixtureRequest } from './fixture-content.js';

/** The addresses of a server. */
export interface FixtureServer {
  readonly url: string;
  readonly opsUrl: string;
}

/** Without a limit, `fetch` waits five minutes for a server that does not answer. */
const answerTimeoutMs = 60_000;

/** The reply to a request, which is successful and has no errors. */
export async function ask(
  server: FixtureServer,
  { port, method, path, body }: FixtureRequest,
): Promise<string> {
  const reply = await fetch(`${port === 'data' ? server.url : server.opsUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(answerTimeoutMs),
    ...(body === undefined ? {} : { body }),
  });
  const text = await reply.text();
  if (reply.status >= 300 || text.startsWith('{"errors"') || text.includes('"errors":['))
    throw new Error(`${method} ${path} ${body ?? ''}: ${reply.status} ${text.slice(0, 1000)}`);
  return text;
}
