// Errors of the server and of its storage.
import { entry } from './error-entry.js';

/** Family SERVER, no scope. */
export const serverErrors = {
  UNEXPECTED_SERVER_ERROR: entry({
    title: 'Unexpected error in the server',
    when: 'An error in the server. The message has the id of the log entry with the details.',
    message: (p: { logId: string }) =>
      `The server failed because of an internal error.\nThe log of the server has the details under the id "${p.logId}".`,
  }),
} as const;

/** Family SERVER, scope DATABASE. */
export const databaseErrors = {
  FAILED_READ_REQUEST: entry({
    title: 'Read failed',
    when: 'The storage could not be read.',
    message: (p: { problem: string }) =>
      `The rows could not be read: ${p.problem}.\nTry again. If the error persists, ask the operator of the server.`,
  }),
  FAILED_WRITE_REQUEST: entry({
    title: 'Write failed',
    when: 'The storage refused a write, for example because the disk is full. Nothing of the command was stored.',
    message: (p: { problem: string }) =>
      `Nothing was stored: ${p.problem}.\nTry again when the operator of the server has fixed the problem.`,
  }),
  READ_ONLY_SERVER: entry({
    title: 'Server does not write',
    when: 'The server follows another one (--follow) and answers reads only, or may not write at present. Nothing was stored of what the message names.',
    message: (p: { problem: string }) =>
      `The server does not write: ${p.problem}.\nIf another server writes, send commands that change something to that one. Otherwise try again when the operator of the server has fixed the problem.`,
  }),
  TIMEOUT_READING_DATA: entry({
    title: 'Read took too long',
    when: 'A read exceeded its time limit. The limit covers searching for rows, decoding them and writing them as JSON.',
    message: (p: { problem: string }) =>
      `The read took too long and was stopped: ${p.problem}.\nNarrow the filter, preferably by the primary key, or exclude large columns with a projection.`,
  }),
  TIMEOUT_WRITING_DATA: entry({
    title: 'Write took too long',
    when: 'A write or a change of the schema exceeded the time limit of a cluster: it may have taken effect, or may still do so. With the embedded engine, the write is stored, but not in the archive in time (--archive-acknowledge yes), or another server may have taken over.',
    message: (p: { problem: string }) =>
      `The write took too long, and it is not known whether it took effect: ${p.problem}.\nRead what it writes before you send it again.`,
  }),
  FAILED_TO_CONNECT_TO_DATABASE: entry({
    title: 'Database cannot be reached',
    when: 'With --engine cassandra: no node of the cluster can be reached, or it refuses the user of the server. Nothing was done. The server connects again by itself.',
    message: (p: { problem: string }) =>
      `The Cassandra cluster of the server cannot be reached: ${p.problem}.\nTry again. If the error persists, ask the operator of the server.`,
  }),
  UNAVAILABLE_DATABASE: entry({
    title: 'Database not available',
    when: 'The server is shutting down, or the schema kept changing while the command was planned, or a search needs an index that is still being built (try again when listIndexes has no warning for it); or, with the HTTP status 503, too many large requests are waiting, or the database has too much to do.',
    message: (p: { problem: string }) => `The command was not carried out: ${p.problem}.\nTry again.`,
  }),
} as const;
