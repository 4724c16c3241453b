/** What a table of the contract says of an operation: a request that succeeds, and those that are refused by it alone. */
import type { Answer, AskOptions } from './ask.ts'
import type { ContractWorld } from './contract-world.ts'

/** Asks the operation, with the token it takes unless another is named. */
export type AskIt = (options?: AskOptions) => Promise<Answer>
export type ContractCase = (world: ContractWorld, ask: AskIt) => Promise<Answer>
export type Status = 200 | 202 | 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 422 | 429 | 500 | 503

export interface OperationContract {
  /** A request that is answered with 200; nothing when the operation takes none. */
  readonly valid?: (world: ContractWorld) => AskOptions | Promise<AskOptions>
  /** By status, with a word where there are several of one: `404 unknown pair`. */
  readonly cases?: { readonly [name in `${Status}` | `${Status} ${string}`]?: ContractCase }
  /** The success needs a case of its own; `valid` is only what others are made of. */
  readonly ownSuccess?: boolean
}

/** By the operation's name: `POST /api/v1/auth/login`. */
export type ContractTable = Readonly<Record<string, OperationContract>>
