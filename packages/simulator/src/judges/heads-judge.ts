/** Safe and finalized blocks never differ between nodes, and go back only after a reset. */
import type { BlockId, Hash } from '@keelson/primitives'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

const LABELS = ['safe', 'finalized'] as const
type Label = (typeof LABELS)[number]

export interface NodeHeads {
  readonly name: string
  /** Resets of derivation so far. */
  readonly resets: number
  /** Of the consensus client, whose execution client may be a call behind. */
  readonly heads: Readonly<Record<Label, BlockId>>
  /** Of the execution client; null for a block that is not canonical there yet. */
  hashAt(number: number): Hash | null
}

/** Null while the node does not run or does not know its heads. */
export function headsOf({ name, running, resets }: SimulatedNode): NodeHeads | null {
  const heads = running?.consensus.driver.heads ?? null
  return running === null || heads === null ? null : { name, resets, heads, hashAt: running.execution.chain.canonicalHash }
}

interface Seen extends BlockId {
  readonly resets: number
}

export class HeadsJudge {
  readonly #report: ReportViolation
  readonly #seen = new Map<string, Seen>()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look(nodes: readonly NodeHeads[]): void {
    for (const label of LABELS) {
      for (const node of nodes) this.#lookBack(node, label)
      for (const [i, a] of nodes.entries()) for (const b of nodes.slice(i + 1)) this.#compare(a, b, label)
    }
  }

  #lookBack(node: NodeHeads, label: Label): void {
    const { name, resets, heads } = node
    const key = `${name} ${label}`
    const { number, hash } = heads[label]
    const before = this.#seen.get(key)
    const isReset = before !== undefined && before.resets !== resets
    if (label === 'finalized' && isReset && number < before.number) return
    this.#seen.set(key, { number, hash, resets })
    if (before === undefined || (label === 'safe' && isReset)) return
    if (number < before.number) {
      this.#report(`${label} goes back only after a reset`, `${name}: from ${before.number} to ${number}`)
      return
    }
    const now = hashOf(node, before.number, label)
    if (now !== before.hash) this.#report(`${label} blocks stay`, `${name}: block ${before.number} was ${before.hash}, now ${now}`)
  }

  #compare(a: NodeHeads, b: NodeHeads, label: Label): void {
    const number = Math.min(a.heads[label].number, b.heads[label].number)
    const [ours, theirs] = [hashOf(a, number, label), hashOf(b, number, label)]
    if (ours === null || theirs === null || ours === theirs) return
    this.#report(`${label} blocks are equal`, `block ${number}: ${a.name} has ${ours}, ${b.name} has ${theirs}`)
  }
}

function hashOf({ heads, hashAt }: NodeHeads, number: number, label: Label): Hash | null {
  return heads[label].number === number ? heads[label].hash : hashAt(number)
}
