/** Finalized blocks, and safe ones with an origin on L1, never differ between nodes, and go back only after a reset. */
import type { BlockId, Hash } from '@keelson/primitives'
import type { SimulatedL1 } from '../l1/simulated-l1.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import { ancestorOf, originOf } from './ancestor.ts'
import type { ReportViolation } from './violation.ts'

const LABELS = ['safe', 'finalized'] as const
type Label = (typeof LABELS)[number]

export interface NodeHeads {
  readonly name: string
  /** Resets of derivation so far. */
  readonly resets: number
  /** The heads that the consensus client reports. */
  readonly heads: Readonly<Record<Label | 'unsafe', BlockId>>
  /** False while L1 has another block in place of the origin of the safe head. */
  readonly isSafeOriginCanonical: boolean
  /** Null for a block that the execution client does not have. */
  ancestor(head: BlockId, number: number): Hash | null
  /** Null for a block that the execution client does not have. */
  originOf(hash: Hash): BlockId | null
}

/** Null while the node does not run or does not know its heads. */
export function headsOf({ name, running, resets }: SimulatedNode, l1: Pick<SimulatedL1, 'block'>): NodeHeads | null {
  const heads = running?.consensus.driver.heads ?? null
  if (running === null || heads === null) return null
  const { l1Origin } = heads.safe
  return {
    name,
    resets,
    heads,
    isSafeOriginCanonical: l1.block(l1Origin.number)?.hash === l1Origin.hash,
    ancestor: (head, number) => ancestorOf(running.execution.chain, head, number),
    originOf: (hash) => originOf(running.execution.chain, hash),
  }
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

  /** The highest safe block that any node had when it was last seen. */
  get highestSafe(): number {
    return Math.max(0, ...[...this.#seen].filter(([key]) => key.endsWith(' safe')).map(([, { number }]) => number))
  }

  look(nodes: readonly NodeHeads[]): void {
    for (const label of LABELS) {
      for (const node of nodes) this.#lookBack(node, label)
      const compared = label === 'safe' ? nodes.filter((node) => node.isSafeOriginCanonical) : nodes
      for (const [i, a] of compared.entries()) for (const b of compared.slice(i + 1)) this.#compare(a, b, label)
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
    const now = node.ancestor(heads[label], before.number)
    if (now === before.hash) return
    // Without the block, the next look compares with the earlier one.
    if (now === null) this.#seen.set(key, before)
    else this.#report(`${label} blocks stay`, `${name}: block ${before.number} was ${before.hash}, now ${now}`)
  }

  #compare(a: NodeHeads, b: NodeHeads, label: Label): void {
    const number = Math.min(a.heads[label].number, b.heads[label].number)
    const [ours, theirs] = [a.ancestor(a.heads[label], number), b.ancestor(b.heads[label], number)]
    if (ours === null || theirs === null || ours === theirs) return
    this.#report(`${label} blocks are equal`, `block ${number}: ${a.name} has ${ours}, ${b.name} has ${theirs}`)
  }
}
