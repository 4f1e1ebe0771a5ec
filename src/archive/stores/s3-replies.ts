// Reads the few elements of an object store's XML that are used. They have no attributes and no elements of their own.

/** Names of a list. */
export interface FoundNames {
  readonly names: readonly string[];
  /** Folders, each with a slash at its end. */
  readonly folders: readonly string[];
  /** Where the list continues; undefined at its end. */
  readonly next: string | undefined;
}

/** Reads a list of objects whose names are encoded as in URLs; undefined for anything else. */
export function readNames(xml: string): FoundNames | undefined {
  if (!xml.includes('<ListBucketResult')) return undefined;
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  const next = isCut ? textOf(xml, 'NextContinuationToken') : undefined;
  if (isCut && next === undefined) return undefined;
  const prefixes = [...xml.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)];
  try {
    return {
      names: [...xml.matchAll(/<Key>(.*?)<\/Key>/gs)].map(([, key = '']) => decodeName(key)),
      folders: prefixes.map(([, inner = '']) => decodeName(textOf(inner, 'Prefix') ?? '')),
      next,
    };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The text of the first element with a name; undefined if there is none. */
export function textOf(xml: string, element: string): string | undefined {
  const found = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(xml);
  return found?.[1] === undefined ? undefined : decodeText(found[1]);
}

function decodeName(text: string): string {
  return decodeURIComponent(decodeText(text).replaceAll('+', ' '));
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeText(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hexadecimal, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    return entities[name] ?? whole;
  });
}
