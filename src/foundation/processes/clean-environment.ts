// The environment for programs that are not part of the server: what they need to run, without the server's secrets.

/** Upper case; a `*` at the end matches any text. */
const passedOn: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE', 'LC_*'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'JAVA_*', 'JDK_*', 'JVM_*', 'CASSANDRA_*', 'NODETOOL_*'],
  // Windows needs these to start most programs.
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
