// What was typed into the editor of commands, for each place of the console, until the page is left.

/** The value of `tab` in the address that shows the editor. */
export const commandsTab = 'commands';

/** A command that is edited. */
export interface Draft {
  /** The path on the data port: `v1/shop/books`. */
  readonly path: string;
  readonly text: string;
}

const drafts = new Map<string, Draft>();
/** Of more places, the text of the one that was left longest ago is forgotten. */
const mostDrafts = 20;

/** What was typed at a place of the console. */
export function draftAt(place: string): Draft | undefined {
  return drafts.get(place);
}

/** Keeps what is typed. */
export function keepDraft(place: string, draft: Draft): void {
  drafts.delete(place);
  drafts.set(place, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > mostDrafts && oldest !== undefined) drafts.delete(oldest);
}
