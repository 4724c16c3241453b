/** The signature's r holds the sender. */
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_TX_POOL_OPTIONS, type PoolAccount, type PoolHead, type TxPool, type TxPoolOptions } from '@keelson/execution'
import {
  type Address,
  encodeSignedTransaction,
  isSigned,
  l2Time,
  maxFeePerGasWei,
  type SignedTransaction,
  type Transaction,
  TX_DEPOSIT,
  TX_SET_CODE,
  toAddress,
} from '@keelson/primitives'
import { createManualClock, createMemoryStore, type KeyValueStore, type ManualClock } from '@keelson/runtime'
import { createPoolJournal } from '../../packages/execution/src/txpool/journal.ts'
import { createTxPool } from '../../packages/execution/src/txpool/tx-pool.ts'
import { createRecordingLogger } from './recording-logger.ts'

export const GWEI = 1_000_000_000n
export const POOL_CHAIN_ID = 10n
const rules = createForkSchedule({ times: forksAtGenesis('jovian') }).blockRules(l2Time(0))
const GAS = 21_000n

export const poolSenderBytes = (i: number) => new Uint8Array(20).fill(i + 1)
export const poolSender = (i: number): Address => toAddress(poolSenderBytes(i))

export interface PoolTransactionSpec {
  readonly sender?: number
  readonly nonce?: number
  readonly feeGwei?: number
  readonly tipGwei?: number
  readonly valueWei?: bigint
  readonly to?: number
  readonly authorities?: readonly number[]
  readonly dataBytes?: number
}

export function poolTransaction(spec: PoolTransactionSpec = {}): SignedTransaction {
  const { sender = 0, nonce = 0, feeGwei = 10, tipGwei = 1, valueWei = 0n, authorities = [] } = spec
  const common = {
    chainId: POOL_CHAIN_ID,
    nonce: BigInt(nonce),
    gasLimit: GAS,
    to: spec.to === undefined ? new Uint8Array(20).fill(0xee) : poolSenderBytes(spec.to),
    valueWei,
    data: new Uint8Array(spec.dataBytes ?? 0).fill(1),
    accessList: [],
    maxFeePerGasWei: BigInt(feeGwei) * GWEI,
    maxPriorityFeePerGasWei: BigInt(tipGwei) * GWEI,
  }
  const signature = { yParity: 0 as const, r: BigInt(sender), s: 1n }
  if (authorities.length === 0) return encodeSignedTransaction({ type: 2, ...common }, signature)
  const authorizationList = authorities.map((i) => ({
    chainId: POOL_CHAIN_ID,
    address: new Uint8Array(20).fill(0xdd),
    nonce: 0n,
    yParity: 0 as const,
    r: BigInt(i),
    s: 1n,
  }))
  return encodeSignedTransaction({ type: 4, ...common, authorizationList }, signature)
}

export function senderIndex(tx: Transaction): number {
  if (!isSigned(tx)) throw new RangeError('only signed transactions have a sender in this world')
  return Number(tx.signature.r)
}

export interface PoolWorldState {
  readonly accounts: Map<Address, PoolAccount>
  dataFeeWei: bigint
  number: number
  baseFeeWei: bigint
}

export const PLENTY: PoolAccount = { nonce: 0n, balanceWei: 10n ** 24n, kind: 'plain' }

export interface PoolWorld {
  readonly pool: TxPool
  readonly state: PoolWorldState
  readonly clock: ManualClock
  readonly store: KeyValueStore
  readonly log: ReturnType<typeof createRecordingLogger>
  account(i: number): PoolAccount
  set(i: number, account: Partial<PoolAccount>): void
  costWei(tx: SignedTransaction): bigint
  readonly recoveries: number
  readonly head: PoolHead
  newHead(): void
  flush(): Promise<void>
  again(): PoolWorld
}

export interface PoolWorldOptions {
  readonly limits?: Partial<TxPoolOptions>
  readonly store?: KeyValueStore
  readonly clock?: ManualClock
  readonly state?: PoolWorldState
}

export function openPoolWorld(options: PoolWorldOptions = {}): PoolWorld {
  const clock = options.clock ?? createManualClock(1_000_000)
  const store = options.store ?? createMemoryStore()
  const state: PoolWorldState = options.state ?? { accounts: new Map(), dataFeeWei: 0n, number: 1, baseFeeWei: GWEI }
  const log = createRecordingLogger()
  const journal = createPoolJournal(store)
  const costWei = (tx: SignedTransaction) => tx.valueWei + tx.gasLimit * maxFeePerGasWei(tx) + state.dataFeeWei
  const makeHead = (): PoolHead => ({
    rules,
    baseFeeWei: state.baseFeeWei,
    gasLimit: 30_000_000n,
    next: { number: state.number + 1, timestampSec: 1_000 + 2 * state.number },
    account: (address) => state.accounts.get(toAddress(address)) ?? PLENTY,
    priceKey: `${state.dataFeeWei}`,
    costWei,
    check: () => null,
  })
  let head = makeHead()
  let recoveries = 0
  const pool = createTxPool(
    { ...DEFAULT_TX_POOL_OPTIONS, ...options.limits },
    {
      head: () => head,
      chainId: POOL_CHAIN_ID,
      senders: {
        recover(tx) {
          recoveries++
          return tx.type === TX_DEPOSIT ? tx.from : poolSenderBytes(senderIndex(tx))
        },
      },
      authoritiesOf: (tx) => (tx.type === TX_SET_CODE ? tx.authorizationList.map(({ r }) => poolSender(Number(r))) : []),
      clock,
      log,
      journal,
    },
  )
  return {
    pool,
    state,
    clock,
    store,
    log,
    account: (i) => state.accounts.get(poolSender(i)) ?? PLENTY,
    set(i, account) {
      state.accounts.set(poolSender(i), { ...(state.accounts.get(poolSender(i)) ?? PLENTY), ...account })
    },
    costWei,
    get head() {
      return head
    },
    get recoveries() {
      return recoveries
    },
    newHead() {
      head = makeHead()
    },
    flush: () => journal.flush(),
    again: () => openPoolWorld({ ...options, store, clock, state }),
  }
}
