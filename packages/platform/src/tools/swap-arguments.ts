/** Swap arguments of tools, with symbols or addresses, and their conversion to the input of trading. */
import { z } from 'zod'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded, type ToolOutcome, type ToolProblem } from '../market/tool-outcome.ts'
import { BasisPoints, EvmInput, PositiveDecimalText } from '../schemas/evm-input.ts'
import { ChainArgument } from './chain-choice.ts'
import { type ChainNames, findToken, type TokenNames } from './token-names.ts'

const Token = z.string().min(1).max(64).describe('Symbol of a configured token, or an address')

export const SwapArguments = z.strictObject({
  token_in: Token.describe('The sold token: symbol of a configured token, or an address'),
  token_out: Token.describe('The bought token'),
  amount: PositiveDecimalText.describe('Amount to sell, in whole units'),
  amount_currency: EvmInput.shape.amount_in_currency,
  slippage_bps: BasisPoints.optional().describe('Default: 50'),
  chain: ChainArgument,
})
export type SwapArguments = z.output<typeof SwapArguments>

export async function toEvmInput(args: SwapArguments, chain: ChainReader, names: TokenNames): Promise<ToolOutcome<EvmInput>> {
  const known = await names.of(chain)
  const [tokenIn, tokenOut] = [findToken(known, args.token_in), findToken(known, args.token_out)]
  if (tokenIn === null) return unknownToken(args.token_in, known, chain)
  if (tokenOut === null) return unknownToken(args.token_out, known, chain)
  const parsed = EvmInput.safeParse({
    chain_id: chain.config.id,
    token_in_address: tokenIn,
    token_out_address: tokenOut,
    amount_in: args.amount,
    amount_in_currency: args.amount_currency ?? 'token_units',
    ...(args.slippage_bps === undefined ? {} : { slippage_bps: args.slippage_bps }),
  })
  if (parsed.success) return succeeded(parsed.data)
  const [issue] = parsed.error.issues
  return problem('invalid', `${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'it does not fit'}`)
}

/** Throws SourceError while the chain could not be asked what its tokens are called. */
export function unknownToken(text: string, { name, tokens, complete }: ChainNames, { label }: Pick<ChainReader, 'label'>): ToolProblem {
  const listed = tokens.map(({ symbol }) => symbol).join(', ')
  if (!complete) throw new SourceError(label, 'unreachable', `it did not tell what its tokens are called, so ${text} is not known now`)
  return problem('not-found', `no configured token of ${name} is called ${text}; there are ${listed}, others are named by address`)
}
