/** Milliseconds for one source of research: the endpoint's 120 s, less what is left to answer with what the other sources gave. */
export const SOURCE_TIMEOUT_MS = 115_000
