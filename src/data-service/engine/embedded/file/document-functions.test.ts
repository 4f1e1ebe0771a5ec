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
  after(() => database.close());

  it('are counted up to the limit, without the last one', () => {
    assert.equal(withComparedLimit(200, count)(database), 3);
    assert.equal(withComparedLimit(199, count)(database), undefined);
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
