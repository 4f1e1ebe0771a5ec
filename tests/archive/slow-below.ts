// Is loaded into a process under test. Each object that is written below the directory SLOW_BELOW takes the time that a
// line of SLOW_RATE bytes in a second needs for it.
import { statSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const below = `${process.env['SLOW_BELOW'] ?? ''}/generations/`;
const bytesInSecond = Number(process.env['SLOW_RATE']);
const { link } = promises;

promises.link = async (from, to) => {
  if (String(to).startsWith(below)) await sleep((statSync(from).size / bytesInSecond) * 1000);
  return link(from, to);
};
syncBuiltinESMExports();
