// The name that a table or collection gets from the file that it is created for.
import { stemOf } from '../../src/files/file-format.js';

/** Characters of a name: the limit of the service. */
const longestName = 48;

/**
 * A name of letters, digits and underscores, as the service accepts it, with a number at its end if it is one of
 * `taken`. Empty if the name of the file has neither letters nor digits of ASCII.
 */
export function nameOfFile(fileName: string, taken: ReadonlySet<string>): string {
  const letters = stemOf(fileName)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  const name = cut(letters.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_/, ''), longestName);
  if (name === '' || !taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const numbered = `${cut(name, longestName - String(number).length - 1)}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/_$/, '');
}
