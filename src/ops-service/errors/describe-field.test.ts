// Checks what descriptions take from schemas.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { describeField, describeFields, labelled, secretsIn } from './describe-field.js';
import { limitedText, portNumber } from './limited-text.js';

describe('the description of a field', () => {
  it('has the limits of its schema, and says whether it is required', () => {
    assert.deepEqual(describeField('name', labelled(limitedText(20, 1), 'Name', { help: 'who it is' })), {
      name: 'name',
      label: 'Name',
      help: 'who it is',
      kind: 'text',
      isRequired: true,
      remark: '',
      start: '',
      least: 1,
      most: 20,
    });
  });

  it('begins with the default of its schema, or with another value', () => {
    const port = labelled(portNumber, 'Port');
    const [first, second, third] = describeFields({
      first: v.optional(port),
      second: v.optional(port, 80),
      third: v.optional(labelled(portNumber, 'Port', { start: '' }), 80),
    });
    assert.deepEqual([first?.start, first?.remark, first?.default], ['', '(optional)', undefined]);
    assert.deepEqual([second?.start, second?.remark, second?.default], [80, '', 80]);
    assert.deepEqual([third?.start, third?.remark, third?.default], ['', '(optional)', 80]);
  });

  it('lists the values of its schema, or labels in an order of its own', () => {
    const schema = v.picklist(['a', 'b']);
    const choicesOf = (words: { choices?: [string, string, string?][] }) =>
      describeField('x', labelled(schema, 'X', words))?.choices;
    assert.deepEqual(choicesOf({}), [
      { value: 'a', label: 'a' },
      { value: 'b', label: 'b' },
    ]);
    const choices: [string, string, string?][] = [
      ['b', 'last', 'the last'],
      ['a', 'first'],
    ];
    assert.deepEqual(choicesOf({ choices }), [
      { value: 'b', label: 'last', word: 'the last' },
      { value: 'a', label: 'first' },
    ]);
  });

  it('is of the outer words, if a schema is given others', () => {
    const inner = labelled(v.string(), 'Inner', { help: 'kept' });
    const { label, help } = describeField('x', labelled(inner, 'Outer')) ?? {};
    assert.deepEqual([label, help], ['Outer', 'kept']);
  });

  it('is missing for a schema without words and for one with only one value', () => {
    assert.deepEqual(describeFields({ x: v.string(), y: labelled(v.literal(false), 'Y') }), []);
  });

  it('says which fields are secret', () => {
    const schemas = { x: labelled(v.string(), 'X', { isSecret: true }), y: labelled(v.string(), 'Y') };
    assert.deepEqual(secretsIn(schemas), ['x']);
  });
});
