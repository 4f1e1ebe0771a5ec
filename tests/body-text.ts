// The body of a reply as a text.
import type { HttpReply } from '../src/foundation/http/http-handler.js';

/** The text of a whole reply. */
export function bodyText({ body }: Pick<HttpReply, 'body'>): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}
