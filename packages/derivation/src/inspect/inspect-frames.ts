/** Frames with the frame queue's verdicts. protocol/derivation.md#frame-queue */
import { CodecError, equalBytes } from '@keelson/primitives'
import { decodeBatcherTransaction, type Frame } from '../codec/channel/frame.ts'
import type { DropReason } from '../observer.ts'
import { createFrameQueue } from '../pipeline/frame-queue.ts'
import { ORIGIN_EXHAUSTED, type Stage } from '../pipeline/stage.ts'
import type { Drop, InspectionContext } from './inspection-context.ts'

export interface InspectedFrame {
  readonly frame: Frame
  readonly dropped: DropReason | null
}

export interface InspectedFrames {
  readonly frames: readonly InspectedFrame[]
  readonly malformed: Drop | null
}

export async function inspectFrames(context: InspectionContext, data: Uint8Array): Promise<InspectedFrames> {
  const queue = createFrameQueue(context, onceOf(data))
  const passed: Frame[] = []
  for (;;) {
    const pulled = await queue.pull()
    if (pulled.kind === 'origin-exhausted') break
    if (pulled.kind === 'item') passed.push(pulled.item)
  }
  const drops = [...context.takeDrops()]
  const malformed = drops.find((drop) => drop.reason === 'frame-malformed') ?? null
  return {
    frames: malformed === null ? decodedFrames(data).map((frame) => ({ frame, dropped: fateOf(frame, passed, drops) })) : [],
    malformed,
  }
}

function decodedFrames(data: Uint8Array): readonly Frame[] {
  try {
    return decodeBatcherTransaction(data)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return []
  }
}

function fateOf(frame: Frame, passed: Frame[], drops: Drop[]): DropReason | null {
  const [next] = passed
  if (next !== undefined && isSame(next, frame)) {
    passed.shift()
    return null
  }
  const at = drops.findIndex(({ details }) => details.channel === frame.channelId && details.frame === frame.number)
  return at < 0 ? null : ((drops.splice(at, 1)[0] as Drop).reason ?? null)
}

function isSame(a: Frame, b: Frame): boolean {
  return a.channelId === b.channelId && a.number === b.number && a.isLast === b.isLast && equalBytes(a.data, b.data)
}

export function onceOf<T>(...items: readonly T[]): Stage<T> {
  const waiting = [...items]
  return {
    async pull() {
      const item = waiting.shift()
      return item === undefined ? ORIGIN_EXHAUSTED : { kind: 'item', item }
    },
  }
}
