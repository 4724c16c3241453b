import { type ForkTimes, loadRollupConfig, type RollupConfig } from '@keelson/chainspec'
import {
  type AttributesBuilder,
  createAttributesBuilder,
  createDerivationPipeline,
  type DerivationPipeline,
  type DerivedAttributes,
  type DropEvent,
  l2BlockRefOf,
  mayIncludeTransactions,
} from '@keelson/derivation'
import {
  type BlockId,
  bytesToHex,
  type ExecutionPayload,
  encodeSignedTransaction,
  type L1BlockRef,
  type L2BlockRef,
  type Log,
  signingDigest,
  toAddress,
} from '@keelson/primitives'
import { decompress } from '../../packages/node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { type BatchSubmitter, createBatchSubmitter } from './batch-submitter.ts'
import { createFakeL1, type FakeL1 } from './fake-l1.ts'
import { createPayloadLedger, genesisPayload, type PayloadLedger } from './payload-ledger.ts'

export interface DerivationWorldOptions {
  readonly forks?: ForkTimes
  readonly keepKarstUpgradeGas?: boolean
  readonly l1BlockTimeSec?: number
  readonly sequencingWindowL1Blocks?: number
  readonly maxSequencerDriftSec?: number
}

export interface DerivationWorld {
  readonly config: RollupConfig
  readonly l1: FakeL1
  readonly sequenced: PayloadLedger
  readonly derived: PayloadLedger
  readonly pipeline: DerivationPipeline
  readonly builder: AttributesBuilder
  readonly submitter: BatchSubmitter
  readonly drops: readonly DropEvent[]
  readonly batcherKey: Uint8Array
  safe(): L2BlockRef
  unsafe(): L2BlockRef
  sequence(count: number, transactions?: number): Promise<ExecutionPayload[]>
  sequenceWith(origin: BlockId, transactions: readonly Uint8Array[]): Promise<ExecutionPayload>
  derive(): Promise<DerivedAttributes[]>
  reset(): void
  userTransaction(): Uint8Array
}

export const GENESIS_TIME_SEC = 1_800_000_000
export const BATCH_INBOX = toAddress('0xff00000000000000000000000000000000084532')
export const PORTAL = toAddress('0x1111111111111111111111111111111111111111')
export const SYSTEM_CONFIG = toAddress('0x2222222222222222222222222222222222222222')
const L2_CHAIN_ID = 84532n
const GAS_LIMIT = 30_000_000n
const FORK_NAMES = [
  'regolith',
  'canyon',
  'delta',
  'ecotone',
  'fjord',
  'granite',
  'holocene',
  'isthmus',
  'jovian',
  'karst',
  'lagoon',
] as const
export type ForkName = (typeof FORK_NAMES)[number]

export function forksUpTo(last: ForkName): ForkTimes {
  return Object.fromEntries(FORK_NAMES.slice(0, FORK_NAMES.indexOf(last) + 1).map((fork) => [fork, 0]))
}

const crypto = createNativeCrypto()
const BATCHER_KEY = new Uint8Array(32).fill(0xb1)
const USER_KEY = new Uint8Array(32).fill(0x05)

function configOf(options: DerivationWorldOptions, forks: ForkTimes, l1: FakeL1, genesis: ExecutionPayload): RollupConfig {
  return loadRollupConfig({
    genesis: {
      l1: { hash: l1.genesis.hash, number: l1.genesis.number },
      l2: { hash: genesis.blockHash, number: genesis.blockNumber },
      l2_time: genesis.timestampSec,
      system_config: {
        batcherAddr: bytesToHex(crypto.addressOf(BATCHER_KEY)),
        overhead: `0x${'00'.repeat(32)}`,
        scalar: `0x01${'00'.repeat(23)}000c5fc500000558`,
        gasLimit: Number(GAS_LIMIT),
      },
    },
    block_time: 2,
    max_sequencer_drift: options.maxSequencerDriftSec ?? 600,
    seq_window_size: options.sequencingWindowL1Blocks ?? 3600,
    channel_timeout: 300,
    l1_chain_id: Number(l1.chain.chainId),
    l2_chain_id: Number(L2_CHAIN_ID),
    ...Object.fromEntries(Object.entries(forks).map(([fork, time]) => [`${fork}_time`, time])),
    keep_karst_upgrade_gas: options.keepKarstUpgradeGas ?? false,
    batch_inbox_address: BATCH_INBOX,
    deposit_contract_address: PORTAL,
    l1_system_config_address: SYSTEM_CONFIG,
    chain_op_config: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
  })
}

