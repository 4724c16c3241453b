/** Exit codes after which a supervisor must not restart the validator. */
export const EXIT_DOPPELGANGER = 3
export const EXIT_SLASHED = 4

export const VALIDATOR_FINAL_EXITS: Readonly<Record<number, string>> = {
  [EXIT_DOPPELGANGER]: 'another machine signs with its key',
  [EXIT_SLASHED]: 'its keys no longer sign, because one was slashed or a stop is on record',
}
