// What was typed into the editor of commands, for each place of the console, until the page is left.
import { signal } from '@preact/signals';
import type { Draft } from './typed-command.js';

/** The value of `tab` in the address that shows the editor. */
export const commandsTab = 'commands';

interface Kept {
  readonly draft: Draft;
  /** The command that was run, or taken from the address or a screen to be edited; undefined where there was none. */
  readonly taken: Draft | undefined;
}

const drafts = signal<ReadonlyMap<string, Kept>>(new Map());
/** The number of places whose text is kept. Beyond it, the text of the place that was left longest ago is forgotten. */
const mostDrafts = 20;

/**
 * What the editor shows at a place: the command in the address, as that of a link, until it is edited; then what was
 * typed. Undefined where nothing was typed and the address has no command.
 */
export function draftAt(place: string, addressed: Draft | undefined): Draft | undefined {
  const kept = drafts.value.get(place);
  return addressed === undefined || isSame(addressed, kept?.taken) ? (kept?.draft ?? addressed) : addressed;
}

/** Keeps what is typed. `addressed` is the command in the address of now. */
export function keepDraft(place: string, draft: Draft, addressed: Draft | undefined): void {
  const others = [...drafts.peek()].filter(([name]) => name !== place).slice(1 - mostDrafts);
  drafts.value = new Map([...others, [place, { draft, taken: addressed }]]);
}

/** What was typed at a place and is neither run nor what it began with; undefined if nothing would be lost with it. */
export function unsentAt(place: string): Draft | undefined {
  const kept = drafts.peek().get(place);
  return kept === undefined || isSame(kept.draft, kept.taken) ? undefined : kept.draft;
}

function isSame(one: Draft, other: Draft | undefined): boolean {
  return one.path === other?.path && one.text === other.text;
}
