import type { StakingView } from '../../data/staking.ts'
import type { StakingEvents } from '../../data/staking-history.ts'
import { Card } from '../../parts/card.tsx'
import { AddressLink, TransactionLink } from '../../parts/hash.tsx'
import { NativeAmount } from '../../parts/native-amount.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Slashing = StakingEvents['slashed'][number]

const SHOWN = 50

const COLUMNS: readonly Column<Slashing>[] = [
  { name: 'Validator', show: ({ validator }) => <AddressLink address={validator} /> },
  { name: 'Offence', show: ({ offence }) => offence.replaceAll('-', ' ') },
  { name: 'Epoch', isNumber: true, show: ({ epoch }) => epoch },
  { name: 'Amount', isNumber: true, show: ({ amountWei }) => <NativeAmount wei={amountWei} /> },
  { name: 'Transaction', isNumber: true, show: ({ transaction }) => <TransactionLink hash={transaction} /> },
]

export function SlashingsCard({ view: { events, validators } }: { readonly view: StakingView }) {
  const rows = events.slashed.slice(-SHOWN).reverse()
  const excluded = validators.filter(({ record }) => record.slashed)
  return (
    <Card title="Slashings" aside={<span className="muted">of the last 24 h, newest first</span>}>
      {rows.length === 0 ? (
        <p className="empty">None.</p>
      ) : (
        <Table
          caption="Slashings"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ transaction, validator, epoch, offence }) => `${transaction} ${validator} ${epoch} ${offence}`}
        />
      )}
      {excluded.length > 0 && (
        <p className="hint">
          Excluded for ever:{' '}
          {excluded.map(({ key }, i) => (
            <span key={key}>
              {i > 0 && ', '}
              <AddressLink address={key} />
            </span>
          ))}
        </p>
      )}
    </Card>
  )
}
