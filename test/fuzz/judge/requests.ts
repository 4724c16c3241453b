import {
  type BatchIterator,
  decodeBatcherTransaction,
  decodeBlob,
  openChannel,
  openSpanBatch,
  type ReadBatch,
  runScan,
  scanBatch,
} from '@keelson/derivation'
import { bytesToHex, type Hex, hexToBytes, NodeError } from '@keelson/primitives'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import { SPAN_CHAIN } from '../wire-batches.ts'
import { deriveScript } from './script-format.ts'
import { showBytes, withoutPrefix } from './show.ts'

const MAX_SPAN_BATCH_ELEMENTS = 10_000_000
const SHOWN_BLOCKS = 50
const BLOB_BYTES = 131_072

const SCRIPT = 'script '

type Answer = readonly string[] | Promise<readonly string[]>

export function oursFor(request: string): Answer {
  if (request.startsWith(SCRIPT)) return deriveScript(request.slice(SCRIPT.length))
  const words = request.split(' ')
  const data = hexToBytes(words.at(-1) as Hex)
  switch (words[0]) {
    case 'frames':
      return readFrames(data)
    case 'blob':
      return readBlob(data)
    case 'batch':
      return readOneBatch(data)
    case 'channel':
      return readChannel(words[1] as string, Number(words[2]), data)
    default:
      throw new Error(`unknown kind of request ${words[0]}`)
  }
}

export const framesRequest = (data: Uint8Array): string => `frames ${bytesToHex(data)}`
/** A request may omit a blob's trailing zeros. */
export const blobRequest = (head: Uint8Array): string => `blob ${bytesToHex(head)}`
export const batchRequest = (data: Uint8Array): string => `batch ${bytesToHex(data)}`
export const channelRequest = (fork: string, maxBytes: number, data: Uint8Array): string =>
  `channel ${fork} ${maxBytes} ${bytesToHex(data)}`

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof NodeError) return null
    throw error
  }
}

function readFrames(data: Uint8Array): readonly string[] {
  const frames = orNull(() => decodeBatcherTransaction(data)) ?? []
  return frames.map((frame) => `${withoutPrefix(frame.channelId)} ${frame.number} ${frame.isLast} ${showBytes(frame.data)}`)
}

function readBlob(head: Uint8Array): readonly string[] {
  const blob = new Uint8Array(BLOB_BYTES)
  blob.set(head.subarray(0, BLOB_BYTES))
  const data = orNull(() => decodeBlob(blob))
  return data === null ? [] : [showBytes(data)]
}

function readOneBatch(data: Uint8Array): readonly string[] {
  const read = orNull(() => runScan(scanBatch(data, MAX_SPAN_BATCH_ELEMENTS)))
  return read === null ? [] : [describeBatch(read.batch)]
}

const FORKS_BEFORE_BROTLI = ['bedrock', 'regolith', 'canyon', 'delta', 'ecotone']

function readChannel(fork: string, maxBytes: number, data: Uint8Array): readonly string[] {
  const brotliChannels = !FORKS_BEFORE_BROTLI.includes(fork)
  const rules = { maxRlpBytesPerChannel: maxBytes, maxSpanBatchElements: MAX_SPAN_BATCH_ELEMENTS, brotliChannels }
  const opened = openChannel(data, rules, { decompress })
  return opened.ok ? describeAll(opened.batches) : []
}

function describeBatch(read: ReadBatch): string {
  if (read.kind === 'singular') {
    const { parentHash, epoch, timestampSec, transactions } = read.batch
    const head = `singular ${withoutPrefix(parentHash)} ${epoch.number} ${withoutPrefix(epoch.hash)} ${timestampSec}`
    return [head, ...Array.from(transactions, showBytes)].join(' ')
  }
  const span = orNull(() => runScan(openSpanBatch(read.layout, SPAN_CHAIN)))
  if (span === null) return 'lost'
  const blocks: string[] = []
  for (const block of span.blocks) {
    blocks.push([` | ${block.timestampSec} ${block.epochNumber}`, ...Array.from(block.transactions, showBytes)].join(' '))
    if (blocks.length === SHOWN_BLOCKS) break
  }
  const checks = `${withoutPrefix(bytesToHex(span.parentCheck))} ${withoutPrefix(bytesToHex(span.l1OriginCheck))}`
  return `span ${checks} ${span.blockCount}${blocks.join('')}`
}

function describeAll(batches: BatchIterator): string[] {
  const out: string[] = []
  for (;;) {
    const next = batches.next()
    if (next.kind === 'again') continue
    if (next.kind !== 'batch') return out
    out.push(describeBatch(next.batch))
  }
}
