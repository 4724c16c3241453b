/** Writes output roots to the L2OutputOracle. specs: protocol/proposals.md */
import type { ForkLimit } from '@keelson/chainspec'
import { encodeProposeL2Output } from '@keelson/contracts'
import { type Address, type Clock, type Logger, messageOf, type OutputAtBlock, type RollupApi, ZERO_HASH } from '@keelson/primitives'
import { createPoller, type Metrics, type Poller, type RpcMethods, type Service } from '@keelson/runtime'
import { checkOutput } from './check-output.ts'
import { EarlierProposals, proposalLabel } from './earlier-proposals.ts'
import { ProposerError } from './errors.ts'
import { createProposerMetrics, type ProposerMetrics } from './metrics.ts'
import { createOutputOracle, type OutputOracle } from './output-oracle.ts'
import type { L1Blocks, L1Caller, L1Sender } from './ports.ts'
import { RevertPause } from './revert-pause.ts'

export interface ProposerOptions {
  readonly oracle: Address
  readonly pollIntervalMs: number
  /** Proposes safe blocks, not only finalized ones; for short-lived networks. */
  readonly allowNonFinalized: boolean
  readonly stopped?: boolean
}

export interface ProposerDependencies {
  readonly rollup: RollupApi
  readonly l1: L1Caller & L1Blocks
  readonly sender: L1Sender
  readonly limit?: ForkLimit | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export type ProposalStep =
  | { readonly kind: 'proposed'; readonly l2BlockNumber: number; readonly outputRoot: string }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface ProposerTrouble {
  readonly sinceMs: number
  readonly reason: string
}

export interface Proposer extends Service {
  step(): Promise<ProposalStep>
  readonly methods: RpcMethods
  trouble(): ProposerTrouble | null
}

export function createProposer(options: ProposerOptions, deps: ProposerDependencies): Proposer {
  return new ProposerService(options, deps)
}

class ProposerService implements Proposer {
  readonly name = 'proposer'
  readonly methods: RpcMethods
  readonly #options: ProposerOptions
  readonly #deps: ProposerDependencies
  readonly #oracle: OutputOracle
  readonly #metrics: ProposerMetrics
  readonly #proposals: EarlierProposals
  readonly #reverts: RevertPause
  readonly #poller: Poller
  #stopped: ProposerTrouble | null
  #degraded: ProposerTrouble | null = null
  #waitingFor: string | null = null
  #accountChecked = false

  constructor(options: ProposerOptions, deps: ProposerDependencies) {
    const { clock, l1, log, sender } = deps
    this.#options = options
    this.#deps = deps
    this.#oracle = createOutputOracle(l1, options.oracle)
    this.#metrics = createProposerMetrics(deps.metrics)
    this.#proposals = new EarlierProposals({ sender, l1, log })
    this.#reverts = new RevertPause(options.pollIntervalMs, clock)
    this.#stopped = options.stopped === true ? this.#stoppedBy('an option (--stopped)') : null
    this.#poller = createPoller(() => this.#poll(), {
      clock,
      intervalMs: options.pollIntervalMs,
      onError: (error) => this.#degrade(error),
    })
    this.methods = this.#adminMethods()
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  stop(): Promise<void> {
    return this.#poller.stop()
  }

  trouble(): ProposerTrouble | null {
    return this.#stopped ?? this.#degraded
  }

