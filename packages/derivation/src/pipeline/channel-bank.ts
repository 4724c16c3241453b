/**
 * Before Holocene: many channels, with frames in any order; channels are read in order of opening.
 * protocol/derivation.md#channel-bank
 */
import type { ChannelId, Frame } from '../codec/channel/frame.ts'
import { type ChannelBuffer, createChannelBuffer } from './channel-buffer.ts'
import { AGAIN, type Pull, type Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface ChannelStage extends Stage<Uint8Array> {
  reset(): void
  discard(): void
}

/** Channels time out `channelTimeoutL1Blocks` blocks after they opened. */
export function isTimedOut(channel: ChannelBuffer, context: StageContext): boolean {
  return channel.openedAt + context.rules.channelTimeoutL1Blocks < context.origin.number
}

export function createChannelBank(context: StageContext, previous: Stage<Frame>): ChannelStage {
  const channels = new Map<ChannelId, ChannelBuffer>()
  /** Holds more than one channel only if, before Canyon, complete channels waited behind an incomplete one. */
  const readyChannels = new Set<ChannelBuffer>()
  let totalBytes = 0

  function dropPastEnd(frame: Frame): void {
    context.drop('channel-bank', 'frame-past-end', { channel: frame.channelId, frame: frame.number })
  }

  function remove(channel: ChannelBuffer): void {
    channels.delete(channel.id)
    readyChannels.delete(channel)
    totalBytes -= channel.sizeBytes
  }

  function ingest(frame: Frame): void {
    let channel = channels.get(frame.channelId)
    if (channel === undefined) {
      channel = createChannelBuffer(frame.channelId, context.origin, dropPastEnd)
      channels.set(channel.id, channel)
    }
    const details = { channel: frame.channelId, frame: frame.number }
    if (isTimedOut(channel, context)) {
      context.drop('channel-bank', 'channel-timed-out', details)
      return
    }
    const sizeBefore = channel.sizeBytes
    const refused = channel.add(frame)
    if (refused !== null) {
      context.drop('channel-bank', refused, details)
      return
    }
    totalBytes += channel.sizeBytes - sizeBefore
    if (channel.ready) readyChannels.add(channel)
    prune()
  }

  function prune(): void {
    for (const channel of channels.values()) {
      if (totalBytes <= context.rules.maxChannelBankBytes) return
      remove(channel)
      context.drop('channel-bank', 'channel-pruned', { channel: channel.id, bytes: channel.sizeBytes })
    }
  }

  /** Before Canyon an incomplete first channel blocks the others. `readyChannels` avoids a search of a million open channels. */
  function findReady(): ChannelBuffer | null {
    if (readyChannels.size === 0) return null
    const candidates = context.rules.readsFirstReadyChannel && readyChannels.size === 1 ? readyChannels : channels.values()
    for (const channel of candidates) {
      if (channel.ready && !isTimedOut(channel, context)) return channel
      if (!context.rules.readsFirstReadyChannel) return null
    }
    return null
  }

  function dropTimedOut(): void {
    for (const channel of channels.values()) {
      if (!isTimedOut(channel, context)) return
      remove(channel)
      context.drop('channel-bank', 'channel-timed-out', { channel: channel.id, openedAt: channel.openedAt })
    }
  }

  function reset(): void {
    channels.clear()
    readyChannels.clear()
    totalBytes = 0
  }

  return {
    async pull(): Promise<Pull<Uint8Array>> {
      dropTimedOut()
      const ready = findReady()
      if (ready !== null) {
        remove(ready)
        return { kind: 'item', item: ready.read() }
      }
      const pulled = await previous.pull()
      if (pulled.kind !== 'item') return pulled
      ingest(pulled.item)
      return AGAIN
    },
    reset,
    discard() {
      for (const channel of channels.values()) context.drop('channel-bank', 'fork-activated', { channel: channel.id })
      reset()
    },
  }
}
