import { Decimal } from '../../market/decimal.ts'
import type { QuoteToAssess } from '../../schemas/quote.ts'
import type { StoredQuote } from '../stores/quotes.ts'
import type { Finding } from './checks.ts'

interface QuoteVerdict {
  readonly finding: Finding | null
  readonly flags: readonly string[]
}

/** `stored` is null if this session has no such quote. */
export function checkQuote(quote: QuoteToAssess, stored: StoredQuote | null, nowMs: number): QuoteVerdict {
  const flags: string[] = []
  const found: string[] = []
  const expiresAtMs = Math.min(Date.parse(quote.expires_at), stored?.expiresAtMs ?? Number.POSITIVE_INFINITY)
  // also true for NaN, from a time beyond the range of Date
  if (!(nowMs < expiresAtMs)) {
    flags.push('quote:expired')
    found.push(`the quote expired at ${shownTime(expiresAtMs, quote.expires_at)}`)
  }
  const own = stored?.quote.expected_out
  if (own !== undefined && !new Decimal(own).eq(quote.expected_out)) {
    flags.push('quote:expected_out_changed')
    found.push(`expected_out is ${quote.expected_out}, but the quote was issued with ${own}`)
  }
  if (found.length === 0) return { finding: null, flags: stored === null ? ['quote:unknown'] : [] }
  const summary = `${found.join('; ')}: ask for a new quote`
  const details = { summary, quote_id: quote.quote_id, ...(own === undefined ? {} : { expected_out: own }) }
  return { finding: { name: 'quote', score: new Decimal(0), details, flags }, flags: [] }
}

function shownTime(ms: number, given: string): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : given
}
