/** What the bridge status says of a transfer never contradicts a final chain, and every finished transfer is reported as finished. */
import type { BridgeState, StatusView, WithdrawalsView } from '@keelson/apps/bridge'
import type { Hash } from '@keelson/primitives'
import type { StatusAnswerSeen } from '../apps/bridge-watchers.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import { originNumberAt } from './early-proposals-judge.ts'
import type { ReportViolation } from './violation.ts'

/** What the judge knows of the chains. */
export interface StatusTruth {
  /** Null while L1 or L2 has no block of this number. */
  l1HashAt(number: number): Hash | null
  l2HashAt(number: number): Hash | null
  readonly l1FinalizedNumber: number
  /** The highest among the nodes that run. */
  readonly l2FinalizedNumber: number
  /** Whether the L1 origin of a block on the L2 chain is final. Null while no node that runs has the block. */
  isOriginFinal(l2Number: number): boolean | null
}

interface FinalDeposit {
  readonly state: BridgeState
  readonly blocks: string
}

const RULE = 'the bridge status does not contradict a final chain'

export class BridgeStatusJudge {
  readonly #report: ReportViolation
  readonly #finalDeposits = new Map<Hash, FinalDeposit>()
  readonly #paidWithdrawals = new Map<Hash, number>()
  readonly #last = new Map<Hash, string>()
  #l2FinalizedNumber = 0

  constructor(report: ReportViolation) {
    this.#report = report
  }

  /** Call it often: the node that has the highest final block may stop. */
  look({ l2FinalizedNumber }: Pick<StatusTruth, 'l2FinalizedNumber'>): void {
    this.#l2FinalizedNumber = Math.max(this.#l2FinalizedNumber, l2FinalizedNumber)
  }

  hear({ kind, txHash, view }: StatusAnswerSeen, truth: StatusTruth): void {
    this.look(truth)
    if (kind === 'deposit') this.#hearDeposit(txHash, view, truth)
    else this.#hearWithdrawal(txHash, view, truth)
    this.#last.set(txHash, kind === 'deposit' ? view.state : view.status)
  }

  /** `finished` are transfers that have been finished for some time, with the states that say so. */
  conclude(finished: ReadonlyMap<Hash, readonly string[]>): void {
    for (const [txHash, states] of finished) {
      const last = this.#last.get(txHash)
      if (last === undefined || !states.includes(last)) {
        this.#report('a finished transfer is reported as finished', `${txHash} is ${last ?? 'unknown'} instead of ${states.join(' or ')}`)
      }
    }
  }

  #hearDeposit(txHash: Hash, { state, l1, deposits }: StatusView, truth: StatusTruth): void {
    const { blockNumber, blockHash } = l1
    if (l1.finalized && blockNumber !== null) {
      const hash = truth.l1HashAt(blockNumber)
      if (blockNumber > truth.l1FinalizedNumber) this.#report(RULE, `${txHash}: L1 block ${blockNumber} is not final`)
      else if (hash !== blockHash) this.#report(RULE, `${txHash}: L1 block ${blockNumber} is ${hash}, not ${blockHash}`)
    }
    for (const { l2 } of deposits) {
      if (l2 === null || !l2.finalized) continue
      const hash = truth.l2HashAt(l2.blockNumber)
      // A node may have finalized it and stopped since the last look. A later answer is judged when a node runs that has the block.
      const mayBeFinal = l2.blockNumber <= this.#l2FinalizedNumber || truth.isOriginFinal(l2.blockNumber) !== false
      if (!mayBeFinal) this.#report(RULE, `${txHash}: L2 block ${l2.blockNumber} is not final`)
      else if (hash !== null && hash !== l2.blockHash)
        this.#report(RULE, `${txHash}: L2 block ${l2.blockNumber} is ${hash}, not ${l2.blockHash}`)
    }
    const blocks = [blockHash, ...deposits.map(({ l2 }) => l2?.blockHash)].join(' ')
    const before = this.#finalDeposits.get(txHash)
    if (before !== undefined && (before.state !== state || before.blocks !== blocks)) {
      this.#report('a final transfer stays as it is', `${txHash} was ${before.state} in ${before.blocks}, and is ${state} in ${blocks}`)
    }
    const isFinal = l1.finalized && deposits.length > 0 && deposits.every(({ l2 }) => l2?.finalized === true)
    if (isFinal && before === undefined) this.#finalDeposits.set(txHash, { state, blocks })
  }

  /** The service reads L1's head, so a payment may go away until the block in which it was seen is final. */
  #hearWithdrawal(txHash: Hash, { status }: WithdrawalsView, { l1FinalizedNumber, l1HashAt }: StatusTruth): void {
    const seenAt = this.#paidWithdrawals.get(txHash)
    if (status !== 'finalized' && seenAt !== undefined) {
      if (seenAt <= l1FinalizedNumber) this.#report('a final transfer stays as it is', `${txHash} was finalized, and is ${status}`)
      this.#paidWithdrawals.delete(txHash)
    }
    if (status !== 'finalized' || seenAt !== undefined) return
    let head = l1FinalizedNumber
    while (l1HashAt(head + 1) !== null) head++
    this.#paidWithdrawals.set(txHash, head)
  }
}

/** The answers of the service come at the time of the look. */
export function truthOf({ l1, nodes }: RollupWorld): StatusTruth {
  const running = nodes.flatMap((node) => (node.running === null || node.damaged ? [] : [node.running]))
  const best = running.reduce<(typeof running)[number] | null>((a, b) => (a === null || finalizedOf(b) > finalizedOf(a) ? b : a), null)
  return {
    l1HashAt: (number) => l1.block(number)?.hash ?? null,
    l2HashAt: (number) => best?.execution.chain.canonicalHash(number) ?? null,
    l1FinalizedNumber: l1.finalizedNumber,
    l2FinalizedNumber: best === null ? 0 : finalizedOf(best),
    isOriginFinal(l2Number) {
      const origin = originNumberAt(nodes, l2Number)
      return origin === null ? null : origin <= l1.finalizedNumber
    },
  }
}

function finalizedOf({
  execution,
}: {
  readonly execution: { readonly chain: { label(at: 'finalized'): { readonly header: { readonly number: number } } } }
}): number {
  return execution.chain.label('finalized').header.number
}