export function createDerivationWorld(options: DerivationWorldOptions = {}): DerivationWorld {
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_TIME_SEC, blockTimeSec: options.l1BlockTimeSec ?? 4 })
  const genesis = genesisPayload(GENESIS_TIME_SEC, GAS_LIMIT)
  const config = configOf(options, options.forks ?? forksUpTo('jovian'), l1, genesis)
  const sequenced = createPayloadLedger(config, genesis)
  const derived = createPayloadLedger(config, genesis)
  const drops: DropEvent[] = []
  const builder = createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: sequenced })
  const pipeline = createDerivationPipeline(config, {
    l1: l1.reader,
    blobs: l1.blobReader,
    l2: derived,
    decompressor: { decompress },
    crypto,
    attributes: createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: derived }),
    observer: { dropped: (event) => drops.push(event) },
  })
  let nonce = 0n
  const refOf = (payload: ExecutionPayload) => l2BlockRefOf(payload, config.genesis)

  function originFor(parent: L2BlockRef): L1BlockRef {
    const next = l1.block(parent.l1Origin.number + 1)
    if (next !== null && next.ref.timestampSec <= parent.timestampSec + config.blockTimeSec) return next.ref
    const same = l1.block(parent.l1Origin.hash)
    if (same === null) throw new Error(`L1 does not know ${parent.l1Origin.hash}`)
    return same.ref
  }

  const world: DerivationWorld = {
    config,
    l1,
    sequenced,
    derived,
    pipeline,
    builder,
    submitter: createBatchSubmitter(config, l1, BATCHER_KEY),
    drops,
    batcherKey: BATCHER_KEY,
    safe: () => refOf(derived.head),
    unsafe: () => refOf(sequenced.head),
    async sequence(count, transactions = 1) {
      const blocks: ExecutionPayload[] = []
      for (let i = 0; i < count; i++) {
        const parent = refOf(sequenced.head)
        const origin = originFor(parent)
        const allowed = mayIncludeTransactions(config, parent, origin)
        const own = Array.from({ length: allowed ? transactions : 0 }, () => world.userTransaction())
        blocks.push(await world.sequenceWith(origin, own))
      }
      return blocks
    },
    async sequenceWith(origin, transactions) {
      const parent = refOf(sequenced.head)
      const attributes = await builder.build(parent, origin)
      return sequenced.append(parent.hash, { ...attributes, transactions: [...attributes.transactions, ...transactions] })
    },
    async derive() {
      const all: DerivedAttributes[] = []
      for (;;) {
        const result = await pipeline.step(refOf(derived.head))
        if (result.kind === 'awaiting-l1') return all
        if (result.kind !== 'attributes') continue
        all.push(result.derived)
        derived.append(result.derived.parent.hash, result.derived.attributes)
      }
    },
    reset() {
      derived.rewind(0)
      pipeline.reset({ l1Origin: l1.genesis, systemConfig: config.genesis.systemConfig })
    },
    userTransaction() {
      const unsigned = {
        type: 2,
        chainId: L2_CHAIN_ID,
        nonce: nonce++,
        maxPriorityFeePerGasWei: 1n,
        maxFeePerGasWei: 1_000_000_000n,
        gasLimit: 21_000n,
        to: crypto.addressOf(BATCHER_KEY),
        valueWei: nonce,
        data: new Uint8Array(0),
        accessList: [],
      } as const
      return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), USER_KEY)).raw
    },
  }
  world.reset()
  return world
}

export function emit(world: DerivationWorld, log: Log): void {
  world.l1.send({ privateKey: USER_KEY, to: log.address, logs: [log] })
}
