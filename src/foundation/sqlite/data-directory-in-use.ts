// The error of a directory that another process has locked.

/** Another process holds the lock; the message names the directory and says what to do. */
export class DataDirectoryInUse extends Error {}
