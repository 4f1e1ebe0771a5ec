// Replies in a form that does not depend on the order of rows: unsorted reads of a cluster have another one.

const start = '"documents":[';

/** The text of a reply with its documents in the order of their texts. */
export function withoutOrder(text: string): string {
  const from = text.indexOf(start) + start.length;
  if (from < start.length) return text;
  const [documents, to] = elementsAt(text, from);
  return text.slice(0, from) + documents.toSorted().join(',') + text.slice(to);
}

/** The elements of an array from behind its bracket on, and where it ends. */
function elementsAt(text: string, from: number): readonly [elements: readonly string[], to: number] {
  const elements: string[] = [];
  let depth = 0;
  let first = from;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"') at = endOfString(text, at);
    else if (depth === 0 && (sign === ',' || sign === ']')) {
      if (at > first) elements.push(text.slice(first, at));
      first = at + 1;
      if (sign === ']') return [elements, at];
    } else if ('[{'.includes(sign)) depth += 1;
    else if (']}'.includes(sign)) depth -= 1;
  }
  throw new Error(`the documents do not end: ${text}`);
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  throw new Error(`a string does not end: ${text}`);
}
