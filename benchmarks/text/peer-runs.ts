// Searches of `bench:text` beside tantivy, which runs in one thread of its own process: processor time of each search.
// For the server this is what a search takes beyond a reply with as many rows that are read by their keys.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sendCommand } from '../bench-servers.js';
import type { ServerProcess } from '../child-process.js';
import { type Figure, median, medianPair } from '../figures.js';
import { atMost, type LoadRuns } from '../load-runs.js';
import type { RequestKind } from '../request-kinds.js';
import { kindOf, type Texts } from './text-data.js';
import { searchedKind, searchedWords, textTable } from './text-requests.js';

/** How to get the peer. */
export const howToInstallTantivy =
  'tantivy is not measured: `python3 -m venv peer && peer/bin/pip install tantivy==0.27.0`, then --peer peer/bin/python';

type Words = keyof typeof searchedWords;

const searches: readonly {
  readonly name: string;
  readonly words: Words;
  readonly sort: RequestKind;
  readonly filter?: RequestKind;
}[] = [
  { name: 'a rare word', words: 'rare', sort: 'sortByRareWord', filter: 'filterRareWord' },
  {
    name: 'a rare and the most frequent word',
    words: 'mixed',
    sort: 'sortByMixedWords',
    filter: 'filterMixedWords',
  },
  { name: 'a rare and a frequent word', words: 'rareAndFrequent', sort: 'sortByRareAndFrequentWords' },
  { name: 'two medium words', words: 'medium', sort: 'sortByMediumWords', filter: 'filterMediumWords' },
  {
    name: 'a frequent word',
    words: 'oneFrequent',
    sort: 'sortByOneFrequentWord',
    filter: 'filterOneFrequentWord',
  },
  {
    name: 'two frequent words',
    words: 'frequent',
    sort: 'sortByFrequentWords',
    filter: 'filterFrequentWords',
  },
  { name: 'three frequent words', words: 'threeFrequent', sort: 'sortByThreeFrequentWords' },
  {
    name: 'four frequent words',
    words: 'fourFrequent',
    sort: 'sortByFourFrequentWords',
    filter: 'filterFourFrequentWords',
  },
];

/** What the script of the peer prints. */
interface PeerReport {
  /** Processor time of a text that is added; null if the index was there. */
  readonly rowMicroseconds: number | null;
  readonly microseconds: Readonly<Record<string, number>>;
}

const searchesOfKind = 50;
const peerSeconds = 0.2;

export class PeerRuns {
  readonly #runs: LoadRuns;
  readonly #server: ServerProcess;
  readonly #python: string;
  readonly #directory: string;

  /** `python`: a Python that has tantivy. The index of the peer is kept in a directory. */
  constructor(runs: LoadRuns, server: ServerProcess, python: string, directory: string) {
    this.#runs = runs;
    this.#server = server;
    this.#python = python;
    this.#directory = directory;
  }

  async measure(texts: Texts): Promise<readonly Figure[]> {
    this.#writeTexts(texts);
    // The peer has an index of this column, too.
    const createIndex = { name: 'text_kind', definition: { column: 'kind' }, options: { ifNotExists: true } };
    await sendCommand(this.#server.port, `/v1/${textTable.keyspace}/${textTable.indexed}`, { createIndex });
    const building = this.#peer({}).rowMicroseconds;
    if (building !== null) console.log(`tantivy: ${building.toFixed(1)} µs of processor time for a text`);
    const kinds = searches.flatMap(({ name, words, sort, filter }) => [
      { name, words, request: sort, isFiltered: false },
      ...(filter === undefined
        ? []
        : [{ name: `${name}, filtered`, words, request: filter, isFiltered: true }]),
    ]);
    const figures: Figure[] = [];
    for (const { name, words, request, isFiltered } of kinds) {
      const found = Array.from({ length: searchesOfKind }, (_, at) => ({
        words: searchedWords[words](at).split(' '),
        kind: isFiltered ? searchedKind : null,
      }));
      const pairs = await this.#runs.repeat(async () => {
        const byKey = await this.#costUs('readTextsByKey');
        const value = (await this.#costUs(request)) - byKey;
        return { value, reference: this.#peer({ found }).microseconds['found'] ?? Number.NaN };
      });
      const pair = medianPair(pairs);
      figures.push({
        name: `processor time of a search beyond a reply by key, ${name}, beside tantivy`,
        value: median(pairs.map(({ value }) => value)),
        reference: pair.reference,
        unit: 'µs',
        target: atMost(2),
      });
    }
    return figures;
  }

  async #costUs(request: RequestKind): Promise<number> {
    const { costUs } = await this.#runs.load(this.#server, { request, connections: 1 });
    return costUs;
  }

  #peer(wanted: object): PeerReport {
    const script = fileURLToPath(new URL('../../../benchmarks/text/tantivy-peer.py', import.meta.url));
    const plan = {
      directory: join(this.#directory, 'tantivy'),
      texts: this.#textsFile,
      seconds: peerSeconds,
      searches: wanted,
    };
    const run = spawnSync(this.#python, [script, JSON.stringify(plan)], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`the peer failed: ${run.stderr}`);
    // Our own script wrote it.
    return JSON.parse(run.stdout) as PeerReport;
  }

  get #textsFile(): string {
    return join(this.#directory, 'texts.tsv');
  }

  #writeTexts({ textOf }: Texts): void {
    if (existsSync(this.#textsFile)) return;
    const file = openSync(this.#textsFile, 'w');
    for (let first = 0; first < this.#runs.settings.rowCount; first += 1_000) {
      const lines = Array.from({ length: Math.min(1_000, this.#runs.settings.rowCount - first) }, (_, at) => {
        const row = first + at;
        return `${kindOf(row)}\t${textOf(row)}\n`;
      });
      writeSync(file, lines.join(''));
    }
    closeSync(file);
  }
}
