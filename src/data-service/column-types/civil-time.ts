// Days and clock times: proleptic Gregorian calendar, RFC 3339 text. No Date: it ends at the year 275760.

/** The first day of the `date` type, whose range is 2^31 days around 1970-01-01. */
export const minDay = -(2 ** 31);
/** The last day of the `date` type, counted from 1970-01-01. */
export const maxDay = 2 ** 31 - 1;

/**
 * Reads `YYYY-MM-DD` at the start of a text: `-` before years below 0000, `+` before years of more than four digits.
 * @returns days since 1970-01-01 and where the date ends, or undefined when there is no day of that form
 */
export function readDate(text: string): { readonly day: number; readonly end: number } | undefined {
  const sign = text[0];
  const start = sign === '-' || sign === '+' ? 1 : 0;
  let at = start;
  let year = 0;
  for (let digit = digitAt(text, at); digit >= 0 && digit <= 9; at += 1, digit = digitAt(text, at)) {
    year = year * 10 + digit;
  }
  const yearLength = at - start;
  if (yearLength < 4 || yearLength > 10 || (yearLength > 4 && start === 0) || text[at] !== '-')
    return undefined;
  if ((sign === '+' && yearLength === 4) || (sign === '-' && year === 0)) return undefined;
  if (sign === '-') year = -year;

  const month = twoDigitsAt(text, at + 1);
  const dayOfMonth = twoDigitsAt(text, at + 4);
  if (!(month >= 1 && month <= 12) || text[at + 3] !== '-') return undefined;
  if (!(dayOfMonth >= 1 && dayOfMonth <= lengthOfMonth(year, month))) return undefined;
  return { day: dayOf(year, month, dayOfMonth), end: at + 6 };
}

/** Reads `HH:MM:SS`, 00:00:00 to 23:59:59, at a position. @returns seconds, or NaN when there is none */
export function readClock(text: string, at: number): number {
  const hour = twoDigitsAt(text, at);
  const minute = twoDigitsAt(text, at + 3);
  const second = twoDigitsAt(text, at + 6);
  const isClock = hour <= 23 && minute <= 59 && second <= 59 && text[at + 2] === ':' && text[at + 5] === ':';
  return isClock ? hour * 3600 + minute * 60 + second : Number.NaN;
}

/** Two digits at a position as a number, or NaN. */
export function twoDigitsAt(text: string, at: number): number {
  const tens = digitAt(text, at);
  const ones = digitAt(text, at + 1);
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** The digit's value; no digit is outside 0 to 9, or NaN. */
function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}

function lengthOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// The calendar repeats every 400 years, which have 146,097 days. Years are counted from March, so that the leap day is
// the last day of a year.
const daysOfEra = 146_097;
const daysFromMarch0000To1970 = 719_468;

function dayOf(year: number, month: number, dayOfMonth: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(yearFromMarch / 400);
  const yearOfEra = yearFromMarch - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysOfEra + dayOfEra - daysFromMarch0000To1970;
}

/** A cache of the texts of days, indexed by the last bits of the day: rows often have the same days. */
const keptDays = new Float64Array(1024).fill(Number.NaN);
const keptTexts: string[] = Array.from(keptDays, () => '');

/** Writes days since 1970-01-01 as a date, in the form `readDate` reads. */
export function formatDate(day: number): string {
  const place = day & (keptDays.length - 1);
  if (keptDays[place] !== day) {
    keptTexts[place] = makeDateText(day);
    keptDays[place] = day;
  }
  return keptTexts[place] ?? '';
}

function makeDateText(day: number): string {
  const days = day + daysFromMarch0000To1970;
  const era = Math.floor(days / daysOfEra);
  const dayOfEra = days - era * daysOfEra;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  return `${formatYear(year)}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

function formatYear(year: number): string {
  if (year >= 1000 && year <= 9999) return String(year);
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits;
}

/** Writes seconds of a day as `HH:MM:SS`. */
export function formatClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

const upTo99: readonly string[] = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function twoDigits(number: number): string {
  return upTo99[number] ?? '';
}
