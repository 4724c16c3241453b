import { decodeHeader, type Hash, type Header, type Logger } from '@keelson/primitives'
import type { LevelStore } from '@keelson/runtime'
import { openStateStore, type StateStore, type StateStoreOptions } from '@keelson/state'
import type { SealedHeader } from '../chain/chain-reader.ts'
import { type ChainStore, openChainStore } from '../chain/chain-store.ts'
import { headerKey } from '../chain/keys.ts'
import { assertLayout, readIdentity, refuseHalfImported } from '../chain/open-chain.ts'
import { settleHead } from '../chain/settle-head.ts'
import { ExecutionError } from '../errors.ts'

export interface Database {
  readonly store: LevelStore
  readonly chain: ChainStore
  readonly state: StateStore
  readonly chainId: bigint
  readonly genesis: SealedHeader
  /** Runs `task` while engine calls and flattening wait. */
  alone<T>(task: () => Promise<T>): Promise<T>
  selfDestructBurns?(block: Hash, breathe: () => Promise<void>): Promise<bigint | null>
}

export interface TaskProgress {
  readonly phase: string
  readonly done: number
  readonly of: number | null
  /** Null if the task cannot be resumed. */
  readonly resume: string | null
}

export interface TaskContext {
  readonly signal: AbortSignal
  report(progress: TaskProgress): void
  /** Yields the thread. Throws when cancelled. */
  breathe(): Promise<void>
}

/**
 * No node may be using the directory. Throws ExecutionError `execution/no-database`, `-schema-version`, `-half-imported`,
 * `-corrupt-record`.
 */
export async function openDatabase(store: LevelStore, log: Logger, options: Partial<StateStoreOptions> = {}): Promise<Database> {
  refuseHalfImported(store)
  const identity = readIdentity(store)
  if (identity === null) {
    throw new ExecutionError('execution/no-database', 'the directory holds no chain yet: start a node on it, or import a snapshot into it')
  }
  assertLayout(identity)
  const raw = store.getSync(headerKey(identity.genesisHash))
  if (raw === null) {
    throw new ExecutionError(
      'execution/corrupt-record',
      `the genesis block ${identity.genesisHash} is not in the data directory; start with an empty one`,
    )
  }
  const header: Header = decodeHeader(raw)
  const genesis = { hash: identity.genesisHash, header }
  const state = await openStateStore(store, options)
  const chain = openChainStore(store, { genesis, cachedBlocks: 16 })
  await settleHead(chain, state, log)
  return { store, chain, state, chainId: identity.chainId, genesis, alone: (task) => task() }
}
