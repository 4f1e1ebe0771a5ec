// Writes a number of a reply in one form, whatever form the server chose.

/** How the numbers of a type are written. */
export interface NumberForm {
  /** Matches texts that are in the form already; a longer literal takes the long way. */
  readonly isCanonical: RegExp;
  readonly zero: string;
  readonly negativeZero: string;
  /** What follows the digits of a whole number without an exponent. */
  readonly point: '' | '.0';
}

const withoutPoint = /^(?:0|-?(?:[1-9]\d{0,30}(?:\.\d{0,30}[1-9])?|0\.\d{0,30}[1-9]))$/;
const withPoint = /^-?(?:0|[1-9]\d{0,30})\.(?:0|\d{0,30}[1-9])$/;

/** Numbers that are not floats: they have no -0. */
export const exactForm: NumberForm = {
  isCanonical: withoutPoint,
  zero: '0',
  negativeZero: '0',
  point: '',
};

/** Floats: typed readers take a number for one by its point or its exponent. */
export const floatForm: NumberForm = {
  isCanonical: withPoint,
  zero: '0.0',
  negativeZero: '-0.0',
  point: '.0',
};

/** Floats in the row format 1, in which only -0 has a point. */
export const earlierFloatForm: NumberForm = {
  isCanonical: withoutPoint,
  zero: '0',
  negativeZero: '-0.0',
  point: '',
};

/** The data service refuses longer literals. */
const mostCharacters = 100;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The text of a JSON number such that equal numbers have equal texts: without an exponent if that takes at most 100
 * characters, otherwise the shorter of `12e-90` and `1.2e-89`. The data service accepts the text, because it is never
 * longer than 100 characters or the literal with which the value was written. Every digit is kept.
 */
export function canonicalNumber(text: string, form: NumberForm): string {
  if (form.isCanonical.test(text)) return text;
  const found = parts.exec(text);
  if (found === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const all = whole + fraction;
  let begin = 0;
  while (begin < all.length && all[begin] === '0') begin += 1;
  let end = all.length;
  while (end > begin && all[end - 1] === '0') end -= 1;
  if (begin === end) return sign === '' ? form.zero : form.negativeZero;
  const digits = all.slice(begin, end);
  const magnitude = whole.length - begin + Number(exponent);
  return sign + shortForm(digits, magnitude, form.point, mostCharacters - sign.length);
}

/** `digits` have no zero at either end; their value is 0.DIGITS times ten to the power of `magnitude`. */
function shortForm(
  digits: string,
  magnitude: number,
  point: NumberForm['point'],
  mostLength: number,
): string {
  const count = digits.length;
  if (magnitude >= count) {
    if (magnitude + point.length <= mostLength) return digits + '0'.repeat(magnitude - count) + point;
  } else if (magnitude > 0) {
    if (count + 1 <= mostLength) return `${digits.slice(0, magnitude)}.${digits.slice(magnitude)}`;
  } else if (2 - magnitude + count <= mostLength) {
    return `0.${'0'.repeat(-magnitude)}${digits}`;
  }
  const integer = `${digits}e${magnitude - count}`;
  const fraction = count > 1 ? `.${digits.slice(1)}` : '';
  const scientific = `${digits[0]}${fraction}e${magnitude - 1}`;
  return integer.length <= scientific.length ? integer : scientific;
}
