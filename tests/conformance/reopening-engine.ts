// An engine that is closed and opened again before reads behind writes: what it shows was durable.
import type { Engine } from '../../src/data-service/engine/engine.js';

/** Opening takes far longer than what the suite does between: every tenth time, of all tests together. */
const turnsPerOpening = 10;
let turns = 0;

/** Wraps engines over one storage, which `open` opens. Calls while it is being opened wait for that. */
export async function reopeningEngine(open: () => Promise<Engine>): Promise<Engine> {
  let engine = await open();
  let hasWritten = false;
  let isClosed = false;
  const reopen = async () => {
    if (!hasWritten || isClosed) return;
    hasWritten = false; // before anything is waited for: of reads side by side the first one decides for all
    turns += 1;
    if (turns % turnsPerOpening !== 1) return;
    await engine.close();
    engine = await open();
  };
  let opening = Promise.resolve();
  const reading = async () => {
    opening = opening.then(reopen);
    await opening;
    return engine;
  };
  const writing = async () => {
    await opening;
    hasWritten = true;
    return engine;
  };
  const { documents, hasTextIndexes } = engine;
  const documentWrites = async () => {
    const { documents: present } = await writing();
    if (present === undefined) throw new TypeError('the engine has no collections');
    return present;
  };
  return {
    name: engine.name,
    ...(hasTextIndexes === undefined ? {} : { hasTextIndexes }),
    ...(documents && {
      documents: {
        insert: async (plan) => (await documentWrites()).insert(plan),
        change: async (plan) => (await documentWrites()).change(plan),
        deleteAll: async (collection) => (await documentWrites()).deleteAll(collection),
      },
    }),
    readSchema: async (afterChanges) => (await reading()).readSchema(afterChanges),
    readRows: async (plan) => (await reading()).readRows(plan),
    changeSchema: async (change) => (await writing()).changeSchema(change),
    insertRows: async (plan) => (await writing()).insertRows(plan),
    changeRow: async (plan) => (await writing()).changeRow(plan),
    deleteRows: async (plan) => (await writing()).deleteRows(plan),
    close: async () => {
      await opening;
      isClosed = true;
      return engine.close();
    },
  };
}
