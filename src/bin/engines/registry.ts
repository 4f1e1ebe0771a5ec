// The engines of the server: the only list of them that opens one.
import { cassandraModule } from '../../data-service/engine/cassandra/cassandra-module.js';
import { embeddedModule } from '../../data-service/engine/embedded/embedded-module.js';
import type { EngineModule } from '../../data-service/engine/engine-module.js';
import type { EngineName } from '../../foundation/config/engines/registry.js';

/** By the value of `--engine`. */
export const engineModules: Readonly<Record<EngineName, EngineModule>> = {
  embedded: embeddedModule,
  cassandra: cassandraModule,
};
