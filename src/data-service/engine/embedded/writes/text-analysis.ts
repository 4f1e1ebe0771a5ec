// The analysis of long texts in a thread of its own, which is started when it is needed. The work of the writer thread
// that changes such texts waits for it, and other writes continue.
import { WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { type AnalyzedText, mostOwnUnits, type WantedText } from '../file/text-functions.js';
import type { AnalysisReply, AnalysisRequest } from './text-analysis-thread.js';

/** What is known of the texts of some work. */
export interface KnownTexts {
  readonly analyzed: readonly AnalyzedText[];
  /** How often the work has waited for an analysis. */
  readonly analyses: number;
}

/** So often work waits for an analysis; then the writer thread analyzes the texts that are left itself. */
const mostAnalyses = 4;

/** Nothing is known of the texts of new work. */
export const noKnownTexts: KnownTexts = { analyzed: [], analyses: 0 };

/** How many units of further texts the work analyzes itself, see `analysisUnits`. */
export function mostUnitsOf({ analyses }: KnownTexts): number {
  return analyses >= mostAnalyses ? Number.POSITIVE_INFINITY : mostOwnUnits;
}

/** Adds the texts that were analyzed; with undefined, the writer thread analyzes those that are left itself. */
export function withMoreTexts(
  { analyzed, analyses }: KnownTexts,
  more: readonly AnalyzedText[] | undefined,
): KnownTexts {
  if (more === undefined) return { analyzed, analyses: mostAnalyses };
  return { analyzed: [...analyzed, ...more], analyses: analyses + 1 };
}

/** Called once: with the analyzed texts, or with undefined if the thread does not analyze them. */
type Settle = (analyzed: readonly AnalyzedText[] | undefined) => void;

interface Waiting {
  readonly texts: readonly WantedText[];
  readonly units: number;
  readonly settle: Settle;
}

type AnalysisThread = Pick<WorkerThread<AnalysisRequest, AnalysisReply>, 'listen' | 'post' | 'close'>;

/** The UTF-16 units of all texts that wait, so that their memory is bounded. */
export const mostWaitingUnits = 64 * 1024 * 1024;
/** The time without texts after which the thread ends. */
const restMs = 10_000;

/** Sends texts to the thread, those of one call at a time. */
export class TextAnalysis {
  readonly #onFailure: (error: Error) => void;
  readonly #startThread: () => AnalysisThread;
  readonly #waiting: Waiting[] = [];
  #waitingUnits = 0;
  #thread: AnalysisThread | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `onFailure` is called if no thread can be started, and if it ends before `close`. */
  constructor(onFailure: (error: Error) => void, startThread: () => AnalysisThread = startAnalysisThread) {
    this.#onFailure = onFailure;
    this.#startThread = startThread;
  }

  /**
   * `settle` is called in the order of the calls, and during `close` at the latest; at once after `close`, if more than
   * `mostWaitingUnits` would wait, and if the system allows no thread.
   */
  analyze(texts: readonly WantedText[], settle: Settle): void {
    const units = texts.reduce((sum, { stored }) => sum + stored.length, 0);
    const hasRoom = !this.#isClosed && this.#waitingUnits + units <= mostWaitingUnits;
    const thread = hasRoom ? (this.#thread ?? this.#start()) : undefined;
    if (thread === undefined) {
      settle(undefined);
      return;
    }
    clearTimeout(this.#rest);
    this.#waitingUnits += units;
    this.#waiting.push({ texts, units, settle });
    if (this.#waiting.length === 1) thread.post({ texts });
  }

  /** Settles what is under way without an analysis; resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#rest);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#settleAll();
    await thread?.close();
  }

  #start(): AnalysisThread | undefined {
    let thread: AnalysisThread;
    try {
      thread = this.#startThread();
    } catch (error) {
      this.#onFailure(toError(error));
      return undefined;
    }
    this.#thread = thread;
    thread.listen({
      onReply: (reply) => {
        if (this.#thread === thread) this.#settleFirst(thread, reply);
      },
      onEnd: (ended) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#onFailure(ended);
        this.#settleAll();
      },
    });
    return this.#thread;
  }

  #settleFirst(thread: AnalysisThread, { tokens }: AnalysisReply): void {
    const done = this.#waiting.shift();
    if (done?.texts.length !== tokens.length) throw new TypeError('the thread analyzed other texts');
    this.#waitingUnits -= done.units;
    const [next] = this.#waiting;
    if (next === undefined) this.#restSoon(thread);
    else thread.post({ texts: next.texts });
    done.settle(done.texts.map((one, at) => ({ ...one, tokens: tokens[at] as Uint8Array }))); // as many as texts
  }

  #restSoon(thread: AnalysisThread): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#thread = undefined;
      void thread.close();
    }, restMs);
    this.#rest.unref();
  }

  #settleAll(): void {
    const all = this.#waiting.splice(0);
    this.#waitingUnits = 0;
    for (const { settle } of all) settle(undefined);
  }
}

function startAnalysisThread(): AnalysisThread {
  return new WorkerThread({
    name: 'the thread for the analysis of texts',
    module: new URL('./text-analysis-thread.js', import.meta.url),
    settings: {},
  });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
