// Files of rows and documents: what spreadsheets would run is marked, and what is saved can be inserted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../json/exact-json.js';
import { fileParts, insertableDocument } from './result-files.js';

describe('a file of rows', () => {
  it('marks the texts and names that a spreadsheet would run, as the command line does', () => {
    const rows = [{ '=name': '\n=1', wide: '\uff1d1', plain: 'a=1', number: parseJson('-5') }];
    const parts = (escapesFormulas: boolean) => fileParts('CSV', { rows, columns: [], escapesFormulas });
    assert.deepEqual(parts(true), ["'=name,wide,plain,number\r\n", '"\'\n=1",\'\uff1d1,a=1,-5\r\n']);
    assert.deepEqual(parts(false), ['=name,wide,plain,number\r\n', '"\n=1",\uff1d1,a=1,-5\r\n']);
  });

  it('has the text of a document in place of the vector that was made of it', () => {
    const both = { _id: 1, $vectorize: 'a', $vector: [1], $lexical: 'a' };
    assert.deepEqual(insertableDocument(both), { _id: 1, $vectorize: 'a', $lexical: 'a' });
    assert.deepEqual(insertableDocument({ _id: 1, $vector: [1] }), { _id: 1, $vector: [1] });
  });
});
