import { bytesToHex, type Clock, type Hash, type Random } from '@keelson/primitives'
import type { EvmInput } from '../../schemas/evm-input.ts'
import { digestOf } from '../digest.ts'
import { normalizeToken } from '../evm-address.ts'
import { DEFAULT_SLIPPAGE_BPS } from '../read-swap.ts'
import type { QuoteStore, StoredQuote } from '../stores/quotes.ts'

/** Reference quotes cannot be executed. */
export const REFERENCE_VENUE = 'oracle_reference'

/** `unknown` includes quotes of other sessions. */
export type BindingRefusal = 'unknown' | 'expired' | 'other-input' | 'reference'

export type Binding = { readonly ok: true; readonly stored: StoredQuote } | { readonly ok: false; readonly reason: BindingRefusal }

const ID_BYTES = 16

export function createQuoteId(random: Random): string {
  return `q_${bytesToHex(random.bytes(ID_BYTES)).slice(2)}`
}

/** Independent of spelling and of `simulate_only`. */
export function inputDigest(input: EvmInput): Hash {
  return digestOf({
    chain: input.chain_id,
    tokenIn: normalizeToken(input.token_in_address),
    tokenOut: normalizeToken(input.token_out_address),
    amount: plain(input.amount_in),
    currency: input.amount_in_currency ?? 'token_units',
    slippage: input.slippage_bps ?? DEFAULT_SLIPPAGE_BPS,
  })
}

/** A quote is valid only for its session and swap, and until `expires_at`. */
export async function bindQuote(
  quoteId: string,
  sessionId: string,
  input: EvmInput,
  { quotes, clock }: { readonly quotes: QuoteStore; readonly clock: Clock },
): Promise<Binding> {
  const stored = await quotes.get(quoteId)
  if (stored === null || stored.sessionId !== sessionId) return { ok: false, reason: 'unknown' }
  if (stored.quote.venue === REFERENCE_VENUE) return { ok: false, reason: 'reference' }
  if (clock.nowMs() >= stored.expiresAtMs) return { ok: false, reason: 'expired' }
  return stored.inputDigest === inputDigest(input) ? { ok: true, stored } : { ok: false, reason: 'other-input' }
}

function plain(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = fraction.replace(/0+$/, '')
  return `${whole.replace(/^0+(?=\d)/, '')}${digits === '' ? '' : `.${digits}`}`
}
