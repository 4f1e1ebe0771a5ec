// The messages between the main thread and the page thread.
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { PageText, WrittenPage } from './written-page.js';

/** The settings of the thread. */
export interface PageSettings {
  readonly path: string;
}

/** Pages to be read in one snapshot. */
export type PageRequest = readonly WrittenPage[];

/** The results of `readPage`; one reply for each request, in the same order. */
export type PageReply = readonly PageResult[];

/** The page, or why it was not read. */
export type PageResult =
  | { readonly found: PageText | undefined; readonly failure?: undefined }
  | { readonly found?: undefined; readonly failure: PackedError };
