// Every operator on some types, and on lists, sets and maps. All other types: the long file.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { describeOperators, impossible, operators, typesOfShortRun } from './describe-operators.js';
import { shortened, useWireServer } from './wire-server.js';

const server = useWireServer();
const { at, send } = server;
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';

for (const type of typesOfShortRun) describeOperators(type, server);

describe('filters on lists, sets and maps', () => {
  before(() =>
    keyspace(
      `{"createTable":{"name":"containers","definition":{"columns":{"id":"int","l":{"type":"list","valueType":"text"},
        "s":{"type":"set","valueType":"int"},"m":{"type":"map","keyType":"text","valueType":"int"}},
        "primaryKey":"id"}}}`,
      ok,
    ),
  );
  for (const [column, operand] of [
    ['l', '["a"]'],
    ['s', '[1]'],
    ['m', '{"a":1}'],
  ] as const) {
    for (const operator of [...Object.keys(operators), '$all', '$exists', '$size']) {
      it(`list, set, map in filters: ${operator} on ${column} is refused`, async () => {
        for (const given of [operand, '"a"', '1', 'null']) {
          const { text } = await send({
            path: '/v1/default_keyspace/containers',
            body: `{"find":{"filter":{"${column}":{"${operator}":${given}}}}}`,
          });
          assert.equal(shortened(text), `{"errors":[<REQUEST ${impossible}>]}`, given);
        }
      });
    }
  }
});
