// Texts of files as a terminal can show them, and as a shell reads them.
import { shortened } from '../foundation/text/shorten-text.js';

/** Control characters, marks of the direction of text, breaks of lines and paragraphs, and half surrogate pairs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const isUnprintable = new RegExp(unprintable.source, 'u');

/** The text with `\n`, `\t`, `\u001b` and the like for characters that would change how a terminal shows it. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** The beginning of a text as a string of JSON, for messages. */
export function quotedExcerpt(text: string, longest = 100): string {
  return printable(JSON.stringify(shortened(text, longest)));
}

/** One word for a POSIX shell; with control characters it is in the form `$'…'`, which bash and zsh read. */
export function shellWord(text: string): string {
  if (/^[\w.,:/=+-]+$/.test(text)) return text;
  if (!isUnprintable.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replace(/['\\]/g, '\\$&').replace(unprintable, escaped)}'`;
}

const names: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escaped(character: string): string {
  return names.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
