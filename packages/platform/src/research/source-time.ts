/** Milliseconds for one research source: the endpoint's 120 s less a reserve for returning the results of the other sources. */
export const SOURCE_TIMEOUT_MS = 115_000
