// Native queries of operators, with refusals as errors of the operations service.
import type { Engine } from '../data-service/engine/engine.js';
import { EngineError } from '../data-service/engine/engine-error.js';
import { NativeQueryRefused } from '../data-service/engine/native-result.js';
import { runNativeQuery } from '../data-service/native-query/run-native-query.js';
import type { Cluster } from '../ops-service/clusters/cluster.js';
import { OpsError } from '../ops-service/errors/ops-error.js';

/** `Cluster.runNative` of the engine that this process serves. */
export function runNativeForOperators(engine: Engine): Cluster['runNative'] {
  return async (query) => {
    try {
      return await runNativeQuery(engine, query);
    } catch (error) {
      if (error instanceof NativeQueryRefused)
        throw new OpsError('BadRequest', error.message, { cause: error });
      if (error instanceof EngineError && error.kind === 'tooLarge')
        throw new OpsError('BadRequest', error.message);
      if (error instanceof EngineError) throw new OpsError('Unavailable', error.message, { cause: error });
      throw error;
    }
  };
}
