// An engine that is closed and opened again before reads behind writes: what it shows was durable.
import type { DocumentWrites, Engine } from '../../src/data-service/engine/engine.js';

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
  let turn: Promise<unknown> = Promise.resolve();
  /** Begins a call behind the beginnings of those before it, so that none meets an engine that is being closed. */
  const called = async <Result>(prepare: () => Promise<void>, run: (engine: Engine) => Promise<Result>) => {
    const begun = turn.then(async () => {
      await prepare();
      return { outcome: run(engine) };
    });
    turn = begun.catch(() => undefined); // this call reports it
    const { outcome } = await begun;
    return outcome;
  };
  const reading = <Result>(run: (engine: Engine) => Promise<Result>) => called(reopen, run);
  const noteWrite = async () => {
    hasWritten = true;
  };
  const writing = <Result>(run: (engine: Engine) => Promise<Result>) => called(noteWrite, run);
  const { documents } = engine;
  const writingDocuments = <Result>(run: (documents: DocumentWrites) => Promise<Result>) =>
    writing(({ documents: present }) => {
      if (present === undefined) throw new TypeError('the engine has no collections');
      return run(present);
    });
  return {
    name: engine.name,
    ...(documents && {
      documents: {
        insert: (plan) => writingDocuments((present) => present.insert(plan)),
        change: (plan) => writingDocuments((present) => present.change(plan)),
        deleteAll: (collection) => writingDocuments((present) => present.deleteAll(collection)),
      },
    }),
    readSchema: (afterChanges) => reading(async (present) => present.readSchema(afterChanges)),
    readRows: (plan) => reading(async (present) => present.readRows(plan)),
    changeSchema: (change) => writing((present) => present.changeSchema(change)),
    insertRows: (plan) => writing((present) => present.insertRows(plan)),
    changeRow: (plan) => writing((present) => present.changeRow(plan)),
    deleteRows: (plan) => writing((present) => present.deleteRows(plan)),
    close: async () => {
      await turn;
      isClosed = true;
      return engine.close();
    },
  };
}
