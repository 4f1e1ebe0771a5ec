// Removes the tags of HTML from a text, as Lucene's HTMLStripCharFilter does: one scan from left to right.
import { htmlCharacters } from './html-characters.js';

/** Elements inside of words and sentences: their tags leave no line end. */
const inline = new Set(
  (
    'a abbr acronym b basefont bdo big cite code dfn em font i img input kbd label q s samp select small span strike ' +
    'strong sub sup textarea tt u var'
  ).split(' '),
);

const tag = /<\s*(?:(\/)\s*)?([A-Za-z_:\u00c0-\uffff][\w:.\u00b7-\uffff-]*)/y;
const reference = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{0,9}))(;?)/y;

/** Parts that end with a text of their own; what is inside a section of characters stays. */
const others: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
];

/** The text without tags, comments, scripts and styles, with the characters that references name. */
export function stripHtml(text: string, keptTags: ReadonlySet<string>): string {
  const scan = new HtmlScan(text, keptTags);
  let stripped = '';
  for (let place = 0; place < text.length; ) {
    const next = scan.nextMark(place);
    stripped += text.slice(place, next);
    if (next === text.length) break;
    const [shown, end] = scan.read(next);
    stripped += shown;
    place = end;
  }
  return stripped;
}

type Part = readonly [shown: string, end: number];

class HtmlScan {
  readonly #text: string;
  readonly #kept: ReadonlySet<string>;
  /** Texts that are not found again from here on: each search for one reads the rest of the text. */
  readonly #missing = new Set<string>();

  constructor(text: string, kept: ReadonlySet<string>) {
    this.#text = text;
    this.#kept = kept;
  }

  /** The next `<` or `&`; the length of the text if there is none. */
  nextMark(from: number): number {
    let at = from;
    while (at < this.#text.length && this.#text[at] !== '<' && this.#text[at] !== '&') at += 1;
    return at;
  }

  /** What stands for the mark and its part, and the place behind that. */
  read(at: number): Part {
    const found = this.#text[at] === '&' ? this.#reference(at) : (this.#tag(at) ?? this.#other(at));
    return found ?? [this.#text.slice(at, at + 1), at + 1];
  }

  #reference(at: number): Part | undefined {
    reference.lastIndex = at;
    const [all, decimal, hex, name, end] = reference.exec(this.#text) ?? [];
    const after = at + (all?.length ?? 0);
    // Only the end of the text can stand for the semicolon.
    if (all === undefined || (end === '' && after < this.#text.length)) return undefined;
    if (name !== undefined) {
      const character = htmlCharacters.get(name);
      return character === undefined ? undefined : [character, after];
    }
    const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (codePoint > 0x10ffff) return undefined;
    const isHalf = codePoint >= 0xd800 && codePoint <= 0xdfff;
    return [isHalf ? '\ufffd' : String.fromCodePoint(codePoint), after];
  }

  #tag(at: number): Part | undefined {
    tag.lastIndex = at;
    const [start, slash = '', written = ''] = tag.exec(this.#text) ?? [];
    if (start === undefined) return undefined;
    const name = written.toLowerCase();
    const behind = at + start.length;
    const end = this.#endOfTag(behind);
    if (end === undefined) return undefined;
    if (this.#kept.has(name)) return [this.#text.slice(at, end), end];
    const shown = inline.has(name) || behind === this.#text.length ? '' : '\n';
    if (slash !== '' || (name !== 'script' && name !== 'style')) return [shown, end];
    const after = this.#endOf(name, end);
    return after === undefined ? ['', this.#text.length] : [shown, after];
  }

  /** Behind the `>` of a tag; undefined if another tag begins before it. */
  #endOfTag(from: number): number | undefined {
    let at = from;
    while (at < this.#text.length && this.#text[at] !== '<' && this.#text[at] !== '>') at += 1;
    if (this.#text[at] === '>') return at + 1;
    return from === this.#text.length ? from : undefined;
  }

  /** Behind the end tag of an element whose text is not shown; undefined without one: then the rest is not shown. */
  #endOf(name: string, from: number): number | undefined {
    if (this.#missing.has(name)) return undefined;
    const closing = new RegExp(`</\\s*${name}\\s*>`, 'gi');
    closing.lastIndex = from;
    if (closing.test(this.#text)) return closing.lastIndex;
    this.#missing.add(name);
    return undefined;
  }

  #other(at: number): Part | undefined {
    for (const [start, end] of others) {
      if (!this.#text.startsWith(start, at)) continue;
      const behind = this.#behind(end, at + start.length);
      if (behind === undefined) return start === '<!--' ? ['', this.#text.length] : undefined;
      const isShown = start === '<![CDATA[';
      return [isShown ? this.#text.slice(at + start.length, behind - end.length) : '', behind];
    }
    return undefined;
  }

  #behind(wanted: string, from: number): number | undefined {
    if (this.#missing.has(wanted)) return undefined;
    const found = this.#text.indexOf(wanted, from);
    if (found >= 0) return found + wanted.length;
    this.#missing.add(wanted);
    return undefined;
  }
}
