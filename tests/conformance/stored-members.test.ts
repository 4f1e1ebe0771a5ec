// What is changed in a stored text is what reading all members, changing the value and writing it gives.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blob } from '../../src/data-service/column-types/blob.js';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../src/data-service/column-types/containers.js';
import { decimal } from '../../src/data-service/column-types/decimals.js';
import { double } from '../../src/data-service/column-types/floats.js';
import { text } from '../../src/data-service/column-types/text.js';
import { JsonNumber } from '../../src/foundation/json/json-value.js';
import { seededRandom } from '../seeded-random.js';

const seed = 16;
const characters = ['a', 'b', ',', '"', '\\', ':', '[', ']', '{', '}', 'é', '😀', '\u0000', '\n', ' '];

describe('changes of stored texts', () => {
  const { below, pick } = seededRandom(seed);
  const word = () => Array.from({ length: below(4) }, () => pick(characters)).join('');
  const members: readonly (readonly [ColumnType, () => unknown])[] = [
    [text, word],
    [double, () => pick([0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e300, below(50) / 4])],
    [decimal, () => decimal.parse(new JsonNumber(`${below(100)}.${below(50)}`))],
    [blob, () => Uint8Array.from({ length: below(3) }, () => below(4))],
  ];
  const several = (most: number, make: () => unknown) => Array.from({ length: below(most) }, make);

  for (const [type, make] of members) {
    for (const container of [listOf(type), setOf(type)]) {
      it(`are right for ${container.name}`, () => {
        for (let time = 0; time < 150; time += 1)
          check(container, several(400, make), several(4, make), several(4, make));
      });
    }
    it(`are right for ${mapOf(text, type).name}`, () => {
      const entry = () => [word(), make()];
      for (let time = 0; time < 150; time += 1)
        check(mapOf(text, type), several(400, entry), several(4, entry), several(4, word));
    });
  }
});

/** Makes values of any members, adds some and takes others away, in both ways. */
function check(
  type: ColumnType,
  members: readonly unknown[],
  added: readonly unknown[],
  names: readonly unknown[],
): void {
  const { container, sql } = type;
  assert.ok(container !== undefined);
  const value = container.add(null, members);
  const more = container.add(null, added);
  if (value === null || more === null) return;
  const stored = String(sql.encode(value));
  const written = (changed: unknown) => (changed === null ? null : sql.encode(changed));
  const context = `seed ${seed}: ${stored} and ${written(more)} without ${String(names)}`;
  const sum = container.addToStored?.(stored, more);
  if (sum !== undefined) assert.equal(sum, written(container.add(value, more)), context);
  const rest = container.removeFromStored?.(stored, names);
  if (rest !== undefined) assert.equal(rest, written(container.remove(value, names)), context);
}
