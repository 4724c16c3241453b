/** Trades that were confirmed in this tab. The platform has no list of them, so that a reload would lose those under way. */
import { useSyncExternalStore } from 'react'
import type { TradeResult } from './trade-types.ts'

export interface LoggedTrade {
  /** Its Idempotency-Key. */
  readonly key: string
  readonly conversationId: string
  /** "0.1 ETH for testUSD" */
  readonly what: string
  readonly atMs: number
  readonly executionId: string | null
  readonly state: 'sent' | TradeResult['status'] | 'refused'
  readonly message: string
  readonly txHash: string | null
}

const KEY = 'trades'
const MAX_KEPT = 50
const listeners = new Set<() => void>()
let trades: readonly LoggedTrade[] = load()

export function useTradeLog(): readonly LoggedTrade[] {
  return useSyncExternalStore(subscribe, () => trades)
}

export function logTrade(trade: LoggedTrade): void {
  trades = [trade, ...trades.filter(({ key }) => key !== trade.key)].slice(0, MAX_KEPT)
  store()
}

export function amendTrade(key: string, change: Partial<LoggedTrade>): void {
  trades = trades.map((trade) => (trade.key === key ? { ...trade, ...change } : trade))
  store()
}

/** At the end of a login: the next reader of this tab may be another. */
export function forgetTrades(): void {
  trades = []
  store()
}

function store(): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(trades))
  } catch {
    // Storage may be forbidden; the list then lasts as long as the page.
  }
  for (const changed of listeners) changed()
}

function load(): readonly LoggedTrade[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as readonly LoggedTrade[]
  } catch {
    return []
  }
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
