// The side of the main thread of the archive thread.
import { LogGuards } from '../../foundation/sqlite/log-guards.js';
import { processClock } from '../../foundation/telemetry/clock.js';
import { type ThreadEnded, WorkerThread } from '../../foundation/threads/worker-thread.js';
import { AskedRanges } from '../contents/asked-ranges.js';
import type { ReadRanges } from '../contents/range-reader.js';
import type { LeaseHolder } from '../lease/lease-record.js';
import { Acknowledgements } from './acknowledgements.js';
import type { ShippingStatus } from './archive-status.js';
import type { ShippingMessage, ShippingRequest, ShippingSettings } from './shipping-messages.js';

/** What the main thread is notified of. */
export interface ShippingListener {
  /** A generation has begun; `reason` is a sentence. */
  readonly onGeneration: (generation: string, reason: string) => void;
  /** Called when the problem of the shipping begins, changes, and with undefined when it is over. */
  readonly onProblem: (problem: string | undefined) => void;
  /** The start waits for the end of the lease of another server; `reason` is a sentence. */
  readonly onWait: (reason: string) => void;
  /** Called when writes are refused, with the reason, and with undefined when they are allowed again. */
  readonly onRefusal: (problem: string | undefined) => void;
  /** The server has ended, and the archive lacks its changes of the last time, in ms. */
  readonly onLeft: (behindMs: number) => void;
  /** The thread has ended by itself: nothing is shipped any more. */
  readonly onEnd: (ended: ThreadEnded) => void;
}

/** Ships while it is open. */
export interface ArchiveShipping {
  /** How far the archive is, as of at most a second ago; undefined until the thread has looked. */
  status(): ShippingStatus | undefined;
  /** Sets what other servers show about the holder of the archive. */
  setAddress(address: Pick<LeaseHolder, 'url' | 'opsUrl'>): void;
  /** Keeps what the logs have until `close`. Call it before the databases are closed. */
  keepLogs(): void;
  /** Resolves when the archive has every commit before this call. Rejects with an Error after a limited time. */
  whenShipped(): Promise<void>;
  /** The moments that the archive has. @throws RangesNotRead */
  readRanges(): Promise<ReadRanges>;
  /** Whether a call of the system keeps the thread, so that the process cannot end as usual. */
  isKept(): boolean;
  /** Ships what is left, for a limited time. Call it when both databases are closed. */
  close(): Promise<void>;
}

/** How long a write waits for the archive; official clients wait 10 to 15 s for a reply. */
const waitMs = 8_000;
/** The time that a thread with a call that hangs has to end when its work is done. */
const endMs = 1_000;
/** The thread ships at most one object at a time, so more memory is a mistake. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/**
 * Starts the thread. When this resolves, the databases may be opened. @throws Error if another server writes to the
 * archive, ThreadEnded
 */
export async function startShipping(
  settings: ShippingSettings,
  { onGeneration, onProblem, onWait, onRefusal, onLeft, onEnd }: ShippingListener,
): Promise<ArchiveShipping> {
  const thread = new WorkerThread<ShippingRequest, ShippingMessage>({
    name: 'the archive thread',
    module: new URL('./shipping-thread.js', import.meta.url),
    settings,
    resourceLimits,
  });
  let status: ShippingStatus | undefined;
  let isClosing = false;
  /** Undefined until it is closed. */
  let isLeft: boolean | undefined;
  const acknowledgements = new Acknowledgements(processClock, () => thread.post({ ship: true }), waitMs);
  const asked = new AskedRanges(() => thread.post({ read: 'ranges' }));
  thread.listen({
    onReply: (message) => {
      if ('read' in message) asked.answer(message.read);
      else if ('generation' in message) onGeneration(message.generation, message.reason);
      else if ('waitsFor' in message) onWait(message.waitsFor);
      else if ('shippedMs' in message) acknowledgements.note(message.shippedMs);
      else {
        const before = status;
        status = message.status;
        if (isClosing) return; // it does not try again
        if (refusalOf(status) !== refusalOf(before)) onRefusal(refusalOf(status));
        if (status.problem !== before?.problem) onProblem(status.problem);
      }
    },
    onEnd: (ended) => {
      asked.end();
      if (!ended.wasAsked) onEnd(ended);
    },
  });
  await thread.ready.catch((ended: ThreadEnded) => {
    throw ended.cause ?? ended;
  });
  const guards = new LogGuards(Object.values(settings.directory.paths));
  guards.hold(); // those that a killed process left, or one that was stopped in an outage
  const isKept = () => status?.isKept === true;
  return {
    status: () => status,
    readRanges: () => asked.read(),
    whenShipped: () => acknowledgements.whenShipped(),
    setAddress: (address) => thread.post({ address }),
    keepLogs: () => guards.hold(),
    isKept: () => isLeft ?? isKept(),
    close: async () => {
      isClosing = true;
      isLeft = !(await thread.closeUnlessKept(isKept, endMs));
      guards.close();
      const behindMs = mostBehindMs(status);
      if (behindMs > 0) onLeft(behindMs);
    },
  };
}

function mostBehindMs(status: ShippingStatus | undefined): number {
  return Math.max(0, ...Object.values(status?.databases ?? {}).map(({ behindMs }) => behindMs));
}

/** Why the server refuses writes; undefined if it does not. */
export function refusalOf(status: ShippingStatus | undefined): string | undefined {
  if (status?.lease.refusesWrites !== true) return undefined;
  return status.lease.problem ?? 'the lease of the archive has ended';
}
