import type { ChannelId, Frame } from '../codec/channel/frame.ts'

export interface OpenChannel {
  readonly id: ChannelId
  readonly openedAt: number
  readonly frames: number
  readonly bytes: number
}

export interface ChannelLedger {
  add(frame: Frame, l1Block: number): void
  takeReady(): OpenChannel | null
  take(id: string): OpenChannel | null
  takeAll(): readonly OpenChannel[]
}

interface Entry {
  readonly id: ChannelId
  readonly openedAt: number
  readonly sizes: Map<number, number>
  end: number | null
}

export function createChannelLedger(): ChannelLedger {
  const entries = new Map<string, Entry>()

  function summarize({ id, openedAt, sizes }: Entry): OpenChannel {
    return { id, openedAt, frames: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) }
  }

  function take(id: string): OpenChannel | null {
    const entry = entries.get(id)
    if (entry === undefined) return null
    entries.delete(id)
    return summarize(entry)
  }

  return {
    add(frame, l1Block) {
      const entry: Entry = entries.get(frame.channelId) ?? { id: frame.channelId, openedAt: l1Block, sizes: new Map(), end: null }
      entries.set(frame.channelId, entry)
      entry.sizes.set(frame.number, frame.data.length)
      if (!frame.isLast) return
      entry.end = frame.number
      for (const number of entry.sizes.keys()) if (number > frame.number) entry.sizes.delete(number)
    },
    takeReady() {
      for (const { id, end, sizes } of entries.values()) if (end !== null && sizes.size === end + 1) return take(id)
      return null
    },
    take,
    takeAll() {
      const all = [...entries.values()].map(summarize)
      entries.clear()
      return all
    },
  }
}
