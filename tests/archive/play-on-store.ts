// Plays rounds with an archive in an object store, behind proxies that fail.
import type { SeededRandom } from '../seeded-random.js';
import type { ArchivePlace } from './archived-server.js';
import { type FaultyProxy, openFaultyProxy } from './faulty-proxy.js';
import { type PartitionsOptions, type PartitionsResult, playPartitions } from './play-partitions.js';
import { playRounds, type RoundsOptions, type RoundsResult } from './play-rounds.js';
import { startS3Gateway } from './s3-gateway.js';

/** One way to a store. */
interface ProxiedPlace {
  readonly place: ArchivePlace;
  readonly proxy: FaultyProxy;
}

type OfServers = Pick<ArchivePlace, 'serverArgs'>;

/** `program`: that of the store. */
export function playOnStore(
  program: string,
  { serverArgs = [], ...options }: Omit<RoundsOptions, 'place' | 'proxy'> & OfServers,
): Promise<RoundsResult> {
  return withStore(program, options.random, serverArgs, ([way]) => playRounds({ ...options, ...way }));
}

/** Each of the two servers has its own way to the store. */
export function playPartitionsOnStore(
  program: string,
  { serverArgs = [], ...options }: Omit<PartitionsOptions, 'machines'> & OfServers,
): Promise<PartitionsResult> {
  return withStore(program, options.random, serverArgs, (machines) =>
    playPartitions({ ...options, machines }),
  );
}

async function withStore<Result>(
  program: string,
  random: SeededRandom,
  serverArgs: readonly string[],
  play: (ways: readonly [ProxiedPlace, ProxiedPlace]) => Promise<Result>,
): Promise<Result> {
  const gateway = await startS3Gateway(program);
  const proxies = [
    await openFaultyProxy(gateway.url, random),
    await openFaultyProxy(gateway.url, random),
  ] as const;
  const { bucket, region, accessKey, secretKey } = gateway;
  const wayThrough = (proxy: FaultyProxy): ProxiedPlace => {
    const args = [
      ...['--archive-endpoint', proxy.url, '--archive-region', region],
      ...['--archive-access-key', accessKey, '--archive-secret-key', secretKey],
    ];
    return { place: { archive: `s3://${bucket}/rounds`, args, serverArgs }, proxy };
  };
  try {
    return await play([wayThrough(proxies[0]), wayThrough(proxies[1])]);
  } finally {
    for (const proxy of proxies) await proxy.close();
    await gateway.stop();
  }
}
