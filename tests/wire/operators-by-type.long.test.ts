// Every operator on the types that the short run leaves out.
import { describeOperators, typesOfLongRun } from './describe-operators.js';
import { useWireServer } from './wire-server.js';

const server = useWireServer();

for (const type of typesOfLongRun) describeOperators(type, server);
