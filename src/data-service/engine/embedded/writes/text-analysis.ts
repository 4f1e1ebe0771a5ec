// The analysis of long texts in a thread of its own, which is started when it is needed. The work of the writer thread
// that changes such texts waits for it, and other writes go on.
import { UnderWay, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
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

/** How many UTF-16 units of further long texts the work analyzes itself. */
export function mostUnitsOf({ analyses }: KnownTexts): number {
  return analyses >= mostAnalyses ? Number.POSITIVE_INFINITY : mostOwnUnits;
}

/** Adds the texts that were analyzed; undefined if nothing analyzes them. */
export function withMoreTexts(
  { analyzed, analyses }: KnownTexts,
  more: readonly AnalyzedText[] | undefined,
): KnownTexts {
  if (more === undefined) return { analyzed, analyses: mostAnalyses };
  return { analyzed: [...analyzed, ...more], analyses: analyses + 1 };
}

/** Called once: with the analyzed texts, or with undefined if the thread has ended. */
type Settle = (analyzed: readonly AnalyzedText[] | undefined) => void;

interface Waiting {
  readonly texts: readonly WantedText[];
  readonly settle: Settle;
}

type AnalysisThread = WorkerThread<AnalysisRequest, AnalysisReply>;

/** The time without texts after which the thread ends. */
const restMs = 10_000;

/** Sends texts to the thread. */
export class TextAnalysis {
  readonly #waiting = new UnderWay<Waiting>();
  #thread: AnalysisThread | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * `settle` is called in the order of the calls, and during `close` at the latest; at once after `close`, and if the
   * system allows no thread.
   */
  analyze(texts: readonly WantedText[], settle: Settle): void {
    clearTimeout(this.#rest);
    const thread = this.#isClosed ? undefined : (this.#thread ?? this.#start());
    if (thread === undefined) {
      settle(undefined);
      return;
    }
    this.#waiting.add({ texts, settle });
    thread.post({ texts });
  }

  /** Settles what is under way without an analysis; resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#rest);
    const thread = this.#thread;
    this.#settleAll();
    await thread?.close();
  }

  #start(): AnalysisThread | undefined {
    let thread: AnalysisThread;
    try {
      thread = new WorkerThread({
        name: 'the thread for the analysis of texts',
        module: new URL('./text-analysis-thread.js', import.meta.url),
        settings: {},
      });
    } catch {
      // The writer thread analyzes the texts then, as it does if the thread ends.
      return undefined;
    }
    this.#thread = thread;
    thread.listen({
      onReply: ({ tokens }) => {
        const done = this.#waiting.takeFirst();
        done?.settle(done.texts.map((text, at) => ({ ...text, tokens: tokens[at] ?? new Uint8Array() })));
        if (this.#waiting.count === 0) this.#restSoon(thread);
      },
      // An error of the analysis is met again, and reported, where the texts are written.
      onEnd: () => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#settleAll();
      },
    });
    return thread;
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
    for (const { settle } of this.#waiting.takeAll()) settle(undefined);
  }
}
