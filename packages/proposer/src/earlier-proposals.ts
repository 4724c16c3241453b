import type { Logger } from '@keelson/primitives'
import type { L1Blocks, L1Sender, ProposalReceipt } from './ports.ts'

export interface Proposal {
  readonly l2BlockNumber: number
  readonly receipt: ProposalReceipt
}

export interface EarlierProposalsDependencies {
  readonly sender: Pick<L1Sender, 'recover'>
  readonly l1: L1Blocks
  readonly log: Logger
}

const LABEL = /^output of L2 block (\d+)$/

/** The sender's journal stores this label; it identifies a proposal after a restart. */
export function proposalLabel(l2BlockNumber: number): string {
  return `output of L2 block ${l2BlockNumber}`
}

/** Proposals of this and earlier runs, so that none is sent twice. */
export class EarlierProposals {
  readonly #deps: EarlierProposalsDependencies
  #recovered = false
  #unsettled = 0
  #last: Proposal | null = null

  constructor(deps: EarlierProposalsDependencies) {
    this.#deps = deps
  }

  get last(): Proposal | null {
    return this.#last
  }

  get unsettled(): number {
    return this.#unsettled
  }

  add(proposal: Proposal): void {
    this.#last = proposal
  }

  async recover(): Promise<void> {
    if (this.#recovered) return
    const found = await this.#deps.sender.recover()
    this.#recovered = true
    if (found.length > 0) this.#deps.log.info('waiting for proposals of the last run', { count: found.length })
    for (const { label, receipt } of found) {
      this.#unsettled++
      receipt
        .then((settled) => {
          const l2BlockNumber = Number(LABEL.exec(label)?.[1] ?? Number.NaN)
          if (settled.succeeded && l2BlockNumber >= 0) this.#last = { l2BlockNumber, receipt: settled }
        })
        .catch(() => undefined)
        .finally(() => {
          this.#unsettled--
        })
    }
  }

  /** True while the oracle's `next` omits the last proposal although L1 still has its block: the L1 node is stale. */
  async isMissingFrom(next: number): Promise<boolean> {
    if (this.#last === null || next > this.#last.l2BlockNumber) return false
    const { blockNumber, blockHash } = this.#last.receipt
    const block = await this.#deps.l1.blockRef(blockNumber)
    return block?.hash === blockHash
  }
}
