/** The L2 blocks of a channel, from the times in its batches. Whether derivation accepts them is not known here. */
import { type ChannelRules, type Decompressor, openChannel } from '@keelson/derivation/codec'
import type { ChannelContent } from './ports.ts'

export interface ChannelGeometry {
  readonly genesisNumber: number
  readonly genesisTimeSec: number
  readonly blockTimeSec: number
}

export function readChannel(
  data: Uint8Array,
  rules: ChannelRules,
  { genesisNumber, genesisTimeSec, blockTimeSec }: ChannelGeometry,
  decompressor: Decompressor,
): ChannelContent {
  let first: number | null = null
  let last: number | null = null
  let batches = 0
  const content = (problem: string | null) => ({ firstBlock: first, lastBlock: last, batches, problem })
  const opened = openChannel(data, rules, decompressor)
  if (!opened.ok) return content(opened.reason)
  for (;;) {
    const next = opened.batches.next()
    if (next.kind === 'end') return content(null)
    if (next.kind === 'malformed') return content(next.reason)
    if (next.kind === 'again') continue
    const { batch } = next
    const sinceGenesisSec = batch.kind === 'span' ? Number(batch.layout.relTimestampSec) : batch.batch.timestampSec - genesisTimeSec
    const from = genesisNumber + Math.floor(sinceGenesisSec / blockTimeSec)
    const to = from + (batch.kind === 'span' ? batch.layout.blockCount : 1) - 1
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return content('batch-malformed')
    first = Math.min(first ?? from, from)
    last = Math.max(last ?? to, to)
    batches++
  }
}
