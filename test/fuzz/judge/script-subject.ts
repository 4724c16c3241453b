/** Late, overlapping, reordered, damaged or invalid channels among an honest batcher's. */
import { type ForkTimes, loadRollupConfig, type RollupConfig } from '@keelson/chainspec'
import {
  createAttributesBuilder,
  encodeBatcherTransaction,
  encodeBatches,
  encodeChannel,
  type Frame,
  l2BlockRefOf,
  mayIncludeTransactions,
  splitIntoFrames,
  type WireBatch,
} from '@keelson/derivation'
import { bytesToHex, concatBytes, type ExecutionPayload, encodeSignedTransaction, keccak256, ZERO_HASH } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { compress } from '../../../packages/node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { batchesOf } from '../../support/batch-submitter.ts'
import { createFakeL1, type FakeL1 } from '../../support/fake-l1.ts'
import { createPayloadLedger, genesisPayload, type PayloadLedger } from '../../support/payload-ledger.ts'
import type { JudgeSubject } from './judge-subject.ts'
import { type Script, scriptBlockOf } from './script-format.ts'

const GENESIS_TIME_SEC = 1_800_000_000
const GAS_LIMIT = 30_000_000n
const BATCHER_KEY = new Uint8Array(32).fill(0xb1)
const INBOX = '0xff00000000000000000000000000000000084532'
const FORKS = ['regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite'] as const
const crypto = createNativeCrypto()

interface Move {
  readonly blocks: number
  readonly back: number
  readonly skip: number
  readonly kind: 'singular' | 'span'
  readonly algorithm: 'zlib' | 'brotli'
  readonly frameBytes: number
  readonly lie: Lie
  readonly frames: 'kept' | 'reversed' | 'doubled' | 'one lost' | 'own transactions'
  readonly mine: number
}
const LIES = [
  'none',
  'none',
  'none',
  'time forward',
  'time back',
  'epoch forward',
  'epoch back',
  'parent',
  'epoch hash',
  'empty transaction',
  'deposit',
  'unknown type',
  'origin bits',
  'damage',
  'reversed batches',
] as const
type Lie = (typeof LIES)[number]

interface Plan {
  readonly fork: (typeof FORKS)[number]
  readonly window: number
  readonly drift: number
  readonly channelTimeout: number
  readonly l1BlockTimeSec: number
  readonly l2Blocks: number
  readonly lastL1Blocks: number
  readonly moves: readonly Move[]
}

const move: Arbitrary<Move> = fc.record({
  blocks: fc.integer({ min: 1, max: 8 }),
  back: fc.constantFrom(0, 0, 0, 1, 2, 4),
  skip: fc.constantFrom(0, 0, 0, 0, 1, 3),
  kind: fc.constantFrom('singular' as const, 'span' as const),
  algorithm: fc.constantFrom('zlib' as const, 'zlib' as const, 'brotli' as const),
  frameBytes: fc.constantFrom(60, 120, 300, 100_000, 100_000),
  lie: fc.constantFrom(...LIES),
  frames: fc.constantFrom('kept', 'kept', 'kept', 'reversed', 'doubled', 'one lost', 'own transactions'),
  mine: fc.constantFrom(1, 1, 2, 2, 5),
})

const plan: Arbitrary<Plan> = fc.record({
  fork: fc.constantFrom('delta', 'ecotone', 'fjord', 'granite'),
  window: fc.constantFrom(4, 10, 10, 30, 100),
  drift: fc.constantFrom(4, 20, 600),
  channelTimeout: fc.constantFrom(2, 5, 300),
  l1BlockTimeSec: fc.constantFrom(2, 4, 12),
  l2Blocks: fc.integer({ min: 4, max: 40 }),
  lastL1Blocks: fc.constantFrom(1, 2, 2, 3, 12),
  moves: fc.array(move, { minLength: 1, maxLength: 10 }),
})

