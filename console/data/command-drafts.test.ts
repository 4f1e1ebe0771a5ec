// The editor of commands shows the command of a link, and keeps what was typed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draftAt, keepDraft, unsentAt } from './command-drafts.js';

const first = { path: 'v1/shop', text: '{"listTables":{}}' };
const typed = { path: 'v1/shop', text: '{"listTypes":{}}' };
const second = { path: 'v1/shop/books', text: '{"find":{}}' };

describe('what is typed at a place', () => {
  it('is kept beside an address without a command', () => {
    assert.equal(draftAt('kept', undefined), undefined);
    keepDraft('kept', typed, undefined);
    assert.equal(draftAt('kept', undefined), typed);
  });

  it('gives way to the command of a link, and to that of the next one', () => {
    keepDraft('linked', typed, undefined);
    assert.equal(draftAt('linked', first), first);
    keepDraft('linked', typed, first);
    assert.equal(draftAt('linked', { ...first }), typed);
    assert.equal(draftAt('linked', second), second);
  });

  it('stays when the address is that of the command that was run', () => {
    keepDraft('run', second, second);
    keepDraft('run', typed, second);
    assert.equal(draftAt('run', second), typed);
  });

  it('is lost with another command only if it was neither run nor taken from there', () => {
    assert.equal(unsentAt('unsent'), undefined);
    keepDraft('unsent', first, first);
    assert.equal(unsentAt('unsent'), undefined);
    keepDraft('unsent', typed, first);
    assert.equal(unsentAt('unsent'), typed);
    keepDraft('unsent', typed, undefined);
    assert.equal(unsentAt('unsent'), typed);
  });

  it('is forgotten for places left long ago', () => {
    for (let at = 0; at < 25; at += 1) keepDraft(`place ${at}`, typed, undefined);
    assert.equal(draftAt('place 4', undefined), undefined);
    assert.equal(draftAt('place 5', undefined), typed);
  });
});
