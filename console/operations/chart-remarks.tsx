// The remarks below the chart of the Metrics screen.
import { counted } from '../parts/counted.js';

/** Says what the chart leaves out, and what its dashed lines and its marks are. */
export function ChartRemarks(props: {
  /** The number of nodes with a line, and of those without one. */
  readonly nodes: { readonly shown: number; readonly leftOut: number };
  /** Whether it has all values that are stored. */
  readonly isWhole: boolean;
  readonly ruleCount: number;
  readonly eventCount: number;
}) {
  const { isWhole, ruleCount, eventCount } = props;
  const { shown, leftOut } = props.nodes;
  return (
    <p class="muted">
      {leftOut > 0
        ? `The first ${shown} of ${shown + leftOut} nodes are shown; choose a node to see another. `
        : ''}
      {isWhole ? 'No older values are stored. ' : ''}
      {ruleCount > 0 ? `Dashed, across the chart: ${thresholdsText(ruleCount)}. ` : ''}
      {eventCount > 0 ? `Marks at the bottom: ${counted(eventCount, 'event')}.` : 'No events in this time.'}
    </p>
  );
}

function thresholdsText(count: number): string {
  return count === 1 ? 'the threshold of one rule' : `the thresholds of ${count} rules`;
}