function rollupJson(shape: Plan, l1: FakeL1, genesis: ExecutionPayload): Record<string, unknown> {
  const forks: ForkTimes = Object.fromEntries(FORKS.slice(0, FORKS.indexOf(shape.fork) + 1).map((fork) => [fork, 0]))
  return {
    genesis: {
      l1: { hash: l1.genesis.hash, number: l1.genesis.number },
      l2: { hash: genesis.blockHash, number: genesis.blockNumber },
      l2_time: genesis.timestampSec,
      system_config: {
        batcherAddr: bytesToHex(crypto.addressOf(BATCHER_KEY)),
        overhead: ZERO_HASH,
        scalar: `0x01${'00'.repeat(23)}000c5fc500000558`,
        gasLimit: Number(GAS_LIMIT),
      },
    },
    block_time: 2,
    max_sequencer_drift: shape.drift,
    seq_window_size: shape.window,
    channel_timeout: shape.channelTimeout,
    l1_chain_id: Number(l1.chain.chainId),
    l2_chain_id: 901,
    ...Object.fromEntries(Object.entries(forks).map(([fork, time]) => [`${fork}_time`, time])),
    batch_inbox_address: INBOX,
    deposit_contract_address: `0x${'11'.repeat(20)}`,
    l1_system_config_address: `0x${'22'.repeat(20)}`,
  }
}

async function sequence(config: RollupConfig, l1: FakeL1, ledger: PayloadLedger, most: number): Promise<void> {
  const builder = createAttributesBuilder(config, l1.chain, { l1: l1.reader, l2: ledger })
  for (let i = ledger.head.blockNumber; i < most && ledger.head.timestampSec < l1.head.timestampSec; i++) {
    const parent = l2BlockRefOf(ledger.head, config.genesis)
    const next = l1.block(parent.l1Origin.number + 1)?.ref
    const fits = next !== undefined && next.timestampSec <= parent.timestampSec + config.blockTimeSec
    const origin = fits ? next : (l1.block(parent.l1Origin.hash) as { ref: typeof l1.genesis }).ref
    const attributes = await builder.build(parent, origin)
    const own = mayIncludeTransactions(config, parent, origin) && i % 3 > 0 ? [userTransaction(i)] : []
    ledger.append(parent.hash, { ...attributes, transactions: [...attributes.transactions, ...own] })
  }
}

function userTransaction(nonce: number): Uint8Array {
  const data = new Uint8Array(nonce)
  const call = { nonce: BigInt(nonce), gasLimit: 21_000n, to: crypto.addressOf(BATCHER_KEY), valueWei: 1n, data }
  const unsigned = { type: 2, chainId: 901n, maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 9n, ...call, accessList: [] } as const
  return encodeSignedTransaction(unsigned, { yParity: 1, r: 7n, s: 5n }).raw
}

function lieIn(wire: WireBatch, lie: Lie): WireBatch {
  if (wire.kind === 'singular') {
    const { batch } = wire
    const { epoch } = batch
    const change = (fields: Partial<typeof batch>): WireBatch => ({ kind: 'singular', batch: { ...batch, ...fields } })
    switch (lie) {
      case 'time forward':
        return change({ timestampSec: batch.timestampSec + 2 })
      case 'time back':
        return change({ timestampSec: batch.timestampSec - 1 })
      case 'epoch forward':
        return change({ epoch: { ...epoch, number: epoch.number + 1 } })
      case 'epoch back':
        return change({ epoch: { ...epoch, number: Math.max(0, epoch.number - 1) } })
      case 'parent':
        return change({ parentHash: ZERO_HASH })
      case 'epoch hash':
        return change({ epoch: { ...epoch, hash: ZERO_HASH } })
      case 'empty transaction':
        return change({ transactions: [...batch.transactions, new Uint8Array(0)] })
      case 'deposit':
        return change({ transactions: [...batch.transactions, Uint8Array.of(0x7e, 1)] })
      case 'unknown type':
        return change({ transactions: [...batch.transactions, Uint8Array.of(0x05, 0xc0)] })
      default:
        return wire
    }
  }
  const { batch } = wire
  const change = (fields: Partial<typeof batch>): WireBatch => ({ kind: 'span', batch: { ...batch, ...fields } })
  switch (lie) {
    case 'time forward':
      return change({ relTimestampSec: batch.relTimestampSec + 2n })
    case 'time back':
      return change({ relTimestampSec: batch.relTimestampSec > 0n ? batch.relTimestampSec - 1n : 0n })
    case 'epoch forward':
      return change({ l1OriginNumber: batch.l1OriginNumber + 1n })
    case 'epoch back':
      return change({ l1OriginNumber: batch.l1OriginNumber > 0n ? batch.l1OriginNumber - 1n : 0n })
    case 'parent':
      return change({ parentCheck: new Uint8Array(20) })
    case 'epoch hash':
      return change({ l1OriginCheck: new Uint8Array(20) })
    case 'origin bits':
      return change({ originBits: batch.originBits.map((bit, i) => (i === batch.originBits.length - 1 ? 1 - bit : bit)) })
    default:
      return wire
  }
}

