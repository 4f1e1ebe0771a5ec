// The environment of programs that are not ours: what they need to run, and none of our secrets.

/** Upper case; a `*` at the end stands for anything. */
const passedOn: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE', 'LC_*'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'JAVA_*', 'JDK_*', 'JVM_*', 'CASSANDRA_*', 'NODETOOL_*'],
  // Windows starts hardly any program without these.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA'],
];

/** The variables that are passed on. */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassedOn(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(kept);
}

function isPassedOn(name: string): boolean {
  return passedOn.some((known) =>
    known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known,
  );
}
