// Fetches the jars of Cassandra from Maven Central, once for all starts on this machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** The jars in a folder of their own. */
export interface CassandraJars {
  /** For Java's `-cp`. */
  readonly classPath: string;
  readonly jammJar: string;
}

/** What this machine lacks of the Java and Maven that a node needs, in words; undefined when both are there. */
export function missingForCassandra(): string | undefined {
  const missing = ['java', 'mvn'].filter((program) => {
    try {
      execFileSync(program, ['-version'], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return missing.length === 0 ? undefined : `there is no ${missing.join(' and no ')}`;
}

/** Resolves them when they are not there yet (some 60 MB); `toolFolder` holds the pom. */
export function resolveCassandraJars(toolFolder: string): CassandraJars {
  const pom = join(toolFolder, 'pom.xml');
  const version = /<cassandra.version>(.*)</.exec(readFileSync(pom, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${pom} names no version`);
  const cache = join(homedir(), '.cache', 'colonnade-cassandra');
  const folder = join(cache, version);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const unfinished = join(cache, `unfinished-${process.pid}`);
    execFileSync(
      'mvn',
      ['-B', '-q', '-f', pom, copyGoal, '-DincludeScope=runtime', `-DoutputDirectory=${unfinished}`],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    // Another start may have come first: then its folder is as good.
    if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, folder);
  }
  const jamm = readdirSync(folder).find((name) => /^jamm-.*\.jar$/.test(name));
  if (jamm === undefined) throw new Error(`${folder} holds no jamm jar; delete the folder to fetch it again`);
  return { classPath: join(folder, '*'), jammJar: join(folder, jamm) };
}
