// The maximum size of a row.

/**
 * The maximum size of a stored row in bytes, and so of a value: the same as for the body of a request. Texts, blobs,
 * vectors, lists, sets, maps and numbers of any length count with their stored size; values of up to 8 bytes do not
 * count.
 */
export const maxRowBytes = 20 * 1024 * 1024;
