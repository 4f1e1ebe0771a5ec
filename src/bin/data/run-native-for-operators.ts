// Native queries of operators, with refusals as errors of the operations service.
import type { Engine } from '../../data-service/engine/engine.js';
import { EngineError } from '../../data-service/engine/engine-error.js';
import { NativeQueryRefused } from '../../data-service/engine/native-result.js';
import { NoRoomForLargeRequest } from '../../data-service/http/large-requests.js';
import { runNativeQuery } from '../../data-service/native-query/run-native-query.js';
import { type DataServiceCalls, packNativeReply } from '../../ops-service/clusters/data-service-link.js';
import { OpsError } from '../../ops-service/errors/ops-error.js';
import type { LargeRequestThreadClient } from '../large-requests/large-request-thread-client.js';

/** Runs native queries on the engine of this process; queries with large rows run on the thread for large requests. */
export function runNativeForOperators(
  engine: Engine,
  largeRequests: Pick<LargeRequestThreadClient, 'runNative'>,
): DataServiceCalls['runNative'] {
  const run: DataServiceCalls['runNative'] = async (query, signal) => {
    try {
      return packNativeReply(await runNativeQuery(engine, query));
    } catch (error) {
      // Only reads are large, so nothing was changed.
      if (error instanceof EngineError && error.kind === 'large')
        return largeRequests.runNative(query, signal);
      throw error;
    }
  };
  return (query, signal) => run(query, signal).catch((error) => Promise.reject(refusalOf(error)));
}

/** The error for the operator; an unexpected error is returned unchanged. */
function refusalOf(error: unknown): unknown {
  if (error instanceof NativeQueryRefused) return new OpsError('BadRequest', error.message, { cause: error });
  if (error instanceof EngineError && error.kind === 'tooLarge')
    return new OpsError('BadRequest', error.message);
  if (error instanceof EngineError && error.kind === 'notPermitted')
    return new OpsError('Forbidden', error.message);
  if (error instanceof EngineError && error.kind === 'writeTimeout') {
    const problem = `${error.message}; it is not known whether the statement took effect`;
    return new OpsError('Unavailable', problem, { cause: error });
  }
  if (error instanceof EngineError || error instanceof NoRoomForLargeRequest)
    return new OpsError('Unavailable', error.message, { cause: error });
  return error;
}
