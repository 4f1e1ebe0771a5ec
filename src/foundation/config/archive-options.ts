// The options of archives.
import { optional, secret } from './option.js';
import { pageUrlKind, textKind } from './option-kinds.js';

/** By the names of their members in the config file and in `Config`, as in `options`. */
export const archiveOptions = {
  archiveEndpoint: optional({
    name: 'archive-endpoint',
    kind: pageUrlKind,
    help:
      'Address of the object store of an archive s3://BUCKET/PREFIX, such as https://s3.example.org. Without it, the ' +
      'store is that of Amazon in --archive-region.',
  }),
  archiveRegion: optional({
    name: 'archive-region',
    kind: textKind('REGION'),
    help: 'Region of that object store. Default: us-east-1, which stores with one region accept.',
  }),
  archiveAccessKey: secret({
    name: 'archive-access-key',
    help:
      'Access key of that object store. Other users of the machine can see the command line: prefer the environment ' +
      'or the config file.',
  }),
  archiveSecretKey: secret({
    name: 'archive-secret-key',
    help:
      'Secret key of that object store. Other users of the machine can see the command line: prefer the environment ' +
      'or the config file.',
  }),
};
