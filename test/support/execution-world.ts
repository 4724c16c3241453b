/**
 * An execution client in this process: real parts on a memory store, a manual clock and a tiny
 * genesis. Consensus tests drive `engine`, read through `l2Source` and play a killed process with `restart`.
 */

import type { ForkTimes } from '@keelson/chainspec'
import type { ExecutionNode, ExecutionNodeOptions } from '@keelson/execution'
import type { EngineApi, Hash, Hex, PayloadEnvelope, SignedTransaction } from '@keelson/primitives'
import type { KeyValueStore, ManualClock } from '@keelson/runtime'
import type { GenesisAccount } from '@keelson/state'

export interface ExecutionWorldOptions {
  readonly chainId?: bigint
  /** Default: every fork up to Jovian from genesis. */
  readonly forks?: ForkTimes
  readonly genesisTimestampSec?: number
  readonly gasLimit?: bigint
  readonly baseFeeWei?: bigint
  /** On top of the ten funded accounts. */
  readonly alloc?: readonly GenesisAccount[]
  /** Default: one at the genesis time. Share one between worlds to make a network. */
  readonly clock?: ManualClock
  readonly store?: KeyValueStore
  readonly options?: Partial<ExecutionNodeOptions>
}

export interface TestAccount {
  readonly address: Hex
  readonly privateKey: Uint8Array
}

export interface ExecutionWorld {
  readonly node: ExecutionNode
  readonly engine: EngineApi
  readonly clock: ManualClock
  readonly store: KeyValueStore
  readonly chainId: bigint
  readonly genesis: { readonly hash: Hash; readonly number: number; readonly timestampSec: number }
  /** Ten accounts with 1,000 of the native currency each. */
  readonly accounts: readonly TestAccount[]
  /** Shape of the consensus client's L2BlockSource. */
  readonly l2Source: {
    payload(at: 'unsafe' | 'safe' | 'finalized' | number | Hash): Promise<PayloadEnvelope | null>
    messagePasserStorageRoot(block: Hash): Promise<Hash | null>
  }
  /** A JSON-RPC call over HTTP as a client sees it; throws RpcError for error answers. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Signed with the account's next pool nonce; value in wei. */
  transfer(from: number, to: Hex, valueWei: bigint): SignedTransaction
  /** What a killed process leaves behind, opened again: same store, same clock. */
  restart(): Promise<ExecutionWorld>
  stop(): Promise<void>
}

export async function createExecutionWorld(_options: ExecutionWorldOptions = {}): Promise<ExecutionWorld> {
  throw new Error('the execution world is not built yet')
}
