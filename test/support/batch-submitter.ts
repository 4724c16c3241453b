import type { RollupConfig } from '@keelson/chainspec'
import {
  type CompressionAlgorithm,
  createSpanBatch,
  encodeBatcherTransaction,
  encodeBlob,
  encodeChannel,
  l2BlockRefOf,
  MAX_BLOB_DATA_BYTES,
  type SpanBatchInput,
  splitIntoFrames,
  type WireBatch,
} from '@keelson/derivation'
import { bytesToHex, type ExecutionPayload, keccak256, utf8ToBytes } from '@keelson/primitives'
import { compress } from '../../packages/node/src/crypto/compression.ts'
import type { FakeL1 } from './fake-l1.ts'

export interface BatchForm {
  readonly batches: 'singular' | 'span'
  readonly compression: CompressionAlgorithm
  readonly carrier: 'calldata' | 'blobs'
  readonly maxFrameBytes?: number
}

export interface BatchSubmitter {
  submit(blocks: readonly ExecutionPayload[], form: BatchForm): void
  sendRaw(data: Uint8Array): void
}

const DEPOSIT_TYPE = 0x7e
const MAX_CALLDATA_FRAME_BYTES = 100_000

export function batchesOf(blocks: readonly ExecutionPayload[], config: RollupConfig, kind: BatchForm['batches']): WireBatch[] {
  const inputs = blocks.map((payload): SpanBatchInput => {
    const ref = l2BlockRefOf(payload, config.genesis)
    return {
      parentHash: payload.parentHash,
      epoch: ref.l1Origin,
      timestampSec: payload.timestampSec,
      transactions: payload.transactions.filter((tx) => tx[0] !== DEPOSIT_TYPE),
      sequenceNumber: ref.sequenceNumber,
    }
  })
  if (kind === 'singular') return inputs.map((batch) => ({ kind: 'singular', batch }))
  const chain = {
    genesisTimestampSec: config.genesis.l2TimestampSec,
    blockTimeSec: config.blockTimeSec,
    chainId: config.l2ChainId,
  }
  return [{ kind: 'span', batch: createSpanBatch(inputs, chain) }]
}

export function createBatchSubmitter(config: RollupConfig, l1: FakeL1, privateKey: Uint8Array): BatchSubmitter {
  let channels = 0
  return {
    submit(blocks, form) {
      const channel = encodeChannel(batchesOf(blocks, config, form.batches), form.compression, { compress })
      const channelId = bytesToHex(keccak256(utf8ToBytes(`channel ${channels++}`)).subarray(0, 16))
      const limit = form.maxFrameBytes ?? (form.carrier === 'blobs' ? MAX_BLOB_DATA_BYTES - 1 : MAX_CALLDATA_FRAME_BYTES)
      for (const frame of splitIntoFrames(channelId, channel, limit)) {
        const data = encodeBatcherTransaction([frame])
        if (form.carrier === 'calldata') l1.send({ privateKey, to: config.batchInbox, data })
        else l1.send({ privateKey, to: config.batchInbox, blobs: [encodeBlob(data)] })
      }
    },
    sendRaw(data) {
      l1.send({ privateKey, to: config.batchInbox, data })
    },
  }
}
