// Dates and times as RFC 3339 writes them.

const day = String.raw`(\d{4}-(\d\d)-(\d\d))`;
const time = String.raw`((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?`;
const zone = String.raw`(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)`;
const timestamp = new RegExp(`^${day}(?:[T ]${time} ?${zone}?)?$`, 'i');

/** A date, or date and time as in `2026-01-31 12:00`, as RFC 3339, in UTC without a zone; undefined for other texts. */
export function timestampText(value: string): string | undefined {
  const found = timestamp.exec(value);
  if (found === null) return undefined;
  const [, date = '', month, dayOfMonth, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    found;
  if (!isDay(Number(date.slice(0, 4)), Number(month), Number(dayOfMonth))) return undefined;
  const upper = zone.toUpperCase();
  const offset = upper === 'Z' || upper.includes(':') ? upper : `${upper.slice(0, 3)}:${upper.slice(3)}`;
  return `${date}T${minutes}:${seconds}${fraction === '' ? '' : `.${fraction}`}${offset}`;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, dayOfMonth: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
  return dayOfMonth >= 1 && dayOfMonth <= days;
}
