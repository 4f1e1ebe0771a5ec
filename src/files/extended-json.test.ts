// Converts what mongoexport writes, for documents and for rows of tables.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';
import { type Conversions, conversionsText, convertExtended, type ValueForm } from './extended-json.js';

function converted(text: string, form: ValueForm, conversions: Conversions = new Map()): string {
  const value = parseJson(text, { maxDepth: 100, maxNumberLength: 1000 });
  return stringifyJson(convertExtended(value, form, conversions));
}

describe('convertExtended', () => {
  /** Values with what they are in a document and in a row of a table; a missing text is the same. */
  const cases: readonly (readonly [value: string, document?: string, row?: string])[] = [
    [
      '{"$oid":"5f0000000000000000000001"}',
      '{"$objectId":"5f0000000000000000000001"}',
      '"5f0000000000000000000001"',
    ],
    [
      '{"$objectId":"5f0000000000000000000001"}',
      '{"$objectId":"5f0000000000000000000001"}',
      '"5f0000000000000000000001"',
    ],
    ['{"$date":"2020-01-31T12:00:00.5Z"}', '{"$date":1580472000500}', '"2020-01-31T12:00:00.500Z"'],
    ['{"$date":"2020-01-31T12:00:00.000+0200"}', '{"$date":1580464800000}', '"2020-01-31T10:00:00.000Z"'],
    ['{"$date":{"$numberLong":"-1"}}', '{"$date":-1}', '"1969-12-31T23:59:59.999Z"'],
    ['{"$date":0}', '{"$date":0}', '"1970-01-01T00:00:00.000Z"'],
    ['{"$numberInt":"42"}', '42', '42'],
    ['{"$numberLong":"9007199254740993"}', '9007199254740993', '9007199254740993'],
    ['{"$numberLong":7}', '7', '7'],
    ['{"$numberDouble":"1.5"}', '1.5', '1.5'],
    ['{"$numberDouble":"NaN"}', '"NaN"', '"NaN"'],
    ['{"$numberDouble":"-Infinity"}', '"-Infinity"', '"-Infinity"'],
    ['{"$numberDecimal":"12.340"}', '12.340', '12.340'],
    ['{"$numberDecimal":"1E+3"}', '1E+3', '1E+3'],
    ['{"$numberDecimal":"-.5"}', '-0.5', '-0.5'],
    ['{"$binary":{"base64":"AAEC","subType":"00"}}', '{"$binary":"AAEC"}', '{"$binary":"AAEC"}'],
    ['{"$binary":"AAEC","$type":"00"}', '{"$binary":"AAEC"}', '{"$binary":"AAEC"}'],
    ['{"$binary":"AAEC"}', '{"$binary":"AAEC"}', '{"$binary":"AAEC"}'],
    [
      '{"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"04"}}',
      '{"$uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}',
      '"00010203-0405-0607-0809-0a0b0c0d0e0f"',
    ],
    [
      '{"$uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}',
      '{"$uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}',
      '"00010203-0405-0607-0809-0a0b0c0d0e0f"',
    ],
    ['{"$timestamp":{"t":5,"i":1}}', '{"t":5,"i":1}', '{"t":5,"i":1}'],
    [
      '{"$regularExpression":{"pattern":"a","options":"i"}}',
      '{"pattern":"a","options":"i"}',
      '{"pattern":"a","options":"i"}',
    ],
    ['{"$regex":"a","$options":"i"}', '{"regex":"a","options":"i"}', '{"regex":"a","options":"i"}'],
    ['{"$undefined":true}', 'null', 'null'],
    ['{"$minKey":1}', '"MinKey"', '"MinKey"'],
    ['{"$code":"f()"}', '"f()"', '"f()"'],
    ['{"$symbol":"s"}', '"s"', '"s"'],
    [
      '{"$ref":"c","$id":{"$oid":"5f0000000000000000000001"}}',
      '{"ref":"c","id":{"$objectId":"5f0000000000000000000001"}}',
      '{"ref":"c","id":"5f0000000000000000000001"}',
    ],
    // Values that a wrapper does not have are for the server to refuse, and names without $ are data.
    ['{"$oid":5}', '{"$oid":5}', '{"$oid":5}'],
    ['{"$date":"yesterday"}', '{"$date":"yesterday"}', '{"$date":"yesterday"}'],
    ['{"$vector":[1,2]}', '{"$vector":[1,2]}', '{"$vector":[1,2]}'],
    ['{"date":{"oid":"5f0000000000000000000001"}}', '{"date":{"oid":"5f0000000000000000000001"}}'],
  ];
  for (const [value, document = value, row = document] of cases)
    it(`converts ${value}, also within objects and arrays`, () => {
      for (const [form, wanted] of [
        ['document', document],
        ['row', row],
      ] as const)
        for (const around of ['X', '{"a":X}', '[1,X]', '{"$vector":{"$binary":"AA=="},"a":{"b":[X]}}'])
          assert.equal(
            converted(
              around.replace('X', () => value),
              form,
            ),
            around.replace('X', () => wanted),
          );
    });

  it('counts what is converted, and says what becomes of values without a type', () => {
    const conversions: Conversions = new Map();
    converted(
      '[{"$oid":"5f0000000000000000000001"},{"$timestamp":{"t":1,"i":2}},{"$date":5}]',
      'document',
      conversions,
    );
    assert.equal(conversionsText(conversions), '1 $oid, 1 $timestamp (each becomes an object with t and i)');
    assert.equal(conversionsText(new Map()), undefined);
  });
});
