/** From a message to a swap that the reader may confirm. Only the reader's own words lead to an offer, never an answer. */
import { pause } from '../../data/browser-clock.ts'
import { Refusal } from '../../data/get-json.ts'
import { ask, askResponse, PlatformRefusal, wordsOf } from '../../data/platform/ask.ts'
import { amendTrade } from '../../data/platform/trade-log.ts'
import type { ChainJson, Offer, TradeResult, WalletJson, Wish } from '../../data/platform/trade-types.ts'

interface IntentJson {
  readonly intent: string
  readonly entities: {
    readonly token_in?: string
    readonly token_out?: string
    readonly amount?: string | null
    readonly chain?: string
  }
}

const AGENTS = '/api/v1/multi-agent'
const EXECUTE_TIMEOUT_MS = 65_000
const RETRY_SEC = 2
const ATTEMPTS = 3
const POLL_MS = 1_500
const MAX_POLLS = 200
/** After these the platform may have accepted the order. */
const UNDECIDED: ReadonlySet<number> = new Set([0, 500, 502, 503, 504])

/** Null unless the message asks for a swap with tokens and an amount. Throws Refusal. */
export async function readWish(token: string, text: string): Promise<Wish | null> {
  const { intent, entities } = await ask<IntentJson>(`${AGENTS}/preview`, { method: 'POST', token, json: { text } })
  const { token_in, token_out, amount, chain: named } = entities
  if (intent !== 'swap_tokens' || token_in === undefined || token_out === undefined || amount == null) return null
  const { chains } = await ask<{ chains: readonly ChainJson[] }>(`${AGENTS}/chains`, { token })
  const chain = chains.find(({ name, other_names }, i) => (named === undefined ? i === 0 : name === named || other_names.includes(named)))
  if (chain === undefined) return null
  const [tokenIn, tokenOut] = [findToken(chain, token_in), findToken(chain, token_out)]
  if (tokenIn === null || tokenOut === null) return null
  const input = { chain_id: chain.chain_id, token_in_address: tokenIn, token_out_address: tokenOut, amount_in: amount }
  return { text, symbolIn: token_in, symbolOut: token_out, input, chainName: chain.name }
}

/** Null also for a symbol of several tokens. */
function findToken({ tokens }: ChainJson, name: string): string | null {
  if (name.startsWith('0x')) return name
  const [found, ...others] = (tokens ?? []).filter(({ symbol }) => symbol.toLowerCase() === name.toLowerCase())
  return found === undefined || others.length > 0 ? null : found.address
}

/** Throws Refusal. */
export async function fetchOffer(token: string, { text, input }: Wish): Promise<Offer> {
  const [run, { wallets }] = await Promise.all([
    ask<Omit<Offer, 'wallet'>>(`${AGENTS}/preview/run`, { method: 'POST', token, json: { text, evm_input: input } }),
    ask<{ wallets: readonly WalletJson[] }>(`${AGENTS}/wallets`, { token }),
  ])
  return { ...run, wallet: wallets.find(({ chain_id, limits }) => chain_id === input.chain_id && limits.enabled) ?? null }
}

/** Sends an order and follows it to its end; the trade log has what comes of it. */
export async function execute(token: string, key: string, wish: Wish, offer: Offer): Promise<void> {
  try {
    const response = await sendOrder(token, key, wish, offer)
    const executionId = response.headers.get('x-execution-id')
    keepResult(key, (await response.json()) as TradeResult)
    amendTrade(key, { executionId })
    if (executionId !== null) await follow(token, key, executionId)
  } catch (error) {
    const isUnknown = !(error instanceof Refusal) || UNDECIDED.has(error.status)
    const unknown = 'It is not known whether the platform received the order. Look at the portfolio before you order again.'
    amendTrade(key, isUnknown ? { state: 'sent', message: `${wordsOf(error)} ${unknown}` } : { state: 'refused', message: wordsOf(error) })
  }
}

/** Until the chain has decided. Never rejects. */
export async function follow(token: string, key: string, executionId: string): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    try {
      const result = await ask<TradeResult>(`${AGENTS}/execute/evm/${encodeURIComponent(executionId)}`, { token })
      keepResult(key, result)
      if (result.status !== 'pending') return
    } catch (error) {
      if (error instanceof PlatformRefusal && (error.status === 404 || error.status === 401))
        return amendTrade(key, { state: error.status === 404 ? 'refused' : 'sent', message: wordsOf(error) })
    }
    await pause(POLL_MS)
  }
}

function keepResult(key: string, { status, message, tx_hash = '' }: TradeResult): void {
  amendTrade(key, { state: status, message, txHash: tx_hash === '' ? null : tx_hash })
}

/** The same key makes repeated requests one trade. */
async function sendOrder(token: string, key: string, { input }: Wish, { quote, wallet }: Offer): Promise<Response> {
  const json = {
    input: { ...input, slippage_bps: quote.slippage_bps, simulate_only: false },
    confirm: true,
    skip_risk: false,
    wallet_ref: wallet?.wallet_ref,
    quote_id: quote.quote_id,
  }
  const question = { method: 'POST' as const, token, json, headers: { 'idempotency-key': key }, timeoutMs: EXECUTE_TIMEOUT_MS }
  for (let attempt = 1; ; attempt++) {
    try {
      return await askResponse(`${AGENTS}/execute/evm`, question)
    } catch (error) {
      if (!(error instanceof Refusal) || !UNDECIDED.has(error.status) || attempt === ATTEMPTS) throw error
      await pause(1_000 * ((error instanceof PlatformRefusal ? error.retryAfterSec : null) ?? RETRY_SEC))
    }
  }
}
