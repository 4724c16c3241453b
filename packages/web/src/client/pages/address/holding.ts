import type { Held, Token } from '../../data/index-types.ts'

/** What an address holds of one token. */
export interface Holding extends Held {
  readonly token: Token
}
