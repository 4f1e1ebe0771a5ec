// How values of the operations interface are shown: levels, states, amounts.
import type { ComponentChildren } from 'preact';
import { Time } from '../parts/time.js';

const tones: Readonly<Record<string, string>> = {
  WARN: 'warning',
  ERROR: 'danger',
  CRITICAL: 'danger',
  ALERT: 'danger',
  up: 'good',
  enabled: 'good',
  active: 'accent',
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

/** `1.2k`, `35`, `0.04`: three digits. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size < 1000) return String(Number(value.toPrecision(3)));
  const power = Math.min(prefixes.length - 1, Math.floor(Math.log10(size) / 3));
  return `${Number((value / 1000 ** power).toPrecision(3))}${prefixes[power]}`;
}

/** `12.5 MiB`. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power]}`;
}

/** A value with its unit: `1.2k ops/s`. */
export function withUnit(value: number, unit: string): string {
  return unit === 'bytes' ? bytesText(value) : `${shortNumber(value)} ${unit}`.trim();
}

/** A table in a frame that scrolls sideways on narrow screens. */
export function Table({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what they can focus
    <section class="table-frame" aria-label={label} tabIndex={0}>
      <table class="table stacked">{children}</table>
    </section>
  );
}

/** The head of a table. An empty name is a column of buttons. */
export function Head({ names }: { readonly names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name, at) => (
          <th key={name === '' ? at : name} scope="col">
            {name === '' ? <span class="hidden-label">Actions</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
