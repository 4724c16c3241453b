import { formatNative } from './amounts.ts'

export interface AmountLimits {
  readonly currency: string
  readonly minimumWei: bigint
  /** Null while it is not known. */
  readonly balanceWei: bigint | null
  /** What the transaction itself may cost. */
  readonly feeWei: bigint
}

export type ReadAmount = { readonly wei: bigint; readonly trouble: null } | { readonly wei: null; readonly trouble: string | null }

const DECIMALS = 18
const MAX_LENGTH = 60

/** What somebody typed. An empty text is no amount and no trouble. */
export function readAmount(typed: string, { currency, minimumWei, balanceWei, feeWei }: AmountLimits): ReadAmount {
  const refuse = (trouble: string | null): ReadAmount => ({ wei: null, trouble })
  const text = typed.trim()
  if (text === '') return refuse(null)
  const [, whole, part = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text.slice(0, MAX_LENGTH)) ?? []
  if (whole === undefined || whole + part === '' || text.length > MAX_LENGTH) return refuse('Write the amount as 0.5.')
  if (part.length > DECIMALS) return refuse(`At most ${DECIMALS} digits behind the point.`)
  const wei = BigInt(whole || '0') * 10n ** BigInt(DECIMALS) + BigInt(part.padEnd(DECIMALS, '0'))
  if (wei === 0n) return refuse('More than 0.')
  if (wei < minimumWei) return refuse(`At least ${formatNative(minimumWei, currency)}.`)
  if (balanceWei === null) return { wei, trouble: null }
  if (wei > balanceWei) return refuse(`The account has ${formatNative(balanceWei, currency)}.`)
  if (wei + feeWei > balanceWei) return refuse(`Leave about ${formatNative(feeWei, currency)} for the fee.`)
  return { wei, trouble: null }
}
