// The streams of events and alerts.
import * as v from 'valibot';
import { type AlertEvent, isAlertEvent, type RecentChanges } from '../alerts/recent-changes.js';
import { badRequest } from '../errors/validation.js';
import type { Event } from '../events/event.js';
import type { EventLog } from '../events/event-log.js';
import type { OpenStream, StreamMessage } from './event-streams.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

const replayCount = 100;

const lastEventId = /^\d{1,16}$/;
const streamHeaders = v.object({ 'Last-Event-ID': v.optional(v.pipe(v.string(), v.regex(lastEventId))) });

export function streamRoutes(parts: OpsParts): readonly Route[] {
  const { events, streams } = parts;
  return [
    {
      method: 'GET',
      path: '/{cluster_id}/events/stream',
      summary:
        'Events as they happen, as Server-Sent Events; Last-Event-ID continues after the event of that time.',
      access: 'viewer',
      headers: streamHeaders,
      contentType: 'text/event-stream',
      reply: v.string(),
      answer: ({ params, session, header }) => {
        const clusterId = params['cluster_id'] ?? '';
        const lastUs = readLastId(header('last-event-id'));
        return streams.reply(session, (stream) => follow(stream, eventSource(clusterId, events), lastUs));
      },
    },
    {
      method: 'GET',
      path: '/{cluster_id}/alerts/stream',
      summary:
        'All alerts that fire, as the event snapshot, and then their changes, as Server-Sent Events; ' +
        'Last-Event-ID adds those that were missed.',
      access: 'viewer',
      headers: streamHeaders,
      contentType: 'text/event-stream',
      reply: v.string(),
      answer: ({ params, session, header }) => {
        const lastUs = readLastId(header('last-event-id'));
        const clusterId = params['cluster_id'] ?? '';
        return streams.reply(session, (stream) => feedAlerts(stream, clusterId, parts, lastUs));
      },
    },
  ];
}

function readLastId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (lastEventId.test(text)) return Number(text);
  throw badRequest([{ path: 'Last-Event-ID', message: 'must be the id of a message of this stream' }]);
}

/** The source of a stream's messages. */
interface Source {
  /** Up to `count` messages after a message, oldest first. */
  after(id: number, count: number): readonly StreamMessage[];
  /** Calls the listener with every message from now on; the result ends the subscription. */
  subscribe(listener: (message: StreamMessage) => void): () => void;
}

/** Sends missed messages as fast as the client reads them, then new ones as they happen. */
function follow(stream: OpenStream, { after, subscribe }: Source, lastId: number | undefined): void {
  let isLive = lastId === undefined;
  let reachedId = lastId ?? 0;
  const replay = () => {
    while (!isLive && !stream.isBehind) {
      const page = after(reachedId, replayCount);
      for (const message of page) {
        if (stream.isBehind) return;
        stream.send(message);
        reachedId = Number(message.id);
      }
      isLive = page.length < replayCount;
    }
  };
  const leave = subscribe((message) => {
    if (isLive) stream.send(message);
  });
  stream.onClose(leave);
  stream.onDrain(replay);
  replay();
}

function eventSource(clusterId: string, events: EventLog): Source {
  const toMessage = (event: Event) => ({ id: event.time, data: JSON.stringify(event) });
  return {
    after: (id, count) => events.read(clusterId, { fromUs: id + 1, count, order: 'forward' }).map(toMessage),
    subscribe: (listener) =>
      events.subscribe((appended) => {
        if (appended.clusterId === clusterId) listener(toMessage(appended.event));
      }),
  };
}

function changeSource(clusterId: string, events: EventLog, recentChanges: RecentChanges): Source {
  const toMessage = ({ event, change: { kind, alert, reason } }: AlertEvent) => ({
    id: event.time,
    event: kind,
    data: JSON.stringify({ alert, reason }),
  });
  return {
    after: (id, count) => recentChanges.after(clusterId, id, count).map(toMessage),
    subscribe: (listener) =>
      events.subscribe((appended) => {
        if (appended.clusterId === clusterId && isAlertEvent(appended)) listener(toMessage(appended));
      }),
  };
}

/**
 * Sends the firing alerts, then the missed changes, then new ones. Applying the changes to the snapshot gives the
 * present alerts again; changes that are no longer stored are covered by the snapshot.
 */
function feedAlerts(
  stream: OpenStream,
  clusterId: string,
  { events, alerts, recentChanges }: OpsParts,
  lastUs: number | undefined,
): void {
  const hasMissed = lastUs !== undefined && recentChanges.after(clusterId, lastUs, 1).length > 0;
  const [newest] = events.read(clusterId, { count: 1, order: 'backward' });
  // A client that loses the connection before it has received the changes requests them again.
  const id = hasMissed ? String(lastUs) : (newest?.time ?? '0');
  stream.send({ id, event: 'snapshot', data: JSON.stringify(alerts.list(clusterId)) });
  follow(stream, changeSource(clusterId, events, recentChanges), hasMissed ? lastUs : undefined);
}
