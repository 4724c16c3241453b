/**
 * Executes swaps at most once: stores requests before deciding, reserves caps before signing, stores transactions before sending.
 */
import { bytesToHex, type Logger, type Random } from '@keelson/primitives'
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
  refuseOverCap,
} from './prepare-trade.ts'
import { advance, type ExecutionRecord, isFinished, type Refusal, refuse, refusedRecord, resultOf } from './record.ts'
import type { TradingChain } from './trading-chain.ts'
import { WalletTurns } from './wallet-turns.ts'

export interface ExecutionOptions extends PrepareOptions {
  /** Limits the wait for the wallet's previous trade. */
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
  | { readonly kind: 'invalid'; readonly field: string; readonly detail: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** `busy`: the request may be repeated with the same key. */
  | { readonly kind: 'not-found' | 'conflict' | 'busy'; readonly detail: string }

export type FoundExecution =
  | { readonly kind: 'sent'; readonly result: ExecutionResult }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'refused'; readonly detail: string }

interface Order {
  readonly request: ExecutionRequest
  readonly wallet: TradingWallet
  readonly chain: TradingChain
}

const ID_BYTES = 16
const LOOK_AGAIN_MS = 250
const MAX_TRIES = 4
const MODE_TEXT =
  'expected confirm true with input.simulate_only false to trade, or confirm false with input.simulate_only true to simulate'
const CONFLICT: ExecutionOutcome = {
  kind: 'conflict',
  detail: 'the Idempotency-Key was used for another request: send a new one with this',
}

export class Executor {
  readonly #options: ExecutionOptions
  readonly #deps: ExecutionDependencies
  readonly #active = new Map<string, Promise<ExecutionOutcome>>()
  readonly #turns: WalletTurns
  readonly #count: (outcome: string) => void

  constructor(options: ExecutionOptions, deps: ExecutionDependencies) {
    this.#options = options
    this.#deps = deps
    this.#turns = new WalletTurns(deps.clock)
    const outcomes = deps.metrics?.counter('executions_total', 'Requested executions by outcome', ['outcome'])
    this.#count = (outcome) => outcomes?.inc(1, { outcome })
  }

  /** An error before `tellId` means that nothing is signed. */
  async execute(request: ExecutionRequest, caller: Caller, tellId?: (executionId: string) => void): Promise<ExecutionOutcome> {
    const { chains, wallets, executions, clock } = this.#deps
    const { confirm = false, input, wallet_ref: ref } = request
    const isReal = confirm && input.simulate_only === false
    if (!isReal && (confirm || input.simulate_only !== true)) {
      this.#count('invalid')
      return { kind: 'invalid', field: 'confirm', detail: MODE_TEXT }
    }
    const chain = chains.get(input.chain_id)
    if (chain === undefined)
      return { kind: 'invalid', field: 'chain_id', detail: unknownChain(input.chain_id, [...chains.keys()], ' for trading') }
    const wallet = await wallets.wallet(caller.userId, ref, input.chain_id)
    if (wallet === null) {
      const detail = `there is no wallet_ref ${ref} for this user on chain ${input.chain_id}: GET /api/v1/multi-agent/wallets lists yours`
      return { kind: 'not-found', detail }
    }
    const order = { request, wallet, chain }
    if (isReal) return this.#trade(order, caller, tellId)
    // only trades are stored under a key
    const { idempotencyKey: key } = caller
    if (key !== null && (await executions.holder(caller.userId, key, clock.nowMs() - DAY_MS))) return CONFLICT
    const outcome = await this.#simulate(order, caller)
    this.#count(outcome.kind === 'done' ? 'simulated' : outcome.kind)
    return outcome
  }

