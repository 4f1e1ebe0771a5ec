// Parsing and serialization of dates, times and timestamps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from '../../foundation/json/json-value.js';
import { ValueMismatch } from './column-type.js';
import { date } from './dates.js';
import { time } from './times.js';
import { timestamp } from './timestamps.js';

describe('date', () => {
  it('writes each year with four digits at least, and a sign where it needs one', () => {
    for (const text of [
      '0000-01-01',
      '0999-12-31',
      '-0001-02-28',
      '9999-12-31',
      '+10000-01-01',
      '-10000-01-01',
    ]) {
      assert.equal(date.serialize(date.parse(text)), `"${text}"`);
    }
    assert.equal(date.serialize(date.parse('+012345-06-07')), '"+12345-06-07"');
  });

  it('counts days as the platform’s Date does', () => {
    for (let day = -800_000; day < 4_000_000; day += 997) {
      const [expected = ''] = new Date(day * 86_400_000).toISOString().split('T');
      assert.equal(date.parse(expected), day);
      assert.equal(date.parse(JSON.parse(date.serialize(day))), day);
      // Date writes years outside 0000 to 9999 with six digits, which is accepted but not written here.
      if (/^\d/.test(expected)) assert.equal(date.serialize(day), `"${expected}"`);
    }
  });

  it('reaches over all 32-bit days', () => {
    assert.equal(date.parse('-5877641-06-23'), -(2 ** 31));
    assert.equal(date.parse('+5881580-07-11'), 2 ** 31 - 1);
    assert.throws(
      () => date.parse('+5881580-07-12'),
      new ValueMismatch('+5881580-07-12 is outside the range -5877641-06-23 to +5881580-07-11'),
    );
  });

  it('says what it expects', () => {
    assert.throws(() => date.parse('2023-02-29'), /"2023-02-29" is not a date of the form YYYY-MM-DD/);
    assert.throws(() => date.parse(null), new ValueMismatch('expected a date as a string, found null'));
  });

  it('reads the driver’s text: a date without +, or days beyond the range of Date', () => {
    const local = (text: string): object => ({ toString: () => text });
    assert.equal(date.cql.fromDriver(local('12345-06-07')), date.parse('+12345-06-07'));
    assert.equal(date.cql.fromDriver(local('-0001-06-07')), date.parse('-0001-06-07'));
    assert.equal(date.cql.fromDriver(local('2147483647')), 2 ** 31 - 1);
  });
});

describe('time', () => {
  it('writes the fraction in groups of three digits, and none when it is zero', () => {
    const pairs = {
      '10:15:30': '10:15:30',
      '10:15:00': '10:15:00',
      '10:15:30.000': '10:15:30',
      '10:15:30.1': '10:15:30.100',
      '10:15:30.1234': '10:15:30.123400',
      '10:15:30.1234567': '10:15:30.123456700',
      '12:34:56.700000000': '12:34:56.700',
      '11:22:33.000456': '11:22:33.000456',
      '00:00:00.000000001': '00:00:00.000000001',
    };
    for (const [text, written] of Object.entries(pairs)) {
      assert.equal(time.serialize(time.parse(text)), `"${written}"`, text);
    }
  });

  it('refuses a time without seconds', () => {
    assert.throws(
      () => time.parse('10:15'),
      new ValueMismatch('"10:15" is not a time of the form HH:MM:SS[.nnnnnnnnn]'),
    );
  });
});

describe('timestamp', () => {
  it('writes UTC with three digits of fraction', () => {
    const pairs = {
      '2021-11-21T15:34:44.123000+00:00': '2021-11-21T15:34:44.123Z',
      '2024-01-01T00:00:00Z': '2024-01-01T00:00:00.000Z',
      '2024-01-01T00:30:00+01:00': '2023-12-31T23:30:00.000Z',
      '2024-01-01T00:30:00-23:59': '2024-01-02T00:29:00.000Z',
      '2024-01-01T00:00:00.5Z': '2024-01-01T00:00:00.500Z',
      '-0001-01-01T00:00:00.05Z': '-0001-01-01T00:00:00.050Z',
      '+012345-01-01T00:00:00.000Z': '+12345-01-01T00:00:00.000Z',
      '+292278994-08-17T07:12:55.807Z': '+292278994-08-17T07:12:55.807Z',
      '-292275055-05-16T16:47:04.192Z': '-292275055-05-16T16:47:04.192Z',
    };
    for (const [text, written] of Object.entries(pairs)) {
      assert.equal(timestamp.serialize(timestamp.parse(text)), `"${written}"`, text);
    }
  });

  it('takes {"$date": milliseconds}', () => {
    const value = timestamp.parse(new Map([['$date', new JsonNumber('1700000000000')]]));
    assert.equal(timestamp.serialize(value), '"2023-11-14T22:13:20.000Z"');
  });

  it('refuses microseconds that are not zero, and what is out of 64 bits', () => {
    assert.throws(
      () => timestamp.parse('2024-01-01T00:00:00.000456+01:00'),
      new ValueMismatch(
        '"2024-01-01T00:00:00.000456+01:00" is more precise than a millisecond: the fraction can have at most three digits',
      ),
    );
    assert.throws(() => timestamp.parse('2024-02-30T00:00:00.123456Z'), /is not a timestamp of the form/);
    assert.throws(
      () => timestamp.parse('+292278994-08-17T07:12:55.808Z'),
      /is outside the range "-292275055-05-16T16:47:04.192Z" to "\+292278994-08-17T07:12:55.807Z"/,
    );
  });

  it('agrees with the platform’s Date inside its range', () => {
    for (let at = -2.2e14; at < 2.5e14; at += 123_456_789_013) {
      const text = new Date(at).toISOString();
      assert.equal(timestamp.parse(text), BigInt(at));
      if (/^\d/.test(text)) assert.equal(timestamp.serialize(BigInt(at)), `"${text}"`);
    }
  });

  it('does not take an invalid Date of the driver for an instant', () => {
    assert.throws(() => timestamp.cql.fromDriver(new Date(Number.NaN)), TypeError);
  });
});
