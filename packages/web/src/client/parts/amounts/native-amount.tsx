import { useConfig } from '../../data/config.ts'
import { formatNative, rawAmount } from '../../format/amounts.ts'

export function NativeAmount({ wei, places = 6 }: { readonly wei: string | bigint; readonly places?: number }) {
  const { l2 } = useConfig()
  const amount = BigInt(wei)
  return (
    <span className="number" title={rawAmount(amount, 'wei')}>
      {formatNative(amount, l2.currency, places)}
    </span>
  )
}
