// The text of errors about providers that failed.

/** A provider that failed, and why. */
export interface FailedProvider {
  readonly provider: string;
  readonly model: string;
  readonly problem: string;
}

/**
 * Makes the messages of a kind of provider: `consequence: the provider P (model M) what: problem.` and advice, which
 * begins with a line break.
 */
export function providerFailure(
  consequence: string,
): (what: string, advice?: string) => (failed: FailedProvider) => string {
  return (what, advice = '') =>
    ({ provider, model, problem }) =>
      `${consequence}: the provider ${provider} (model ${model}) ${what}: ${problem}.${advice}`;
}
