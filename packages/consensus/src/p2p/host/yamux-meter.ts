/**
 * A frame of twelve bytes costs as much as a kilobyte of content, and one that opens a stream a hundred times that.
 * hashicorp/yamux spec.md
 */
import type { Chunk } from './limited-source.ts'

/** In units of about 20 microseconds of thread time. */
export const FRAME_COSTS = {
  chunk: 1,
  frame: 2,
  kilobyte: 1,
  openedStream: 150,
} as const

const HEADER_BYTES = 12
const TYPE_DATA = 0
const TYPE_PING = 2
const FLAG_SYN = 1

export class YamuxMeter {
  unansweredPings = 0
  /** Largest content length, in bytes, that a frame header stated. */
  longestFrame = 0
  private readonly header = new Uint8Array(HEADER_BYTES)
  private readonly view = new DataView(this.header.buffer)
  private headerAt = 0
  private contentLeft = 0

  received(bytes: Uint8Array): number {
    let cost: number = FRAME_COSTS.chunk + Math.floor((bytes.length * FRAME_COSTS.kilobyte) / 1024)
    for (let at = 0; at < bytes.length; ) {
      if (this.contentLeft > 0) {
        const step = Math.min(this.contentLeft, bytes.length - at)
        this.contentLeft -= step
        at += step
        continue
      }
      const step = Math.min(HEADER_BYTES - this.headerAt, bytes.length - at)
      this.header.set(bytes.subarray(at, at + step), this.headerAt)
      this.headerAt += step
      at += step
      if (this.headerAt === HEADER_BYTES) cost += this.frame()
    }
    return cost
  }

  sent(frame: Chunk): void {
    if (frame.subarray(1, 2)[0] === TYPE_PING) this.unansweredPings = Math.max(0, this.unansweredPings - 1)
  }

  private frame(): number {
    this.headerAt = 0
    const type = this.header[1]
    const isSyn = (this.view.getUint16(2) & FLAG_SYN) !== 0
    // in other frames this field is a window size or a ping id
    if (type === TYPE_DATA) this.contentLeft = this.view.getUint32(8)
    this.longestFrame = Math.max(this.longestFrame, this.contentLeft)
    if (type === TYPE_PING && isSyn) this.unansweredPings++
    return FRAME_COSTS.frame + (type !== TYPE_PING && isSyn ? FRAME_COSTS.openedStream : 0)
  }
}
