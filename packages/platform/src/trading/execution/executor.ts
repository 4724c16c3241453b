/**
 * Executes swaps, each at most once. A request is stored before anything is decided, caps are reserved before anything is
 * signed, and signed transactions are stored before they are sent. After that only the chain decides. A repeated key is
 * answered from the stored record.
 */
import { bytesToHex, type Hash, type Logger, type Random } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { unknownChain } from '../../market/chain/chains.ts'
import type { ExecutionRequest, ExecutionResult } from '../../schemas/execution.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { digestOf, type Json } from '../digest.ts'
import { DAY_MS } from '../policy/policy.ts'
import type { TradingWallet, WalletLookup } from '../ports.ts'
import type { ExecutionStore } from '../stores/executions.ts'
import { announce, signSteps } from './place-trade.ts'
import {
  leastText,
  type PrepareDependencies,
  type PreparedTrade,
  type PrepareOptions,
  policyRefusal,
  prepareTrade,
  refuse,
} from './prepare-trade.ts'
import { type ExecutionRecord, isFinished, type Refusal, resultOf } from './record.ts'
import type { TradingChain } from './trading-chain.ts'

export interface ExecutionOptions extends PrepareOptions {
  /** Milliseconds that a request waits for the wallet's previous trade. */
  readonly waitMs: number
}

