// The command that restores an archive, and which state it restores.
import type { OpsArchive, OpsArchiveRanges } from '../../src/descriptions/operations-replies.js';

/** Where an archive is, with the options that commands need for it. */
export type ArchivePlace = { readonly archive: string } & Pick<OpsArchive, 'endpoint' | 'region'>;

/** The command for a moment in seconds since 1970, or for the newest state. */
export function restoreCommand({ archive, endpoint, region }: ArchivePlace, atS?: number): string {
  const options: readonly (readonly [string, string | null])[] = [
    ['--from', archive],
    ['--at', atS === undefined ? null : momentText(atS)],
    ['--archive-endpoint', endpoint],
    ['--archive-region', region],
    ['--data-dir', './restored-data'],
  ];
  const words = options.flatMap(([name, value]) => (value === null ? [] : [name, shellWord(value)]));
  return ['npx --no-install colonnade restore', ...words].join(' ');
}

/** A moment as commands take it: `2026-11-27T10:00:00Z`. */
export function momentText(atS: number): string {
  return new Date(atS * 1000).toISOString().replace('.000Z', 'Z');
}

/** What an archive has of a moment. */
export type FoundState =
  /** The state of a moment, in seconds since 1970; it is earlier where nothing later was shipped before `atS`. */
  | { readonly kind: 'state'; readonly stateS: number }
  /** The first moment that the archive has; undefined if it has none. */
  | { readonly kind: 'tooEarly'; readonly firstS: number | undefined }
  /** It may be in a generation that is not listed. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'future' };

/** Finds the state of a moment as the command does: in the newest generation that had begun then. */
export function findState({ generations, older }: OpsArchiveRanges, atS: number, nowS: number): FoundState {
  if (atS > nowS) return { kind: 'future' };
  const ranges = generations.flatMap(({ databases }) => {
    const { from, to } = databases.find(({ database }) => database === 'data') ?? { from: null, to: null };
    return from === null || to === null ? [] : [{ from, to }];
  });
  const range = ranges.find(({ from }) => from <= atS);
  if (range !== undefined) return { kind: 'state', stateS: Math.min(atS, range.to) };
  return older > 0 ? { kind: 'unknown' } : { kind: 'tooEarly', firstS: ranges.at(-1)?.from };
}

/** A text as one word of a command line. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
