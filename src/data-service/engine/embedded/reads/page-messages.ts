// The messages between the main thread and the page thread.
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { PageText, WrittenPage } from './written-page.js';

/** What the thread is started with. */
export interface PageSettings {
  readonly path: string;
}

/** Pages to be read in one snapshot. */
export type PageRequest = readonly WrittenPage[];

/** What `readPage` gave for each of them; one reply for each request, in their order. */
export type PageReply = readonly PageResult[];

/** What was found, or why nothing was. */
export type PageResult =
  | { readonly found: PageText | undefined; readonly failure?: undefined }
  | { readonly found?: undefined; readonly failure: PackedError };
