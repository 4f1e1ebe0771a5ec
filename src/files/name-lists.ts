// Lists of names in options, such as `id:int,"last, first":text`.

/** A name of a list, and what stands behind its colon. */
export interface ListedName {
  readonly name: string;
  /** Undefined without a colon. */
  readonly value: string | undefined;
}

/** The parts between commas. In quotes, commas are letters and `""` is a quote. Blanks around a part are removed. */
export function readNames(text: string): readonly string[] {
  return partsOf(text).map((part) => {
    const quoted = /^"((?:[^"]|"")*)"$/.exec(part);
    return quoted === null ? part : (quoted[1] ?? '').replaceAll('""', '"');
  });
}

/** The parts as `NAME:VALUE`. Without quotes, the last colon of a part counts. */
export function readNameValues(text: string): readonly ListedName[] {
  return partsOf(text).map((part) => {
    const quoted = /^"((?:[^"]|"")*)"(?:\s*:(.*))?$/s.exec(part);
    if (quoted !== null) return { name: (quoted[1] ?? '').replaceAll('""', '"'), value: quoted[2]?.trim() };
    const at = part.lastIndexOf(':');
    if (at < 0) return { name: part, value: undefined };
    return { name: part.slice(0, at).trim(), value: part.slice(at + 1).trim() };
  });
}

/** The list with quotes where `readNames` and `readNameValues` need them. */
export function listedNames(names: readonly string[]): string {
  return names.map(listedName).join(',');
}

export function listedNameValues(pairs: Iterable<readonly [name: string, value: string]>): string {
  return [...pairs].map(([name, value]) => `${listedName(name)}:${value}`).join(',');
}

function listedName(name: string): string {
  return name !== '' && !/[",:]|^\s|\s$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function partsOf(text: string): readonly string[] {
  const part = /\s*(?:"(?:[^"]|"")*"[^,]*|[^,]*)/y;
  const parts: string[] = [];
  for (;;) {
    parts.push((part.exec(text)?.[0] ?? '').trim());
    if (text[part.lastIndex] !== ',') return parts;
    part.lastIndex += 1;
  }
}
