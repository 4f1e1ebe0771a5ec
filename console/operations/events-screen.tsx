// The Events screen: the event log of a cluster, live at the top, and back in time at the bottom.
import { useEffect, useRef, useState } from 'preact/hooks';
import { toFailure } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { changeQuery, place } from '../state/url-state.js';
import { ClusterChoice, chosenCluster } from './cluster-choice.js';
import { EventTable } from './event-table.js';
import { actionNames, levels } from './event-words.js';
import { type OpsEvent, pathOf, read } from './ops-api.js';

const pageSize = 500;
/** Pages that are searched at a time for events that a filter lets through. */
const mostPages = 10;
const wantedAtATime = 50;
/** Older ones are dropped at the bottom when new ones arrive; scrolling loads them again. */
const mostShown = 5000;

/** The Events screen. */
export function EventsScreen() {
  const cluster = chosenCluster();
  const { query } = place.value;
  const filter = { level: query['level'] ?? '', action: query['action'] ?? '', node: query['node'] ?? '' };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Events</h1>
        <ClusterChoice />
      </header>
      <div class="form-row">
        <SelectField
          label="Level"
          value={filter.level}
          choices={[
            { value: '', label: 'All levels' },
            ...levels.slice(1).map((name) => ({ value: name, label: `${name} and above` })),
          ]}
          onChange={(level) => changeQuery({ level })}
        />
        <SelectField
          label="What"
          value={filter.action}
          choices={[
            { value: '', label: 'Everything' },
            ...[...actionNames].map(([code, label]) => ({ value: String(code), label })),
          ]}
          onChange={(action) => changeQuery({ action })}
        />
        <TextField
          label="Node"
          value={filter.node}
          placeholder="All nodes"
          onChange={(node) => changeQuery({ node })}
        />
      </div>
      <EventList key={JSON.stringify([cluster, filter])} cluster={cluster} filter={filter} />
    </div>
  );
}

interface EventFilter {
  readonly level: string;
  readonly action: string;
  readonly node: string;
}

function isWanted({ level, action, node }: EventFilter, event: OpsEvent): boolean {
  if (level !== '' && event.level < levels.indexOf(level)) return false;
  if (action !== '' && String(event.action) !== action) return false;
  return node === '' || event.source_node.includes(node) || (event.target_node ?? '').includes(node);
}

interface ListState {
  readonly events: readonly OpsEvent[];
  /** Where older events begin; undefined before the first page. */
  readonly nextTime: string | undefined;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  readonly failure: unknown;
}

const empty: ListState = {
  events: [],
  nextTime: undefined,
  isAtEnd: false,
  isLoading: false,
  failure: undefined,
};

function EventList({ cluster, filter }: { readonly cluster: string; readonly filter: EventFilter }) {
  const [state, setState] = useState(empty);
  const latest = useRef(state);
  latest.current = state;
  const loadOlder = async () => {
    if (latest.current.isLoading || latest.current.isAtEnd) return;
    latest.current = { ...latest.current, isLoading: true };
    setState(latest.current);
    try {
      const older = await searchOlder(cluster, filter, latest.current.nextTime);
      const events = [...latest.current.events, ...older.events];
      setState({
        events,
        nextTime: older.nextTime,
        isAtEnd: older.isAtEnd,
        isLoading: false,
        failure: undefined,
      });
    } catch (error) {
      setState({ ...latest.current, isLoading: false, failure: toFailure(error) });
    }
  };
  useEffect(() => {
    void loadOlder();
  }, []);
  useLiveEvents(cluster, (event) => {
    if (isWanted(filter, event)) setState((now) => ({ ...now, events: withNew(now.events, event) }));
  });
  const { events, isAtEnd, isLoading, failure, nextTime } = state;
  if (events.length === 0 && isAtEnd)
    return (
      <EmptyState icon="events" title="No events">
        {Object.values(filter).some((text) => text !== '')
          ? 'No event fits the filter. Choose another level, or all nodes.'
          : 'Events appear here as soon as something happens.'}
      </EmptyState>
    );
  return (
    <>
      {events.length > 0 && <EventTable events={events} />}
      {failure !== undefined && <FailureNotice failure={failure} onRetry={() => void loadOlder()} />}
      {isLoading && <Loading label="Loading older events" />}
      {!isAtEnd && !isLoading && failure === undefined && nextTime !== undefined && (
        <MoreWhenSeen onSeen={() => void loadOlder()} />
      )}
      {isAtEnd && <p class="muted">The log begins here.</p>}
    </>
  );
}

function withNew(events: readonly OpsEvent[], event: OpsEvent): readonly OpsEvent[] {
  if (events.some(({ time }) => time === event.time)) return events;
  return [event, ...events].slice(0, mostShown);
}

/** Reads back in time until enough events fit the filter, or for some pages. */
async function searchOlder(cluster: string, filter: EventFilter, from: string | undefined) {
  const found: OpsEvent[] = [];
  let nextTime = from;
  for (let page = 0; page < mostPages; page += 1) {
    const start = nextTime === undefined ? '' : `&timestamp=${nextTime}`;
    const events = await read<readonly OpsEvent[]>(`${pathOf(cluster, 'events')}?count=${pageSize}${start}`);
    found.push(...events.filter((event) => isWanted(filter, event)));
    const last = events.at(-1);
    if (last === undefined || events.length < pageSize) return { events: found, nextTime, isAtEnd: true };
    nextTime = String(BigInt(last.time) - 1n);
    if (found.length >= wantedAtATime) break;
  }
  return { events: found, nextTime, isAtEnd: false };
}

/** Calls back for each new event; the browser connects again by itself. */
function useLiveEvents(cluster: string, onEvent: (event: OpsEvent) => void): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const source = new EventSource(pathOf(cluster, 'events', 'stream'));
    source.addEventListener('message', ({ data }) => latest.current(JSON.parse(String(data))));
    return () => source.close();
  }, [cluster]);
}

function MoreWhenSeen({ onSeen }: { readonly onSeen: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onSeen();
    });
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element}>
      <Button onPress={onSeen}>Load older events</Button>
    </div>
  );
}
