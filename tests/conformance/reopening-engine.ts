// An engine that is closed and opened again before reads behind writes: what it shows was durable.
import type { Engine } from '../../src/data-service/engine/engine.js';

/** Opening takes far longer than what the suite does between: every third such read meets it, of all tests together. */
const readsPerOpening = 3;
let reads = 0;

/** Wraps engines over one storage, which `open` opens. For callers that wait for each call before the next. */
export async function reopeningEngine(open: () => Promise<Engine>): Promise<Engine> {
  let engine = await open();
  let hasWritten = false;
  let isClosed = false;
  const reopened = async () => {
    if (hasWritten && !isClosed && reads++ % readsPerOpening === 0) {
      await engine.close();
      engine = await open();
      hasWritten = false;
    }
    return engine;
  };
  const writing = () => {
    hasWritten = true;
    return engine;
  };
  return {
    name: engine.name,
    capabilities: engine.capabilities,
    readSchema: async () => (await reopened()).readSchema(),
    readRows: async (plan) => (await reopened()).readRows(plan),
    changeSchema: (change) => writing().changeSchema(change),
    insertRows: (plan) => writing().insertRows(plan),
    changeRow: (plan) => writing().changeRow(plan),
    deleteRows: (plan) => writing().deleteRows(plan),
    runNative: (query, changeSchema) => writing().runNative(query, changeSchema),
    close: () => {
      isClosed = true;
      return engine.close();
    },
  };
}