function channelOf(wires: readonly WireBatch[], { algorithm, lie }: Move, brotli: boolean): Uint8Array {
  const at = wires.length >> 1
  const batches = wires.map((wire, i) => (i === at ? lieIn(wire, lie) : wire))
  if (lie === 'reversed batches') batches.reverse()
  if (lie === 'damage') {
    const plain = encodeBatches(batches)
    return compress('zlib', concatBytes(plain.subarray(0, plain.length >> 1), Uint8Array.of(0xff), plain.subarray(plain.length >> 1)))
  }
  return encodeChannel(batches, brotli ? algorithm : 'zlib', { compress })
}

function framesOf(frames: readonly Frame[], how: Move['frames']): readonly (readonly Frame[])[] {
  switch (how) {
    case 'reversed':
      return [[...frames].reverse()]
    case 'doubled':
      return [frames, frames]
    case 'one lost':
      return [frames.filter((_, i) => i !== frames.length >> 1)]
    case 'own transactions':
      return frames.map((frame) => [frame])
    default:
      return [frames]
  }
}

async function scriptOf(shape: Plan): Promise<string> {
  const l1 = createFakeL1({ genesisTimestampSec: GENESIS_TIME_SEC, blockTimeSec: shape.l1BlockTimeSec })
  const genesis = genesisPayload(GENESIS_TIME_SEC, GAS_LIMIT)
  const rollup = rollupJson(shape, l1, genesis)
  const config = loadRollupConfig(rollup)
  const ledger = createPayloadLedger(config, genesis)
  let next = 1
  for (const [number, step] of shape.moves.entries()) {
    l1.mine(step.mine)
    await sequence(config, l1, ledger, shape.l2Blocks)
    const from = Math.max(1, next - step.back) + step.skip
    const blocks = Array.from({ length: step.blocks }, (_, i) => from + i)
      .filter((at) => at <= ledger.head.blockNumber)
      .map((at) => ledger.block(at))
    if (blocks.length > 0) {
      if (step.lie === 'none' && step.frames !== 'one lost') next = Math.max(next, from + blocks.length)
      const channel = channelOf(batchesOf(blocks, config, step.kind), step, shape.fork !== 'delta' && shape.fork !== 'ecotone')
      const id = bytesToHex(keccak256(Uint8Array.of(number)).subarray(0, 16))
      for (const part of framesOf(splitIntoFrames(id, channel, step.frameBytes), step.frames)) {
        if (part.length > 0) l1.send({ privateKey: BATCHER_KEY, to: INBOX as never, data: encodeBatcherTransaction(part) })
      }
    }
  }
  l1.mine(shape.lastL1Blocks)
  const heights = Array.from({ length: l1.head.number + 1 }, (_, at) => at)
  const script: Script = { rollup, l1: heights.map((at) => scriptBlockOf(l1.block(at) as NonNullable<ReturnType<FakeL1['block']>>)) }
  return `script ${JSON.stringify(script)}`
}

export const SCRIPT_SUBJECT: JudgeSubject = {
  name: 'L1 scripts',
  kind: 'script',
  fork: 'granite',
  cases: 20_000,
  arbitrary: plan.map((shape) => () => scriptOf(shape)),
}
