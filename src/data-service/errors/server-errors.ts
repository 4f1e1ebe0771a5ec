// Errors that are not the caller's fault.
import { entry } from './error-entry.js';

/** Family SERVER, no scope. */
export const serverErrors = {
  UNEXPECTED_SERVER_ERROR: entry({
    title: 'Unexpected error in the server',
    when: 'A fault of the server itself. The message names the line of the log that has the details.',
    message: (p: { logId: string }) =>
      `The server failed unexpectedly.\nThis is a fault of the server; its log has the details under "${p.logId}".`,
  }),
} as const;

/** Family SERVER, scope DATABASE. */
export const databaseErrors = {
  FAILED_READ_REQUEST: entry({
    title: 'Read failed',
    when: 'The storage could not be read.',
    message: (p: { problem: string }) =>
      `The rows could not be read: ${p.problem}.\nTry again; if it goes on, ask the operator of the server.`,
  }),
  FAILED_WRITE_REQUEST: entry({
    title: 'Write failed',
    when: 'The storage refused a write, for example because the disk is full. Nothing of the command was stored.',
    message: (p: { problem: string }) =>
      `Nothing was stored: ${p.problem}.\nTry again when the operator of the server has mended it.`,
  }),
  TIMEOUT_READING_DATA: entry({
    title: 'Read took too long',
    when: 'A read went over its time limit, which covers looking for rows, decoding them and writing them as JSON.',
    message: (p: { problem: string }) =>
      `The read took too long and was given up: ${p.problem}.\nNarrow the filter, above all by the primary key, or leave large columns out by a projection.`,
  }),
  UNAVAILABLE_DATABASE: entry({
    title: 'Database not available',
    when: 'The server is shutting down, or the schema kept changing while the command was planned; or, with the HTTP status 503, too many large requests wait.',
    message: (p: { problem: string }) => `The command was not carried out: ${p.problem}.\nTry again.`,
  }),
} as const;
