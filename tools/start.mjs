// What `npm start` runs: builds when needed, then serves in this very process, so that signals reach the server.
import { buildIfStale } from './build.mjs';

buildIfStale();
process.argv.splice(2, 0, 'serve');
await import('../dist/src/bin/colonnade.js');
