// The searches of `bench:text`: each load meets the server and FTS5 behind a bare HTTP server, by turns.
import type { ServerProcess } from '../child-process.js';
import { type Figure, median, medianPair } from '../figures.js';
import { atLeast, atMost, type LoadRuns } from '../load-runs.js';
import type { RequestKind } from '../request-kinds.js';
import type { FtsIndex } from './fts-index.js';
import { searchedWords, searchLimit } from './text-requests.js';

/** What searches meet. */
export interface SearchedParts {
  readonly server: ServerProcess;
  /** FTS5 behind HTTP. */
  readonly reference: ServerProcess;
  /** FTS5 in this process. */
  readonly fts: FtsIndex;
}

interface SearchKind {
  readonly name: string;
  readonly words: (at: number) => string;
  readonly sort: RequestKind;
  readonly match: RequestKind;
  /** The maximum median from one connection in milliseconds, if there is one. */
  readonly mostMs?: number;
}

const searchKinds: readonly SearchKind[] = [
  {
    name: 'a word of one row in a thousand',
    words: searchedWords.rare,
    sort: 'sortByRareWord',
    match: 'matchRareWord',
    mostMs: 3,
  },
  {
    name: 'the same and a word of most rows',
    words: searchedWords.mixed,
    sort: 'sortByMixedWords',
    match: 'matchMixedWords',
  },
  {
    name: 'two frequent words',
    words: searchedWords.frequent,
    sort: 'sortByFrequentWords',
    match: 'matchFrequentWords',
  },
];

const connectionCounts = [8, 64] as const;
const searchesInProcess = 100;

export class SearchRuns {
  readonly #runs: LoadRuns;
  readonly #parts: SearchedParts;

  constructor(runs: LoadRuns, parts: SearchedParts) {
    this.#runs = runs;
    this.#parts = parts;
  }

  async measure(): Promise<readonly Figure[]> {
    const figures: Figure[] = [];
    for (const kind of searchKinds) {
      figures.push(...(await this.#latencies(kind)));
      for (const connections of connectionCounts) figures.push(...(await this.#rates(kind, connections)));
    }
    return figures;
  }

  /** Medians from one connection. */
  async #latencies({ name, words, sort, match, mostMs }: SearchKind): Promise<readonly Figure[]> {
    const p50 = async (server: ServerProcess, request: RequestKind) =>
      (await this.#runs.load(server, { request, connections: 1 })).p50Ms;
    const { server, reference } = this.#parts;
    const pairs = await this.#runs.repeat(async () => ({
      reference: await p50(reference, sort),
      value: await p50(server, sort),
      inProcess: this.#medianInProcess(words),
      match: await p50(server, match),
    }));
    const { value } = medianPair(pairs);
    const limits: readonly Figure[] =
      mostMs === undefined
        ? []
        : [
            { name: `sort by ${name}, p50`, value, unit: 'ms', target: atMost(mostMs) },
            {
              name: `$match of ${name}, p50`,
              value: median(pairs.map((pair) => pair.match)),
              unit: 'ms',
              target: atMost(mostMs),
            },
          ];
    const sorted = `sort by ${name}, p50, beside FTS5`;
    const inProcess = median(pairs.map((pair) => pair.inProcess));
    return [
      ...limits,
      { name: `${sorted} behind HTTP`, ...medianPair(pairs), unit: 'ms', target: atMost(1) },
      { name: `${sorted} in the process`, value, reference: inProcess, unit: 'ms', target: atMost(1) },
    ];
  }

  /** Searches per second and the slowest hundredth from some connections. */
  async #rates({ name, sort }: SearchKind, connections: number): Promise<readonly Figure[]> {
    const load = (server: ServerProcess) => this.#runs.load(server, { request: sort, connections });
    const reports = await this.#runs.repeat(async () => ({
      reference: await load(this.#parts.reference),
      value: await load(this.#parts.server),
    }));
    const pairsOf = (part: 'requestsPerSecond' | 'p99Ms') =>
      medianPair(reports.map(({ reference, value }) => ({ reference: reference[part], value: value[part] })));
    const shown = `sort by ${name}, ${connections} connections`;
    return [
      { name: shown, ...pairsOf('requestsPerSecond'), unit: 'searches/s', target: atLeast(1) },
      { name: `p99 of ${shown}`, ...pairsOf('p99Ms'), unit: 'ms', target: atMost(1) },
    ];
  }

  /** The median of some searches of FTS5 in this process, in milliseconds. */
  #medianInProcess(words: (at: number) => string): number {
    const times: number[] = [];
    for (let at = 0; at < searchesInProcess; at += 1) {
      const start = performance.now();
      this.#parts.fts.search(words(at), searchLimit);
      times.push(performance.now() - start);
    }
    return median(times);
  }
}
