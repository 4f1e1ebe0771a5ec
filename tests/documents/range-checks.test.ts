// A value and a more frequent range of numbers: the range is checked in SQL, with the same results as a comparison of
// the documents.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { serveEngine } from '../faults/in-process-server.js';

/** Values as JSON. Those that are numbers, and their order among them. */
const values: readonly (readonly [json: string, rank: number | undefined])[] = [
  ['-1e400', 0],
  ['-7', 1],
  ['0.969937544356545278183962', 2],
  ['0.969937544356545278183963', 3],
  ['0.969937544356545278183964', 4],
  ['4.999999999999999999999', 5],
  ['5', 6],
  ['5.000', 6],
  ['50e-1', 6],
  ['5.000000000000000000001', 7],
  ['9007199254740992', 8],
  ['9007199254740993', 9],
  ['9007199254740994', 10],
  ['18446744073709551617', 11],
  ['"5"', undefined],
  ['[5,6]', undefined],
  ['{"w":5}', undefined],
  ['null', undefined],
  ['true', undefined],
  ['{"$date":5}', undefined],
];
const operators = {
  $gt: (rank: number, of: number) => rank > of,
  $gte: (rank: number, of: number) => rank >= of,
  $lt: (rank: number, of: number) => rank < of,
  $lte: (rank: number, of: number) => rank <= of,
} as const;

describe('a value and a more frequent range of numbers', () => {
  it('find the documents that match both', async () => {
    const server = await serveEngine(checkedEngine(await openEmbedded(newDataDirectory())));
    after(() => server.close());
    const { client } = server;
    await client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
    const send = (command: string) => client.send('/default_keyspace/docs', command);
    // The documents of the first turn are searched for; the others make their values frequent.
    for (let turn = 0; turn < 20; turn += 1) {
      const documents = values.map(([json], at) => {
        const kind = turn === 0 ? 'x' : 'y';
        return `{"_id":${turn * 100 + at},"kind":"${kind}","o":{"v":${json}}}`;
      });
      const { text } = await send(`{"insertMany":{"documents":[${documents.join(',')}]}}`);
      assert.match(text, /^\{"status":\{"insertedIds"/);
    }
    for (const [operator, isSelected] of Object.entries(operators)) {
      for (const [json, of] of values) {
        if (of === undefined) continue;
        const filter = `{"kind":"x","o.v":{"${operator}":${json}}}`;
        const { body } = await send(`{"find":{"filter":${filter}}}`);
        const expected = values.flatMap(([, rank], id) =>
          rank !== undefined && isSelected(rank, of) ? [id] : [],
        );
        const found = body.data?.documents?.map(({ _id }) => _id);
        assert.deepEqual(found, expected, `${operator} ${json}`);
      }
    }
    // One alternative is left, with a condition beside the range.
    const alternatives = [
      '[{"none":{"$in":[]}},{"o.v":{"$gt":1,"$eq":5}}]',
      '[{"none":{"$in":[]}},{"o.v":{"$gt":1,"$lt":5.000000000000000000001,"$ne":9}},{"none":{"$in":[]}}]',
      '[{"none":{"$in":[]}},{"o.v":{"$gt":1},"$and":[{"o.v":5}]}]',
    ];
    const expected = [
      [6, 7, 8],
      [5, 6, 7, 8],
      [6, 7, 8],
    ];
    for (const [at, list] of alternatives.entries()) {
      const { body } = await send(`{"find":{"filter":{"kind":"x","$or":${list}}}}`);
      assert.deepEqual(
        body.data?.documents?.map(({ _id }) => _id),
        expected[at],
        list,
      );
      const { body: counted } = await send(`{"countDocuments":{"filter":{"$or":${list}}}}`);
      assert.equal(counted.status?.['count'], (expected[at]?.length ?? 0) * 20, list);
    }
  });
});
