// Is loaded into a server by `node --import`: its clock of the day differs from that of the machine by as many
// milliseconds as the file SHIFT_CLOCK_BY has, which is read again and again. The clock that never decreases stays.
import { readFileSync } from 'node:fs';

const path = process.env['SHIFT_CLOCK_BY'];
const readEveryMs = 20;

if (path !== undefined) {
  const RealDate = Date;
  let shiftMs = Number(readFileSync(path, 'utf8'));
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget),
    get: (target, name) => (name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name)),
  });
  const timer = setInterval(() => {
    // A file that is just being written is empty.
    const text = readFileSync(path, 'utf8');
    if (text !== '') shiftMs = Number(text);
  }, readEveryMs);
  timer.unref();
}
