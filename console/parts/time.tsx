// Moments in the time zone of the reader, with UTC on hover.

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** A moment in local time. `isRelative` shows how long ago it was. */
export function Time({ atMs, isRelative = false }: { readonly atMs: number; readonly isRelative?: boolean }) {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return <span>unknown time</span>;
  const utc = date.toISOString();
  const title = `${utc.replace('T', ' ').replace('Z', '')} UTC`;
  return (
    <time dateTime={utc} title={isRelative ? `${local.format(date)} · ${title}` : title}>
      {isRelative ? agoText(atMs, Date.now()) : local.format(date)}
    </time>
  );
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** How far a moment is from another one, in the largest unit that fits. */
function agoText(atMs: number, nowMs: number): string {
  const distance = atMs - nowMs;
  const [unit, sizeMs] = units.find(([, size]) => Math.abs(distance) >= size) ?? units[3];
  return relative.format(Math.round(distance / sizeMs), unit);
}
