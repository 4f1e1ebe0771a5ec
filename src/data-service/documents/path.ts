// Paths to values in documents: `address.city`. In a part, `&.` is a dot and `&&` an ampersand.

/** The parts of a path: names of members or, in arrays, indexes. At least one; none is empty. */
export type Path = readonly string[];

/** The text is not a path. The message gives the reason, without the text. */
export class InvalidPath extends Error {}

/**
 * Reads a path.
 * @throws InvalidPath for an empty part, or an `&` before anything but `.` and `&`
 */
export function parsePath(text: string): Path {
  const parts = text.includes('&') ? splitEscaped(text) : text.split('.');
  if (parts.includes('')) throw new InvalidPath('a path must not have an empty part');
  return parts;
}

function splitEscaped(text: string): string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at += 1) {
    let unit = text.charAt(at);
    if (unit === '.') {
      parts.push('');
      continue;
    }
    if (unit === '&') {
      at += 1;
      unit = text.charAt(at);
      if (unit !== '.' && unit !== '&')
        throw new InvalidPath('"&" must be followed by "." or "&": write "&&" for an ampersand');
    }
    parts[parts.length - 1] += unit;
  }
  return parts;
}

/** The text of a path. */
export function writePath(path: Path): string {
  return path.map(escapeName).join('.');
}

/** A name as a part of a path. */
export function escapeName(name: string): string {
  return name.includes('.') || name.includes('&') ? name.replaceAll(/[.&]/g, '&$&') : name;
}

/** Whether the part can be the index of an array element: `0`, or digits that do not begin with zero. */
export function isArrayIndex(part: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/.test(part);
}

/** Whether `ancestor` is `path` itself, or contains it. */
export function leadsTo(ancestor: Path, path: Path): boolean {
  return ancestor.length <= path.length && ancestor.every((part, at) => part === path[at]);
}
