// The Events screen: the event log of a cluster, live at the top, and back in time at the bottom.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpsEvent, OpsNode } from '../../src/descriptions/operations-replies.js';
import { pathOf, read, useResource } from '../net/ops-api.js';
import type { RequestFailure } from '../net/send-request.js';
import { needsSignIn, signInCount } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { SelectField } from '../parts/field.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { changeQuery, place } from '../state/url-state.js';
import { ClusterPage } from './cluster-page.js';
import {
  addWaiting,
  canLoad,
  mostShown,
  noEvents,
  type OlderEvents,
  withNew,
  withNewest,
  withOlder,
} from './event-list.js';
import { EventTable } from './event-table.js';
import { kinds } from './kinds.js';

const pageSize = 200;

export function EventsScreen() {
  return <ClusterPage title="Events" content={Events} />;
}

function Events({ cluster }: { readonly cluster: string }) {
  const { query } = place.value;
  const { levels, events } = kinds();
  const filter = { level: query['level'] ?? '', action: query['action'] ?? '', node: query['node'] ?? '' };
  return (
    <>
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
            ...events.map(({ code, label }) => ({ value: String(code), label })),
          ]}
          onChange={(action) => changeQuery({ action })}
        />
        <NodeField cluster={cluster} node={filter.node} />
      </div>
      <EventList key={JSON.stringify([cluster, filter])} cluster={cluster} filter={filter} />
    </>
  );
}

function NodeField({ cluster, node }: { readonly cluster: string; readonly node: string }) {
  const { value } = useResource<readonly OpsNode[]>(pathOf(cluster, 'nodes'));
  // A node of a link may have left the cluster; its events are still there.
  const addresses = new Set([...(value ?? []).map(({ node_ip: ip }) => ip), ...(node === '' ? [] : [node])]);
  return (
    <SelectField
      label="Node"
      value={node}
      choices={[{ value: '', label: 'All nodes' }, ...addresses]}
      onChange={(address) => changeQuery({ node: address })}
    />
  );
}

interface EventFilter {
  readonly level: string;
  readonly action: string;
  readonly node: string;
}

/** Whether a new event fits: of the stored ones the server sends those that do. */
function isWanted({ level, action, node }: EventFilter, event: OpsEvent): boolean {
  // A link can name a level that does not exist. No event has it.
  const least = level === '' ? 0 : kinds().levels.indexOf(level);
  if (least < 0 || event.level < least) return false;
  if (action !== '' && String(event.action) !== action) return false;
  return node === '' || event.source_node === node || event.target_node === node;
}

function EventList({ cluster, filter }: { readonly cluster: string; readonly filter: EventFilter }) {
  const [state, setState] = useState(noEvents);
  const latest = useRef(state);
  latest.current = state;
  const loadOlder = async () => {
    if (latest.current.isLoading || !canLoad(latest.current)) return;
    latest.current = { ...latest.current, isLoading: true };
    setState(latest.current);
    try {
      const older = await readPage(cluster, filter, latest.current.nextTime);
      setState((now) => withOlder(now, older));
    } catch (error) {
      setState((now) => ({ ...now, isLoading: false, failure: toFailure(error) }));
    }
  };
  useEffect(() => {
    void loadOlder();
  }, []);
  const missed = useLiveEvents(
    cluster,
    (event) => isWanted(filter, event),
    (events) => setState((now) => withNew(now, events)),
    async () => {
      const newest = await readPage(cluster, filter, undefined);
      setState((now) => withNewest(now, newest));
    },
  );
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
      {missed.failure !== undefined && failure === undefined && (
        <FailureNotice failure={missed.failure} onRetry={missed.read} />
      )}
      {events.length > 0 && <EventTable events={events} />}
      {failure !== undefined && <FailureNotice failure={failure} onRetry={() => void loadOlder()} />}
      {isLoading && <Loading label="Loading older events" />}
      {canLoad(state) && !isLoading && failure === undefined && nextTime !== undefined && (
        <MoreWhenSeen onSeen={() => void loadOlder()} />
      )}
      {!isAtEnd && events.length >= mostShown && (
        <p class="muted">
          The newest {mostShown.toLocaleString()} events are shown. A narrower filter reaches older ones.
        </p>
      )}
      {isAtEnd && <p class="muted">The log begins here.</p>}
    </>
  );
}

/** A page of the events that fit, which the server looks for: the newest ones, or those not after `from`. */
async function readPage(
  cluster: string,
  filter: EventFilter,
  from: string | undefined,
): Promise<OlderEvents> {
  const query = new URLSearchParams({ count: String(pageSize) });
  for (const [name, value] of Object.entries(filter)) if (value !== '') query.set(name, value);
  if (from !== undefined) query.set('timestamp', from);
  const events = await read<readonly OpsEvent[]>(`${pathOf(cluster, 'events')}?${query}`);
  const last = events.at(-1);
  const isAtEnd = last === undefined || events.length < pageSize;
  return { events, nextTime: last === undefined ? from : String(BigInt(last.time) - 1n), isAtEnd };
}

const reconnectMs = 5000;
/** After this time, new events are shown even if the browser has not drawn a picture. */
const longestWaitMs = 1000;

/**
 * Calls `onEvents` with the new events that `isShown` accepts, once for all of a picture. Calls `readMissed` after each
 * time that the stream was not open: at first, after a sign-in, and after the server was gone. The result is why the
 * last `readMissed` failed, and calls it again.
 */
function useLiveEvents(
  cluster: string,
  isShown: (event: OpsEvent) => boolean,
  onEvents: (events: readonly OpsEvent[]) => void,
  readMissed: () => Promise<void>,
): { readonly failure: RequestFailure | undefined; readonly read: () => void } {
  const latest = useRef({ isShown, onEvents, readMissed });
  latest.current = { isShown, onEvents, readMissed };
  const arrived = useArrived((events) => latest.current.onEvents(events));
  const [failure, setFailure] = useState<RequestFailure>();
  const read = () =>
    void latest.current.readMissed().then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(toFailure(error)),
    );
  const signIns = signInCount.value;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source = connect();
    return () => {
      clearTimeout(timer);
      source.close();
    };
    function connect(): EventSource {
      const opened = new EventSource(pathOf(cluster, 'events', 'stream'));
      opened.addEventListener('message', ({ data }) => {
        const event: OpsEvent = JSON.parse(String(data));
        if (latest.current.isShown(event)) arrived(event);
      });
      opened.addEventListener('open', read);
      opened.addEventListener('error', () => {
        if (opened.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
        // It was refused: without a session, or by too many streams. The reading shows why.
        read();
        timer = setTimeout(() => {
          if (needsSignIn.value === undefined) source = connect();
        }, reconnectMs);
      });
      return opened;
    }
  }, [cluster, signIns]);
  return { failure, read };
}

/** Takes events one by one, and calls back with all of them before the next picture, or soon in a hidden tab. */
function useArrived(onEvents: (events: readonly OpsEvent[]) => void): (event: OpsEvent) => void {
  const waiting = useRef<OpsEvent[]>([]);
  const latest = useRef(onEvents);
  latest.current = onEvents;
  return (event) => {
    addWaiting(waiting.current, event);
    if (waiting.current.length > 1) return;
    const pass = () => {
      clearTimeout(timer);
      cancelAnimationFrame(picture);
      const events = waiting.current;
      waiting.current = [];
      latest.current(events);
    };
    // A hidden tab draws no pictures, and a tab can be hidden before its next picture.
    const timer = setTimeout(pass, document.hidden ? 0 : longestWaitMs);
    const picture = requestAnimationFrame(pass);
  };
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
