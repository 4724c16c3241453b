import type { Held } from '../../data/index-types.ts'
import { formatUnits } from '../../format/amounts.ts'
import { UnitAmount } from '../../parts/amounts/unit-amount.tsx'

/** A balance, and a mark when it does not come from the contract. */
export function HeldAmount({ held, decimals }: { readonly held: Held; readonly decimals: number | null }) {
  const { balance, source, fromEvents } = held
  const words =
    source === 'events'
      ? 'The sum of its transfers: the contract does not answer for this address.'
      : fromEvents === balance
        ? 'What the contract answers; its transfers add up to the same.'
        : `What the contract answers; its transfers add up to ${formatUnits(BigInt(fromEvents), decimals ?? 0)}.`
  return (
    <>
      <UnitAmount amount={balance} decimals={decimals} source={words} />
      {source === 'events' && <span className="badge is-unsafe">from events</span>}
    </>
  )
}
