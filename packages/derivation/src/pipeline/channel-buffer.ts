/** protocol/derivation.md#channel-bank, holocene/derivation.md#channel-bank */
import type { L1BlockRef } from '@keelson/primitives'
import { concatList } from '../codec/bytes/concat-list.ts'
import type { ChannelId, Frame } from '../codec/channel/frame.ts'
import type { DropReason } from '../observer.ts'

/** Added per frame, so that empty frames also count. protocol/derivation.md#pruning */
const FRAME_SIZE_OVERHEAD_BYTES = 200

export interface ChannelBuffer {
  readonly id: ChannelId
  readonly openedAt: number
  readonly sizeBytes: number
  readonly ready: boolean
  /** Returns why the frame is refused, or null. If a closing frame comes late, frames beyond it are passed to `onPastEnd`. */
  add(frame: Frame): DropReason | null
  read(): Uint8Array
}

export function createChannelBuffer(id: ChannelId, openedAt: L1BlockRef, onPastEnd: (frame: Frame) => void): ChannelBuffer {
  const frames = new Map<number, Frame>()
  let end: number | null = null
  let sizeBytes = 0

  function removePast(last: number): void {
    for (const [number, frame] of frames) {
      if (number <= last) continue
      frames.delete(number)
      sizeBytes -= frame.data.length + FRAME_SIZE_OVERHEAD_BYTES
      onPastEnd(frame)
    }
  }

  return {
    id,
    openedAt: openedAt.number,
    get sizeBytes() {
      return sizeBytes
    },
    get ready() {
      // Frame numbers are distinct and not above `end`, so the count suffices.
      return end !== null && frames.size === end + 1
    },
    add(frame) {
      if (frame.isLast && end !== null) return 'frame-second-close'
      if (frames.has(frame.number)) return 'frame-duplicate'
      if (end !== null && frame.number >= end) return 'frame-past-end'
      if (frame.isLast) {
        end = frame.number
        removePast(end)
      }
      frames.set(frame.number, frame)
      sizeBytes += frame.data.length + FRAME_SIZE_OVERHEAD_BYTES
      return null
    },
    read() {
      return concatList(Array.from({ length: frames.size }, (_, number) => (frames.get(number) as Frame).data))
    },
  }
}
