import { amountUnit } from '../data/abi/amount-unit.ts'
import type { Decoded, DecodedValue } from '../data/abi/decode.ts'
import { valueText } from '../data/abi/decode.ts'
import { groupDigits } from '../format/amounts.ts'
import { isAddress } from '../format/hex.ts'
import { AmountValue } from './amounts/amount-value.tsx'
import { AddressLink } from './hashes/hash.tsx'

export interface DecodedPartsProps {
  readonly decoded: Decoded
  /** Whose call, event or error it is; its amounts are then in units of their tokens. */
  readonly contract?: string | null
}

/** A call, an event or an error with the names of its parameters. */
export function DecodedParts({ decoded, contract = null }: DecodedPartsProps) {
  return (
    <div className="decoded">
      <code className="decoded-name">{decoded.name}</code>
      {decoded.values.length > 0 && (
        <dl>
          {decoded.values.map((value, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parameters may lack names and never move
            <div key={i}>
              <dt>
                {value.name || `parameter ${i + 1}`} <span className="muted">{value.type}</span>
              </dt>
              <dd>
                <DecodedValueView decoded={decoded} value={value} contract={contract} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

interface ValueProps {
  readonly decoded: Decoded
  readonly value: DecodedValue
  readonly contract: string | null
}

export function DecodedValueView({ decoded, value: one, contract }: ValueProps) {
  const { value, type } = one
  if (typeof value === 'string' && type === 'address' && isAddress(value)) return <AddressLink address={value} />
  if (typeof value !== 'bigint')
    return <span className={typeof value === 'string' ? 'text-value' : 'hex text-value'}>{valueText(value)}</span>
  const unit = contract === null ? null : amountUnit(decoded, one)
  if (unit === null || contract === null) return <span className="number">{groupDigits(value.toString())}</span>
  return <AmountValue amount={value} unit={unit} contract={contract} />
}