  async find(id: string, userId: number): Promise<FoundExecution | null> {
    const kept = await this.#deps.executions.get(id)
    if (kept === null || kept.userId !== userId) return null
    if (kept.refusal !== null) return { kind: 'refused', detail: kept.refusal.detail }
    if (kept.state === 'accepted') return { kind: 'undecided' }
    return { kind: 'sent', result: resultOf(kept, this.#deps.chains.get(kept.chainId)?.explorerUrl ?? null) }
  }

  /** Active executions do not expire. */
  isActive(id: string): boolean {
    return this.#active.has(id)
  }

  async #simulate(order: Order, { userId, sessionId }: Caller): Promise<ExecutionOutcome> {
    const id = this.#newId()
    const prepared = await this.#prepare({ id, sessionId }, order, [])
    // Simulations are unlimited, so they are not audited.
    this.#deps.log.info('swap simulated', { id, userId, outcome: 'code' in prepared ? prepared.code : 'simulated' })
    if ('code' in prepared) return refused(prepared)
    const call = prepared.calls.at(-1) as PreparedTrade['calls'][number]
    const tx = { to: call.to, data: call.data, value: String(call.valueWei), gas: String(call.gasLimit) }
    const message = `simulated, nothing was sent: at least ${leastText(prepared.terms)}`
    return { kind: 'done', result: { tx, explorer_url: null, status: 'success', message }, executionId: null }
  }

  async #trade(order: Order, { userId, sessionId, idempotencyKey: key }: Caller, tellId?: (id: string) => void): Promise<ExecutionOutcome> {
    const { executions, clock, audit } = this.#deps
    const { request, wallet, chain } = order
    const nowMs = clock.nowMs()
    const first: ExecutionRecord = {
      id: this.#newId(),
      version: 1,
      userId,
      sessionId,
      createdAtMs: nowMs,
      state: 'accepted',
      message: 'accepted',
      walletRef: request.wallet_ref,
      wallet: wallet.address,
      chainId: request.input.chain_id,
      // Makes a retry after a lost response the same execution.
      idempotencyKey: key ?? digestOf({ session: sessionId, request: request as Json }),
      bodyDigest: digestOf(request as Json),
      reservedUsd: null,
      terms: null,
      steps: [],
      refusal: null,
      settlement: null,
    }
    // Without a key, a repeated request is the same execution until that is finished, or for a day if it names a quote.
    const heldSinceMs = key === null && request.quote_id === undefined ? nowMs : nowMs - DAY_MS
    let kept = await executions.open(first, heldSinceMs)
    if (key === null && kept.refusal !== null) kept = await executions.open(first, nowMs)
    if (kept.bodyDigest !== first.bodyDigest) return CONFLICT
    tellId?.(kept.id)
    const known = answerOf(kept, chain)
    if (known !== null) return key === null ? known : asRepeated(known)
    const running = this.#active.get(kept.id)
    if (running !== undefined) return running
    const mine = (async () => {
      if (kept.id === first.id) await audit.record(kept, 'accepted', { request: request as Json, wallet: wallet.address })
      return this.#work(kept, order)
    })().finally(() => this.#active.delete(kept.id))
    this.#active.set(kept.id, mine)
    const outcome = await mine
    this.#count(outcome.kind === 'done' ? 'sent' : outcome.kind)
    return outcome
  }

  async #work(first: ExecutionRecord, order: Order): Promise<ExecutionOutcome> {
    const untilMs = this.#deps.clock.nowMs() + this.#options.waitMs
    const release = await this.#turns.take(`${first.chainId} ${first.wallet}`, untilMs)
    if (release === null) return busy('trades of this wallet that were ordered before are not finished')
    try {
      return await this.#workInTurn(first, order, untilMs)
    } finally {
      release()
    }
  }

