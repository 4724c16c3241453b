/** Resolves the swap of a question, with its amount in units of the sold token or in dollars. */

import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { type ChainNames, findToken } from '../../tools/token-names.ts'
import type { WalletBalanceResult } from '../../tools/wallet-tools.ts'
import { soldFor } from '../sold-amount.ts'
import { type Asking, chainNamed, failureLine, shortName } from './asking.ts'

export interface AskedSwap {
  readonly token_in: string
  readonly token_out: string
  readonly amount: string
  readonly amount_currency: 'usd' | undefined
  readonly slippage_bps: number | undefined
  readonly chain: string | undefined
}

type Lines<T> = AsyncGenerator<string, T | null, void>
type Pair = Pick<AskedSwap, 'token_in' | 'token_out' | 'chain'>

/** Decimals of an amount computed from a share of a balance; all tokens in use have at least as many. */
const SHARE_DECIMALS = 6

/** Yields a line that asks for missing input, and then returns null. */
export async function* askedSwap(asking: Asking): Lines<AskedSwap> {
  const { tokenIn, tokenOut, amount, share, amountOf, amountCurrency, slippageBps, chain } = asking.question.entities
  const question = missing(asking)
  if (question !== null || tokenIn === null || tokenOut === null) {
    yield question ?? ''
    return null
  }
  const pair: Pair = { token_in: tokenIn, token_out: tokenOut, chain: chain ?? undefined }
  const isUsd = amountCurrency === 'usd'
  const sold =
    amount === null
      ? yield* amountOfShare(asking, pair, share ?? '1')
      : amountOf === 'out' && !isUsd
        ? yield* amountThatBuys(asking, pair, amount)
        : amount
  if (sold === null) return null
  return { ...pair, amount: sold, amount_currency: isUsd ? 'usd' : undefined, slippage_bps: slippageBps ?? undefined }
}

function missing(asking: Asking): string | null {
  const { tokenIn, tokenOut, amount, share, unreadAmount } = asking.question.entities
  if (tokenIn === null && tokenOut === null) {
    const chain = chainNamed(asking)
    const listed = chain === null ? '' : ` ${chain.name} has ${chain.tokens.map(({ symbol }) => symbol).join(', ')}.`
    return `Which token do you want to sell, and which to buy?${listed}`
  }
  if (tokenIn === null) return `Which token do you want to sell for ${shortName(tokenOut ?? '')}?`
  if (tokenOut === null) return `Which token do you want to buy with ${shortName(tokenIn)}?`
  if (tokenIn === tokenOut) return `The token to buy is the one to sell: ${shortName(tokenIn)}. Which other token do you want?`
  if (amount !== null || share !== null) return null
  return `${unreadAmount === null ? '' : `${unreadAmount} `}${howMuch(tokenIn)}`
}

function howMuch(token: string): string {
  return `How much ${shortName(token)} do you want to sell?`
}

async function* amountThatBuys(asking: Asking, { token_in, token_out, chain }: Pair, amount: string): Lines<string> {
  if ([token_in, token_out].some((token) => token.startsWith('0x'))) {
    yield `A quote is for the amount that is sold. ${howMuch(token_in)}`
    return null
  }
  const price = await asking.call('oracle_price', { pair: `${token_out}/${token_in}`, chain })
  const sold = price.ok ? soldFor(amount, price.value.price) : null
  if (!price.ok || sold === null) {
    const why = price.ok ? howMuch(token_in) : failureLine(price)
    yield `A quote is for the amount that is sold, and I have no price that says how much ${shortName(token_in)} buys ${amount} ${shortName(token_out)}. ${why}`
    return null
  }
  yield `${amount} ${token_out} are worth ${sold} ${token_in} by ${price.value.source}; I take that as the amount to sell.`
  return sold
}

/** Reads the balance of the user's own wallet; a wallet that users share does not show what one of them owns. */
async function* amountOfShare(asking: Asking, { token_in, chain }: Pair, share: string): Lines<string> {
  const named = chainNamed(asking)
  const wallets = await asking.call('wallets_list', {})
  if (!wallets.ok) {
    yield failureLine(wallets)
    return null
  }
  const wallet = wallets.value.wallets.find(({ chain_id, shared }) => chain_id === named?.id && !shared)
  if (named === null || wallet === undefined) {
    yield `You have no wallet of your own here, so I cannot tell what a share of your ${shortName(token_in)} is. ${howMuch(token_in)}`
    return null
  }
  const balance = await asking.call('wallet_balance', { address: wallet.address, chain: chain ?? named.name })
  if (!balance.ok) {
    yield failureLine(balance)
    return null
  }
  const held = heldOf(balance.value, named, token_in)
  const holds = `Wallet ${wallet.wallet_ref} holds ${held ?? '0'} ${shortName(token_in)}`
  const sold = new Decimal(held ?? 0).mul(share).toDecimalPlaces(SHARE_DECIMALS, Decimal.ROUND_DOWN)
  if (sold.isZero()) {
    yield `${holds}: there is nothing to sell.`
    return null
  }
  if (new Decimal(share).eq(1) && findToken(named, token_in) === NATIVE_ADDRESS) {
    yield `${holds}. Selling all of it leaves nothing for gas. ${howMuch(token_in)}`
    return null
  }
  yield `${holds}; I take ${sold.toFixed()} as the amount to sell.`
  return sold.toFixed()
}

function heldOf({ balance, tokens }: WalletBalanceResult, chain: ChainNames, token: string): string | null {
  const address = findToken(chain, token)
  if (address === NATIVE_ADDRESS) return balance
  return tokens.find((held) => held.address.toLowerCase() === address)?.balance ?? null
}
