/**
 * Writes output roots to the L2OutputOracle on L1, so that withdrawals can be proven there. The oracle
 * says which block is next, so a restart needs no memory and two proposers cannot both succeed.
 * specs: protocol/proposals.md
 */
import { decodeBlockNumber, encodeProposeL2Output, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import type { Address, Clock, Logger, RollupApi } from '@keelson/primitives'
import type { Metrics, RpcMethods, Service } from '@keelson/runtime'
import { ProposerError } from './errors.ts'
import type { L1Caller, L1Sender } from './ports.ts'

export interface ProposerOptions {
  readonly oracle: Address
  readonly pollIntervalMs: number
  /** Propose for safe blocks instead of waiting until they are finalized; for short-lived networks. */
  readonly allowNonFinalized: boolean
}

export interface ProposerDependencies {
  readonly rollup: RollupApi
  readonly l1: L1Caller
  readonly sender: L1Sender
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export type ProposalStep =
  | { readonly kind: 'proposed'; readonly l2BlockNumber: number; readonly outputRoot: string }
  /** The next block the oracle wants is not safe (or final) yet. */
  | { readonly kind: 'waiting'; readonly nextBlockNumber: number; readonly haveBlockNumber: number }
  | { readonly kind: 'stopped' }

export interface Proposer extends Service {
  /** Proposes at most one output. Rejects on failure; nothing is left half done. */
  step(): Promise<ProposalStep>
  /** admin_startProposer, admin_stopProposer, admin_proposerActive. */
  readonly methods: RpcMethods
  /** Null when it works; else since when and why not. */
  trouble(): { readonly sinceMs: number; readonly reason: string } | null
}

export function createProposer(options: ProposerOptions, deps: ProposerDependencies): Proposer {
  const { log, clock } = deps
  const proposals = deps.metrics.counter('proposals_total', 'Output roots proposed to L1')
  const failures = deps.metrics.counter('proposal_failures_total', 'Attempts to propose that failed')
  const proposedBlock = deps.metrics.gauge('proposed_l2_block', 'Last L2 block this process proposed an output for')
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let active = true
  let degraded: { sinceMs: number; reason: string } | null = null

  async function nextBlockNumber(): Promise<number> {
    const answer = await deps.l1.call(options.oracle, OUTPUT_ORACLE_CALLS.nextBlockNumber)
    if (answer.length !== 32) {
      throw new ProposerError(
        'proposer/oracle',
        `no L2OutputOracle at ${options.oracle}: nextBlockNumber() answered ${answer.length} bytes, expected 32`,
        {
          oracle: options.oracle,
        },
      )
    }
    return decodeBlockNumber(answer)
  }

  async function step(): Promise<ProposalStep> {
    if (!active) return { kind: 'stopped' }
    const next = await nextBlockNumber()
    const status = await deps.rollup.syncStatus()
    const have = options.allowNonFinalized ? status.safeL2.number : status.finalizedL2.number
    if (have < next) return { kind: 'waiting', nextBlockNumber: next, haveBlockNumber: have }
    const output = await deps.rollup.outputAtBlock(next)
    const { currentL1 } = output.syncStatus
    const data = encodeProposeL2Output({ outputRoot: output.outputRoot, l2BlockNumber: next, l1: currentL1 })
    const receipt = await deps.sender.send({ to: options.oracle, data }, stopping.signal)
    if (!receipt.succeeded) {
      throw new ProposerError(
        'proposer/reverted',
        `proposal of L2 block ${next} reverted in ${receipt.transactionHash}; asking the oracle again`,
        {
          l2BlockNumber: next,
        },
      )
    }
    proposals.inc()
    proposedBlock.set(next)
    log.info('proposed output', { l2Block: next, outputRoot: output.outputRoot, tx: receipt.transactionHash })
    return { kind: 'proposed', l2BlockNumber: next, outputRoot: output.outputRoot }
  }

  /** True when another output may be due at once. */
  async function stepOnce(): Promise<boolean> {
    try {
      const { kind } = await step()
      if (degraded !== null) log.info('proposing again', { afterMs: clock.nowMs() - degraded.sinceMs })
      degraded = null
      return kind === 'proposed'
    } catch (error) {
      if (stopping.signal.aborted) return false
      const reason = error instanceof Error ? error.message : String(error)
      failures.inc()
      if (degraded?.reason !== reason) log.warn('cannot propose, trying again', { reason })
      degraded = { sinceMs: degraded?.sinceMs ?? clock.nowMs(), reason }
      return false
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (!(await stepOnce())) await clock.sleep(options.pollIntervalMs, stopping.signal).catch(() => undefined)
    }
  }

  return {
    name: 'proposer',
    step,
    trouble: () => degraded,
    methods: {
      admin_startProposer: () => {
        active = true
        return null
      },
      admin_stopProposer: () => {
        active = false
        return null
      },
      admin_proposerActive: () => active,
    },
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
