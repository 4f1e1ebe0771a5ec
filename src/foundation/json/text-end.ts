// Finds where the texts inside JSON end. A regular expression cannot: on a text of some megabytes its stack overflows.

/** The place of the quotation mark that ends the JSON text whose first one is at `start`; -1 if it does not end. */
export function textEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes stands before the place. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}
