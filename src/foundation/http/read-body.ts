// Collects the body of one request, up to a limit.
import type { IncomingMessage } from 'node:http';

/** Small chunks are joined in groups of this size, so that a body sent byte by byte does not cost an object a byte. */
const groupSize = 256;

/**
 * Calls `done` with the whole body once it is there, or `tooLarge` as soon as it passes `maxBytes`; what follows
 * is then
 * discarded. Neither is called when the client goes away.
 */
export function readBody(
  message: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer) => void,
  tooLarge: () => void,
): void {
  let only: Buffer | undefined;
  let group: Buffer[] = [];
  const joined: Buffer[] = [];
  let size = 0;

  message.on('data', (chunk: Buffer) => {
    if (size > maxBytes) return;
    size += chunk.length;
    if (size > maxBytes) {
      only = undefined;
      group = [];
      joined.length = 0;
      tooLarge();
      return;
    }
    if (size === chunk.length) {
      only = chunk; // nearly every body comes in one chunk and is passed on as it came
      return;
    }
    if (only !== undefined) {
      group.push(only);
      only = undefined;
    }
    group.push(chunk);
    if (group.length >= groupSize) {
      joined.push(Buffer.concat(group));
      group = [];
    }
  });
  message.on('end', () => {
    if (size <= maxBytes) done(only ?? Buffer.concat([...joined, ...group], size));
  });
}

/** Reads a body that nobody wants, so that the reply to it arrives; a sender that passes `maxBytes` is cut off. */
export function discardBody(message: IncomingMessage, maxBytes: number): void {
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) message.destroy();
  });
}
