import assert from 'node:assert/strict'
import { type Bytes32, createPureCrypto, type Logger, toAddress } from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createSilentLogger,
  type KeyValueStore,
  type ManualClock,
  type Metrics,
  Secret,
} from '@keelson/runtime'
import { createLocalSigner } from '../signer.ts'
import type { BlobProver } from './blob-sidecar.ts'
import { createChainAccount, type TransactionReceipt } from './chain-account.ts'
import type { ChainName } from './chain-name.ts'
import { createFakeL1, type FakeL1 } from './fake-l1.test-support.ts'
import { createTransactionJournal } from './journal.ts'
import { createTransactionManager, type TransactionManager, type TransactionManagerOptions } from './tx-manager.ts'

export const crypto = createPureCrypto()
const key: Secret<Bytes32> = new Secret(new Uint8Array(32).fill(5))
export const signer = createLocalSigner(key, crypto)
export const inbox = toAddress(`0xff${'00'.repeat(19)}`)
export const CHAIN_ID = 900n
const kzg: BlobProver = {
  blobToCommitment: async (blob: Uint8Array) => new Uint8Array(48).fill(blob[0] as number),
  blobProof: async (_blob: Uint8Array, commitment: Uint8Array) => commitment.map((byte) => byte ^ 255),
}

export interface Bench {
  readonly l1: FakeL1
  readonly clock: ManualClock
  create(options?: Partial<TransactionManagerOptions>, prover?: BlobProver): TransactionManager
  forgetJournal(): void
  /** Whether writes of the journal fail. */
  diskFull: boolean
  send(...bytes: number[]): Promise<TransactionReceipt>
  placed(count: number): Promise<void>
  journaled(): Promise<readonly bigint[]>
}

export function createBench(chain: ChainName = 'L1', metrics?: Metrics, log: Logger = createSilentLogger()): Bench {
  const l1 = createFakeL1(signer.address)
  const clock = createManualClock(1_000_000)
  let store: KeyValueStore = createMemoryStore()
  let manager: TransactionManager | undefined
  const journal = () => createTransactionJournal(store, CHAIN_ID, signer.address)
  const disk: KeyValueStore = {
    getSync: (key) => store.getSync(key),
    range: (from, to, options) => store.range(from, to, options),
    batch: async (ops, options) => {
      if (bench.diskFull) throw new Error('No space left on device')
      return store.batch(ops, options)
    },
    close: () => store.close(),
  }
  const bench: Bench = {
    l1,
    clock,
    diskFull: false,
    create(options = {}, prover = kzg) {
      manager = createTransactionManager(
        { chainId: CHAIN_ID, confirmations: 1, pollIntervalMs: 1000, resubmitAfterMs: 10_000, maxCostWei: 10n ** 15n, ...options },
        {
          account: createChainAccount(chain, l1.rpc, signer.address),
          signer,
          journal: createTransactionJournal(disk, CHAIN_ID, signer.address),
          kzg: prover,
          crypto,
          clock,
          log,
          ...(metrics === undefined ? {} : { metrics }),
        },
      )
      return manager
    },
    forgetJournal() {
      store = createMemoryStore()
    },
    send(...bytes) {
      assert.ok(manager !== undefined)
      return manager.send({ to: inbox, data: Uint8Array.from(bytes), label: `tx ${bytes}` })
    },
    async placed(count) {
      for (let i = 0; i < 1000 && l1.pool.size < count; i++) await clock.advance(0)
      assert.equal(l1.pool.size, count)
    },
    journaled: async () => (await journal().load()).map(({ nonce }) => nonce),
  }
  return bench
}
