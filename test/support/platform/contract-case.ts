import type { Answer, AskOptions } from './ask.ts'
import type { ContractWorld } from './contract-world.ts'

export type AskIt = (options?: AskOptions) => Promise<Answer>
export type ContractCase = (world: ContractWorld, ask: AskIt) => Promise<Answer>
export type Status = 200 | 202 | 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 431 | 500 | 503

export interface OperationContract {
  readonly valid?: (world: ContractWorld) => AskOptions | Promise<AskOptions>
  readonly cases?: { readonly [name in `${Status}` | `${Status} ${string}`]?: ContractCase }
  readonly ownSuccess?: boolean
}

export type ContractTable = Readonly<Record<string, OperationContract>>
