// The Cassandra engine, as the configuration and commands see it, and its options.

import { optional, required, secret } from '../option.js';
import { choiceKind, contactPointsKind, integerKind, textKind } from '../option-kinds.js';
import type { EngineDescription } from './engine-description.js';

/** Rows in a cluster. */
export const cassandra = {
  help: 'cassandra an Apache Cassandra 5.0 cluster, which takes --cassandra-contact-points and --cassandra-local-datacenter',
  capabilities: { hasUsers: true, hasWorkers: true },
  needs: {
    cassandraContactPoints: 'name nodes of the cluster with --cassandra-contact-points',
    cassandraLocalDatacenter: 'name its data center with --cassandra-local-datacenter',
  },
} as const satisfies EngineDescription;

/** The options of the engine, in the order of the help. */
export const cassandraOptions = {
  cassandraContactPoints: required({
    name: 'cassandra-contact-points',
    kind: contactPointsKind,
    default: [],
    help:
      'Nodes of the cluster of --engine cassandra to connect to first, by address or name, each with or without a ' +
      'port, IPv6 with a port in brackets. The other nodes are found there, and reached at --cassandra-port. The ' +
      'server also starts when none answers, and connects when one does.',
  }),
  cassandraLocalDatacenter: optional({
    name: 'cassandra-local-datacenter',
    kind: textKind('NAME'),
    help: 'The data center whose nodes --engine cassandra uses; consistency is LOCAL_QUORUM.',
  }),
  cassandraPort: required({
    name: 'cassandra-port',
    kind: integerKind('PORT', 1, 65_535),
    default: 9042,
    help:
      'The CQL port of the nodes of --engine cassandra, except of those that --cassandra-contact-points names with ' +
      'a port.',
  }),
  cassandraUsername: optional({
    name: 'cassandra-username',
    kind: textKind('NAME'),
    help:
      'The user that --engine cassandra logs in as; the password is --cassandra-password. Requests with the token of ' +
      'the server have its rights; docs/cluster-users.md describes those of other users.',
  }),
  cassandraPassword: secret({
    name: 'cassandra-password',
    help:
      'Password of --cassandra-username. Other users of the machine can see the command line: prefer the environment ' +
      'or the config file.',
  }),
  cassandraRequireUser: required({
    name: 'cassandra-require-user',
    kind: choiceKind(['no', 'yes']),
    default: 'no',
    help:
      'Whether every request to the table data service must name a user of the cluster. With yes no request has the ' +
      'rights of --cassandra-username, also not with the --token, which is then for native queries alone.',
  }),
  cassandraTls: required({
    name: 'cassandra-tls',
    kind: choiceKind(['no', 'yes', 'any-host']),
    default: 'no',
    help:
      'Whether connections of --engine cassandra are encrypted. With yes the certificate of a node must be valid and ' +
      'name the address that was connected to; with any-host it must be valid.',
  }),
  cassandraTlsCa: optional({
    name: 'cassandra-tls-ca',
    kind: textKind('FILE'),
    help: 'Certificates of the authorities that sign those of the nodes, as PEM. Default: those of Node.js.',
  }),
  cassandraTlsCert: optional({
    name: 'cassandra-tls-cert',
    kind: textKind('FILE'),
    help: 'The certificate that the server shows to nodes, as PEM; its private key is --cassandra-tls-key.',
  }),
  cassandraTlsKey: optional({
    name: 'cassandra-tls-key',
    kind: textKind('FILE'),
    help: 'Private key of --cassandra-tls-cert, as PEM.',
  }),
};
