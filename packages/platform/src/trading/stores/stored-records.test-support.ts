import type { Address, Hash } from '@keelson/primitives'
import type { ExecutionRecord, SignedAttempt, TradeStep, TradeTerms } from '../execution/record.ts'
import type { StoredQuote } from './quotes.ts'

export const T0 = Date.UTC(2026, 5, 1)
export const walletAt = (n: number) => `0x${String(n).padStart(40, '0')}` as Address
const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as Hash
const HARD_TEXT = 'zero \u0000, half a pair \ud800, quotes "\'\\, line \u2028 end'

const TERMS: TradeTerms = {
  tokenIn: walletAt(1001),
  tokenOut: walletAt(1002),
  symbolIn: 'USD',
  symbolOut: 'BTC',
  decimalsIn: 6,
  decimalsOut: 8,
  amountIn: '100000000',
  expectedOut: '99',
  minimumOut: '98',
  priceInUsd: '1',
  priceOutUsd: '100000',
  venue: 'uniswap-v2',
  deadlineSec: 1_900_000_000,
}

export function acceptedRecord(id: string, given: Partial<ExecutionRecord> = {}): ExecutionRecord {
  return {
    id,
    version: 1,
    userId: 1,
    sessionId: 'a session',
    idempotencyKey: `key of ${id}`,
    bodyDigest: hashOf(7),
    createdAtMs: T0,
    walletRef: 'main',
    wallet: walletAt(1),
    chainId: 901,
    state: 'accepted',
    reservedUsd: null,
    terms: null,
    steps: [],
    refusal: null,
    settlement: null,
    message: 'accepted',
    ...given,
  }
}

export function reserved(record: ExecutionRecord, usd: string): ExecutionRecord {
  return { ...record, version: record.version + 1, reservedUsd: usd, terms: TERMS }
}

export function signed(record: ExecutionRecord): ExecutionRecord {
  const attempts = record.steps[0]?.attempts ?? []
  const attempt: SignedAttempt = { hash: hashOf(attempts.length), raw: '0x02', maxFeePerGasWei: '1', maxPriorityFeePerGasWei: '1' }
  const step: TradeStep = {
    purpose: 'swap',
    to: walletAt(2000),
    data: '0x',
    valueWei: '0',
    gasLimit: '21000',
    nonce: '0',
    attempts: [...attempts, attempt],
  }
  return { ...record, version: record.version + 1, state: 'signed', steps: [step], message: 'sent' }
}

export function finished(record: ExecutionRecord, state: 'success' | 'failed' | 'refused'): ExecutionRecord {
  const next = { ...record, version: record.version + 1, state, message: state }
  if (state === 'success')
    return { ...next, settlement: { txHash: hashOf(1), blockNumber: 7, amountOut: '98', feeWei: '123456789012345678901' } }
  if (state === 'failed') return next
  return { ...next, reservedUsd: null, refusal: { code: 'simulation', detail: HARD_TEXT, field: null, rule: null, report: null } }
}

export function quoteUntil(id: string, expiresAtMs: number): StoredQuote {
  const quote: StoredQuote['quote'] = {
    quote_id: id,
    expires_at: new Date(expiresAtMs).toISOString(),
    expected_out: '0.5',
    slippage_bps: 50,
    price_impact_bps: 0,
    route: [TERMS.tokenIn, TERMS.tokenOut],
    fees: { swap_fee_bps: 30 },
    gas_estimate: null,
    venue: 'uniswap-v2',
  }
  const input = { chain_id: 901, token_in_address: TERMS.tokenIn, token_out_address: TERMS.tokenOut, amount_in: '100' }
  return {
    quote,
    sessionId: 'a session',
    inputDigest: hashOf(5),
    input,
    expectedOutUnits: '340282366920938463463374607431768211456',
    expiresAtMs,
  }
}

export function lifeOf(id: string): readonly ExecutionRecord[] {
  const first = acceptedRecord(id)
  const booked = reserved(first, '1.5')
  const sent = signed(booked)
  const raised = signed(sent)
  return [first, booked, sent, raised, finished(raised, 'success')]
}
