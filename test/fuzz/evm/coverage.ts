import type { EvmTracer } from '@keelson/evm'
import { bytesToBigint } from '@keelson/primitives'
import type { EvmCase } from './evm-case.ts'
import type { Outcome } from './outcome.ts'
import { opcodeName } from './program/opcodes.ts'

export type Counts = Record<string, number>

export interface CoverageCounts {
  readonly opcodes: Counts
  readonly chains: Counts
  readonly statuses: Counts
  readonly ends: Counts
  readonly features: Counts
}

const LAST_PRECOMPILE = 0x1ffn

export function emptyCounts(): CoverageCounts {
  return { opcodes: {}, chains: {}, statuses: {}, ends: {}, features: {} }
}

export function addCounts(into: CoverageCounts, more: CoverageCounts): void {
  for (const kind of ['opcodes', 'chains', 'statuses', 'ends', 'features'] as const) {
    for (const [key, count] of Object.entries(more[kind])) add(into[kind], key, count)
  }
}

function add(counts: Counts, key: string, count = 1): void {
  counts[key] = (counts[key] ?? 0) + count
}

/** Counts opcodes and frames of traced cases, statuses of all. */
export class Coverage {
  readonly counts = emptyCounts()

  readonly tracer: EvmTracer = {
    step: ({ opcode, depth }) => {
      add(this.counts.opcodes, opcodeName(opcode))
      if (depth >= 8)
        add(this.counts.features, depth >= 1024 ? 'steps at depth 1024' : depth >= 64 ? 'steps at depth 64+' : 'steps at depth 8+')
    },
    enter: ({ kind, to, depth }) => {
      if (depth > 0) add(this.counts.features, `frame ${kind}`)
      if (to === null) return
      const number = bytesToBigint(to)
      if (number > 0n && number <= LAST_PRECOMPILE) add(this.counts.features, `precompile 0x${number.toString(16)}`)
    },
    exit: ({ status, error }) => add(this.counts.ends, status === 'success' ? 'success' : (error ?? status)),
  }

  take({ chain, transactions }: EvmCase, outcome: Outcome): void {
    const { features, statuses, chains } = this.counts
    add(chains, chain)
    for (const { status, refund, logs } of outcome.transactions) {
      add(statuses, status)
      if (refund !== undefined && refund !== '0') add(features, 'transactions with a refund')
      if (logs.length > 0) add(features, 'transactions with logs')
    }
    for (const { to, accessList, authorizations } of transactions) {
      if (to === null) add(features, 'creating transactions')
      if (authorizations !== undefined) add(features, 'transactions with authorizations')
      else if (accessList !== undefined) add(features, 'transactions with an access list')
    }
  }
}
