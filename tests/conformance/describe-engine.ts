// Declares the suite that every engine must pass: the sentences of its interface, tried out.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { columnCases } from './engine-column-cases.js';
import { columnTypeCases, withoutComparisonsOfMostTypes } from './engine-column-type-cases.js';
import { containerCases } from './engine-container-cases.js';
import { counterCases } from './engine-counter-cases.js';
import { deleteCases } from './engine-delete-cases.js';
import { documentCases } from './engine-document-cases.js';
import { documentChangeCases } from './engine-document-change-cases.js';
import { indexCases, withoutExamplesByIndexOfMostTypes } from './engine-index-cases.js';
import { insertCases } from './engine-insert-cases.js';
import { lifetimeCases } from './engine-lifetime-cases.js';
import { livenessCases } from './engine-liveness-cases.js';
import { memberCases } from './engine-member-cases.js';
import { nativeCases } from './engine-native-cases.js';
import { pageCases, withoutMostDirections } from './engine-page-cases.js';
import { readCases } from './engine-read-cases.js';
import { staticCases, userTypeCases } from './engine-record-cases.js';
import { schemaCases } from './engine-schema-cases.js';
import { searchCases } from './engine-search-cases.js';
import { type EngineCase, inOwnOrder, inStatedOrder } from './engine-steps.js';
import { wordCases } from './engine-word-cases.js';

const areas: Readonly<Record<string, readonly EngineCase[]>> = {
  schema: schemaCases,
  columns: columnCases,
  inserts: insertCases,
  'row liveness': livenessCases,
  deletes: deleteCases,
  reads: readCases,
  pages: pageCases,
  indexes: indexCases,
  'column types': columnTypeCases,
  containers: containerCases,
  counters: counterCases,
  'native queries': nativeCases,
  searches: searchCases,
  documents: documentCases,
  'changes of documents': documentChangeCases,
};

/** What an engine does besides in the extended dialect. */
const extendedAreas: Readonly<Record<string, readonly EngineCase[]>> = {
  members: memberCases,
  'user-defined types': userTypeCases,
  'static columns': staticCases,
  'searches by words': wordCases,
};

/** Cases that repeat others for another type or order, each with a reason to leave it out. */
export function withoutRepeatedCases(reason: string): Readonly<Record<string, string>> {
  return {
    ...withoutComparisonsOfMostTypes(reason),
    ...withoutExamplesByIndexOfMostTypes(reason),
    ...withoutMostDirections(reason),
  };
}

/** Those that the short run leaves out. */
export const repeatedCases = withoutRepeatedCases('the long run tries it');

/**
 * Declares the suite for an engine, which runs under the checks of its contract. `open` gives an empty one each time.
 * `knownGaps`: case → why the engine does not do it. `differences`: case → why unsorted reads come in another order,
 * which is `ownOrder`: that of the key, or one that no columns name. `lackingShare`: as cases have it.
 */
export function describeEngine(
  name: string,
  open: () => Promise<Engine>,
  knownGaps: Readonly<Record<string, string>> = {},
  differences: Readonly<Record<string, string>> = {},
  ownOrder: 'key' | 'unnamed' = 'unnamed',
  lackingShare = 0,
): void {
  const gapOf = (one: EngineCase) => knownGaps[one.name] ?? false;
  const unsortedOf = (one: EngineCase) => (one.name in differences ? inOwnOrder[ownOrder] : inStatedOrder);
  describe(`the ${name} engine`, () => {
    describeAreas(areas, open, gapOf, (one, engine) => one.run(engine, unsortedOf(one), lackingShare));

    it('differs in cases that there are', () => {
      const names = [...Object.values(areas).flat(), ...lifetimeCases].map((one) => one.name);
      assert.deepEqual(
        Object.keys(differences).filter((each) => !names.includes(each)),
        [],
      );
    });

    describe('lifetime', () => {
      for (const one of lifetimeCases) {
        it(one.name, { skip: gapOf(one) }, async (t) => {
          const engine = checkedEngine(await open());
          try {
            if (isAble(engine, one)) await one.run(engine, unsortedOf(one), lackingShare);
            else t.skip('the engine has no collections');
          } finally {
            await engine.close();
          }
        });
      }
    });
  });
}

/** Declares the cases of the extended dialect for an engine that is opened in it. */
export function describeExtendedEngine(name: string, open: () => Promise<Engine>): void {
  describe(`the ${name} engine in the extended dialect`, () => {
    describeAreas(
      extendedAreas,
      open,
      () => false,
      (one, engine) => one.run(engine, inStatedOrder, 0),
    );
  });
}

/** Whether the engine has what the case needs. */
function isAble({ documents }: Engine, { needs }: EngineCase): boolean {
  return needs === undefined || documents !== undefined;
}

function describeAreas(
  some: Readonly<Record<string, readonly EngineCase[]>>,
  open: () => Promise<Engine>,
  gapOf: (one: EngineCase) => string | false,
  run: (one: EngineCase, engine: Engine) => Promise<void>,
): void {
  for (const [area, cases] of Object.entries(some)) {
    describe(area, () => {
      let engine: Engine;
      before(async () => {
        engine = checkedEngine(await open());
      });
      after(() => engine.close());
      for (const one of cases)
        it(one.name, { skip: gapOf(one) }, (t) =>
          isAble(engine, one) ? run(one, engine) : t.skip('the engine has no collections'),
        );
    });
  }
}
