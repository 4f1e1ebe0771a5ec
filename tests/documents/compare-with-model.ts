// Plays random scenarios on an engine and on the engine in memory, several at a time, with restarts in between; shrinks
// what differs.
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { makeKeyspace } from '../conformance/engine-steps.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import { Difference, ScenarioPlayer } from './play-scenario.js';
import { type Scenario, scenarioOf } from './random-commands.js';
import { parseObject } from './routes-of-scenario.js';

/** What was compared. */
export interface ModelRun {
  readonly commands: number;
  readonly documents: number;
}

/** So small that the segments of a few documents are merged, and that a read has several slices. */
const entrySizes = { filled: 40, copied: 15, deleted: 25, largestAtRest: 500, most: 10 } as const;
/** On a busy machine a read can take longer than its usual limit. */
const readTimeoutMs = 300_000;
const options = { entrySizes, slices: smallSlices, readTimeoutMs } as const;

const commandsPerScenario = 60;
const scenariosAtATime = 12;
/** Shrinking a difference takes at most so many plays. */
const mostTries = 400;

/** Opens the embedded engine on a new directory, and at each further call on the same one. */
function embeddedOpener(): () => Promise<Engine> {
  const dataDirectory = newDataDirectory();
  return () => openEmbedded(dataDirectory, options);
}

/** The engine that is compared: the embedded one, unless other members are given. */
export interface ComparedEngine {
  /** Opens it, and at each further call opens it again with its documents. */
  readonly openEngine?: () => Promise<Engine>;
  /** Whether equally similar documents come in the order of their ids: otherwise nothing is searched by vectors. */
  readonly hasOrderOfTies?: boolean;
}

/** Plays scenarios from a seed on until so many commands were sent. Rejects with a text that has the seed. */
export async function compareWithModel(
  fewest: number,
  firstSeed: number,
  { openEngine = embeddedOpener(), hasOrderOfTies = true }: ComparedEngine = {},
): Promise<ModelRun> {
  const open = async () => checkedEngine(await openEngine());
  const model = checkedEngine(openMemoryEngine());
  await makeKeyspace(model, 'default_keyspace');
  let engine = await open();
  await makeKeyspace(engine, 'default_keyspace');
  let [commands, documents] = [0, 0];
  try {
    for (let seed = firstSeed; commands < fewest; seed += scenariosAtATime) {
      const scenarios = Array.from({ length: scenariosAtATime }, (_, at) =>
        scenarioOf(seed + at, commandsPerScenario),
      ).filter(({ hasVector }) => hasOrderOfTies || !hasVector);
      const players = scenarios.map(
        (scenario) => new ScenarioPlayer(scenario, `c${scenario.seed}`, engine, model),
      );
      await Promise.all(players.map((player) => player.create()));
      const playAll = async (count: number) => {
        const played = players.map((player, at) =>
          playOrExplain(
            player,
            count,
            scenarios[at],
            (scenarioName, shrunk) => new ScenarioPlayer(shrunk, scenarioName, engine, model),
          ),
        );
        const differences = (await Promise.all(played)).filter((text) => text !== undefined);
        if (differences.length > 0) throw new Error(differences.join('\n\n'));
      };
      await playAll(commandsPerScenario / 2);
      await engine.close();
      engine = await open();
      for (const player of players) player.moveTo(engine);
      await playAll(commandsPerScenario);
      await Promise.all(players.map((player) => player.remove()));
      for (const { sent, found } of players) {
        commands += sent;
        documents += found;
      }
    }
  } finally {
    await Promise.all([engine.close(), model.close()]);
  }
  return { commands, documents };
}

type MakePlayer = (name: string, scenario: Scenario) => ScenarioPlayer;

/** The least commands that show a difference; undefined if there is none. */
async function playOrExplain(
  player: ScenarioPlayer,
  count: number,
  scenario: Scenario | undefined,
  makePlayer: MakePlayer,
): Promise<string | undefined> {
  try {
    await player.play(count);
    await player.compareDocuments();
    return undefined;
  } catch (error) {
    if (scenario === undefined || !(error instanceof Difference)) throw error;
    return shrunkText(scenario, error, makePlayer);
  }
}

/** Leaves out one command after another, as long as there is still a difference. */
async function shrunkText(scenario: Scenario, found: Difference, makePlayer: MakePlayer): Promise<string> {
  let tries = 0;
  const differenceOf = async (commands: readonly string[]): Promise<string | undefined> => {
    tries += 1;
    const player = makePlayer(`s${scenario.seed}_${tries}`, { ...scenario, commands });
    await player.create();
    try {
      await player.play(commands.length);
      await player.compareDocuments();
      return undefined;
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      return error.message;
    } finally {
      await player.remove();
    }
  };
  let least = scenario.commands;
  let text = found.message;
  const tryWith = async (commands: readonly string[]): Promise<boolean> => {
    const difference = tries < mostTries ? await differenceOf(commands) : undefined;
    if (difference === undefined) return false;
    [least, text] = [commands, difference];
    return true;
  };
  for (let at = least.length - 1; at >= 0; at -= 1) {
    if (await tryWith(least.toSpliced(at, 1))) continue;
    for (;;) {
      const fewer = fewerDocuments(least[at] ?? '');
      let isLess = false;
      for (const each of fewer) isLess ||= await tryWith(least.with(at, each));
      if (!isLess) break;
    }
  }
  const settings = JSON.stringify({ ...scenario, commands: undefined });
  return [`The engine differs from the model: ${settings}`, ...least, '', text].join('\n');
}

/** The insertMany without each of its documents; none for other commands. */
function fewerDocuments(body: string): readonly string[] {
  const insert = parseObject(body).get('insertMany') ?? null;
  if (insert === null || !isJsonObject(insert)) return [];
  const documents = insert.get('documents') ?? null;
  if (!isJsonArray(documents) || documents.length < 2) return [];
  return documents.map((_, at) => {
    const fewer = new Map<string, JsonValue>([...insert, ['documents', documents.toSpliced(at, 1)] as const]);
    return stringifyJson(new Map([['insertMany', fewer]]));
  });
}
