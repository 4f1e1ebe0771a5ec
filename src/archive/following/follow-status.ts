// How far a follower is behind its archive, for health, metrics and people.

/** The server that writes the archive, as its lease says. */
export interface FirstServer {
  /** The server in words: `the server http://127.0.0.1:8181 on host-a`. */
  readonly name: string;
  /** Whether it has not renewed its lease for so long that it has surely stopped writing. */
  readonly isSilent: boolean;
  /**
   * Whether only force replaces it: it may write without the archive, or its last generation has no complete copy that
   * this server could have.
   */
  readonly needsForce: boolean;
}

/** The state of a follower. Plain data, which crosses threads. */
export interface FollowStatus {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  readonly generation: string;
  /**
   * For how long the follower has not been sure to have everything that the archive has, in ms. It grows while the
   * archive cannot be read, and while a later generation has no copy yet. Undefined until it was sure once since its
   * start.
   */
  readonly lagMs: number | undefined;
  /** The time of the state that is shown, by the clock of the first server; in ms since 1970. */
  readonly toMs: number;
  /** The server that holds the lease of the archive; undefined if none does. */
  readonly first: FirstServer | undefined;
  /** A sentence about the last failure; undefined when following works again. */
  readonly problem: string | undefined;
}
