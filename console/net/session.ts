// Whether the server wants a login or its token, and what was given.
import { signal } from '@preact/signals';

/** What the sign-in form asks for; undefined as long as the server asks for nothing. */
export const needsSignIn = signal<'login' | 'token' | undefined>(undefined);

const storedName = 'colonnade-token';

/** The token of a server without users; kept until the tab is closed. Sessions are cookies. */
export const token = signal(stored());

/** Counts the sign-ins, and the times that the server came back: what is shown is loaded again after each. */
export const signInCount = signal(0);

/** Why no request can carry this token; undefined if one can: headers have the characters of ISO 8859-1. */
export function tokenProblem(value: string): string | undefined {
  const [wrong] = /[^ -ÿ]/u.exec(value) ?? [];
  if (wrong === undefined) return undefined;
  const code = (wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `A token cannot contain the character ${wrong} (U+${code}).`;
}

/** Keeps the token for this tab. */
export function keepToken(value: string): void {
  token.value = value;
  try {
    sessionStorage.setItem(storedName, value);
  } catch {
    // If the browser keeps nothing, the token lasts as long as the page.
  }
}

/** The token that gives a request the rights of a user of a Cassandra cluster. */
export function clusterUserToken(name: string, password: string): string {
  const encoded = [name, password].map((text) => {
    const bytes = new TextEncoder().encode(text);
    return btoa(String.fromCharCode(...bytes));
  });
  return `Cassandra:${encoded.join(':')}`;
}

/** The name in a token of `clusterUserToken`; undefined for every other token. */
export function userOfToken(value: string): string | undefined {
  const [, name] = /^Cassandra:([^:]+):/.exec(value) ?? [];
  if (name === undefined) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(name), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined; // a token of the server may begin so, too
  }
}

/** Closes the form after a sign-in. */
export function signedIn(): void {
  needsSignIn.value = undefined;
  loadAllAgain();
}

/** Loads again what is shown. */
export function loadAllAgain(): void {
  signInCount.value += 1;
}

function stored(): string {
  try {
    const value = globalThis.sessionStorage?.getItem(storedName) ?? '';
    return tokenProblem(value) === undefined ? value : ''; // an earlier version kept every text
  } catch {
    return ''; // storage may be forbidden
  }
}
