// Numbers as programs and people write them, and as JSON writes them.

/** How numbers are written in a file. */
export interface NumberFormat {
  /** The mark before the digits of the fraction: `.` or `,`. */
  readonly decimal: string;
  /** The mark between groups of digits; empty if there are no groups. */
  readonly thousands: string;
}

/** Numbers without groups of digits, with a decimal point. */
export const usualNumbers: NumberFormat = { decimal: '.', thousands: '' };

/** A number in the parts of its text. */
export interface NumberParts {
  /** The literal of JSON with the same value and the same digits behind the point. */
  readonly text: string;
  readonly isNegative: boolean;
  /** Whether its text begins with a plus sign, as telephone numbers do. */
  readonly hasPlus: boolean;
  /** Whether its text begins with zeros that a number does not need, as postal codes do. */
  readonly hasLeadingZeros: boolean;
  /** Whether its text ends with the decimal point, as numbers of chapters do. */
  readonly endsWithPoint: boolean;
  readonly hasFraction: boolean;
  readonly hasExponent: boolean;
}

const ofJson = /^(-?)(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const patterns = new Map<string, RegExp>();

/** Reads a number, also with blanks around it; undefined for other texts. */
export function readNumber(field: string, format: NumberFormat): NumberParts | undefined {
  const text = field.trim();
  if (!beginsNumber(text.charCodeAt(0), format)) return undefined;
  const plain = format.decimal === '.' ? ofJson.exec(text) : null;
  if (plain !== null)
    return {
      text,
      isNegative: plain[1] === '-',
      hasPlus: false,
      hasLeadingZeros: false,
      endsWithPoint: false,
      hasFraction: plain[3] !== undefined,
      hasExponent: plain[4] !== undefined,
    };
  const found = patternOf(format).exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', point, fraction = '', exponent] = found;
  if (whole === '' && fraction === '') return undefined;
  const digits = format.thousands === '' ? whole : whole.replaceAll(format.thousands, '');
  const significant = digits.replace(/^0+(?=\d)/, '') || '0';
  return {
    text:
      (sign === '-' ? '-' : '') +
      significant +
      (fraction === '' ? '' : `.${fraction}`) +
      (exponent === undefined ? '' : `e${exponent}`),
    isNegative: sign === '-',
    hasPlus: sign === '+',
    hasLeadingZeros: digits !== '' && significant !== digits,
    endsWithPoint: point !== undefined && fraction === '',
    hasFraction: fraction !== '',
    hasExponent: exponent !== undefined,
  };
}

/** Whether a number can begin with a character. Most texts are decided here, in less time than by a pattern. */
function beginsNumber(code: number, { decimal }: NumberFormat): boolean {
  return (code >= 48 && code <= 57) || code === 43 || code === 45 || code === decimal.charCodeAt(0);
}

/** Sign, digits, point, fraction, exponent. Groups have two or three digits, the last one three: `12,34,567`. */
function patternOf({ decimal, thousands }: NumberFormat): RegExp {
  const key = `${decimal}${thousands}`;
  const made = patterns.get(key);
  if (made !== undefined) return made;
  const groups =
    thousands === '' ? '' : String.raw`\d{1,3}(?:${literal(thousands)}\d{2,3})*${literal(thousands)}\d{3}|`;
  const pattern = new RegExp(
    String.raw`^([+-]?)(${groups}\d*)(?:(${literal(decimal)})(\d*))?(?:[eE]([+-]?\d+))?$`,
  );
  patterns.set(key, pattern);
  return pattern;
}

function literal(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
