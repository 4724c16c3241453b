import type { Carriers } from '../data/index-types.ts'
import { L1BlockNumber, L1Transaction } from './hashes/l1-links.tsx'

/** The L1 transactions that hold the data of a block. */
export function CarriedBy({ carriers, error }: { readonly carriers: Carriers | null; readonly error: Error | null }) {
  if (carriers === null) return <span className="muted">{error === null ? 'looking' : `not known: ${error.message}`}</span>
  if (carriers.transactions.length === 0) return <span className="muted">no L1 transaction yet</span>
  return (
    <>
      {carriers.transactions.map(({ transaction, l1Block, carrier }, i) => (
        <span key={transaction}>
          {i > 0 && ', '}
          <L1Transaction hex={transaction} page={`/batch/${transaction}`} /> in L1 block <L1BlockNumber number={l1Block} /> ({carrier})
        </span>
      ))}
    </>
  )
}
