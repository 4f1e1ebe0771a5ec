// Two and three values that many documents have: their entries are merged or looked up, page by page.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ScanSlices } from '../../src/data-service/engine/embedded/scans/scan.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { type InProcessServer, startInProcess } from '../faults/in-process-server.js';

interface Made {
  readonly _id: number;
  /** Half of the documents have each; of the first 2,900 none has 1 with `late`. */
  readonly half: number;
  readonly third: string;
  /** An array in some documents only. */
  readonly mixed: number | readonly number[];
  readonly late?: boolean;
  readonly rare?: string;
}

const made = Array.from({ length: 3_000 }, (_, at): Made => {
  const fifth = at % 5;
  return {
    _id: at,
    half: at % 2,
    third: `t${at % 3}`,
    mixed: at % 7 === 0 ? [fifth, 9] : fifth,
    ...(at % 2 === 0 || at >= 2_900 ? { late: true } : {}),
    ...(at % 1_000 === 1 ? { rare: 'yes' } : {}),
  };
});

const hasMixed = ({ mixed }: Made, value: number) =>
  typeof mixed === 'number' ? mixed === value : mixed.includes(value);

const filters: readonly (readonly [filter: object, matches: (document: Made) => boolean])[] = [
  [{ half: 1, third: 't1' }, ({ half, third }) => half === 1 && third === 't1'],
  [{ third: 't1', half: 1 }, ({ half, third }) => half === 1 && third === 't1'],
  [{ half: 1, late: true }, ({ half, late }) => half === 1 && late === true],
  [
    { late: true, half: 1, third: 't2' },
    ({ half, third, late }) => half === 1 && third === 't2' && late === true,
  ],
  [{ mixed: 2, half: 0 }, (document) => hasMixed(document, 2) && document.half === 0],
  [{ half: 0, mixed: 9 }, (document) => hasMixed(document, 9) && document.half === 0],
  [{ third: { $in: ['t0', 't2'] }, half: 1 }, ({ half, third }) => half === 1 && third !== 't1'],
  [{ half: 1, third: { $ne: 't1' } }, ({ half, third }) => half === 1 && third !== 't1'],
  [{ half: 1, _id: { $gte: 1_000 } }, ({ half, _id }) => half === 1 && _id >= 1_000],
  [
    { half: 1, $or: [{ third: 't0' }, { rare: 'yes' }] },
    ({ half, third, rare }) => half === 1 && (third === 't0' || rare === 'yes'),
  ],
  [{ rare: 'yes', half: 1 }, ({ rare }) => rare === 'yes'],
  [{ half: 1, third: 'none' }, () => false],
  [{ half: 1, unknown: 1 }, () => false],
  [{ half: 1, 'third.below': 't1' }, () => false],
];

async function findAll({ client }: InProcessServer, filter: object): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let pageState: unknown = null; ; ) {
    const options = pageState === null ? {} : { pageState };
    const { data } = await client.mustSend('/default_keyspace/docs', { find: { filter, options } });
    found.push(...(data?.documents ?? []).map(({ _id }) => _id));
    pageState = data?.nextPageState ?? null;
    if (pageState === null) return found;
  }
}

const smallSlices: ScanSlices = {
  walk: { first: 40, least: 10, most: 300 },
  file: { first: 50, least: 10, most: 500 },
};

for (const [sizes, slices] of [
  ['usual slices', undefined],
  ['small slices', smallSlices],
] as const)
  describe(`values that many documents have, in ${sizes}`, () => {
    let server: Promise<InProcessServer> | undefined;
    const open = async () => {
      const opened = await startInProcess(newDataDirectory(), slices === undefined ? {} : { slices });
      await opened.client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
      for (let from = 0; from < made.length; from += 100)
        await opened.client.mustSend('/default_keyspace/docs', {
          insertMany: { documents: made.slice(from, from + 100), options: { ordered: true } },
        });
      return opened;
    };
    after(async () => (await server)?.close());
    for (const [filter, matches] of filters)
      it(`find each document once: ${JSON.stringify(filter)}`, async () => {
        server ??= open();
        const found = await findAll(await server, filter);
        assert.deepEqual(
          found,
          made.filter(matches).map(({ _id }) => _id),
        );
      });
  });
