/** From Holocene: one channel at a time, frames in strict order. holocene/derivation.md#channel-bank */
import type { Frame } from '../codec/channel/frame.ts'
import { type ChannelStage, isTimedOut } from './channel-bank.ts'
import { type ChannelBuffer, createChannelBuffer } from './channel-buffer.ts'
import type { Pull, Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

interface StagingChannel {
  readonly buffer: ChannelBuffer
  next: number
}

const noneIsPastEnd = () => undefined

export function createChannelAssembler(context: StageContext, previous: Stage<Frame>): ChannelStage {
  let staging: StagingChannel | null = null

  function add(frame: Frame): Uint8Array | null {
    const details = { channel: frame.channelId, frame: frame.number }
    if (frame.number === 0) {
      if (staging !== null) context.drop('channel-assembler', 'channel-replaced', { channel: staging.buffer.id })
      staging = { buffer: createChannelBuffer(frame.channelId, context.origin, noneIsPastEnd), next: 0 }
    }
    if (staging === null) {
      context.drop('channel-assembler', 'frame-without-channel', details)
      return null
    }
    const { buffer } = staging
    if (frame.channelId !== buffer.id || frame.number !== staging.next) {
      context.drop('channel-assembler', 'frame-out-of-order', details)
      return null
    }
    buffer.add(frame)
    staging.next++
    if (buffer.sizeBytes > context.rules.maxRlpBytesPerChannel) {
      context.drop('channel-assembler', 'channel-too-large', { channel: buffer.id, bytes: buffer.sizeBytes })
      staging = null
      return null
    }
    if (!frame.isLast) return null
    staging = null
    return buffer.read()
  }

  return {
    async pull(): Promise<Pull<Uint8Array>> {
      if (staging !== null && isTimedOut(staging.buffer, context)) {
        context.drop('channel-assembler', 'channel-timed-out', { channel: staging.buffer.id, openedAt: staging.buffer.openedAt })
        staging = null
      }
      for (;;) {
        const pulled = await previous.pull()
        if (pulled.kind !== 'item') return pulled
        const channel = add(pulled.item)
        if (channel !== null) return { kind: 'item', item: channel }
      }
    },
    reset() {
      staging = null
    },
    discard() {
      if (staging !== null) context.drop('channel-assembler', 'fork-activated', { channel: staging.buffer.id })
      staging = null
    },
  }
}
