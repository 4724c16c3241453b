/** Safe and finalized blocks never differ between nodes, and go back only after a reset. */
import type { Hash } from '@keelson/primitives'
import type { RunningNode, SimulatedNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

interface Seen {
  readonly number: number
  readonly hash: Hash
  readonly resets: number
}

const LABELS = ['safe', 'finalized'] as const
type Label = (typeof LABELS)[number]

export class HeadsJudge {
  readonly #report: ReportViolation
  readonly #seen = new Map<string, Seen>()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look(nodes: readonly SimulatedNode[]): void {
    const running = nodes.flatMap(({ name, running, resets }) => (running === null ? [] : [{ name, running, resets }]))
    for (const label of LABELS) {
      for (const { name, running: node, resets } of running) this.#lookBack({ name, node, resets }, label)
      for (const [i, a] of running.entries()) for (const b of running.slice(i + 1)) this.#compare(a, b, label)
    }
  }

  #lookBack({ name, node, resets }: { readonly name: string; readonly node: RunningNode; readonly resets: number }, label: Label): void {
    const head = node.consensus.driver.heads?.[label]
    if (head === undefined) return
    const key = `${name} ${label}`
    const before = this.#seen.get(key)
    const isReset = before !== undefined && before.resets !== resets
    if (label === 'finalized' && isReset && head.number < before.number) return
    this.#seen.set(key, { number: head.number, hash: head.hash, resets })
    if (before === undefined || (label === 'safe' && isReset)) return
    if (head.number < before.number) {
      this.#report(`${label} goes back only after a reset`, `${name}: from ${before.number} to ${head.number}`)
      return
    }
    const now = node.execution.chain.canonicalHash(before.number)
    if (now !== before.hash) {
      this.#report(`${label} blocks stay`, `${name}: block ${before.number} was ${before.hash}, now ${now}`)
    }
  }

  #compare(
    a: { readonly name: string; readonly running: RunningNode },
    b: { readonly name: string; readonly running: RunningNode },
    label: Label,
  ): void {
    const [left, right] = [a, b].map(({ running }) => running.consensus.driver.heads?.[label].number)
    if (left === undefined || right === undefined) return
    const number = Math.min(left, right)
    const [ours, theirs] = [a, b].map(({ running }) => running.execution.chain.canonicalHash(number))
    if (ours !== theirs) this.#report(`${label} blocks are equal`, `block ${number}: ${a.name} has ${ours}, ${b.name} has ${theirs}`)
  }
}
