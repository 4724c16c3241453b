/** The body of an execution that the assistant shows to programs. */
import { isAddress } from '../../format/hex.ts'

export interface Order {
  readonly chainId: number
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amount: string
  readonly isUsd: boolean
  readonly slippageBps: number | null
  readonly walletRef: string | null
}

const MAX_LENGTH = 4_000
const AMOUNT = /^\d{1,30}(\.\d{1,36})?$/
const WALLET = /^[\w.-]{1,64}$/

/** Null for a text that is no such body. The text may come from a model, so that nothing of it is believed but its form. */
export function readOrder(text: string): Order | null {
  if (text.length > MAX_LENGTH) return null
  const body = parse(text)
  const input = body?.input
  if (typeof input !== 'object' || input === null) return null
  const { chain_id, token_in_address, token_out_address, amount_in, amount_in_currency, slippage_bps } = input as Record<string, unknown>
  if (!Number.isSafeInteger(chain_id) || !isToken(token_in_address) || !isToken(token_out_address)) return null
  if (typeof amount_in !== 'string' || !AMOUNT.test(amount_in)) return null
  const { wallet_ref } = body ?? {}
  return {
    chainId: chain_id as number,
    tokenIn: token_in_address,
    tokenOut: token_out_address,
    amount: amount_in,
    isUsd: amount_in_currency === 'usd',
    slippageBps: typeof slippage_bps === 'number' ? slippage_bps : null,
    walletRef: typeof wallet_ref === 'string' && WALLET.test(wallet_ref) ? wallet_ref : null,
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && isAddress(value)
}
