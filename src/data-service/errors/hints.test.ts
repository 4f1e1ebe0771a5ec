// Checks the hints in error messages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError } from './api-error.js';

describe('the hints of errors', () => {
  it('name the command that was probably meant', () => {
    const known = ['insertOne', 'insertMany'];
    const level = { level: 'table command', known, path: undefined, notOffered: undefined };
    const { message } = apiError('request', 'COMMAND_UNKNOWN', { ...level, command: 'insertone' });
    assert.match(message, /\nDid you mean insertOne\?$/);
  });

  it('say where the columns of a row belong, and which field was probably meant', () => {
    const message = (field: string, known: readonly string[]) =>
      apiError('request', 'COMMAND_FIELD_UNKNOWN', { field, at: 'command', known }).message;
    assert.match(
      message('artist', ['document']),
      /\nPut the columns of a row into "document": \{"document": \{"artist": …\}\}\.$/,
    );
    assert.match(
      message('add', ['operation']),
      /\nPut it into "operation": \{"operation": \{"add": …\}\}\.$/,
    );
    assert.match(message('fliter', ['filter', 'options']), /\nDid you mean "filter"\?$/);
    assert.match(
      message('x', ['filter', 'options']),
      /\nCorrect or remove the field and send the command again\.$/,
    );
  });
});
