/** Placeholders fill the headers of blocks, which are not executed. */
import type { RollupConfig } from '@keelson/chainspec'
import { type AttributesBuilder, createAttributesBuilder, encodeBatches, l2BlockRefOf } from '@keelson/derivation'
import {
  bytesToBigint,
  type Crypto,
  concatBytes,
  type ExecutionPayload,
  encodeSignedTransaction,
  type Hash,
  hexToBytes,
  keccak256,
  type L2BlockRef,
  TX_FEE_MARKET,
  toAddress,
  utf8ToBytes,
} from '@keelson/primitives'
import { type BatchForm, batchesOf, createBatchSubmitter } from '../../../test/support/batch-submitter.ts'
import { createFakeL1, type FakeL1 } from '../../../test/support/fake-l1.ts'
import { createPayloadLedger, genesisPayload } from '../../../test/support/payload-ledger.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../test/support/rollup-config.ts'

export interface PipelineShape {
  readonly name: string
  readonly blocks: number
  readonly everyBlocks: number
  readonly transactions: number
  readonly calldataBytes: readonly number[]
  readonly blocksPerChannel: number
  readonly form: BatchForm
}

export interface PipelineInputs {
  readonly config: RollupConfig
  readonly l1: FakeL1
  readonly genesis: ExecutionPayload
  readonly head: Hash
  readonly transactions: number
  readonly batchBytes: number
}

const GENESIS_TIME_SEC = 1_800_000_000
const GAS_LIMIT = 60_000_000n
const BATCHER_KEY = new Uint8Array(32).fill(0xb1)
const L2_CHAIN_ID = 84532n
const L1_BLOCK_TIME_SEC = 12
const TRANSFER_SELECTOR = hexToBytes('0xa9059cbb')

export async function makePipelineInputs(shape: PipelineShape, crypto: Crypto): Promise<PipelineInputs> {
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_TIME_SEC, blockTimeSec: L1_BLOCK_TIME_SEC })
  const genesis = genesisPayload(GENESIS_TIME_SEC, GAS_LIMIT)
  const config = makeRollupConfig({
    l1ChainId: l1.chain.chainId,
    l2ChainId: L2_CHAIN_ID,
    l1Genesis: l1.genesis,
    l2Genesis: { hash: genesis.blockHash, number: 0, timestampSec: GENESIS_TIME_SEC },
    batcher: toAddress(crypto.addressOf(BATCHER_KEY)),
    forks: JOVIAN_FROM_GENESIS,
    gasLimit: GAS_LIMIT,
  })
  const sequenced = createPayloadLedger(config, genesis)
  const builder: AttributesBuilder = createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: sequenced })
  const submitter = createBatchSubmitter(config, l1, BATCHER_KEY)
  let transactions = 0
  let batchBytes = 0
  let waiting: ExecutionPayload[] = []
  for (let i = 1; i <= shape.blocks; i++) {
    const parent = l2BlockRefOf(sequenced.head, config.genesis)
    l1.mineUntil(parent.timestampSec + config.blockTimeSec)
    const forced = await builder.build(parent, originFor(l1, parent, config))
    const count = i % shape.everyBlocks === 0 ? shape.transactions : 0
    const own = Array.from({ length: count }, () => transactionOf(transactions++, shape.calldataBytes))
    waiting.push(sequenced.append(parent.hash, { ...forced, transactions: [...forced.transactions, ...own] }))
    if (waiting.length < shape.blocksPerChannel && i < shape.blocks) continue
    batchBytes += encodeBatches(batchesOf(waiting, config, shape.form.batches)).length
    submitter.submit(waiting, shape.form)
    waiting = []
  }
  l1.mine(1)
  return { config, l1, genesis, head: sequenced.head.blockHash, transactions, batchBytes }
}

function originFor(l1: FakeL1, parent: L2BlockRef, { blockTimeSec }: RollupConfig) {
  const next = l1.block(parent.l1Origin.number + 1)
  const adopts = next !== null && next.ref.timestampSec <= parent.timestampSec + blockTimeSec
  return adopts ? next.ref : parent.l1Origin
}

const digest = (text: string): Uint8Array => keccak256(utf8ToBytes(text))

/** The transaction compresses as badly as a real one. */
function transactionOf(index: number, calldataBytes: readonly number[]): Uint8Array {
  const size = calldataBytes[index % calldataBytes.length] as number
  const seed = digest(`transaction ${index}`)
  return encodeSignedTransaction(
    {
      type: TX_FEE_MARKET,
      chainId: L2_CHAIN_ID,
      nonce: BigInt(Math.floor(index / 500)),
      maxPriorityFeePerGasWei: 1_000_000n,
      maxFeePerGasWei: 20_000_000n + BigInt(seed[1] as number),
      gasLimit: size === 0 ? 21_000n : 60_000n + BigInt(size) * 40n,
      to: digest(`target ${(seed[0] as number) % 100}`).subarray(12),
      valueWei: size === 0 ? bytesToBigint(seed.subarray(0, 8)) : 0n,
      data: calldataOf(index, size),
      accessList: [],
    },
    { yParity: ((seed[2] as number) & 1) as 0 | 1, r: bytesToBigint(digest(`r ${index}`)), s: bytesToBigint(digest(`s ${index}`)) >> 1n },
  ).raw
}

function calldataOf(index: number, size: number): Uint8Array {
  if (size === 0) return new Uint8Array(0)
  const parts = [TRANSFER_SELECTOR]
  for (let word = 0; word * 32 < size; word++) {
    const filled = word % 2 === 0 ? 20 : 9
    parts.push(new Uint8Array(32 - filled), digest(`word ${word} of ${index}`).subarray(0, filled))
  }
  return concatBytes(...parts).subarray(0, size)
}
