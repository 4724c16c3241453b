import { readText } from '../assistant/reading/read-text.ts'
import { Decimal } from '../market/decimal.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import { type ChainNames, findToken, symbolOf } from '../tools/token-names.ts'
import { normalizeToken } from '../trading/evm-address.ts'

const MAX_SHOWN = 42

/** Compares only what the text mentions. */
export function disagreements(text: string, input: EvmInput, chains: readonly ChainNames[]): readonly string[] {
  const { obstacle, entities } = readText(text, chains)
  const chain = chains.find(({ id }) => id === input.chain_id)
  if (chain === undefined) return []
  const { tokenIn, tokenOut, loose, amount } = entities
  const found = obstacle === 'denied' ? ['the text says not to'] : []
  const differs = (what: string, said: string, given: string) =>
    found.push(`the text says ${what} ${said.slice(0, MAX_SHOWN)}, evm_input ${given}`)
  const compareToken = (what: string, said: string | null, given: string) => {
    const meant = normalizeToken(given)
    if (said !== null && findToken(chain, said) !== meant) differs(what, said, symbolOf(chain, meant) ?? given)
  }
  compareToken('sold', tokenIn ?? loose, input.token_in_address)
  compareToken('bought', tokenOut, input.token_out_address)
  const given = { amount: input.amount_in, isUsd: input.amount_in_currency === 'usd' }
  if (amount !== null && amount.of !== 'out' && (amount.isUsd !== given.isUsd || !new Decimal(amount.value).eq(given.amount)))
    differs('amount', amountText(amount.value, amount.isUsd), amountText(given.amount, given.isUsd))
  if (entities.chain !== null && !chain.names.includes(entities.chain)) differs('chain', entities.chain, chain.name)
  return found
}

function amountText(amount: string, isUsd: boolean): string {
  return isUsd ? `${amount} USD` : amount
}