  async #workInTurn(first: ExecutionRecord, order: Order, untilMs: number): Promise<ExecutionOutcome> {
    const { executions, audit, clock, quotes } = this.#deps
    const { request, chain } = order
    let kept = first
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const last = await this.#waitForWallet(kept, untilMs)
      if (last === 'busy') return busy('another trade of this wallet is not finished')
      const nonce = await nextNonce(kept, last, chain)
      // An abandoned trade may still be in the pool under these nonces.
      const replaced = last?.steps.filter((step) => BigInt(step.nonce) >= nonce).flatMap(({ attempts }) => attempts.slice(-1)) ?? []
      const prepared = await this.#prepare(kept, order, replaced)
      if ('code' in prepared) return this.#refuse(kept, prepared, chain)
      const { usd, terms, policy } = prepared
      await audit.record(kept, 'allowed', { reason: prepared.reason, usd: usd.toFixed(), minimumOut: terms.minimumOut })
      const reserved = advance(kept, 'accepted', { reservedUsd: usd.toFixed(), terms })
      const guard = { maxUsd: policy.maxDailyUsd, sinceMs: clock.nowMs() - DAY_MS }
      const reservation = await executions.save(reserved, guard)
      if (reservation === 'over-cap')
        return this.#refuse(kept, await refuseOverCap(kept.wallet, { executionId: kept.id, usd, maxUsd: guard.maxUsd }, this.#deps), chain)
      if (reservation !== 'saved') return this.#afterStale(kept.id, chain)
      kept = reserved
      if (request.quote_id !== undefined && !(await quotes.consume(request.quote_id, kept.id)))
        return this.#refuse(kept, refuse('quote-used', 'the quote was used for another execution: ask for another'), chain)
      const placed = await this.#place(kept, prepared, nonce, last?.id ?? null, order)
      if (placed !== 'again') return placed
      // What waits for the wallet again must not keep others from the daily cap.
      const waiting = advance(kept, 'accepted', { reservedUsd: null, terms: null })
      if ((await executions.save(waiting)) !== 'saved') return this.#afterStale(kept.id, chain)
      kept = waiting
    }
    return busy('other trades of this wallet came first')
  }

  /** `again`: another process signed a trade of the wallet since `after`. */
  async #place(
    kept: ExecutionRecord,
    prepared: PreparedTrade,
    nonce: bigint,
    after: string | null,
    { wallet, chain }: Order,
  ): Promise<ExecutionOutcome | 'again'> {
    const { policies, audit, executions, log } = this.#deps
    // trading may have been stopped since the decision
    const stopped = await policies.stopped()
    if (stopped !== null) {
      const decision = { allowed: false, rule: 'kill-switch', reason: `all trading is stopped: ${stopped}` } as const
      return this.#refuse(kept, policyRefusal(decision), chain)
    }
    const steps = await signSteps(prepared.calls, nonce, prepared.fees, { signer: wallet.signer, chainId: chain.chainId })
    const hashes = steps.flatMap(({ attempts }) => attempts.map(({ hash }) => hash))
    await audit.record(kept, 'placing', { wallet: wallet.address, chainId: chain.chainId, nonce: String(nonce), hashes })
    const signed = advance(kept, 'signed', { steps, message: `sent; at least ${leastText(prepared.terms)} or nothing` })
    const saved = await executions.save(signed, undefined, after)
    if (saved === 'wallet-busy') return 'again'
    if (saved !== 'saved') return this.#afterStale(kept.id, chain)
    // Signing may be slow. A trade stopped now is sent when trading resumes, and ends at its deadline.
    const reason = await policies.stopped()
    if (reason === null) {
      await announce(signed, steps, chain, log)
      return sent(signed, chain)
    }
    log.warn('trade signed but not sent: trading is stopped', { id: kept.id, reason })
    return sent({ ...signed, message: `signed and not sent, because all trading is stopped: ${reason}` }, chain)
  }

  async #waitForWallet({ wallet, chainId }: ExecutionRecord, untilMs: number): Promise<ExecutionRecord | null | 'busy'> {
    const { executions, clock } = this.#deps
    for (;;) {
      const last = await executions.lastSigned(wallet, chainId)
      if (last === null || isFinished(last)) return last
      if (clock.nowMs() >= untilMs) return 'busy'
      await clock.sleep(LOOK_AGAIN_MS)
    }
  }

  async #refuse(kept: ExecutionRecord, refusal: Refusal, chain: TradingChain): Promise<ExecutionOutcome> {
    const { audit, executions } = this.#deps
    await audit.record(kept, 'refused', { code: refusal.code, rule: refusal.rule, detail: refusal.detail })
    return (await executions.save(refusedRecord(kept, refusal))) === 'saved' ? refused(refusal) : this.#afterStale(kept.id, chain)
  }

  async #afterStale(id: string, chain: TradingChain): Promise<ExecutionOutcome> {
    const kept = await this.#deps.executions.get(id)
    return (kept === null ? null : answerOf(kept, chain)) ?? busy('the same request is being worked on')
  }

  #prepare(
    { id, sessionId }: Pick<ExecutionRecord, 'id' | 'sessionId'>,
    { request, wallet, chain }: Order,
    replaced: ExecutionRecord['steps'][number]['attempts'],
  ) {
    const asked = { executionId: id, sessionId, wallet: wallet.address, chain, request, replaced }
    return prepareTrade(this.#options, asked, this.#deps)
  }

  #newId(): string {
    return bytesToHex(this.#deps.random.bytes(ID_BYTES)).slice(2)
  }
}

/** A lagging node may report an old nonce, so settled trades count too. */
async function nextNonce(kept: ExecutionRecord, last: ExecutionRecord | null, chain: TradingChain): Promise<bigint> {
  const mined = await chain.nonce(kept.wallet, await chain.headNumber())
  if (last === null || last.settlement === null) return mined
  const after = BigInt(last.steps.at(-1)?.nonce ?? -1) + 1n
  return mined > after ? mined : after
}

function answerOf(kept: ExecutionRecord, chain: TradingChain): ExecutionOutcome | null {
  if (kept.state === 'accepted') return null
  return kept.refusal === null ? sent(kept, chain) : refused(kept.refusal)
}

function sent(record: ExecutionRecord, { explorerUrl }: TradingChain): ExecutionOutcome {
  return { kind: 'done', result: resultOf(record, explorerUrl), executionId: record.id }
}

function refused(refusal: Refusal): ExecutionOutcome {
  return refusal.field === null ? { kind: 'refused', refusal } : { kind: 'invalid', field: refusal.field, detail: refusal.detail }
}

/** A refused request keeps its key, so a corrected request needs a new key. */
function asRepeated(outcome: ExecutionOutcome): ExecutionOutcome {
  if (outcome.kind !== 'refused') return outcome
  const { refusal } = outcome
  return refused({ ...refusal, detail: `${refusal.detail} (refused earlier under this Idempotency-Key: to try again, send a new one)` })
}

function busy(detail: string): ExecutionOutcome {
  const retry = 'send the same request with the same Idempotency-Key again, which can succeed'
  return { kind: 'busy', detail: `${detail}; nothing of this one is reserved, signed or sent: ${retry}` }
}
