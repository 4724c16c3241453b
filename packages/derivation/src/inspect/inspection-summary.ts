import type { DropReason } from '../observer.ts'
import type { InspectionEvent } from './inspection-event.ts'

export interface InspectionSummary {
  readonly transactions: number
  readonly unreadableTransactions: number
  readonly frames: number
  readonly channels: { readonly complete: number; readonly dropped: number; readonly open: number }
  readonly compressedBytes: number
  readonly uncompressedBytes: number
  readonly batches: { readonly singular: number; readonly span: number }
  readonly l2Blocks: number
  readonly l2Transactions: number
  readonly verdicts: Readonly<Record<string, number>>
  readonly acceptedBlocks: number
  readonly drops: Readonly<Partial<Record<DropReason, number>>>
}

export interface InspectionCount {
  add(event: InspectionEvent): void
  summary(): InspectionSummary
}

export function createInspectionCount(): InspectionCount {
  const count = {
    transactions: 0,
    unreadableTransactions: 0,
    frames: 0,
    compressedBytes: 0,
    uncompressedBytes: 0,
    l2Blocks: 0,
    l2Transactions: 0,
  }
  const channels = { complete: 0, dropped: 0, open: 0 }
  const batches = { singular: 0, span: 0 }
  const drops = new Map<DropReason, number>()
  const open = new Map<number, string>()
  const decided = new Map<string, number>()
  let acceptedBlocks = 0

  const dropped = (reason: DropReason | null) => {
    if (reason !== null) drops.set(reason, (drops.get(reason) ?? 0) + 1)
  }
  const add = (sums: Map<string, number>, verdict: string) => sums.set(verdict, (sums.get(verdict) ?? 0) + 1)

  return {
    add(event) {
      switch (event.kind) {
        case 'transaction':
          count.transactions++
          if (event.unreadable !== null) count.unreadableTransactions++
          return dropped(event.dropped)
        case 'frame':
          count.frames++
          return dropped(event.dropped)
        case 'channel':
          channels[event.state]++
          count.compressedBytes += event.state === 'complete' ? event.compressedBytes : 0
          count.uncompressedBytes += event.uncompressedBytes
          return dropped(event.state === 'dropped' ? event.reason : null)
        case 'batch':
          batches[event.type]++
          count.l2Blocks += event.l2Blocks
          count.l2Transactions += event.transactions
          return
        case 'verdict':
          open.delete(event.batch)
          if (event.verdict === 'future' || event.verdict === 'undecided') open.set(event.batch, event.verdict)
          else add(decided, event.verdict)
          acceptedBlocks += event.acceptedBlocks
          return dropped(event.reason)
        case 'drop':
          return dropped(event.reason)
      }
    },
    summary() {
      const verdicts = new Map(decided)
      for (const verdict of open.values()) add(verdicts, verdict)
      const dropCounts: Partial<Record<DropReason, number>> = Object.fromEntries([...drops].sort(([, a], [, b]) => b - a))
      return {
        ...count,
        channels: { ...channels },
        batches: { ...batches },
        verdicts: Object.fromEntries(verdicts),
        acceptedBlocks,
        drops: dropCounts,
      }
    },
  }
}
