// Texts that this browser keeps from visit to visit. Where storage is forbidden or full it keeps none.

/** The text under a name; null where there is none. */
export function keptText(name: string): string | null {
  try {
    return globalThis.localStorage?.getItem(name) ?? null;
  } catch {
    return null; // storage is forbidden
  }
}

/** Keeps a text under a name, or forgets it. Returns whether the browser did. */
export function keepText(name: string, text: string | undefined): boolean {
  try {
    if (text === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
