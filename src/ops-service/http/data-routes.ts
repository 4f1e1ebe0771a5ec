// The paths of the data service on this port: commands are passed on to it under the logins and roles of this port.
import * as v from 'valibot';
import { NotBegun, WorkQueue } from '../../foundation/limits/work-queue.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import { sessionName } from '../access/gate.js';
import type { PassedCommand } from '../clusters/data-service-link.js';
import { OpsError } from '../errors/ops-error.js';
import type { OpsParts } from './ops-parts.js';
import { type OpsRequest, type Route, WholeReply } from './route.js';

/** This prefix stands before the paths of the data service. */
const prefix = '/data';
/** Commands that the data service answers at the same time; others wait. */
const places = 32;
const mostWaiting = 256;
const longestWaitMs = 10_000;
/** They belong to this port. */
const notPassed: readonly string[] = ['cookie', sessionName];

const paths: readonly (readonly [path: string, of: string])[] = [
  ['/v1', 'the database'],
  ['/v1/{keyspace}', 'a keyspace'],
  ['/v1/{keyspace}/{name}', 'a table or collection'],
];

/** Whether a path belongs to the data service. */
export function isDataPath(path: string): boolean {
  return path.startsWith(`${prefix}/v1`);
}

/** The routes of commands. */
export function dataRoutes({ dataService }: OpsParts): readonly Route[] {
  const queue = new WorkQueue({ places, mostWaiting, longestWaitMs });
  const pass = async (request: OpsRequest, body: Buffer | undefined) => {
    const left = new AbortController();
    request.whenGone(() => left.abort());
    const command = commandOf(request, body);
    const moved = body === undefined ? [] : ownMemoryOf(body);
    const call = () => dataService.call('passCommand', command, left.signal, moved);
    const { reply } = await queue.run(1, call, request.whenGone).catch(refuseNotBegun);
    return reply;
  };
  return paths.map(
    ([path, of]): Route => ({
      method: 'POST',
      path: `${prefix}${path}`,
      changesNothing: true,
      summary: `Passes a command on ${of} on to the data service; a viewer may send commands that read.`,
      access: 'viewer',
      documentedBody: v.record(v.string(), v.unknown()),
      reply: v.record(v.string(), v.unknown()),
      takesBytes: true,
      refuseHead: (request) => pass(request, undefined),
      answer: async (request: OpsRequest) => {
        const reply = await pass(request, request.body instanceof Buffer ? request.body : noBody);
        if (reply === undefined) throw new Error('the data service did not answer a command');
        return new WholeReply(reply);
      },
    }),
  );
}

const noBody = Buffer.alloc(0);

function commandOf({ path, headers, caller, role, session }: OpsRequest, body: Buffer | undefined) {
  const passed = [...headers].filter(([name]) => !notPassed.includes(name));
  return {
    path: path.slice(prefix.length),
    headers: new Map(passed),
    body,
    // Without a login the data service asks for its token itself: this port must not weaken it.
    rights: session === undefined || role === undefined ? 'token' : role,
    sender: caller,
  } satisfies PassedCommand;
}

function refuseNotBegun(error: unknown): never {
  if (!(error instanceof NotBegun)) throw error;
  throw new OpsError('Unavailable', `too many commands: ${error.message}`, { retryAfterSeconds: 1 });
}
