// Writes a number of a reply in one form, whatever form the server chose.

/** The data service refuses longer literals. */
const mostCharacters = 100;
/** Already in the form that `canonicalNumber` returns; a longer literal takes the long way. */
const isCanonical = /^(?:0|-?(?:[1-9]\d{0,30}(?:\.\d{0,30}[1-9])?|0\.\d{0,30}[1-9]))$/;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The text of a JSON number such that equal numbers have equal texts: without an exponent if that takes at most 100
 * characters, otherwise the shorter of `12e-90` and `1.2e-89`. The data service accepts the text, because it is never
 * longer than the literal with which the value was written. Every digit is kept.
 * `hasNegativeZero`: floats distinguish -0, which is `-0.0`; other types do not.
 */
export function canonicalNumber(text: string, hasNegativeZero: boolean): string {
  if (isCanonical.test(text)) return text;
  const found = parts.exec(text);
  if (found === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const all = whole + fraction;
  let begin = 0;
  while (begin < all.length && all[begin] === '0') begin += 1;
  let end = all.length;
  while (end > begin && all[end - 1] === '0') end -= 1;
  if (begin === end) return sign !== '' && hasNegativeZero ? '-0.0' : '0';
  const digits = all.slice(begin, end);
  return sign + shortForm(digits, whole.length - begin + Number(exponent), mostCharacters - sign.length);
}

/** `digits` have no zero at either end; their value is 0.DIGITS times ten to the power of `magnitude`. */
function shortForm(digits: string, magnitude: number, mostLength: number): string {
  const count = digits.length;
  if (magnitude >= count) {
    if (magnitude <= mostLength) return digits + '0'.repeat(magnitude - count);
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
