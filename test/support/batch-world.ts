import {
  bytesToHex,
  createPureCrypto,
  type ExecutionPayload,
  encodeSignedTransaction,
  keccak256,
  signingDigest,
  utf8ToBytes,
} from '@keelson/primitives'
import type { WireBatch } from '../../packages/derivation/src/codec/batch/batch.ts'
import { encodeChannel } from '../../packages/derivation/src/codec/channel/channel-out.ts'
import { encodeBatcherTransaction, type Frame } from '../../packages/derivation/src/codec/channel/frame.ts'
import { l2BlockRefOf } from '../../packages/derivation/src/codec/payload.ts'
import { createSpanBatch, type SpanBatchInput } from '../../packages/derivation/src/codec/span-batch/span-batch.ts'
import { compress } from '../../packages/node/src/crypto/compression.ts'
import { createDerivationWorld, type DerivationWorld, forksUpTo } from './derivation-world.ts'

export function inputOf(world: DerivationWorld, payload: ExecutionPayload): SpanBatchInput {
  const ref = l2BlockRefOf(payload, world.config.genesis)
  const transactions = payload.transactions.filter((tx) => tx[0] !== 0x7e)
  return {
    parentHash: payload.parentHash,
    epoch: ref.l1Origin,
    timestampSec: payload.timestampSec,
    transactions,
    sequenceNumber: ref.sequenceNumber,
  }
}

export const singular = (input: SpanBatchInput): WireBatch => ({ kind: 'singular', batch: input })

export function span(world: DerivationWorld, inputs: readonly SpanBatchInput[]): WireBatch {
  const { genesis, blockTimeSec, l2ChainId } = world.config
  return { kind: 'span', batch: createSpanBatch(inputs, { genesisTimestampSec: genesis.l2TimestampSec, blockTimeSec, chainId: l2ChainId }) }
}

let channels = 0
export function post(world: DerivationWorld, ...batches: WireBatch[]): void {
  const channelId = bytesToHex(keccak256(utf8ToBytes(`test ${channels++}`)).subarray(0, 16)) as Frame['channelId']
  const data = encodeChannel(batches, 'zlib', { compress })
  world.submitter.sendRaw(encodeBatcherTransaction([{ channelId, number: 0, data, isLast: true }]))
}

export const reasons = (world: DerivationWorld) => world.drops.map((event) => event.reason)
export const broken = (input: SpanBatchInput): SpanBatchInput => ({ ...input, transactions: [Uint8Array.of(0x7e, 0xc0)] })

export function setCodeTransaction(chainId: bigint): Uint8Array {
  const unsigned = {
    type: 4,
    chainId,
    nonce: 0n,
    maxPriorityFeePerGasWei: 1n,
    maxFeePerGasWei: 1n,
    gasLimit: 100_000n,
    to: new Uint8Array(20).fill(7),
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [{ chainId: 0n, address: new Uint8Array(20).fill(5), nonce: 0n, yParity: 1, r: 11n, s: 12n }],
  } as const
  const crypto = createPureCrypto()
  return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), new Uint8Array(32).fill(5))).raw
}

export async function withBlocks(forks: Parameters<typeof forksUpTo>[0], count: number, options = {}) {
  const world = createDerivationWorld({ forks: forksUpTo(forks), ...options })
  world.l1.mine(3)
  const inputs = (await world.sequence(count)).map((payload) => inputOf(world, payload))
  return { world, inputs }
}