export interface ExecutionDependencies extends Omit<PrepareDependencies, 'executions'> {
  readonly executions: ExecutionStore
  readonly wallets: WalletLookup
  readonly chains: ReadonlyMap<number, TradingChain>
  readonly audit: AuditLog
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Caller {
  readonly userId: number
  readonly sessionId: string
  readonly idempotencyKey: string | null
}

export type ExecutionOutcome =
  | { readonly kind: 'done'; readonly result: ExecutionResult; readonly executionId: string | null }
  /** A field, or a combination of fields, is wrong. */
  | { readonly kind: 'invalid'; readonly field: string; readonly detail: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'not-found'; readonly detail: string }
  /** The key was used for another request. */
  | { readonly kind: 'conflict'; readonly detail: string }
  /** Nothing was sent; the same request may be repeated with the same key. */
  | { readonly kind: 'busy'; readonly detail: string }

export type FoundExecution =
  | { readonly kind: 'sent'; readonly result: ExecutionResult }
  /** Nothing is signed yet: the execution is in progress, waits for a repeated request, or will expire. */
  | { readonly kind: 'undecided' }
  /** Nothing was signed, and nothing will be. */
  | { readonly kind: 'refused'; readonly detail: string }

export interface Executor {
  /**
   * Calls `tellId` once the record is stored. Throws what the sources and the stores throw: before that call nothing is
   * signed, and after it the record shows the outcome.
   */
  execute(request: ExecutionRequest, caller: Caller, tellId?: (executionId: string) => void): Promise<ExecutionOutcome>
  /** Null when this user has no such execution. */
  find(id: string, userId: number): Promise<FoundExecution | null>
  /** True while this process works on the execution, so that the settler does not expire it. */
  isActive(id: string): boolean
}

const ID_BYTES = 16
const LOOK_AGAIN_MS = 250
const MAX_TRIES = 4

export function createExecutor(options: ExecutionOptions, deps: ExecutionDependencies): Executor {
  const { executions, wallets, chains, audit, clock, random, log } = deps
  const active = new Map<string, Promise<ExecutionOutcome>>()
  const outcomes = deps.metrics?.counter('executions_total', 'Requested executions by outcome', ['outcome'])
  const newId = () => bytesToHex(random.bytes(ID_BYTES)).slice(2)

  const record = (of: Pick<ExecutionRecord, 'id' | 'userId'>, event: string, data: { readonly [key: string]: Json | undefined }) =>
    audit.record({ executionId: of.id, userId: of.userId, event, data })

  async function simulate(
    request: ExecutionRequest,
    caller: Caller,
    wallet: TradingWallet,
    chain: TradingChain,
  ): Promise<ExecutionOutcome> {
    const id = newId()
    const asked = { executionId: id, sessionId: caller.sessionId, wallet: wallet.address, chain, request, replaced: [] }
    const prepared = await prepareTrade(options, asked, deps)
    // simulations move nothing and are unlimited, so they do not enter the permanent audit log
    log.info('swap simulated', { id, userId: caller.userId, outcome: prepared.ok ? 'simulated' : prepared.refusal.code })
    if (!prepared.ok) return refused(prepared.refusal)
    const call = prepared.calls.at(-1) as PreparedTrade['calls'][number]
    const tx = { to: call.to, data: bytesToHex(call.data), value: String(call.valueWei), gas: String(call.gasLimit) }
    const message = `simulated, nothing was sent: at least ${leastText(prepared.terms)}`
    return { kind: 'done', result: { tx, explorer_url: null, status: 'success', message }, executionId: null }
  }

  /** The outcome of a stored record; null while it is still accepted. */
  function answerOf(kept: ExecutionRecord, chain: TradingChain): ExecutionOutcome | null {
    if (kept.state === 'accepted') return null
    if (kept.refusal !== null) return refused(kept.refusal)
    return { kind: 'done', result: resultOf(kept, chain.explorerUrl), executionId: kept.id }
  }

  /** Another process advanced the record; its result counts. */
  async function afterStale(id: string, chain: TradingChain): Promise<ExecutionOutcome> {
    const kept = await executions.get(id)
    return (kept === null ? null : answerOf(kept, chain)) ?? busy('the same request is being worked on')
  }

  async function giveUp(kept: ExecutionRecord, refusal: Refusal, chain: TradingChain): Promise<ExecutionOutcome> {
    await record(kept, 'refused', { code: refusal.code, rule: refusal.rule, detail: refusal.detail })
    const next = { ...kept, version: kept.version + 1, state: 'refused' as const, refusal, reservedUsd: null, message: refusal.detail }
    return (await executions.save(next)) === 'saved' ? refused(refusal) : afterStale(kept.id, chain)
  }

  async function work(
    first: ExecutionRecord,
    request: ExecutionRequest,
    wallet: TradingWallet,
    chain: TradingChain,
  ): Promise<ExecutionOutcome> {
    let kept = first
    const untilMs = clock.nowMs() + options.waitMs
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const last = await waitForWallet(kept, untilMs)
      if (last === 'busy') return busy('another trade of this wallet is not finished')
      const nonce = await nextNonce(kept, last, chain)
      // an abandoned trade may still be in the pool under the same nonces
      const replaced = last?.steps.filter((step) => BigInt(step.nonce) >= nonce).flatMap(({ attempts }) => attempts.slice(-1)) ?? []
      const asked = { executionId: kept.id, sessionId: kept.sessionId, wallet: wallet.address, chain, request, replaced }
      const prepared = await prepareTrade(options, asked, deps)
      if (!prepared.ok) return giveUp(kept, prepared.refusal, chain)
      await record(kept, 'allowed', {
        reason: prepared.decision.reason,
        usd: prepared.usd.toFixed(),
        minimumOut: prepared.terms.minimumOut,
      })
      const reserved = { ...kept, version: kept.version + 1, reservedUsd: prepared.usd.toFixed(), terms: prepared.terms }
      const guard = { maxUsd: prepared.policy.maxDailyUsd, sinceMs: clock.nowMs() - DAY_MS }
      const reservation = await executions.save(reserved, guard)
      if (reservation === 'over-cap') {
        const reason = `worth ${prepared.usd.toFixed(2)} USD, with what is reserved more than ${guard.maxUsd.toFixed()} in 24 hours`
        return giveUp(kept, policyRefusal({ allowed: false, rule: 'daily-cap', reason }).refusal, chain)
      }
      if (reservation !== 'saved') return afterStale(kept.id, chain)
      kept = reserved
      if (request.quote_id !== undefined && !(await deps.quotes.consume(request.quote_id, kept.id))) {
        return giveUp(kept, refuse('quote-used', 'the quote was used for another execution: ask for another').refusal, chain)
      }
      const placed = await place(kept, prepared, { nonce, after: last?.id ?? null }, wallet, chain)
      if (placed !== 'again') return placed
    }
    return busy('other trades of this wallet came first')
  }

