// Durations as text: reads ISO 8601 and Cassandra's own notation, writes ISO 8601.
import { ValueMismatch } from './column-type.js';
import { quoted } from './expect-json.js';

/** No part has the opposite sign of another. Months and days have 32 bits, nanoseconds 64. */
export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly nanoseconds: bigint;
}

const isoDate = '(?:(?<y>\\d+)Y)?(?:(?<mo>\\d+)M)?(?:(?<d>\\d+)D)?';
// Seconds are exact to the nanosecond; further zeros are accepted.
const isoTime = '(?:(?<h>\\d+)H)?(?:(?<m>\\d+)M)?(?:(?<s>\\d+)(?:\\.(?<fraction>\\d{1,9})0*)?S)?';
const iso = new RegExp(`^-?P(?=.)${isoDate}(?:T(?=.)${isoTime})?$`);

const weeks = /^(-?P)(\d{1,20})W$/;
const alternative = /^(-?)P(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/;

const nativeDate = '(?:(?<y>\\d+)y)?(?:(?<mo>\\d+)mo)?(?:(?<w>\\d+)w)?(?:(?<d>\\d+)d)?';
const nativeTime = '(?:(?<h>\\d+)h)?(?:(?<m>\\d+)m)?(?:(?<s>\\d+)s)?';
// The micro sign is U+00B5, and the identical-looking Greek letter is U+03BC: keyboards produce either.
const nativeFraction = '(?:(?<ms>\\d+)ms)?(?:(?<us>\\d+)[u\\u00b5\\u03bc]s)?(?:(?<ns>\\d+)ns)?';
const native = new RegExp(`^-?(?=\\d)${nativeDate}${nativeTime}${nativeFraction}$`, 'i');

const perHour = 3_600_000_000_000n;
const perMinute = 60_000_000_000n;
const perSecond = 1_000_000_000n;
const perMillisecond = 1_000_000n;
const perMicrosecond = 1000n;

/**
 * Reads `P1Y2M3DT4H5M6.7S` or `1y2mo3w4d5h6m7s8ms9us10ns`, either with a `-` before it.
 * @throws ValueMismatch
 */
export function parseDuration(text: string): Duration {
  const parts = (iso.exec(text) ?? native.exec(text))?.groups;
  if (parts === undefined) {
    throw new ValueMismatch(
      `${quoted(text)} is not a duration such as P1Y2M3DT4H5M6.7S or 1y2mo3w4d5h6m7s8ms9us10ns`,
    );
  }
  const count = (unit: string): bigint => quantity(parts[unit] ?? '');
  const { fraction = '' } = parts;
  const months = 12n * count('y') + count('mo');
  const days = 7n * count('w') + count('d');
  const ofClock = perHour * count('h') + perMinute * count('m') + perSecond * count('s');
  const ofFraction = perMillisecond * count('ms') + perMicrosecond * count('us') + count('ns');
  const nanoseconds = ofClock + ofFraction + quantity(fraction.padEnd(9, '0'));

  const isNegative = text.startsWith('-');
  return {
    months: Number(signed(months, isNegative, 32, 'months')),
    days: Number(signed(days, isNegative, 32, 'days')),
    nanoseconds: signed(nanoseconds, isNegative, 64, 'nanoseconds'),
  };
}

/** The usual form of the ISO 8601 forms `P2W` and `P0001-00-02T14:20:00`; other texts are returned as they are. */
export function isoDurationOf(text: string): string {
  return text
    .replace(weeks, (_, sign: string, count: string) => `${sign}${7n * BigInt(count)}D`)
    .replace(alternative, '$1P$2Y$3M$4DT$5H$6M$7S');
}

/** More than 20 digits exceed the range of every unit. */
function quantity(digits: string): bigint {
  const significant = digits.replace(/^0+/, '');
  return significant.length > 20 ? 10n ** 20n : BigInt(significant);
}

function signed(magnitude: bigint, isNegative: boolean, bits: 32 | 64, unit: string): bigint {
  const value = isNegative ? -magnitude : magnitude;
  if (BigInt.asIntN(bits, value) === value) return value;
  throw new ValueMismatch(`the ${unit} of the duration do not fit into ${bits} bits`);
}

/**
 * Writes ISO 8601: twelve months become a year, and nanoseconds become hours, minutes and seconds; nothing else is
 * converted.
 */
export function formatDuration({ months, days, nanoseconds }: Duration): string {
  const isNegative = months < 0 || days < 0 || nanoseconds < 0n;
  const allMonths = Math.abs(months);
  const date = part(Math.floor(allMonths / 12), 'Y') + part(allMonths % 12, 'M') + part(Math.abs(days), 'D');

  const ofClock = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const seconds = (ofClock % perMinute) / perSecond;
  const fraction = String(ofClock % perSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const secondsPart = fraction === '' ? part(seconds, 'S') : `${seconds}.${fraction}S`;
  const time = part(ofClock / perHour, 'H') + part((ofClock % perHour) / perMinute, 'M') + secondsPart;

  if (date === '' && time === '') return 'PT0S';
  return `${isNegative ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}`;
}

function part(count: number | bigint, unit: string): string {
  return Number(count) === 0 ? '' : `${count}${unit}`;
}
