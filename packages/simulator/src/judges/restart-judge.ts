/** An execution client that its operator stopped has its heads and its pool again when it starts. */
import type { ExecutionNode } from '@keelson/execution'
import type { BlockId, Hash } from '@keelson/primitives'
import type { ReportViolation } from './violation.ts'

const LABELS = ['unsafe', 'safe', 'finalized'] as const

export interface Belongings {
  readonly heads: Readonly<Record<(typeof LABELS)[number], BlockId>>
  readonly transactions: ReadonlySet<Hash>
  /** How often something else than its process has changed its disk. */
  readonly disturbances: number
}

export function belongingsOf({ chain, pool }: ExecutionNode, disturbances: number): Belongings {
  const idOf = (label: (typeof LABELS)[number]) => ({ hash: chain.label(label).hash, number: chain.label(label).header.number })
  const pooled = pool.senders().flatMap(({ pending, queued }) => [...pending, ...queued])
  return {
    heads: { unsafe: idOf('unsafe'), safe: idOf('safe'), finalized: idOf('finalized') },
    transactions: new Set(pooled.map(({ hash }) => hash)),
    disturbances,
  }
}

export class RestartJudge {
  readonly #stopped = new Map<string, Belongings>()
  #lost: string[] = []

  /** Call it when the last write of the process is on disk. */
  stopped(name: string, belongings: Belongings): void {
    this.#stopped.set(name, belongings)
  }

  /** Must be called for each process before requests can reach it. */
  started(name: string, now: Belongings): void {
    const before = this.#stopped.get(name)
    this.#stopped.delete(name)
    if (before === undefined || before.disturbances !== now.disturbances) return
    for (const label of LABELS) {
      const [was, is] = [before.heads[label], now.heads[label]]
      if (was.hash !== is.hash) this.#lost.push(`${name}: its ${label} head was ${was.number} ${was.hash}, and is ${is.number} ${is.hash}`)
    }
    const missing = [...before.transactions].filter((hash) => !now.transactions.has(hash))
    if (missing.length > 0) this.#lost.push(`${name}: its pool lost ${missing.length} transactions, the first is ${missing[0]}`)
  }

  look(report: ReportViolation): void {
    for (const text of this.#lost) report('a stop loses nothing', text)
    this.#lost = []
  }
}
