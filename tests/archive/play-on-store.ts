// Plays rounds with an archive in an object store, behind a proxy that fails.
import { openFaultyProxy } from './faulty-proxy.js';
import { playRounds, type RoundsOptions, type RoundsResult } from './play-rounds.js';
import { startS3Gateway } from './s3-gateway.js';

/** `program`: that of the store. */
export async function playOnStore(
  program: string,
  options: Omit<RoundsOptions, 'place' | 'proxy'>,
): Promise<RoundsResult> {
  const gateway = await startS3Gateway(program);
  const proxy = await openFaultyProxy(gateway.url, options.random);
  const { bucket, region, accessKey, secretKey } = gateway;
  const args = [
    ...['--archive-endpoint', proxy.url, '--archive-region', region],
    ...['--archive-access-key', accessKey, '--archive-secret-key', secretKey],
  ];
  try {
    return await playRounds({ ...options, place: { archive: `s3://${bucket}/rounds`, args }, proxy });
  } finally {
    await proxy.close();
    await gateway.stop();
  }
}
