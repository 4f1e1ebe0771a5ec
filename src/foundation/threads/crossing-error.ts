// Errors on their way from one thread to another: copies lose their class, so both sides name the kinds they know.

/** A kind of errors that both sides know. */
export interface ErrorForm {
  /** Unique among the forms of a link. */
  readonly kind: string;
  /** What makes the error up, as plain data; undefined for errors of other kinds. */
  pack(error: unknown): unknown;
  /** The error again. `packed` comes from this form's own `pack`. */
  unpack(packed: unknown): Error;
}

/** An error as it is copied. */
export type PackedError =
  | { readonly kind: string; readonly packed: unknown }
  | { readonly kind: null; readonly message: string; readonly stack: string };

/** An error of the other thread that is of no known kind. */
export class ErrorOfThread extends Error {}

/** Makes an error ready to be copied. */
export function packError(error: unknown, forms: readonly ErrorForm[]): PackedError {
  for (const form of forms) {
    const packed = form.pack(error);
    if (packed !== undefined) return { kind: form.kind, packed };
  }
  if (!(error instanceof Error)) return { kind: null, message: String(error), stack: '' };
  return { kind: null, message: error.message, stack: error.stack ?? '' };
}

/** The error that was packed. `work` in words is put before the message of one of no known kind: `a read failed`. */
export function unpackError(crossed: PackedError, forms: readonly ErrorForm[], work?: string): Error {
  if (crossed.kind !== null) {
    const form = forms.find(({ kind }) => kind === crossed.kind);
    if (form !== undefined) return form.unpack(crossed.packed);
    return new ErrorOfThread(`an error of the unknown kind ${crossed.kind}`);
  }
  const error = new ErrorOfThread(work === undefined ? crossed.message : `${work}: ${crossed.message}`);
  if (crossed.stack !== '') error.stack = crossed.stack;
  return error;
}
