// How values of the operations interface are shown: levels, states, amounts.
import { Time } from '../parts/time.js';

const tones: Readonly<Record<string, string>> = {
  WARN: 'warning',
  ERROR: 'danger',
  CRITICAL: 'danger',
  ALERT: 'danger',
  up: 'good',
  enabled: 'good',
  active: 'accent',
  silenced: 'accent',
  down: 'danger',
  success: 'good',
  error: 'danger',
  running: 'accent',
  firing: 'danger',
  'no-data': 'warning',
  sent: 'good',
  notified: 'good',
  failed: 'danger',
  dropped: 'danger',
  missing: 'danger',
  retrying: 'warning',
  waiting: 'warning',
  held: 'warning',
};

/** A word in the colour of its meaning. */
export function Badge({ word }: { readonly word: string }) {
  return <span class={`badge ${tones[word] ?? ''}`}>{word}</span>;
}

/** Seconds since 1970, as a time. */
export function Seconds({
  at,
  isRelative = false,
}: {
  readonly at: number | null;
  readonly isRelative?: boolean;
}) {
  return at === null ? <span class="muted">never</span> : <Time atMs={at * 1000} isRelative={isRelative} />;
}

const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];

/** `1.2k`, `35`, `0.04`: `digits` digits. */
export function shortNumber(value: number, digits = 3): string {
  const size = Math.abs(value);
  if (size < 1000) return String(Number(value.toPrecision(digits)));
  const power = Math.min(prefixes.length - 1, Math.floor(Math.log10(size) / 3));
  return `${Number((value / 1000 ** power).toPrecision(digits))}${prefixes[power]}`;
}

/** A value to be read at a glance: `0.58`, `8.7`, `57`, `162`. */
export function roughNumber(value: number): string {
  return shortNumber(value, Math.abs(value) < 100 ? 2 : 3);
}

/** `12.5 MiB`. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.abs(bytes) < 1 ? 0 : Math.floor(Math.log2(Math.abs(bytes)) / 10);
  const most = Math.min(units.length - 1, power);
  return `${Number((bytes / 1024 ** most).toPrecision(3))} ${units[most]}`;
}

/** A value with the sign of its unit: `12.5 MiB`, `85 %`, `1.2k`, where the unit is a count. */
export function withUnit(value: number, unit: string): string {
  if (unit === 'bytes') return bytesText(value);
  if (unit === 'bytes/s') return `${bytesText(value)}/s`;
  if (unit === 'MiB') return bytesText(value * 1024 * 1024);
  return unit === '%' || unit === 'ms' ? `${shortNumber(value)} ${unit}` : shortNumber(value);
}

const unitWords: Readonly<Record<string, string>> = {
  '1/s': 'per second',
  'ms/s': 'ms per second',
  '%': 'percent',
  number: '',
  bytes: '',
  'bytes/s': '',
  MiB: '',
};

/** The unit in words, where values do not show it. */
export function unitText(unit: string): string {
  return unitWords[unit] ?? unit;
}
