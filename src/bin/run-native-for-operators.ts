// Native queries of operators, with refusals as errors of the operations service.
import type { Engine } from '../data-service/engine/engine.js';
import { EngineError } from '../data-service/engine/engine-error.js';
import { NativeQueryRefused } from '../data-service/engine/native-result.js';
import { NoRoomForLargeRequest } from '../data-service/http/large-requests.js';
import { runNativeQuery } from '../data-service/native-query/run-native-query.js';
import { type DataServiceCalls, packNativeReply } from '../ops-service/clusters/data-service-link.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import type { LargeRequestLane } from './large-request-lane.js';

/** Runs native queries on the engine that this process serves, and those with large rows on their own thread. */
export function runNativeForOperators(
  engine: Engine,
  largeRequests: Pick<LargeRequestLane, 'runNative'>,
): DataServiceCalls['runNative'] {
  const run: DataServiceCalls['runNative'] = async (query) => {
    try {
      return packNativeReply(await runNativeQuery(engine, query));
    } catch (error) {
      // Only reads are large: nothing was done.
      if (error instanceof EngineError && error.kind === 'large') return largeRequests.runNative(query);
      throw error;
    }
  };
  return (query) => run(query).catch((error) => Promise.reject(refusalOf(error)));
}

/** The error for the operator; any other is a fault and stays as it is. */
function refusalOf(error: unknown): unknown {
  if (error instanceof NativeQueryRefused) return new OpsError('BadRequest', error.message, { cause: error });
  if (error instanceof EngineError && error.kind === 'tooLarge')
    return new OpsError('BadRequest', error.message);
  if (error instanceof EngineError || error instanceof NoRoomForLargeRequest)
    return new OpsError('Unavailable', error.message, { cause: error });
  return error;
}
