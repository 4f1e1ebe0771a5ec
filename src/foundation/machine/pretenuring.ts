// Prevents V8 from allocating the objects of requests in the old generation.
import { setFlagsFromString } from 'node:v8';

/**
 * Switches pretenuring off, in all threads of the process. V8 counts for each place in the code how many of its objects
 * survive. While large bodies arrive, nearly all of those that the HTTP server makes for a request do: from then on V8
 * allocates them in the old generation, also for the smallest request. There they are garbage soon, but until the whole
 * heap is collected they keep alive all that they refer to, so each collection of the young generation copies it.
 * Call it when everything is loaded: once a flag has changed, V8 compiles Node's own modules from their text, because
 * it made their compiled form with other flags.
 */
export function switchOffPretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
