// Which notes of clients the check of documents takes, and which it calls wrong.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RegisterCall } from '../register-history.js';
import {
  type DocumentNotes,
  findWrongDocuments,
  type Observation,
  type Outcome,
} from './document-history.js';

const key = 'one';

/** The history of one document; times are `[start, end]`. */
type Times = readonly [number, number];

const written = (value: string, [startMs, endMs]: Times): RegisterCall => ({
  ...{ key, kind: 'write', value, startMs, endMs, caller: 'a' },
});
const read = (value: string, [startMs, endMs]: Times): RegisterCall => ({
  ...{ key, kind: 'read', value, startMs, endMs, caller: 'b' },
});
const observed = (kind: Observation['kind'], value: string | null, [startMs, endMs]: Times): Observation => ({
  ...{ kind, key, value, startMs, endMs, caller: 'c' },
});

function wrongOf(calls: readonly RegisterCall[], observations: readonly Observation[]): readonly string[] {
  return findWrongDocuments({ marks: new Map(), calls, observations, changes: [] }, []);
}

function wrongMarks(outcome: Outcome, stored: readonly string[], count = stored.length): readonly string[] {
  const notes: DocumentNotes = {
    ...{ calls: [], observations: [], changes: [] },
    marks: new Map([['m', { document: key, outcome }]]),
  };
  return findWrongDocuments(notes, [{ _id: key, marks: stored, count }]);
}

describe('the check of documents', () => {
  it('takes each mark as often as its reply says', () => {
    assert.deepEqual(wrongMarks('stored', ['m']), []);
    assert.deepEqual(wrongMarks('unknown', []), []);
    assert.deepEqual(wrongMarks('unknown', ['m']), []);
    assert.deepEqual(wrongMarks('refused', []), []);
  });

  it('finds marks that are lost, there twice, or there though they were refused', () => {
    assert.match(wrongMarks('stored', []).join(), /is stored, and is there 0 times/);
    assert.match(wrongMarks('unknown', ['m', 'm']).join(), /is unknown, and is there 2 times/);
    assert.match(wrongMarks('refused', ['m']).join(), /is refused, and is there 1 times/);
    assert.match(wrongMarks('stored', ['m', 'other']).join(), /of another document/);
  });

  it('finds an increment that was made without its mark', () => {
    assert.match(wrongMarks('stored', ['m'], 2).join(), /the count 2 and 1 marks/);
  });

  it('takes an absence beside a write or a delete, and none while the document was there', () => {
    const calls = [written('x', [10, 20]), read('x', [40, 50])];
    assert.deepEqual(wrongOf(calls, [observed('absence', null, [15, 30])]), []);
    assert.deepEqual(wrongOf(calls, [observed('absence', null, [30, 45])]), []);
    assert.match(wrongOf(calls, [observed('absence', null, [25, 35])]).join(), /absence in one/);
    assert.match(wrongOf(calls, [observed('lack', 'x', [25, 35])]).join(), /lack of x in one/);
    assert.deepEqual(wrongOf(calls, [observed('lack', 'y', [25, 35])]), []);
  });

  it('takes a refusal of an insert only where a document can have been there', () => {
    const calls = [written('x', [10, 20]), read('x', [30, 40])];
    const ended = observed('end', 'x', [30, 40]);
    assert.deepEqual(wrongOf(calls, [ended, observed('presence', null, [35, 60])]), []);
    assert.match(wrongOf(calls, [ended, observed('presence', null, [50, 60])]).join(), /presence in one/);
    assert.match(wrongOf(calls, [observed('presence', null, [5, 8])]).join(), /presence in one/);
    const unknown = written('y', [41, Number.POSITIVE_INFINITY]);
    assert.deepEqual(wrongOf([...calls, unknown], [ended, observed('presence', null, [50, 60])]), []);
  });

  it('finds a document that is deleted twice, or met behind its end', () => {
    const calls = [written('x', [10, 20]), read('x', [30, 40])];
    const ended = observed('end', 'x', [30, 40]);
    assert.match(wrongOf(calls, [ended, observed('end', 'x', [50, 60])]).join(), /deleted twice/);
    assert.match(wrongOf([...calls, read('x', [41, 50])], [ended]).join(), /behind its end/);
    assert.deepEqual(wrongOf([...calls, read('x', [39, 50])], [ended]), []);
  });

  it('finds two changes of one value that both succeeded, also at the same time', () => {
    const changeTo = (value: string, times: Times) => [read('x', times), written(value, times)];
    const wrongOfBoth = (times: Times, isSeen: boolean) => {
      const [end, calls] = [isSeen ? times[1] : Number.POSITIVE_INFINITY, [written('x', [1, 2])]];
      const notes: DocumentNotes = {
        ...{ marks: new Map(), observations: [] },
        calls: [...calls, ...changeTo('y', [10, 20]), ...changeTo('z', [times[0], end])],
        changes: ['y', 'z'].map((value) => ({ key, former: 'x', value })),
      };
      return findWrongDocuments(notes, []).join();
    };
    assert.match(wrongOfBoth([12, 22], true), /both y and z took the place of x/);
    assert.match(wrongOfBoth([30, 40], true), /both y and z took the place of x/);
    assert.equal(wrongOfBoth([12, 22], false), '');
  });
});
