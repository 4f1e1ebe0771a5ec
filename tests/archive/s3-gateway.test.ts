// Archives in an object store of another project, if S3_GATEWAY has the path of its program.
import { after, describe } from 'node:test';
import { S3Store } from '../../src/archive/stores/s3-store.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { describeLongLists, describeStore } from './describe-store.js';
import { gatewayProgram, startS3Gateway, withoutGateway } from './s3-gateway.js';

const gateway = gatewayProgram === undefined ? undefined : await startS3Gateway(gatewayProgram);

describe('an archive in an object store of another project', { skip: withoutGateway }, () => {
  if (gateway === undefined) return;
  after(() => gateway.stop());
  const { url: endpoint, ...keys } = gateway;
  const open = () =>
    new S3Store({ endpoint, prefix: 'some/prefix', ...keys }, { send: sendRequest, clock: systemClock });
  describeStore(open);
  describeLongLists(open);
});
