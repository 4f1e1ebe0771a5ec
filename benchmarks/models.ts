// `npm run bench:models -- --models DIR`: how many texts a second local models embed, or score for a query.
import { parseArgs } from 'node:util';
import { findLocalModels, type LocalModel } from '../src/data-service/embedding/local/find-local-models.js';
import { DirectoryRunner } from '../src/data-service/embedding/local/local-model-runner.js';
import { describeMachine, median } from './figures.js';

const help = `usage: npm run bench:models -- --models DIR [options]
  --models DIR   the directory of models
  --seconds N    how long a round takes (3)
  --rounds N     rounds, whose median counts (5)
  --words N      of a text, taken at random from the list of frequent words of each round (10)`;

const { values: options } = parseArgs({
  options: {
    models: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    words: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});

const batchSize = 100;
/** Texts draw from so many words, the frequent ones more often. */
const vocabulary = 20_000;

if (options.help || options.models === undefined) console.log(help);
else await measure(options.models);

async function measure(directory: string): Promise<void> {
  const { models, problems } = findLocalModels(directory);
  for (const problem of problems) console.error(problem);
  console.log(describeMachine());
  for (const model of models) {
    const client = new DirectoryRunner(directory, models);
    const started = performance.now();
    await embed(client, model, makeTexts());
    const loadMs = performance.now() - started;
    const rounds: Round[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1)
      rounds.push(await measureRound(client, model));
    const rates = rounds.map(({ perSecond }) => perSecond);
    const ofProcessor = rounds.map(({ perProcessorSecond }) => perProcessorSecond);
    const made = model.kind === 'reranker' ? 'scores' : `${model.dimension} dimensions`;
    const ofThread = `in a second of processor time: ${shown(ofProcessor)}; `;
    console.log(
      `${model.name} (${model.kind}, ${made}): loaded in ${Math.round(loadMs)} ms; texts of ${options.words} words ` +
        `${model.kind === 'words' ? ofThread : ''}in a second: ${shown(rates)}`,
    );
    await client.close();
  }
}

/** The texts of a round. */
interface Round {
  readonly perSecond: number;
  /** By the processor time of this process: of the thread of words, and of the main thread, which packs texts. */
  readonly perProcessorSecond: number;
}

function shown(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${Math.round(median(values))} (${Math.round(least)} to ${Math.round(most)})`;
}

/** One round, with two batches under way, so that the thread never waits for the next one. */
async function measureRound(client: DirectoryRunner, model: LocalModel): Promise<Round> {
  const batches = Array.from({ length: 50 }, makeTexts);
  const before = process.cpuUsage();
  const started = performance.now();
  const endMs = started + Number(options.seconds) * 1000;
  let count = 0;
  const run = async () => {
    while (performance.now() < endMs) {
      await embed(client, model, batches[(count / batchSize) % batches.length] ?? []);
      count += batchSize;
    }
  };
  await Promise.all([run(), run()]);
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (count * 1000) / (performance.now() - started),
    perProcessorSecond: (count * 1_000_000) / (user + system),
  };
}

async function embed(client: DirectoryRunner, model: LocalModel, texts: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const { name, fingerprint } = model;
  const limits = { timeoutMs: 60_000, signal };
  if (model.kind === 'reranker')
    await client.rank({ model: name, query: texts[0] ?? '', passages: texts, ...limits });
  else await client.embed({ model: name, fingerprint, purpose: 'passage', texts, ...limits });
}

function makeTexts(): readonly string[] {
  return Array.from({ length: batchSize }, () =>
    Array.from({ length: Number(options.words) }, () => wordOf(Math.floor(vocabulary ** Math.random()))).join(
      ' ',
    ),
  );
}

/** A word of two to four syllables for a number. */
function wordOf(number: number): string {
  const syllables = [
    'ra',
    'mo',
    'ti',
    'ben',
    'sol',
    'ka',
    'ver',
    'lin',
    'du',
    'pe',
    'con',
    'star',
    'men',
    'al',
    'for',
    'is',
  ];
  let [word, rest] = ['', number + 16];
  for (; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16];
  return word;
}
