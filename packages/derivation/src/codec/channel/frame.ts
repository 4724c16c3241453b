/** protocol/derivation.md#frame-format */
import { bigintToBytes, bytesToHex, CodecError, concatBytes, type Hex, hexToBytes } from '@keelson/primitives'
import { ByteReader } from '../bytes/byte-reader.ts'

export type ChannelId = Hex

export interface Frame {
  readonly channelId: ChannelId
  readonly number: number
  readonly data: Uint8Array
  readonly isLast: boolean
}

const FRAMES_VERSION = 0
export const FRAME_OVERHEAD_BYTES = 23
export const MAX_FRAME_DATA_BYTES = 1_000_000
export const MAX_FRAME_NUMBER = 65_535

export function encodeFrame(frame: Frame): Uint8Array {
  if (frame.data.length > MAX_FRAME_DATA_BYTES || frame.number > MAX_FRAME_NUMBER) {
    throw new CodecError('codec/frame', `frame ${frame.number} of ${frame.data.length} bytes exceeds the format`)
  }
  const head = concatBytes(hexToBytes(frame.channelId), bigintToBytes(BigInt(frame.number), 2), bigintToBytes(BigInt(frame.data.length), 4))
  return concatBytes(head, frame.data, Uint8Array.of(frame.isLast ? 1 : 0))
}

export function encodeBatcherTransaction(frames: readonly Frame[]): Uint8Array {
  return concatBytes(Uint8Array.of(FRAMES_VERSION), ...frames.map(encodeFrame))
}

/** One malformed frame invalidates all frames of the transaction. Throws CodecError `codec/frame`. */
export function decodeBatcherTransaction(data: Uint8Array): readonly Frame[] {
  const reader = new ByteReader(data, 'codec/frame')
  const version = reader.byte('version')
  if (version !== FRAMES_VERSION) reader.fail(`expected batcher transaction version ${FRAMES_VERSION}, got ${version}`)
  if (reader.remaining === 0) reader.fail('batcher transaction without frames')
  const frames: Frame[] = []
  while (reader.remaining > 0) frames.push(readFrame(reader))
  return frames
}

function readFrame(reader: ByteReader): Frame {
  const channelId = bytesToHex(reader.bytes(16, 'channel id'))
  const number = reader.uint(2, 'frame number')
  const length = reader.uint(4, 'frame data length')
  if (length > MAX_FRAME_DATA_BYTES) reader.fail(`frame data of ${length} bytes, at most ${MAX_FRAME_DATA_BYTES}`)
  const data = reader.bytes(length, 'frame data')
  const isLast = reader.byte('is_last')
  if (isLast > 1) reader.fail(`is_last must be 0 or 1, got ${isLast}`)
  return { channelId, number, data, isLast: isLast === 1 }
}
