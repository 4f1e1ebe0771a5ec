// References of columns to secrets of the key store: `name.member`, as in the public API.

/** `name.member`; a credential that already has this form is returned unchanged. */
export function memberReference(credential: string, member: string): string {
  return credential.endsWith(`.${member}`) ? credential : `${credential}.${member}`;
}

/** The entry of the key store, and the member in it. Names of entries have no dot. */
export function splitReference(reference: string): { readonly name: string; readonly member: string } {
  const dot = reference.lastIndexOf('.');
  return { name: reference.slice(0, dot), member: reference.slice(dot + 1) };
}
