// The error of an archive whose content cannot be what a server shipped.

/**
 * An object of an archive is not what its name, its checksum or the object before it says. The message begins with the
 * name of the object.
 */
export class ArchiveDamaged extends Error {
  constructor(name: string, problem: string, options?: ErrorOptions) {
    super(`${name} ${problem}`, options);
  }
}
