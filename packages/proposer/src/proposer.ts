/** Writes output roots to the L2OutputOracle. specs: protocol/proposals.md */
import type { ForkLimit } from '@keelson/chainspec'
import { encodeProposeL2Output } from '@keelson/contracts'
import {
  type Address,
  type Clock,
  type Logger,
  messageOf,
  type OutputAtBlock,
  outputRootV0,
  type RollupApi,
  ZERO_HASH,
} from '@keelson/primitives'
import { createPoller, type Metrics, type RpcMethods, type Service } from '@keelson/runtime'
import { ProposerError } from './errors.ts'
import { createProposerMetrics } from './metrics.ts'
import { createOutputOracle } from './output-oracle.ts'
import type { L1Blocks, L1Caller, L1Sender, ProposalReceipt } from './ports.ts'

export interface ProposerOptions {
  readonly oracle: Address
  readonly pollIntervalMs: number
  /** Proposes safe instead of finalized blocks; for short-lived networks. */
  readonly allowNonFinalized: boolean
  /** Start only when admin_startProposer is called. */
  readonly stopped?: boolean
}

export interface ProposerDependencies {
  readonly rollup: RollupApi
  readonly l1: L1Caller & L1Blocks
  readonly sender: L1Sender
  /** Start of the first unsupported fork, if any. */
  readonly limit?: ForkLimit | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export type ProposalStep =
  | { readonly kind: 'proposed'; readonly l2BlockNumber: number; readonly outputRoot: string }
  /** The next block is not ready, or its output is not reliable yet. */
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface Proposer extends Service {
  /** Proposes at most one output. */
  step(): Promise<ProposalStep>
  readonly methods: RpcMethods
  /** Also set when an operator stopped the proposer. */
  trouble(): { readonly sinceMs: number; readonly reason: string } | null
}

/** The oracle checks the last 256 L1 blocks; the rest is time for inclusion. */
const MAX_L1_LAG = 200
const LABEL = /^output of L2 block (\d+)$/

export function createProposer(options: ProposerOptions, deps: ProposerDependencies): Proposer {
  const { log, clock, rollup, l1, sender } = deps
  const oracle = createOutputOracle(l1, options.oracle)
  const metrics = createProposerMetrics(deps.metrics)
  let active = options.stopped !== true
  let stopped = active ? null : stoppedBy('an option (--stopped)')
  let degraded: { sinceMs: number; reason: string } | null = null
  let waitingFor: string | null = null
  let recovered = false
  let accountChecked = false
  /** Unsettled proposals of an earlier run. */
  let left = 0
  let last: { readonly l2BlockNumber: number; readonly receipt: ProposalReceipt } | null = null

  function stoppedBy(whom: string): { readonly sinceMs: number; readonly reason: string } {
    return { sinceMs: clock.nowMs(), reason: `stopped by ${whom}: no outputs are proposed until admin_startProposer` }
  }

  async function recover(): Promise<void> {
    if (recovered) return
    const found = await sender.recover()
    recovered = true
    if (found.length > 0) log.info('waiting for proposals of the last run', { count: found.length })
    for (const { label, receipt } of found) {
      left++
      receipt
        .then((settled) => {
          const l2BlockNumber = Number(LABEL.exec(label)?.[1] ?? Number.NaN)
          if (settled.succeeded && l2BlockNumber >= 0) last = { l2BlockNumber, receipt: settled }
        })
        .catch(() => undefined)
        .finally(() => {
          left--
        })
    }
  }

  async function checkAccount(): Promise<void> {
    if (accountChecked) return
    const allowed = await oracle.proposer()
    if (allowed !== sender.address) {
      throw new ProposerError(
        'proposer/not-the-proposer',
        `the oracle accepts proposals of ${allowed}, this account is ${sender.address}`,
        {
          oracle: options.oracle,
        },
      )
    }
    accountChecked = true
  }

  /** The L1 node does not show our last proposal yet. */
  async function answerIsOld(next: number): Promise<boolean> {
    if (last === null || next > last.l2BlockNumber) return false
    const holder = await l1.blockRef(last.receipt.blockNumber)
    return holder?.hash === last.receipt.blockHash
  }

  /** Reason to wait, or null. Throws ProposerError `proposer/output-mismatch`. */
  async function doubt(output: OutputAtBlock, next: number): Promise<string | null> {
    const { block, syncStatus, stateRoot, withdrawalStorageRoot, outputRoot } = output
    const expected = outputRootV0(stateRoot, withdrawalStorageRoot, block.hash)
    if (block.number !== next || outputRoot !== expected) {
      throw new ProposerError(
        'proposer/output-mismatch',
        `asked for the output of L2 block ${next}, got ${outputRoot} for block ${block.number}, whose fields give ${expected}`,
        { l2BlockNumber: next },
      )
    }
    const { currentL1 } = syncStatus
    const head = await l1.blockRef('latest')
    if (head === null) return 'the L1 head is unavailable'
    if (head.number - currentL1.number > MAX_L1_LAG) {
      return `the consensus client has derived to L1 block ${currentL1.number}, the L1 head is ${head.number}`
    }
    for (const [what, { number, hash }] of [
      ['the L1 origin of the output', block.l1Origin],
      ['the L1 block the consensus client has derived to', currentL1],
    ] as const) {
      const known = await l1.blockRef(number)
      if (known?.hash !== hash) return `${what}, ${number}, is ${hash}, but L1 has ${known?.hash ?? 'none'} there`
    }
    return null
  }

  function waiting(reason: string): ProposalStep {
    waitingFor = reason
    return { kind: 'waiting', reason }
  }

  function ended(reason: string): ProposalStep {
    if (waitingFor !== reason) log.warn('no further outputs are proposed', { reason })
    return waiting(reason)
  }

  async function step(): Promise<ProposalStep> {
    if (!active) return { kind: 'stopped' }
    await recover()
    if (left > 0) return waiting(`${left} proposals of the last run are not settled`)
    await checkAccount()
    const next = await oracle.nextBlockNumber()
    const status = await rollup.syncStatus()
    const have = options.allowNonFinalized ? status.safeL2 : status.finalizedL2
    metrics.looked(next, have.number)
    // The output root may have another format after the fork.
    const { limit = null } = deps
    if (limit !== null && next > limit.lastBlock) return ended(limit.sentence)
    if (have.hash === ZERO_HASH || status.headL1.hash === ZERO_HASH) return waiting('the consensus client does not know its heads yet')
    if (have.number < next) {
      return waiting(`L2 block ${next} is next, ${options.allowNonFinalized ? 'safe' : 'final'} is ${have.number}`)
    }
    if (await answerIsOld(next)) return waiting(`L1 does not show the proposal of L2 block ${last?.l2BlockNumber} yet`)
    const output = await rollup.outputAtBlock(next)
    const reason = await doubt(output, next)
    if (reason !== null) return waiting(reason)
    waitingFor = null
    const { currentL1 } = output.syncStatus
    const data = encodeProposeL2Output({ outputRoot: output.outputRoot, l2BlockNumber: next, l1: currentL1 })
    const receipt = await sender.send({ to: options.oracle, data, label: `output of L2 block ${next}` }, poller.signal)
    if (!receipt.succeeded) {
      throw new ProposerError('proposer/reverted', `proposal of L2 block ${next} reverted in ${receipt.transactionHash}; retrying`, {
        l2BlockNumber: next,
      })
    }
    last = { l2BlockNumber: next, receipt }
    metrics.proposed(next, clock.nowMs())
    log.info('proposed output', { l2Block: next, outputRoot: output.outputRoot, tx: receipt.transactionHash })
    return { kind: 'proposed', l2BlockNumber: next, outputRoot: output.outputRoot }
  }

  const poller = createPoller(
    async () => {
      const { kind } = await step()
      if (degraded !== null) log.info('proposals work again', { afterMs: clock.nowMs() - degraded.sinceMs })
      degraded = null
      // Another output may be due.
      return kind === 'proposed' ? 0 : undefined
    },
    {
      clock,
      intervalMs: options.pollIntervalMs,
      onError(error) {
        const reason = messageOf(error)
        metrics.failed()
        if (degraded?.reason !== reason) log.warn('proposal failed, retrying', { reason })
        degraded = { sinceMs: degraded?.sinceMs ?? clock.nowMs(), reason }
      },
    },
  )

  return {
    name: 'proposer',
    step,
    trouble: () => stopped ?? degraded,
    methods: {
      admin_startProposer: () => {
        if (!active) log.info('started by an operator')
        active = true
        stopped = null
        return null
      },
      admin_stopProposer: () => {
        if (active) log.info('stopped by an operator; sent transactions still settle')
        stopped ??= stoppedBy('an operator (admin_stopProposer)')
        active = false
        return null
      },
      admin_proposerActive: () => active,
      admin_proposerStatus: () => ({
        active,
        waitingFor: stopped === null ? waitingFor : stopped.reason,
        trouble: degraded?.reason ?? null,
        lastProposedBlock: last?.l2BlockNumber ?? null,
        lastProposalL1Block: last?.receipt.blockNumber ?? null,
      }),
    },
    async start() {
      poller.start()
    },
    stop: () => poller.stop(),
  }
}
