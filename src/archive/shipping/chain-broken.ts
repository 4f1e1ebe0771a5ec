// The error of a chain that cannot continue.

/** Something was committed that cannot be shipped any more: a new generation must begin. The message says why. */
export class ChainBroken extends Error {}
