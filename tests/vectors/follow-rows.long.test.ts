// The embedded engine's vector index follows the rows by the metrics that the short run leaves out.
import { describe } from 'node:test';
import { itFollowsRows, useSearchTrial } from './follow-rows.js';
import { metrics } from './measured-searches.js';

describe('vector search on the embedded engine', () => {
  const trial = useSearchTrial();
  for (const metric of metrics.filter((one) => one !== 'cosine')) itFollowsRows(metric, trial);
});