  async function place(
    kept: ExecutionRecord,
    prepared: PreparedTrade,
    { nonce, after }: { readonly nonce: bigint; readonly after: string | null },
    wallet: TradingWallet,
    chain: TradingChain,
  ): Promise<ExecutionOutcome | 'again'> {
    // trading may have been stopped since the decision
    const stopped = await deps.policies.stopped()
    if (stopped !== null)
      return giveUp(
        kept,
        policyRefusal({ allowed: false, rule: 'kill-switch', reason: `all trading is stopped: ${stopped}` }).refusal,
        chain,
      )
    const steps = await signSteps(prepared.calls, nonce, prepared.fees, { signer: wallet.signer, chainId: chain.chainId })
    const hashes = steps.flatMap(({ attempts }) => attempts.map(({ hash }) => hash))
    await record(kept, 'placing', { wallet: wallet.address, chainId: chain.chainId, nonce: String(nonce), hashes })
    const message = `sent; at least ${leastText(prepared.terms)} or nothing`
    const signed: ExecutionRecord = { ...kept, version: kept.version + 1, state: 'signed', steps, message }
    const saved = await executions.save(signed, undefined, after)
    if (saved === 'wallet-busy') return 'again'
    if (saved !== 'saved') return afterStale(kept.id, chain)
    // signing may be slow: a trade that is stopped now stays signed, is sent when trading resumes, and ends at its deadline
    const stoppedSince = await deps.policies.stopped()
    if (stoppedSince !== null) {
      log.warn('trade signed but not sent: trading is stopped', { id: kept.id, reason: stoppedSince })
      const held = { ...signed, message: `signed and not sent, because all trading is stopped: ${stoppedSince}` }
      return { kind: 'done', result: resultOf(held, chain.explorerUrl), executionId: signed.id }
    }
    await announce(signed, steps, chain, log)
    return { kind: 'done', result: resultOf(signed, chain.explorerUrl), executionId: signed.id }
  }

  /** The last trade of the wallet once it is finished; null when there is none. */
  async function waitForWallet(kept: ExecutionRecord, untilMs: number): Promise<ExecutionRecord | null | 'busy'> {
    for (;;) {
      const last = await executions.lastSigned(kept.wallet, kept.chainId)
      if (last === null || isFinished(last)) return last
      if (clock.nowMs() >= untilMs) return 'busy'
      await clock.sleep(LOOK_AGAIN_MS)
    }
  }

