// A process of attackers: every connection of its attacks runs until the time is up, then it reports the results.
import { setPriority } from 'node:os';
import { type Attack, judge, nameOutcome } from './overload-attack.js';
import { attackNamed } from './overload-attacks.js';
import type { Outcome } from './overload-client.js';
import type { AttackerPlan, AttackerReport, AttackTally } from './overload-messages.js';
import { AttackTime, type Notes, Place } from './overload-place.js';

/** After a refusal: a client that comes back at once measures how fast refusals are made. */
const restMs = 100;
const shownWrong = 3;
/** These processes stand for other machines: they take the processors that the server and its observer leave. */
const priority = 10;

// The plan is our own, written by the driver.
const plan = JSON.parse(process.argv[2] ?? '') as AttackerPlan;
const notes: Notes = { written: {}, pushed: {} };
const time = new AttackTime();

setPriority(priority);
process.on('disconnect', () => process.exit());
setTimeout(() => time.end(), plan.seconds * 1000);

const tallies = plan.attacks.map(({ name, connections }) => newTally(name, connections));
const running = tallies.flatMap((tally) => {
  const attack = attackNamed(tally.name);
  return Array.from({ length: tally.connections }, (_, connection) => runOne(attack, connection, tally));
});
await Promise.all(running);
const report: AttackerReport = { tallies, ...notes };
process.send?.(report);

function newTally(name: string, connections: number): AttackTally {
  return { name, connections, verdicts: { done: 0, refused: 0, cut: 0, wrong: 0 }, outcomes: {}, wrong: [] };
}

async function runOne(attack: Attack, connection: number, tally: AttackTally): Promise<void> {
  const place = new Place(plan, connection, time, notes);
  const takeTurn = attack.begin(place);
  while (!time.isOver) {
    for (const outcome of await takeTurn().catch(toOutcome)) {
      const verdict = judge(attack, outcome);
      const name = nameOutcome(outcome);
      tally.verdicts[verdict] += 1;
      tally.outcomes[name] = (tally.outcomes[name] ?? 0) + 1;
      if (verdict === 'wrong' && tally.wrong.length < shownWrong) tally.wrong.push(JSON.stringify(outcome));
      if (verdict !== 'done') await time.wait(restMs);
    }
  }
}

/** The outcome of an attack that cannot even connect. */
function toOutcome(error: unknown): readonly Outcome[] {
  return [{ kind: 'cut', reason: error instanceof Error ? error.message : String(error) }];
}
