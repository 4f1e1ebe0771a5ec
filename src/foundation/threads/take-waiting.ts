// Takes messages of a port that have arrived, without waiting for the event loop.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** Those behind the one that a listener was given, at most `limit`. The other side sends nothing but `Message`s. */
export function takeWaiting<Message>(
  port: MessagePort,
  limit = Number.POSITIVE_INFINITY,
): readonly Message[] {
  const taken: Message[] = [];
  while (taken.length < limit) {
    const received: { message: Message } | undefined = receiveMessageOnPort(port);
    if (received === undefined) break;
    taken.push(received.message);
  }
  return taken;
}
