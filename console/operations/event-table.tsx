// Events as a table, for the screens that show some.
import type { OpsEvent } from '../../src/descriptions/operations-replies.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { Time } from '../parts/time.js';
import { eventText } from './kinds.js';
import { Badge } from './show-values.js';

const columns: readonly TableColumn<OpsEvent>[] = [
  { title: 'Time', kind: 'line', cell: ({ time }) => <Time atMs={Number(time) / 1000} /> },
  { title: 'Level', cell: (event) => <Badge word={event.level_str} /> },
  { title: 'What', kind: 'line', cell: ({ action }) => eventText(action) },
  { title: 'Message', kind: 'wide', cell: ({ message }) => message },
  {
    title: 'Node',
    isNamed: true,
    cell: ({ target_node: target, source_node: source }) => target ?? source,
  },
  { title: 'By', isNamed: true, cell: (event) => (event.user === '' ? event.api_source_ip : event.user) },
];

/** A table of events, newest first. */
export function EventTable({ events }: { readonly events: readonly OpsEvent[] }) {
  return <DataTable label="Events" columns={columns} rows={events} keyOf={timeOf} />;
}

function timeOf({ time }: OpsEvent): string {
  return time;
}
