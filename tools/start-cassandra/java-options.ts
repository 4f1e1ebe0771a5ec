// The command lines of the two Java programs: a Cassandra node and nodetool.
import type { NodePlace } from './cassandra-yaml.js';

const exportsOfNode = [
  'java.base/jdk.internal.misc',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'java.base/java.lang.ref',
  'jdk.unsupported/sun.misc',
  'jdk.compiler/com.sun.tools.javac.file',
  'jdk.attach/sun.tools.attach',
];

const opensOfNode = [
  'java.base/java.lang.module',
  'java.base/jdk.internal.loader',
  'java.base/jdk.internal.ref',
  'java.base/jdk.internal.reflect',
  'java.base/jdk.internal.math',
  'java.base/jdk.internal.module',
  'java.base/jdk.internal.util.jar',
  'jdk.management/com.sun.management.internal',
  'java.base/sun.nio.ch',
  'java.base/java.io',
  'java.base/java.lang.reflect',
  'jdk.compiler/com.sun.tools.javac',
  'java.base/java.lang',
  'java.base/java.util',
  'java.base/java.nio',
];

/** What `java` is given to run one node; `jammJar` is the agent that Cassandra measures objects with. */
export function nodeArguments(
  place: NodePlace,
  files: {
    readonly classPath: string;
    readonly jammJar: string;
    readonly logback: string;
    readonly yaml: string;
  },
): readonly string[] {
  const { directory } = place;
  return [
    `-javaagent:${files.jammJar}`,
    '-Xms256m',
    '-Xmx768m',
    '-Xss512k',
    '-XX:MaxDirectMemorySize=512m',
    '-XX:+UseG1GC',
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:-UsePerfData',
    '-Djdk.attach.allowAttachSelf=true',
    ...exportsOfNode.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
    ...opensOfNode.flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
    '-Dio.netty.tryReflectionSetAccessible=true',
    '-Djava.net.preferIPv4Stack=true',
    ...['java.io.tmpdir', 'jna.tmpdir', 'org.xerial.snappy.tempdir'].map(
      (name) => `-D${name}=${directory}/tmp`,
    ),
    `-Dcassandra.config=file://${files.yaml}`,
    `-Dcassandra.storagedir=${directory}`,
    `-Dcassandra.logdir=${directory}/logs`,
    `-Dlogback.configurationFile=${files.logback}`,
    `-Dcassandra.jmx.local.port=${place.jmxPort}`,
    '-Dcom.sun.management.jmxremote.authenticate=false',
    `-Dcassandra.ring_delay_ms=${place.nodeCount === 1 ? 0 : 2000}`,
    ...(place.forgetsSchema ? ['-Dcassandra.test.flush_local_schema_changes=false'] : []),
    ...(place.compilesSimply ? ['-XX:TieredStopAtLevel=1'] : []),
    // A node that stops waits until others know it, and here there are none.
    ...(place.nodeCount === 1 ? ['-Dcassandra.shutdown_announce_in_ms=0'] : []),
    '-Dcassandra.skip_wait_for_gossip_to_settle=0',
    '-Dcassandra.superuser_setup_delay_ms=0',
    '-Dcassandra.consistent.rangemovement=false',
    '-Dcassandra.libjemalloc=-',
    '-Dcassandra-foreground=yes',
    '-cp',
    files.classPath,
    'org.apache.cassandra.service.CassandraDaemon',
  ];
}

/** The argument vector of nodetool up to its command, for a node whose JMX listens on 127.0.0.1. */
export function nodetoolArguments(files: {
  readonly classPath: string;
  readonly logback: string;
}): readonly string[] {
  const opens = ['lang', 'nio', 'util'].map((name) => `java.base/java.${name}`);
  return [
    `-Dlogback.configurationFile=${files.logback}`,
    ...['java.rmi/sun.rmi.registry', 'java.base/jdk.internal.ref', 'java.base/jdk.internal.misc'].flatMap(
      (name) => ['--add-exports', `${name}=ALL-UNNAMED`],
    ),
    ...[...opens, 'java.base/jdk.internal.ref', 'java.base/sun.nio.ch'].flatMap((name) => [
      '--add-opens',
      `${name}=ALL-UNNAMED`,
    ]),
    '-cp',
    files.classPath,
    'org.apache.cassandra.tools.NodeTool',
  ];
}
