// Errors of commands that use a running server.

/** There is no successful reply. The message is for the user. */
export class DataPortProblem extends Error {}

/** The server itself cannot be used, so another table of it could not be moved either. The message is for the user. */
export class ServerUnusable extends DataPortProblem {}

/** The user interrupted the command. */
export class Interrupted extends Error {}
