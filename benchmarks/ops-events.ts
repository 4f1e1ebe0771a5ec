// Ten events by timestamp out of ten million, against ten out of ten thousand.
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { openDatabase } from '../src/foundation/sqlite/open-database.js';
import { startServer } from './child-process.js';
import { type Figure, median } from './figures.js';
import { type OpsMeasurement, serverEntry } from './ops-measurement.js';

const smallCount = 10_000;
const largeCount = 10_000_000;
const readsPerRound = 500;
const rounds = 9;
/** Between two events; ten million of them are younger than the 90 days after which events go. */
const spacingUs = 100_000;
const goldenRatio = 0.618_033_988_749_895;
const fillPerTransaction = 500_000;

interface EventServer {
  readonly opsPort: number;
  readonly newestUs: number;
  readonly count: number;
  stop(): Promise<void>;
}

/** The median time of a request over HTTP, in both logs by turns. */
export const measureEvents: OpsMeasurement = async ({ directory, scale }) => {
  const small = await startWithEvents(join(directory, 'small'), smallCount);
  const large = await startWithEvents(join(directory, 'large'), Math.max(smallCount, largeCount * scale));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.small.push(await timeOfReads(small, agent, round));
      times.large.push(await timeOfReads(large, agent, round));
    }
    const figure: Figure = {
      name: `10 events by timestamp out of ${large.count.toLocaleString('en')}, against out of ${smallCount.toLocaleString('en')}`,
      value: median(times.large),
      reference: median(times.small),
      unit: 'ms',
      target: { kind: 'atMost', limit: 2 },
    };
    return [figure];
  } finally {
    agent.destroy();
    await small.stop();
    await large.stop();
  }
};

/** A server is started once for its tables, and again behind them being filled. */
async function startWithEvents(dataDir: string, count: number): Promise<EventServer> {
  const start = () =>
    startServer(serverEntry, [
      'serve',
      '--port=0',
      '--ops-port=0',
      '--log-level=warn',
      `--data-dir=${dataDir}`,
    ]);
  await (await start()).stop();
  const newestUs = Date.now() * 1000;
  const database = openDatabase({ path: join(dataDir, 'ops', 'ops.db') });
  for (let done = 0; done < count; done += fillPerTransaction) {
    const until = Math.min(count, done + fillPerTransaction);
    database.transaction(() => {
      database
        .statement(
          `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
           INSERT INTO events SELECT 'local', ?3 - (?4 - 1 - i) * ?5, 3, 1, 'flush of ks.table_' || (i % 100) || ' ended',
             'system', '127.0.0.1', '127.0.0.1', NULL, 1 FROM n`,
        )
        .run([done, until, newestUs - 60_000_000, count, spacingUs]);
      database.statement('UPDATE event_counts SET count = count + ?').run([until - done]);
    });
  }
  database.close();
  const server = await start();
  return { opsPort: server.opsPort(), newestUs: newestUs - 60_000_000, count, stop: () => server.stop() };
}

/** Milliseconds of one read, on average of a round; the same places of both logs, relative to their length. */
async function timeOfReads(
  { opsPort, newestUs, count }: EventServer,
  agent: Agent,
  round: number,
): Promise<number> {
  let place = round / rounds;
  const read = async () => {
    place = (place + goldenRatio) % 1; // all over the log, and no two alike
    const timestamp = newestUs - Math.floor(place * (count - 20)) * spacingUs;
    const text = await get(opsPort, `/local/events?timestamp=${timestamp}`, agent);
    const events: readonly { readonly time: string }[] = JSON.parse(text);
    if (events.length !== 10 || events[0]?.time !== String(timestamp))
      throw new Error(`wrong reply: ${text}`);
  };
  for (let warm = 0; warm < 50; warm += 1) await read();
  const startMs = performance.now();
  for (let done = 0; done < readsPerRound; done += 1) await read();
  return (performance.now() - startMs) / readsPerRound;
}

function get(port: number, path: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end();
  });
}
