// Errors between threads: copies lose their class, so both sides define forms for the kinds of errors.

/** A kind of errors that both sides know. */
export interface ErrorForm {
  /** Unique among the forms of a link. */
  readonly kind: string;
  /** The members of the error as plain data; undefined for errors of other kinds. */
  pack(error: unknown): unknown;
  /** The error. `packed` comes from `pack` of the same form. */
  unpack(packed: unknown): Error;
}

/** An error in the form that is copied. */
export type PackedError =
  | { readonly kind: string; readonly packed: unknown }
  | { readonly kind: null; readonly message: string; readonly stack: string };

/** An error of the other thread whose kind has no form. */
export class ErrorOfThread extends Error {}

/** Converts an error to a form that can be copied. */
export function packError(error: unknown, forms: readonly ErrorForm[]): PackedError {
  for (const form of forms) {
    const packed = form.pack(error);
    if (packed !== undefined) return { kind: form.kind, packed };
  }
  if (!(error instanceof Error)) return { kind: null, message: String(error), stack: '' };
  return { kind: null, message: error.message, stack: error.stack ?? '' };
}

/** The error that was packed. `work`, such as `a read failed`, precedes the message of an error of an unknown kind. */
export function unpackError(crossed: PackedError, forms: readonly ErrorForm[], work?: string): Error {
  if (crossed.kind !== null) {
    const form = forms.find(({ kind }) => kind === crossed.kind);
    if (form !== undefined) return form.unpack(crossed.packed);
    return new ErrorOfThread(`an error of the unknown kind ${crossed.kind}`);
  }
  const error = new ErrorOfThread(work === undefined ? crossed.message : `${work}: ${crossed.message}`);
  if (crossed.stack !== '') error.stack = work === undefined ? crossed.stack : `${work}: ${crossed.stack}`;
  return error;
}
