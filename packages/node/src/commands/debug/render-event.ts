import type { InspectionEvent, InspectionSummary } from '@keelson/derivation'
import { counted } from '@keelson/primitives'

export function toJsonLine(event: InspectionEvent | ({ readonly kind: 'summary' } & InspectionSummary)): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}

const KIND_WIDTH = 12
const short = (hex: string) => (hex.length <= 18 ? hex : `${hex.slice(0, 10)}..${hex.slice(-4)}`)
const because = (reason: string | null) => (reason === null ? '' : `  DROPPED ${reason}`)

export function toTableLine(event: InspectionEvent): string {
  return `${String(event.l1Block).padStart(9)}  ${event.kind.padEnd(KIND_WIDTH)}${describe(event)}`
}

function describe(event: InspectionEvent): string {
  switch (event.kind) {
    case 'transaction': {
      const carrier = event.carrier === 'blobs' ? counted(event.blobs, 'blob') : 'calldata'
      const sender = event.fromBatcher ? 'batcher' : `from ${event.from ?? 'nobody'}`
      const unreadable = event.unreadable === null ? '' : `  UNREADABLE ${event.unreadable}`
      return `${short(event.hash)}  ${sender}, ${carrier}, ${event.bytes} bytes, ${counted(event.frames, 'frame')}${because(event.dropped)}${unreadable}`
    }
    case 'frame':
      return `  ${short(event.channel)} #${event.number}${event.last ? ' last' : ''}, ${event.bytes} bytes${because(event.dropped)}`
    case 'channel': {
      const size =
        event.compression === null
          ? `${event.compressedBytes} bytes`
          : `${event.compression} ${event.compressedBytes} to ${event.uncompressedBytes} bytes`
      const reason = event.reason === null ? '' : ` ${event.reason}`
      const counts = `${counted(event.frames, 'frame')} since ${event.openedAt}, ${size}, ${counted(event.batches, 'batch')}`
      return `  ${short(event.channel)} ${event.state}${reason}, ${counts}`
    }
    case 'batch': {
      const last = event.fromL2Block === null ? null : event.fromL2Block + event.l2Blocks - 1
      const blocks =
        event.fromL2Block === null
          ? counted(event.l2Blocks, 'L2 block')
          : `L2 ${event.l2Blocks === 1 ? event.fromL2Block : `${event.fromL2Block}-${last}`}`
      const epochs = event.fromEpoch === event.toEpoch ? event.fromEpoch : `${event.fromEpoch}-${event.toEpoch}`
      return `    ${event.batch} ${event.type}, ${blocks}, ${counted(event.transactions, 'transaction')}, time ${event.fromTimestamp}, epoch ${epochs}`
    }
    case 'verdict': {
      const unchecked = event.unchecked.length === 0 ? '' : `, not judged: ${event.unchecked.join(', ')}`
      return `    ${event.batch} ${event.verdict}${event.reason === null ? '' : ` ${event.reason}`}, ${counted(event.acceptedBlocks, 'block')}${unchecked}`
    }
    case 'drop': {
      const details = Object.entries(event.details).map(([name, value]) => `${name} ${value}`)
      return `  ${event.stage}${because(event.reason)}${details.length === 0 ? '' : `  ${details.join(', ')}`}`
    }
  }
}

export function renderSummary(summary: InspectionSummary, range: { readonly from: number; readonly to: number }): string {
  const { channels, batches, verdicts, drops } = summary
  const list = (counts: Readonly<Record<string, number | undefined>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none'
  const unreadable = summary.unreadableTransactions === 0 ? '' : `, of them ${summary.unreadableTransactions} not readable`
  return [
    `L1 blocks ${range.from} to ${range.to}`,
    `  transactions  ${summary.transactions} to the inbox${unreadable}; ${counted(summary.frames, 'frame')}`,
    `  channels      ${list(channels)}; ${summary.compressedBytes} bytes, ${summary.uncompressedBytes} uncompressed`,
    `  batches       ${list(batches)}; ${counted(summary.l2Blocks, 'L2 block')}, ${counted(summary.l2Transactions, 'transaction')}`,
    `  verdicts      ${list(verdicts)}; ${counted(summary.acceptedBlocks, 'block')} accepted`,
    `  dropped       ${list(drops)}`,
  ].join('\n')
}
