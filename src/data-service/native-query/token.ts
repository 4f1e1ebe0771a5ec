// The tokens of the native query language: names, literals, symbols. Comments and spaces are skipped.
import { NativeQueryRefused } from '../engine/native-result.js';

/** A piece of a statement. `start` is its position there. */
export interface Token {
  /** There is one `end`, after the last token. */
  readonly kind:
    | 'name'
    | 'quotedName'
    | 'string'
    | 'number'
    | 'uuid'
    | 'blob'
    | 'duration'
    | 'symbol'
    | 'end';
  /** Without quotes; names that have none are in lower case. */
  readonly text: string;
  readonly start: number;
}

/** The first one that matches is used. Groups have the text without quotes. */
const patterns: readonly (readonly [kind: Token['kind'] | 'nothing', pattern: RegExp])[] = [
  ['nothing', /\s+|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
  ['uuid', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)/iy],
  ['blob', /0x[0-9a-f]*(?!\w)/iy],
  ['duration', /(?:\d+(?:y|mo|w|d|h|ms|m|s|us|µs|ns))+(?![\wµ])/iy],
  // The name p2 is not a duration.
  [
    'duration',
    /P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)(?!\w)/iy,
  ],
  ['number', /\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w.])/iy],
  ['name', /[a-z]\w*/iy],
  ['quotedName', /"((?:[^"]|"")+)"/y],
  ['string', /'((?:[^']|'')*)'/y],
  ['string', /\$\$([\s\S]*?)\$\$/y],
  ['symbol', /<=|>=|!=|\+=|-=|[-+*=<>()[\]{},.:;?]/y],
];

/** Limited because statements are parsed on the thread that answers commands. */
const maxLength = 200_000;

/**
 * The tokens of a statement.
 * @throws NativeQueryRefused for characters that begin no token
 */
export function tokensOf(query: string): readonly Token[] {
  if (query.length > maxLength)
    throw new NativeQueryRefused(
      `the statement has ${query.length} characters; at most ${maxLength} are allowed`,
    );
  const tokens: Token[] = [];
  let start = 0;
  while (start < query.length) {
    const { kind, text, end } = nextToken(query, start);
    if (kind !== 'nothing') tokens.push({ kind, text, start });
    start = end;
  }
  return [...tokens, { kind: 'end', text: '', start }];
}

/** `line 2, column 5`. */
export function placeIn(query: string, start: number): string {
  const before = query.slice(0, start).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function nextToken(query: string, start: number) {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start;
    const found = pattern.exec(query);
    if (found !== null) return { kind, text: textOf(kind, found, query), end: start + found[0].length };
  }
  const begun = ({ "'": 'a string', '"': 'a quoted name', '/': 'a comment', $: 'a string' } as const)[
    query[start] ?? ''
  ];
  const problem =
    begun === undefined ? `unexpected character ${JSON.stringify(query[start])}` : `${begun} is not closed`;
  throw new NativeQueryRefused(`${problem} (${placeIn(query, start)})`);
}

function textOf(kind: Token['kind'] | 'nothing', found: RegExpExecArray, query: string): string {
  switch (kind) {
    case 'name':
      return found[0].toLowerCase();
    case 'quotedName':
      return (found[1] ?? '').replaceAll('""', '"');
    case 'string':
      return query[found.index] === "'" ? (found[1] ?? '').replaceAll("''", "'") : (found[1] ?? '');
    default:
      return found[0];
  }
}
