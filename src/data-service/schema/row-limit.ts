// How large a row may become.

/**
 * Bytes that a row may have in storage, and therefore a value: as many as the body of a request. Texts, blobs, vectors,
 * lists, sets, maps and numbers of any length count with what is stored of them, values of up to 8 bytes with nothing.
 */
export const maxRowBytes = 20 * 1024 * 1024;
