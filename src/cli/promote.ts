// `colonnade promote`: makes a server that follows an archive the first one, over its operations port.
import { printable } from '../files/printable-text.js';
import type { SendRequest } from '../foundation/http/send-request.js';
import { type CliCommand, misused } from './cli-command.js';
import {
  askPort,
  type OperationsPort,
  type PortReply,
  portFor,
  portOptions,
  portOptionsHelp,
} from './operations-port.js';
import { withArguments } from './read-arguments.js';
import { shown } from './result-output.js';

/** What the command needs from the process. */
export interface PromoteSurroundings {
  readonly sendRequest: SendRequest;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Long enough for the lease of a server that was lost to end, and for what is left to be applied. */
const limits = { timeoutMs: 300_000, maxBodyBytes: 64 * 1024 };
const readyLimits = { timeoutMs: 5_000, maxBodyBytes: 64 * 1024 };
const mostLooks = 240;
const restMs = 500;
/** A server that opens its parts again is silent for some seconds only. */
const mostSilentLooks = 60;
/** A refusal comes at once. */
const longMs = 1_000;

/** The command. Its exit codes: 0 done, 1 refused or no answer, 2 wrong use. */
export function promoteCommand({ sendRequest, wait }: PromoteSurroundings): CliCommand {
  return {
    name: 'promote',
    summary: 'makes a server that follows an archive the first one, which writes',
    help: () => usage,
    run: async (args, output) => {
      const asked = readArguments(args);
      if (typeof asked === 'string') return misused(output, 'promote', asked);
      const { port, force, isJson } = asked;
      const onWait = () =>
        output.problem('colonnade: waiting until the server before has surely stopped writing\n');
      const reply = await askToPromote(port, force, { sendRequest, wait }, onWait);
      const problem = 'problem' in reply ? reply.problem : await untilReady(port, sendRequest, wait);
      if (problem !== undefined) {
        output.problem(`colonnade: ${shown(problem)}\n`);
        if (isJson) output.out(`${printable(JSON.stringify({ ok: false, problems: [problem] }))}\n`);
        return 1;
      }
      output.out(isJson ? `${JSON.stringify({ ok: true })}\n` : `${port.url} is the first server now\n`);
      return 0;
    },
  };
}

/** `onWait` is called when the server has been found, and does not answer at once. */
async function askToPromote(
  port: OperationsPort,
  force: boolean,
  { sendRequest, wait }: PromoteSurroundings,
  onWait: () => void,
): Promise<PortReply> {
  const found = await askPort({ method: 'GET', path: '/promote', ...readyLimits }, port, sendRequest);
  if ('problem' in found) return found;
  const answered = new AbortController();
  const waiting = wait(longMs, answered.signal).then(onWait, () => {}); // it is aborted by the answer
  try {
    const request = { method: 'POST', path: '/promote', body: { force }, ...limits } as const;
    return await askPort(request, port, sendRequest);
  } finally {
    answered.abort();
    await waiting;
  }
}

/** The server opens its parts again; a string is the problem. */
async function untilReady(
  port: OperationsPort,
  sendRequest: SendRequest,
  wait: PromoteSurroundings['wait'],
): Promise<string | undefined> {
  const request = { method: 'GET', path: '/promote', ...readyLimits } as const;
  let problem = '';
  let silentLooks = 0;
  for (let look = 0; look < mostLooks && silentLooks < mostSilentLooks; look += 1) {
    await wait(restMs, new AbortController().signal);
    const reply = await askPort(request, port, sendRequest);
    if (isOfFirst(reply, port)) return undefined;
    silentLooks = 'problem' in reply ? silentLooks + 1 : 0;
    problem = 'problem' in reply ? reply.problem : 'it still follows';
  }
  return (
    `the server has the lease of the archive, and does not answer as the first one: ${problem}. If it has ended, ` +
    'start it again with the same options: it is the first server then'
  );
}

/**
 * Whether the server is the first one now. It has the sessions of the server before then, so that it refuses the one
 * with which it was promoted. As a follower it took that.
 */
function isOfFirst(reply: PortReply, { session }: OperationsPort): boolean {
  return 'text' in reply ? reply.text.includes('"first"') : session !== undefined && reply.status === 401;
}

interface Asked {
  readonly force: boolean;
  readonly isJson: boolean;
  readonly port: OperationsPort;
}

function readArguments(args: readonly string[]): Asked | string {
  const options = { ...portOptions, force: { type: 'boolean' }, json: { type: 'boolean' } } as const;
  return withArguments(args, { options, allowPositionals: false }, ({ values }) => {
    const port = portFor(values);
    const { force = false, json: isJson = false } = values;
    return typeof port === 'string' ? port : { force, isJson, port };
  });
}

const usage = `Makes a server that follows an archive (serve --follow) the first one: it takes the
lease of the archive when the server before has surely stopped writing, applies what is
left in the archive, and then accepts writes and ships them to the archive. Stop the server
before, or make sure that its machine is lost.

Usage: colonnade promote [OPTIONS]

Options:
  --force
      Also if the server before does not stop by itself when it cannot renew its lease,
      if the archive has no lease, or if that server began a generation whose first copy
      is not complete: its changes since then are lost. Make sure that it has stopped.
  --json
      Prints the result as one line of JSON, with the member "ok".
${portOptionsHelp}
Exit codes: 0 the server is the first one, 1 refused or no answer, 2 the command line cannot
be used.
`;
