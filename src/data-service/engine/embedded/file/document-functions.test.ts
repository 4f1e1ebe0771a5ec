// Short reads compare documents up to a limit.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { documentFunctions, withComparedLimit } from './document-functions.js';

/** `["exists",["a"],null,true]`: whether there is a member `a`. */
const matching = `SELECT count(*) AS n FROM documents
  WHERE document_matches(text, NULL, NULL, '["exists",["a"],null,true]', NULL) = 1`;

describe('documents that a statement compares', () => {
  const database = openDatabase({ path: ':memory:', functions: documentFunctions });
  database.exec('CREATE TABLE documents (text TEXT)');
  const insert = database.statement('INSERT INTO documents VALUES (?)');
  for (let stored = 0; stored < 3; stored += 1) insert.run([`{"a":"${'x'.repeat(92)}"}`]);
  const count = (given: typeof database) => Number(given.statement(matching).get()?.['n']);
  /** The least limit under which a statement compares all documents. */
  const leastLimit = (condition: string): number => {
    const run = (given: typeof database) =>
      Number(given.statement(`SELECT count(*) AS n FROM documents WHERE ${condition}`).get()?.['n']);
    let [low, high] = [0, 10_000];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (withComparedLimit(middle, run)(database) === 3) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  after(() => database.close());

  it('are counted up to the limit', () => {
    assert.equal(withComparedLimit(300, count)(database), 3);
    assert.equal(withComparedLimit(299, count)(database), undefined);
  });
  it('count several times for many comparisons', () => {
    const value = (operand: string) => `["value",["a"],null,"$ne",${operand}]`;
    const values = (values: number) => Array.from({ length: values }, (_, at) => value(String(at)));
    const limitOf = (filter: string) =>
      leastLimit(`document_matches(text, NULL, NULL, '${filter}', NULL) = 1`);
    assert.equal(limitOf(`["and",${values(4).join()}]`), 300);
    assert.equal(limitOf(`["and",${values(5).join()},["exists",["a"],null,true]]`), 375);
    assert.equal(limitOf(`["and",["or",${values(40).join()}],${values(24).join()}]`), 16 * 300);
    assert.equal(limitOf('["list",["a"],null,"$nin",[1,2,3,4,5,6,7,8,9]]'), 300);
    assert.equal(limitOf('["list",["a"],null,"$nin",[[1],[2],[3],{"b":4},[5],6,null]]'), 450);
  });
  it('count with the texts that are analyzed', () => {
    const words = 'document_matches(text, NULL, text, ';
    assert.equal(leastLimit(`${words}'["exists",["a"],null,true]', NULL) = 1`), 300);
    assert.equal(
      leastLimit(`${words}'["or",["match","b"],["exists",["a"],null,true]]', '"standard"') = 1`),
      1800,
    );
  });
  it('have no limit elsewhere', () => {
    assert.equal(count(database), 3);
    assert.equal(withComparedLimit(0, count)(database), undefined);
    assert.equal(count(database), 3);
  });
  it('do not hide other errors', () => {
    const fail = () => {
      throw new TypeError('another one');
    };
    assert.throws(() => withComparedLimit(10, fail)(database), TypeError);
  });
});
