// Reads Prometheus' text exposition format (version 0.0.4), as exporters write it.

/** One value of a metric. */
export interface ExposedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** A text that is not in the format. The message names the line, without its content. */
export class ExpositionError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line} ${problem}`);
  }
}

/**
 * The samples with the requested names, in order. One invalid line makes the whole text invalid; of lines with other
 * names only the name is read. A text that ends within a line was cut off: that line is invalid, and so is a line of
 * more than 65,536 characters.
 * @throws ExpositionError
 */
export function parseExposition(text: string, isWanted: (name: string) => boolean): readonly ExposedSample[] {
  const samples: ExposedSample[] = [];
  let line = 0;
  for (let start = 0; start < text.length; ) {
    line += 1;
    const end = text.indexOf('\n', start);
    if (end < 0) throw new ExpositionError(line, 'is not ended');
    if (end - start > maxLineLength)
      throw new ExpositionError(line, `has more than ${maxLineLength} characters`);
    namePattern.lastIndex = start;
    const name = namePattern.exec(text)?.[1];
    if (name === undefined) {
      if (!isSkipped(text, start, end)) throw new ExpositionError(line, 'does not begin with a name');
    } else if (isWanted(name)) {
      samples.push(readSample(text.slice(namePattern.lastIndex, end), name, line));
    }
    start = end + 1;
  }
  return samples;
}

/** Far more than exporters write. It bounds the text that the patterns search. */
const maxLineLength = 65_536;

const namePattern = /[ \t]*([a-zA-Z_:][\w:]*)/y;
const labelPattern = /[ \t]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"([^"\\\n]*(?:\\["\\n][^"\\\n]*)*)"[ \t]*(,|(?=\}))/y;
const valuePattern =
  /^[ \t]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?[iI]nf|NaN)(?:[ \t]+-?\d+)?[ \t]*$/;

/** Empty lines, and comments, which hold types and help. */
function isSkipped(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return at === end || text[at] === '#';
}

/** `rest` is what follows the name: labels in braces, a value, an optional time. */
function readSample(rest: string, name: string, line: number): ExposedSample {
  const open = /^[ \t]*\{/.exec(rest);
  if (open === null) return { name, labels: {}, value: readValue(rest, line) };
  const labels: Record<string, string> = {};
  labelPattern.lastIndex = open[0].length;
  let at = labelPattern.lastIndex;
  for (let label = labelPattern.exec(rest); label !== null; label = labelPattern.exec(rest)) {
    labels[label[1] ?? ''] = unescapeLabel(label[2] ?? '');
    at = labelPattern.lastIndex;
  }
  const close = /^[ \t]*\}/.exec(rest.slice(at));
  if (close === null) throw new ExpositionError(line, 'has labels that are not well formed');
  return { name, labels, value: readValue(rest.slice(at + close[0].length), line) };
}

function unescapeLabel(text: string): string {
  return text.includes('\\')
    ? text.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
    : text;
}

function readValue(text: string, line: number): number {
  const written = valuePattern.exec(text)?.[1];
  if (written === undefined) throw new ExpositionError(line, 'has no value that is a number');
  if (/inf$/i.test(written))
    return written.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(written);
}
