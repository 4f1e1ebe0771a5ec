// The error of this layer.

/** A file, or an option about it, is not what it must be. The message is for the user and says what to do. */
export class FileProblem extends Error {}