  return {
    async execute(request, caller, tellId) {
      const { confirm = false, input } = request
      const mode = confirm && input.simulate_only === false ? 'real' : !confirm && input.simulate_only === true ? 'simulation' : null
      if (mode === null) {
        outcomes?.inc(1, { outcome: 'invalid' })
        return {
          kind: 'invalid',
          field: 'confirm',
          detail:
            'expected confirm true with input.simulate_only false to trade, or confirm false with input.simulate_only true to simulate',
        }
      }
      const chain = chains.get(input.chain_id)
      if (chain === undefined)
        return { kind: 'invalid', field: 'chain_id', detail: unknownChain(input.chain_id, [...chains.keys()], ' for trading') }
      const wallet = await wallets.wallet(caller.userId, request.wallet_ref, input.chain_id)
      if (wallet === null) return { kind: 'not-found', detail: noWallet(request) }
      if (mode === 'simulation') {
        // simulations are not stored under a key, so a stored key belongs to a trade, which is another request
        if (caller.idempotencyKey !== null && (await executions.holder(caller.userId, caller.idempotencyKey, clock.nowMs() - DAY_MS)))
          return conflict()
        const outcome = await simulate(request, caller, wallet, chain)
        outcomes?.inc(1, { outcome: outcome.kind === 'done' ? 'simulated' : outcome.kind })
        return outcome
      }
      const nowMs = clock.nowMs()
      const { idempotencyKey } = caller
      const first = firstRecord(request, caller, wallet, newId(), idempotencyKey ?? keyOf(request, caller), nowMs)
      // without a key, a repeated request is the same execution while it is unfinished; with a quote, which is used once, for a day
      const heldSinceMs = idempotencyKey === null && request.quote_id === undefined ? nowMs : nowMs - DAY_MS
      let kept = await executions.open(first, heldSinceMs)
      if (idempotencyKey === null && kept.refusal !== null) kept = await executions.open(first, nowMs)
      if (kept.bodyDigest !== first.bodyDigest) return conflict()
      tellId?.(kept.id)
      const known = answerOf(kept, chain)
      if (known !== null) return idempotencyKey === null ? known : asRepeated(known)
      const running = active.get(kept.id)
      if (running !== undefined) return running
      const mine = (async () => {
        if (kept.id === first.id) await record(kept, 'accepted', { request: request as Json, wallet: wallet.address })
        return work(kept, request, wallet, chain)
      })().finally(() => active.delete(kept.id))
      active.set(kept.id, mine)
      const outcome = await mine
      outcomes?.inc(1, { outcome: outcome.kind === 'done' ? 'sent' : outcome.kind })
      return outcome
    },
    async find(id, userId) {
      const kept = await executions.get(id)
      if (kept === null || kept.userId !== userId) return null
      if (kept.refusal !== null) return { kind: 'refused', detail: kept.refusal.detail }
      if (kept.state === 'accepted') return { kind: 'undecided' }
      return { kind: 'sent', result: resultOf(kept, chains.get(kept.chainId)?.explorerUrl ?? null) }
    },
    isActive: (id) => active.has(id),
  }
}

/** The chain's nonce, but not below a nonce known to be mined: a node behind a load balancer may lag. */
async function nextNonce(kept: ExecutionRecord, last: ExecutionRecord | null, chain: TradingChain): Promise<bigint> {
  const mined = await chain.nonce(kept.wallet, await chain.headNumber())
  if (last === null || last.settlement === null) return mined
  const after = BigInt(last.steps.at(-1)?.nonce ?? -1) + 1n
  return mined > after ? mined : after
}

function firstRecord(
  request: ExecutionRequest,
  { userId, sessionId }: Caller,
  { address }: TradingWallet,
  id: string,
  idempotencyKey: string,
  nowMs: number,
): ExecutionRecord {
  return {
    ...{ id, version: 1, userId, sessionId, idempotencyKey, bodyDigest: bodyDigest(request), createdAtMs: nowMs },
    ...{ walletRef: request.wallet_ref, wallet: address, chainId: request.input.chain_id, state: 'accepted', reservedUsd: null },
    ...{ terms: null, steps: [], refusal: null, settlement: null, message: 'accepted' },
  }
}

/** Default key when the client sends no Idempotency-Key, so that a retry after a lost response does not trade twice. */
function keyOf(request: ExecutionRequest, { sessionId }: Caller): string {
  return digestOf({ session: sessionId, request: request as Json })
}

function bodyDigest(request: ExecutionRequest): Hash {
  return digestOf(request as Json)
}

function refused(refusal: Refusal): ExecutionOutcome {
  return refusal.field === null ? { kind: 'refused', refusal } : { kind: 'invalid', field: refusal.field, detail: refusal.detail }
}

/** A refusal holds the caller's key: a corrected request needs a new one. */
function asRepeated(outcome: ExecutionOutcome): ExecutionOutcome {
  if (outcome.kind !== 'refused') return outcome
  const { refusal } = outcome
  return refused({ ...refusal, detail: `${refusal.detail} (refused earlier under this Idempotency-Key: to try again, send a new one)` })
}

function conflict(): ExecutionOutcome {
  return { kind: 'conflict', detail: 'the Idempotency-Key was used for another request: send a new one with this' }
}

function noWallet({ wallet_ref, input }: ExecutionRequest): string {
  return `there is no wallet_ref ${wallet_ref} for this user on chain ${input.chain_id}: GET /api/v1/multi-agent/wallets lists yours`
}

function busy(detail: string): ExecutionOutcome {
  return { kind: 'busy', detail: `${detail}; nothing was sent, ask again` }
}
