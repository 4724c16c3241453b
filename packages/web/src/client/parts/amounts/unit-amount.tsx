import { formatUnits, rawAmount } from '../../format/amounts.ts'

export interface UnitAmountProps {
  readonly amount: string | bigint
  /** Null for a token that names none: the amount is shown as it is. */
  readonly decimals: number | null
  readonly symbol?: string
  /** Where the amount comes from; follows the raw value in the title. */
  readonly source?: string
}

/** An amount in units of its token, with the raw value in the title. */
export function UnitAmount({ amount, decimals, symbol, source }: UnitAmountProps) {
  return (
    <span className="number" title={`${rawAmount(amount)}${source === undefined ? '' : `. ${source}`}`}>
      {formatUnits(BigInt(amount), decimals ?? 0)}
      {symbol !== undefined && ` ${symbol}`}
    </span>
  )
}