  async step(): Promise<ProposalStep> {
    const { limit = null, rollup } = this.#deps
    const { allowNonFinalized } = this.#options
    if (this.#stopped !== null) return { kind: 'stopped' }
    await this.#proposals.recover()
    const { unsettled } = this.#proposals
    if (unsettled > 0) return this.#wait(`${unsettled} proposals of the last run are not settled`)
    await this.#checkAccount()
    const next = await this.#oracle.nextBlockNumber()
    const status = await rollup.syncStatus()
    const have = allowNonFinalized ? status.safeL2 : status.finalizedL2
    this.#metrics.looked(next, have.number)
    // After the fork, the output root may have another format.
    if (limit !== null && next > limit.lastBlock) return this.#end(limit.sentence)
    if (have.hash === ZERO_HASH || status.headL1.hash === ZERO_HASH) return this.#wait('the consensus client does not know its heads yet')
    if (have.number < next) return this.#wait(`L2 block ${next} is next, ${allowNonFinalized ? 'safe' : 'final'} is ${have.number}`)
    if (await this.#proposals.isMissingFrom(next)) {
      return this.#wait(`L1 does not show the proposal of L2 block ${this.#proposals.last?.l2BlockNumber} yet`)
    }
    const output = await rollup.outputAtBlock(next)
    const reason = await checkOutput(output, next, this.#deps.l1)
    return reason === null ? this.#propose(output, next) : this.#wait(reason)
  }

  async #propose({ outputRoot, syncStatus }: OutputAtBlock, l2BlockNumber: number): Promise<ProposalStep> {
    const { clock, log, sender } = this.#deps
    this.#waitingFor = null
    const data = encodeProposeL2Output({ outputRoot, l2BlockNumber, l1: syncStatus.currentL1 })
    const transaction = { to: this.#options.oracle, data, label: proposalLabel(l2BlockNumber) }
    this.#reverts.check()
    const receipt = await sender.send(transaction, this.#poller.signal)
    if (!receipt.succeeded) {
      const text = `proposal of L2 block ${l2BlockNumber} reverted in ${receipt.transactionHash}; retrying`
      throw this.#reverts.add(new ProposerError('proposer/reverted', text, { l2BlockNumber }))
    }
    this.#reverts.clear()
    this.#proposals.add({ l2BlockNumber, receipt })
    this.#metrics.proposed(l2BlockNumber, clock.nowMs())
    log.info('proposed output', { l2Block: l2BlockNumber, outputRoot, tx: receipt.transactionHash })
    return { kind: 'proposed', l2BlockNumber, outputRoot }
  }

  async #checkAccount(): Promise<void> {
    if (this.#accountChecked) return
    const allowed = await this.#oracle.proposer()
    const { address } = this.#deps.sender
    if (allowed !== address) {
      const text = `the oracle accepts proposals of ${allowed}, this account is ${address}`
      throw new ProposerError('proposer/not-the-proposer', text, { oracle: this.#options.oracle })
    }
    this.#accountChecked = true
  }

  #wait(reason: string): ProposalStep {
    this.#waitingFor = reason
    return { kind: 'waiting', reason }
  }

  #end(reason: string): ProposalStep {
    if (this.#waitingFor !== reason) this.#deps.log.warn('no further outputs are proposed', { reason })
    return this.#wait(reason)
  }

  async #poll(): Promise<number | undefined> {
    const { clock, log } = this.#deps
    const { kind } = await this.step()
    if (this.#degraded !== null) log.info('proposals work again', { afterMs: clock.nowMs() - this.#degraded.sinceMs })
    this.#degraded = null
    return kind === 'proposed' ? 0 : undefined
  }

  #degrade(error: unknown): void {
    const { clock, log } = this.#deps
    const reason = messageOf(error)
    this.#metrics.failed()
    if (this.#degraded?.reason !== reason) log.warn('proposal failed, retrying', { reason })
    this.#degraded = { sinceMs: this.#degraded?.sinceMs ?? clock.nowMs(), reason }
  }

  #stoppedBy(whom: string): ProposerTrouble {
    return { sinceMs: this.#deps.clock.nowMs(), reason: `stopped by ${whom}: no outputs are proposed until admin_startProposer` }
  }

  #adminMethods(): RpcMethods {
    return {
      admin_startProposer: () => {
        if (this.#stopped !== null) this.#deps.log.info('started by an operator')
        this.#stopped = null
        return null
      },
      admin_stopProposer: () => {
        if (this.#stopped === null) this.#deps.log.info('stopped by an operator; sent transactions still settle')
        this.#stopped ??= this.#stoppedBy('an operator (admin_stopProposer)')
        return null
      },
      admin_proposerActive: () => this.#stopped === null,
      admin_proposerStatus: () => ({
        active: this.#stopped === null,
        waitingFor: this.#stopped === null ? this.#waitingFor : this.#stopped.reason,
        trouble: this.#degraded?.reason ?? null,
        lastProposedBlock: this.#proposals.last?.l2BlockNumber ?? null,
        lastProposalL1Block: this.#proposals.last?.receipt.blockNumber ?? null,
      }),
    }
  }
}
