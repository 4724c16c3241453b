import type { Decoded, DecodedValue } from '../data/decode.ts'
import { valueText } from '../data/decode.ts'
import { groupDigits } from '../format/amounts.ts'
import { isAddress } from '../format/hex.ts'
import { AddressLink } from './hash.tsx'

/** A call, an event or an error with the names of its parameters. */
export function DecodedParts({ decoded }: { readonly decoded: Decoded }) {
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
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

function Value({ value: { value, type } }: { readonly value: DecodedValue }) {
  if (typeof value === 'string' && type === 'address' && isAddress(value)) return <AddressLink address={value} />
  if (typeof value === 'bigint') return <span className="number">{groupDigits(value.toString())}</span>
  return <span className={typeof value === 'string' ? 'text-value' : 'hex text-value'}>{valueText(value)}</span>
}
