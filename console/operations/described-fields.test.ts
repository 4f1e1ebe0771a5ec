// What is typed into a form is sent without the blanks around it, except secrets.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bodyOf } from './described-fields.js';

it('keeps the blanks of secrets, and removes those of other texts', () => {
  const field = { kind: 'text', isRequired: false, remark: '', start: '' } as const;
  const fields = [
    { ...field, name: 'url', label: 'URL' },
    { ...field, name: 'password', label: 'Password', isSecret: true },
  ] as const;
  assert.deepEqual(bodyOf(fields, { url: ' https://a ', password: ' p ' }, true), {
    url: 'https://a',
    password: ' p ',
  });
  assert.deepEqual(
    bodyOf(fields, { url: '', password: ' ' }, false),
    { url: null },
    'blanks alone change no secret',
  );
});
