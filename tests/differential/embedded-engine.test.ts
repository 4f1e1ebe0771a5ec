// Random tables, rows, writes and reads: the embedded engine shows what the engine in memory shows, row for row.
// 125 reads; 2,000: the long file.
import { describeDifferential } from './describe-differential.js';

describeDifferential(4, 1);
