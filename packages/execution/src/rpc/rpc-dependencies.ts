import type { EvmEngine } from '@keelson/evm'
import type { Clock, Crypto, Hex, Logger, Random } from '@keelson/primitives'
import { bytesToHex } from '@keelson/primitives'
import type { RpcHandler } from '@keelson/runtime'
import type { StateReads } from '@keelson/state'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainMove } from '../chain/chain-store.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { Unsubscribe } from '../emitter.ts'
import type { RpcOptions } from '../options.ts'
import type { ExecutionNetwork } from '../p2p/network.ts'
import type { PendingBlock } from '../subblocks/pending-block.ts'
import type { SyncReading } from '../sync/sync-progress.ts'
import type { TxPool } from '../txpool/tx-pool.ts'
import type { UnlockedAccounts } from './dev/unlocked-accounts.ts'
import type { ViewSource } from './state-view.ts'

export interface ChainDependencies {
  readonly chain: ChainReader
  readonly state: ViewSource
  readonly rules: ChainRules
  readonly chainId: bigint
  readonly options: RpcOptions
  readonly clock: Clock
}

export interface CallDependencies extends ChainDependencies {
  readonly evm: EvmEngine
  readonly crypto: Crypto
}

export interface ReadDependencies extends CallDependencies {
  readonly state: StateReads
}

export interface RpcDependencies extends ReadDependencies {
  readonly pool: TxPool
  readonly network: ExecutionNetwork | null
  readonly random: Random
  readonly log: Logger
  readonly version: string
  readonly historyBlocks: number
  /** Null while no sync goes on; omitted without peers. */
  readonly syncReading?: () => SyncReading | null
  /** Only on a development network. */
  readonly unlocked?: UnlockedAccounts
  onMove(listener: (move: ChainMove) => void): Unsubscribe
  /** The block that is being built; null while none is known. */
  readonly pending: () => PendingBlock | null
  onPending(listener: () => void): Unsubscribe
  readonly forwardRollup?: (method: string, params: readonly unknown[], signal: AbortSignal) => ReturnType<RpcHandler>
  readonly forwardTransaction?: (raw: Uint8Array, signal: AbortSignal, conditional?: unknown) => Promise<void>
}

/** Other clients cannot guess the id. */
export function randomId(random: Random): Hex {
  return bytesToHex(random.bytes(16))
}
