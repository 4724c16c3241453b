/** Exit codes of `keelson validator run` that a supervisor must not answer with a restart. */
export const EXIT_DOPPELGANGER = 3
export const EXIT_SLASHED = 4

/** In a few words; the process itself says which key, and what to do. */
export const VALIDATOR_FINAL_EXITS: Readonly<Record<number, string>> = {
  [EXIT_DOPPELGANGER]: 'another machine signs with its key',
  [EXIT_SLASHED]: 'its keys stand still, because one was slashed or a stop is on record',
}
