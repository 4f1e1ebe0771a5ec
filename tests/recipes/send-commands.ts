// Sends commands to the server of a copy.
import type { RunningServer } from '../acceptance/start-server.js';

/** The texts of the replies. Each command has its path below `/v1/default_keyspace` and its body. */
export async function sendCommands(
  { url }: RunningServer,
  commands: readonly (readonly [path: string, body: string])[],
): Promise<readonly string[]> {
  const replies: string[] = [];
  for (const [path, body] of commands) {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v1/default_keyspace${path}`, { method: 'POST', headers, body });
    replies.push(await reply.text());
  }
  return replies;
}
