// Reports when the storage refuses writes, and when writes succeed again.
import type { Engine } from '../data-service/engine/engine.js';
import { EngineError } from '../data-service/engine/engine-error.js';
import type { OpenEngine } from './open-engine.js';

/**
 * The same engine and its host, both of which write. `onProblem` is called with a text for a write that the storage
 * refused, and with undefined for the next write that succeeds.
 */
export function watchWrites(
  { engine, host }: OpenEngine,
  onProblem: (problem: string | undefined) => void,
): OpenEngine {
  let known: string | undefined;
  const note = (problem: string | undefined) => {
    if (problem === known) return;
    known = problem;
    onProblem(problem);
  };
  const took = () => note(undefined);
  const failed = (error: unknown) => {
    if (error instanceof EngineError && error.kind === 'writeFailed')
      note(`the data file cannot be written: ${error.message}`);
  };
  const watched = <Result>(result: Promise<Result>, ended: (result: Result) => void): Promise<Result> => {
    result.then(ended, failed);
    return result;
  };
  const watchedEngine: Engine = {
    ...engine,
    insertRows: (plan) =>
      watched(engine.insertRows(plan), ({ rows }) => {
        if (rows.includes(null)) took();
        else for (const error of rows) failed(error);
      }),
    changeRow: (plan) => watched(engine.changeRow(plan), took),
    deleteRows: (plan) => watched(engine.deleteRows(plan), took),
    changeSchema: (change) => watched(engine.changeSchema(change), took),
  };
  return { engine: watchedEngine, host: { ...host, write: (write) => watched(host.write(write), took) } };
}
