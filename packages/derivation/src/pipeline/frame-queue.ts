/**
 * From Holocene, drops frames that do not continue their channel. protocol/derivation.md#frame-queue,
 * holocene/derivation.md#frame-queue
 */
import { CodecError } from '@keelson/primitives'
import { decodeBatcherTransaction, type Frame, MAX_FRAME_NUMBER } from '../codec/channel/frame.ts'
import { AGAIN, type Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface FrameQueue extends Stage<Frame> {
  reset(): void
  discard(): void
}

export function createFrameQueue(context: StageContext, previous: Stage<Uint8Array>): FrameQueue {
  /** In reverse order: removing the first element of a long array copies the rest. */
  let queue: Frame[] = []

  function add(data: Uint8Array): void {
    let frames: readonly Frame[]
    try {
      frames = decodeBatcherTransaction(data)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      context.drop('frame-queue', 'frame-malformed', { message: error.message, bytes: data.length })
      return
    }
    const drop: Drop = (frame, reason) => context.drop('frame-queue', reason, { channel: frame.channelId, frame: frame.number })
    queue = (context.rules.strictOrdering ? keepOrdered(frames, drop) : [...frames]).reverse()
  }

  return {
    async pull() {
      if (queue.length === 0) {
        const pulled = await previous.pull()
        if (pulled.kind !== 'item') return pulled
        add(pulled.item)
      }
      const item = queue.pop()
      return item === undefined ? AGAIN : { kind: 'item', item }
    },
    reset() {
      queue = []
    },
    discard() {
      if (queue.length > 0) context.drop('frame-queue', 'fork-activated', { frames: queue.length })
      queue = []
    },
  }
}

type Drop = (frame: Frame, reason: 'frame-out-of-order' | 'frame-channel-unclosed') => void

/** Returns contiguous channels; all but the last are closed. */
function keepOrdered(frames: readonly Frame[], drop: Drop): Frame[] {
  const kept: Frame[] = []
  for (const frame of frames) {
    const last = kept[kept.length - 1]
    if (last === undefined || continues(last, frame)) {
      kept.push(frame)
    } else if (frame.number !== 0 || frame.channelId === last.channelId) {
      drop(frame, 'frame-out-of-order')
    } else {
      // A new channel begins, so the open one can never be completed.
      while (kept.length > 0 && (kept[kept.length - 1] as Frame).channelId === last.channelId) {
        drop(kept.pop() as Frame, 'frame-channel-unclosed')
      }
      // op-node and kona do not reopen a just closed channel.
      if (kept[kept.length - 1]?.channelId === frame.channelId) drop(frame, 'frame-out-of-order')
      else kept.push(frame)
    }
  }
  return kept
}

/** Numbers wrap at 16 bits, as in op-node (frame_queue.go, `pruneFrameQueue`) and kona. The specification does not say. */
function continues(last: Frame, next: Frame): boolean {
  if (last.channelId === next.channelId) return !last.isLast && next.number === (last.number + 1) % (MAX_FRAME_NUMBER + 1)
  return last.isLast && next.number === 0
}
