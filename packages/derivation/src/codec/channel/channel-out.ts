/** protocol/derivation.md#channel-format */
import { CodecError, concatBytes, rlpEncode } from '@keelson/primitives'
import type { CompressionAlgorithm, Compressor } from '../../ports.ts'
import { encodeBatch, type WireBatch } from '../batch/batch.ts'
import { concatList } from '../bytes/concat-list.ts'
import { BROTLI_CHANNEL_VERSION } from './channel-in.ts'
import { type ChannelId, FRAME_OVERHEAD_BYTES, type Frame, MAX_FRAME_DATA_BYTES, MAX_FRAME_NUMBER } from './frame.ts'

export function encodeBatches(batches: readonly WireBatch[]): Uint8Array {
  return concatList(batches.map((batch) => rlpEncode(encodeBatch(batch))))
}

export function encodeChannel(batches: readonly WireBatch[], algorithm: CompressionAlgorithm, compressor: Compressor): Uint8Array {
  const compressed = compressor.compress(algorithm, encodeBatches(batches))
  return algorithm === 'brotli' ? concatBytes(Uint8Array.of(BROTLI_CHANNEL_VERSION), compressed) : compressed
}

/** Throws CodecError `codec/frame` for too many frames. */
export function splitIntoFrames(channelId: ChannelId, channel: Uint8Array, maxFrameBytes: number): Frame[] {
  const room = Math.min(maxFrameBytes - FRAME_OVERHEAD_BYTES, MAX_FRAME_DATA_BYTES)
  if (room < 1) throw new CodecError('codec/frame', `frames of ${maxFrameBytes} bytes leave no room for data`)
  const count = Math.max(1, Math.ceil(channel.length / room))
  if (count > MAX_FRAME_NUMBER + 1) {
    throw new CodecError('codec/frame', `channel of ${channel.length} bytes takes ${count} frames, at most ${MAX_FRAME_NUMBER + 1}`)
  }
  return Array.from({ length: count }, (_, number) => ({
    channelId,
    number,
    data: channel.subarray(number * room, (number + 1) * room),
    isLast: number === count - 1,
  }))
}
