// The options of archives.
import { optional, required, secret } from './option.js';
import { choiceKind, integerKind, pageUrlKind, textKind } from './option-kinds.js';

/** By the names of their members in the config file and in `Config`, as in `options`. */
export const archiveOptions = {
  archive: optional({
    name: 'archive',
    kind: textKind('ARCHIVE'),
    help:
      'Where changes of --engine embedded are shipped, at least once a second while something is written: a ' +
      'directory, best of another disk or machine, or s3://BUCKET/PREFIX in an object store. From an archive, the ' +
      'data directory is made again as it was at any moment of the last days. docs/archives.md describes it.',
  }),
  follow: optional({
    name: 'follow',
    kind: textKind('ARCHIVE'),
    help:
      'Archive of another server, which this one follows: it makes its data directory from the archive, answers ' +
      'reads some seconds behind, and refuses writes, until colonnade promote makes it the first server. ' +
      'docs/second-server.md describes it.',
  }),
  archiveDays: required({
    name: 'archive-days',
    kind: integerKind('DAYS', 1, 3650),
    default: 7,
    help: 'For how many days the archive keeps what is needed to restore any moment. Older objects are removed.',
  }),
  archiveLogLimit: required({
    name: 'archive-log-limit',
    kind: integerKind('MEGABYTES', 64, 65_536),
    default: 1024,
    help:
      'How large the write-ahead log of each database may become while the archive cannot be written. At this size ' +
      'the server gives up the present generation of the archive, and begins another one when it can be written again.',
  }),
  archiveLease: required({
    name: 'archive-lease',
    kind: integerKind('SECONDS', 1, 3600),
    default: 15,
    help:
      'For how long the server may write to its archive without a renewal of its lease, which it renews three times ' +
      'in this time. Another server can take the archive over after 1.25 times as long without a renewal.',
  }),
  archiveTakeover: required({
    name: 'archive-takeover',
    kind: choiceKind(['no', 'yes']),
    default: 'no',
    help:
      'With yes, the server refuses writes while it cannot renew the lease of its archive, so that a second server ' +
      'can take over and never two of them accept writes. With no, it accepts writes while the archive cannot be reached.',
  }),
  archiveAcknowledge: required({
    name: 'archive-acknowledge',
    kind: choiceKind(['no', 'yes']),
    default: 'no',
    help:
      'With yes, a write is acknowledged when it is in the archive, from which it can be restored. If it is not ' +
      'there after 8 s, the answer is an error that says that the write is stored by this server alone.',
  }),
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
