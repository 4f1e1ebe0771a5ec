// Starts the thread that follows the archive of the configuration, and reports how far it is.
import { AskedRanges } from '../../archive/contents/asked-ranges.js';
import type { ReadRanges } from '../../archive/contents/range-reader.js';
import type { FollowStatus } from '../../archive/following/follow-status.js';
import type { Config } from '../../foundation/config/options.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { type ThreadEnded, WorkerThread } from '../../foundation/threads/worker-thread.js';
import { OpsError } from '../../ops-service/errors/ops-error.js';
import { addressOfArchive } from '../parts/address-of-archive.js';
import type { FollowMessage, FollowRequest, FollowSettings, RefusedPromotion } from './follow-messages.js';

/** What the main thread does when the thread reports something. */
export interface FollowListener {
  /** The data directory is made again, and the next start of the thread uses it. */
  readonly onRemade: () => void;
  /** The thread has ended by itself: nothing is applied any more. */
  readonly onEnd: (ended: ThreadEnded) => void;
}

/** A server that follows an archive. */
export interface Following {
  /** The state of a moment ago. */
  status(): FollowStatus | undefined;
  /** Why nothing is written here: a clause for clients. */
  readonly whyReadOnly: () => string;
  /** Whether a promotion is under way. */
  readonly isPromoting: () => boolean;
  /** The moments that the archive has. @throws RangesNotRead */
  readRanges(): Promise<ReadRanges>;
  /** When it resolves, the next start is that of the first server. @throws OpsError `Conflict` */
  promote(isForced: boolean): Promise<void>;
  /** Whether a call of the system keeps the thread after its end, so that the process cannot end as usual. */
  isKept(): boolean;
  /** Call it when nobody reads the databases any more. */
  close(): Promise<void>;
}

/** The time that a thread with a call that hangs has to end when its work is done. */
const endMs = 1_000;
/** The thread applies one object at a time, so more memory is a mistake. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/**
 * Resolves when the data directory is there and can be read; undefined unless the configuration follows an archive. The
 * directory is locked. @throws ConfigProblems for an address that cannot be used, Error
 */
export async function openFollowing(
  config: Config,
  logger: Logger,
  { onRemade, onEnd }: FollowListener,
): Promise<Following | undefined> {
  const { follow } = config;
  if (follow === undefined) return undefined;
  const { dataDir, opsDir, engine, keyStoreSecret } = config;
  const settings: FollowSettings = {
    address: addressOfArchive(config, follow),
    directory: { dataDir, opsDir, engine, keyStoreSecret },
  };
  let running = await start(settings, logger);
  if (running.isMade) {
    await running.thread.close();
    running = await start(settings, logger);
  }
  const { thread, status } = running;
  /** Undefined until it is closed. */
  let isLeft: boolean | undefined;
  running.listen({ onRemade, onEnd });
  logger.info({ archive: follow, generation: status()?.generation }, 'the server follows the archive');
  return {
    status,
    whyReadOnly: () => {
      const { first } = status() ?? {};
      const followed = first === undefined ? 'another one' : first.name;
      return `this server follows ${followed} by the archive ${follow}, and answers reads only`;
    },
    promote: running.promote,
    isPromoting: running.isPromoting,
    readRanges: running.readRanges,
    isKept: () => isLeft ?? running.isKept(),
    close: async () => {
      isLeft = !(await thread.closeUnlessKept(running.isKept, endMs));
    },
  };
}

/** A thread that is ready. */
interface RunningThread {
  readonly thread: WorkerThread<FollowRequest, FollowMessage>;
  /** Whether it has made the data directory, and does nothing more. */
  readonly isMade: boolean;
  readonly status: () => FollowStatus | undefined;
  listen(listener: FollowListener): void;
  promote(isForced: boolean): Promise<void>;
  readonly isPromoting: () => boolean;
  readonly isKept: () => boolean;
  readonly readRanges: () => Promise<ReadRanges>;
}

/** @throws the error with which the thread ended */
async function start(settings: FollowSettings, logger: Logger): Promise<RunningThread> {
  const { archive } = settings.address;
  const thread = new WorkerThread<FollowRequest, FollowMessage>({
    name: 'the thread that follows the archive',
    module: new URL('./follow-thread.js', import.meta.url),
    settings,
    resourceLimits,
  });
  let last: Extract<FollowMessage, { kind: 'status' }> | undefined;
  let isMade = false;
  let listener: FollowListener | undefined;
  let promotion: { resolve: () => void; reject: (error: Error) => void } | undefined;
  const asked = new AskedRanges(() => thread.post({ kind: 'readRanges' }));
  const logMaking = quarters((percent) =>
    logger.info({ archive, percent }, 'the data directory is made from the archive'),
  );
  thread.listen({
    onReply: (message) => {
      if (message.kind === 'remade') listener?.onRemade();
      else if (message.kind === 'making') logMaking(message.share);
      else if (message.kind === 'made') isMade = true;
      else if (message.kind === 'promoted') promotion?.resolve();
      else if (message.kind === 'refused') {
        promotion?.reject(refusalOf(message));
        promotion = undefined;
      } else if (message.kind === 'ranges') {
        asked.answer(message.read);
      } else {
        if (message.status.problem !== last?.status.problem) logProblem(message.status, logger);
        last = message;
      }
    },
    onEnd: (ended) => {
      asked.end();
      promotion?.reject(ended);
      if (!ended.wasAsked) listener?.onEnd(ended);
    },
  });
  await thread.ready.catch((ended: ThreadEnded) => {
    throw ended.cause ?? ended; // the message of the cause says what to do
  });
  const listen = (given: FollowListener) => {
    listener = given;
  };
  const promote = async (isForced: boolean) => {
    if (promotion !== undefined) throw new OpsError('Conflict', 'a promotion is under way already');
    await new Promise<void>((resolve, reject) => {
      promotion = { resolve, reject };
      thread.post({ kind: 'promote', isForced });
    });
  };
  return {
    ...{ thread, isMade, status: () => last?.status, listen, promote },
    isPromoting: () => promotion !== undefined,
    isKept: () => last?.isKept === true,
    readRanges: () => asked.read(),
  };
}

/** The detail names the member of the request that permits it. */
function refusalOf({ problem, needsForce }: RefusedPromotion): OpsError {
  const details = needsForce
    ? [{ path: 'force', message: 'must be true for this: only when no other server writes' }]
    : [];
  return new OpsError('Conflict', problem, { details });
}

function logProblem({ archive, problem }: FollowStatus, logger: Logger): void {
  if (problem === undefined) logger.info({ archive }, 'the archive is followed again');
  else logger.error({ archive, problem }, 'the archive is not followed; it is tried again');
}

/** Calls with 25, 50, 75 and 100 when so much is done. */
function quarters(report: (percent: number) => void): (share: number) => void {
  let reported = 0;
  return (share) => {
    const quarter = Math.floor(share * 4);
    if (quarter === 0 || quarter === reported) return;
    reported = quarter;
    report(quarter * 25);
  };
}
