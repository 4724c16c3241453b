/**
 * Writes output roots to the L2OutputOracle on L1, so that withdrawals can be proven there. The oracle
 * says which block is next; what an earlier run left on its way is settled before anything is sent.
 * specs: protocol/proposals.md
 */
import { encodeProposeL2Output } from '@keelson/contracts'
import { type Address, type Clock, type Logger, type OutputAtBlock, outputRootV0, type RollupApi, ZERO_HASH } from '@keelson/primitives'
import type { Metrics, RpcMethods, Service } from '@keelson/runtime'
import { ProposerError } from './errors.ts'
import { createProposerMetrics } from './metrics.ts'
import { createOutputOracle } from './output-oracle.ts'
import type { L1Blocks, L1Caller, L1Sender, ProposalReceipt } from './ports.ts'

export interface ProposerOptions {
  readonly oracle: Address
  readonly pollIntervalMs: number
  /** Propose for safe blocks instead of waiting until they are finalized; for short-lived networks. */
  readonly allowNonFinalized: boolean
  /** Begin only when admin_startProposer is called. */
  readonly stopped?: boolean
}

export interface ProposerDependencies {
  readonly rollup: RollupApi
  readonly l1: L1Caller & L1Blocks
  readonly sender: L1Sender
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export type ProposalStep =
  | { readonly kind: 'proposed'; readonly l2BlockNumber: number; readonly outputRoot: string }
  /** The next block is not safe (or final) yet, or what would be said of it cannot be relied on at the moment. */
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface Proposer extends Service {
  /** Proposes at most one output. Rejects on failure; nothing is left half done. */
  step(): Promise<ProposalStep>
  /** admin_startProposer, admin_stopProposer, admin_proposerActive, admin_proposerStatus. */
  readonly methods: RpcMethods
  /** Null when it works; else since when and why not, also when it was told to stop. */
  trouble(): { readonly sinceMs: number; readonly reason: string } | null
}

/** The oracle compares hashes of the last 256 L1 blocks; some of them pass until the proposal is mined. */
const MAX_L1_LAG = 200
const LABEL = /^output of L2 block (\d+)$/

export function createProposer(options: ProposerOptions, deps: ProposerDependencies): Proposer {
  const { log, clock, rollup, l1, sender } = deps
  const oracle = createOutputOracle(l1, options.oracle)
  const metrics = createProposerMetrics(deps.metrics)
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let active = options.stopped !== true
  /** Since when and by what nothing is proposed; null while it is. */
  let stopped = active ? null : stoppedBy('an option (--stopped)')
  let degraded: { sinceMs: number; reason: string } | null = null
  let waitingFor: string | null = null
  let recovered = false
  let accountChecked = false
  /** Proposals of an earlier run that are not settled. */
  let left = 0
  /** The last block proposed, and where the proposal is on L1. */
  let last: { readonly l2BlockNumber: number; readonly receipt: ProposalReceipt } | null = null

  function stoppedBy(whom: string): { readonly sinceMs: number; readonly reason: string } {
    return { sinceMs: clock.nowMs(), reason: `stopped by ${whom}: nothing is proposed; admin_startProposer begins again` }
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
      throw new ProposerError('proposer/not-the-proposer', `the oracle takes proposals of ${allowed}, this account is ${sender.address}`, {
        oracle: options.oracle,
      })
    }
    accountChecked = true
  }

  /** Whether the oracle's answer is older than our last proposal, which L1 still holds. */
  async function answerIsOld(next: number): Promise<boolean> {
    if (last === null || next > last.l2BlockNumber) return false
    const holder = await l1.blockRef(last.receipt.blockNumber)
    return holder?.hash === last.receipt.blockHash
  }

  /** Why the output cannot be relied on now; null when it can. Throws ProposerError `proposer/output-mismatch`. */
  async function doubt(output: OutputAtBlock, next: number): Promise<string | null> {
    const { block, syncStatus, stateRoot, withdrawalStorageRoot, outputRoot } = output
    const expected = outputRootV0(stateRoot, withdrawalStorageRoot, block.hash)
    if (block.number !== next || outputRoot !== expected) {
      throw new ProposerError(
        'proposer/output-mismatch',
        `asked for the output of L2 block ${next}, got ${outputRoot} for block ${block.number}, whose parts make ${expected}`,
        { l2BlockNumber: next },
      )
    }
    const { currentL1 } = syncStatus
    const head = await l1.blockRef('latest')
    if (head === null) return 'L1 does not tell its head'
    if (head.number - currentL1.number > MAX_L1_LAG) {
      return `the consensus client stands at L1 block ${currentL1.number}, the head of L1 is ${head.number}`
    }
    for (const [what, { number, hash }] of [
      ['the L1 origin of the output', block.l1Origin],
      ['the L1 block the consensus client stands at', currentL1],
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

  async function step(): Promise<ProposalStep> {
    if (!active) return { kind: 'stopped' }
    await recover()
    if (left > 0) return waiting(`${left} proposals of the last run are not settled yet`)
    await checkAccount()
    const next = await oracle.nextBlockNumber()
    const status = await rollup.syncStatus()
    const have = options.allowNonFinalized ? status.safeL2 : status.finalizedL2
    metrics.looked(next, have.number)
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
    const receipt = await sender.send({ to: options.oracle, data, label: `output of L2 block ${next}` }, stopping.signal)
    if (!receipt.succeeded) {
      throw new ProposerError(
        'proposer/reverted',
        `proposal of L2 block ${next} reverted in ${receipt.transactionHash}; asking the oracle again`,
        { l2BlockNumber: next },
      )
    }
    last = { l2BlockNumber: next, receipt }
    metrics.proposed(next, clock.nowMs())
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
      metrics.failed()
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
    trouble: () => stopped ?? degraded,
    methods: {
      admin_startProposer: () => {
        if (!active) log.info('started by an operator')
        active = true
        stopped = null
        return null
      },
      admin_stopProposer: () => {
        if (active) log.info('stopped by an operator; what was sent is still settled')
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
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
