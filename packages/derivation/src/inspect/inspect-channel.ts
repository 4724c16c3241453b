/** protocol/derivation.md#channel-reader-batch-decoding */
import { channelAlgorithm } from '../codec/channel/channel-in.ts'
import { createChannelReader, type DecodedBatch } from '../pipeline/channel-reader.ts'
import type { CompressionAlgorithm, Decompressor } from '../ports.ts'
import { onceOf } from './inspect-frames.ts'
import type { Drop, InspectionContext } from './inspection-context.ts'

export interface InspectedChannel {
  readonly compression: CompressionAlgorithm | null
  readonly uncompressedBytes: number
  readonly batches: readonly DecodedBatch[]
  readonly drops: readonly Drop[]
}

export async function inspectChannel(context: InspectionContext, data: Uint8Array, decompressor: Decompressor): Promise<InspectedChannel> {
  let uncompressedBytes = 0
  const reader = createChannelReader(context, onceOf(data), {
    *decompress(algorithm, compressed, maxBytes) {
      const prefix = yield* decompressor.decompress(algorithm, compressed, maxBytes)
      uncompressedBytes = prefix.output.length
      return prefix
    },
  })
  const batches: DecodedBatch[] = []
  for (;;) {
    const pulled = await reader.pull()
    if (pulled.kind === 'origin-exhausted') break
    if (pulled.kind === 'item') batches.push(pulled.item)
  }
  const [first] = data
  return { compression: first === undefined ? null : channelAlgorithm(first), uncompressedBytes, batches, drops: context.takeDrops() }
}
