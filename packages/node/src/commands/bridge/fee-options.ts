import { parseAmount } from '@keelson/apps/bridge'
import { DEFAULT_TIP_CAP, type FeeLimit, type TipCap } from '@keelson/client'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import { amountText } from './transfer-options.ts'

const DECIMALS = 18

export const feeOptions = {
  maxFee: option({
    key: 'fees.maxFee',
    flag: 'max-fee',
    parse: amountText,
    default: '0.1',
    description: 'Coins that the fee of one transaction may be at worst; when the node asks for more, nothing is sent.',
  }),
  maxTipWei: optionalOption({
    key: 'fees.maxTip',
    flag: 'max-tip',
    parse: parse.gwei,
    description: 'Gwei of tip a unit of gas at most. Default: twice the base fee, or 10 where that is more.',
  }),
} as const

export const maxTipOption = optionalOption({
  key: 'txmgr.maxTipCap',
  parse: parse.gwei,
  description: 'Gwei of tip a unit of gas above which nothing is sent. Default: twice the base fee, or 10 where that is more.',
})

export interface FeeLimits {
  readonly maxFee: FeeLimit
  readonly tipCap: TipCap
}

export function feeLimitsOf({ maxFee, maxTipWei }: OptionValues<typeof feeOptions>): FeeLimits {
  const wei = parseAmount(maxFee, DECIMALS)
  if (wei === null) {
    throw new AssemblyError(
      'node/usage',
      `--max-fee ${maxFee.slice(0, 40)}: expected coins, with at most ${DECIMALS} digits after the point`,
    )
  }
  return { maxFee: { wei, option: '--max-fee' }, tipCap: tipCapOf(maxTipWei, '--max-tip') }
}

export function tipCapOf(maxTipWei: bigint | null, option: string): TipCap {
  return maxTipWei === null ? { ...DEFAULT_TIP_CAP, option } : { baseFeeMultiple: 0n, floorWei: maxTipWei, option }
}
