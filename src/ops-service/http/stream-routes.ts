// The streams of events and alerts.
import * as v from 'valibot';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import { badRequest } from '../errors/validation.js';
import type { EventLog } from '../events/event-log.js';
import type { EventStreams, OpenStream } from './event-streams.js';
import type { Route } from './route.js';

/** What the streams show. */
export interface StreamParts {
  readonly events: EventLog;
  readonly alerts: FiredAlerts;
  readonly streams: EventStreams;
}

const replayCount = 100;

/** The routes of the streams. */
export function streamRoutes({ events, alerts, streams }: StreamParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/{cluster_id}/events/stream',
      summary:
        'Events as they happen, as Server-Sent Events; Last-Event-ID goes on behind the event of that time.',
      access: 'viewer',
      reply: v.string(),
      answer: ({ params, session, header }) => {
        const clusterId = params['cluster_id'] ?? '';
        const lastUs = readLastId(header('last-event-id'));
        return streams.reply(session, (stream) => feedEvents(stream, clusterId, events, lastUs));
      },
    },
    {
      method: 'GET',
      path: '/{cluster_id}/alerts/stream',
      summary: 'All alerts that fire, as the event snapshot, and then their changes, as Server-Sent Events.',
      access: 'viewer',
      reply: v.string(),
      answer: ({ params, session, header }) => {
        readLastId(header('last-event-id'));
        const clusterId = params['cluster_id'] ?? '';
        return streams.reply(session, (stream) => feedAlerts(stream, clusterId, events, alerts));
      },
    },
  ];
}

function readLastId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw badRequest([{ path: 'Last-Event-ID', message: 'must be the id of a message of this stream' }]);
}

/** What was missed is read from the log as fast as the reader takes it; from then on events come as they happen. */
function feedEvents(
  stream: OpenStream,
  clusterId: string,
  events: EventLog,
  lastUs: number | undefined,
): void {
  let isLive = lastUs === undefined;
  let nextUs = (lastUs ?? 0) + 1;
  const replay = () => {
    while (!isLive && !stream.isBehind) {
      const page = events.read(clusterId, { fromUs: nextUs, count: replayCount, order: 'forward' });
      for (const event of page) {
        stream.send({ id: event.time, data: JSON.stringify(event) });
        nextUs = Number(event.time) + 1;
      }
      isLive = page.length < replayCount;
    }
  };
  const leave = events.subscribe((eventClusterId, event) => {
    if (isLive && eventClusterId === clusterId) stream.send({ id: event.time, data: JSON.stringify(event) });
  });
  stream.onClose(leave);
  stream.onDrain(replay);
  replay();
}

/** The snapshot makes up for all that was missed. */
function feedAlerts(stream: OpenStream, clusterId: string, events: EventLog, alerts: FiredAlerts): void {
  const [newest] = events.read(clusterId, { count: 1, order: 'backward' });
  const data = JSON.stringify(alerts.list(clusterId));
  stream.send({ id: newest?.time ?? '0', event: 'snapshot', data });
  const leave = alerts.subscribe((change) => {
    if (change.clusterId !== clusterId) return;
    const { kind, alert, reason } = change;
    stream.send({ id: change.event.time, event: kind, data: JSON.stringify({ alert, reason }) });
  });
  stream.onClose(leave);
}
