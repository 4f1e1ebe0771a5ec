// Random tables, rows, writes and reads: the embedded engine shows what the engine in memory shows, row for row.
// 2,000 reads; more of them: run.
import { describeDifferential } from './describe-differential.js';

describeDifferential(64, 16);
