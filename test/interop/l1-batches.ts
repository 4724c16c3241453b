import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, inflateSync } from 'node:zlib'
import { rpcCall } from '../support/json-rpc.ts'
import type { BatchForm } from './programs.ts'
import type { World } from './world.ts'

interface L1Transaction {
  readonly type: string
  readonly to: string | null
  readonly input: `0x${string}`
}

export async function l1Head(world: World): Promise<number> {
  return Number(await rpcCall<string>(world.devnet.facts.l1.rpcUrl, 'eth_blockNumber'))
}

export async function batchTransactions(world: World, from: number, to: number): Promise<readonly L1Transaction[]> {
  const rollup = JSON.parse(readFileSync(join(world.network, 'rollup.json'), 'utf8')) as { batch_inbox_address: string }
  const found: L1Transaction[] = []
  for (let number = from; number <= to; number++) {
    const block = await rpcCall<{ transactions: readonly L1Transaction[] } | null>(world.devnet.facts.l1.rpcUrl, 'eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ])
    found.push(...(block?.transactions ?? []).filter(({ to }) => to?.toLowerCase() === rollup.batch_inbox_address))
  }
  return found
}

export function assertForm(transactions: readonly L1Transaction[], form: BatchForm): void {
  if (transactions.length === 0) throw new Error('no batch went to L1')
  const type = form.dataAvailability === 'blobs' ? 3 : 2
  const other = transactions.find((transaction) => Number(transaction.type) !== type)
  if (other !== undefined) throw new Error(`a batch is in L1 transaction type ${Number(other.type)}, not ${type}`)
  if (form.dataAvailability === 'blobs') return
  for (const { input } of transactions) assertChannel(Buffer.from(input.slice(2), 'hex'), form)
}

const FRAME_DATA_OFFSET = 1 + 16 + 2 + 4
const BROTLI_VERSION = 1
const BATCH_TYPES = { singular: 0, span: 1 } as const

function assertChannel(data: Buffer, form: BatchForm): void {
  const frameNumber = data.readUInt16BE(17)
  const length = data.readUInt32BE(19)
  const isLast = data[FRAME_DATA_OFFSET + length] === 1
  if (frameNumber !== 0 || !isLast) return
  const channel = data.subarray(FRAME_DATA_OFFSET, FRAME_DATA_OFFSET + length)
  const compression = channel[0] === BROTLI_VERSION ? 'brotli' : 'zlib'
  if (compression !== form.compression) throw new Error(`a channel is compressed with ${compression}, not ${form.compression}`)
  const batches = compression === 'brotli' ? brotliDecompressSync(channel.subarray(1)) : inflateSync(channel)
  const prefix = batches[0] as number
  const batchType = batches[prefix < 0xb8 ? 1 : 1 + prefix - 0xb7]
  if (batchType !== BATCH_TYPES[form.batchType]) throw new Error(`a batch has type ${batchType}, expected ${form.batchType}`)
}
