import type { Address } from '@keelson/primitives'
import { useState } from 'react'
import { type SearchedBack, searchBack } from '../../data/staking/search-back.ts'
import type { StakingView } from '../../data/staking/staking.ts'
import { readSlashings, type StakingEvents } from '../../data/staking/staking-history.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Slashing = StakingEvents['slashed'][number]

/** Older slashings that one search looks for. */
const WANTED = 50

const COLUMNS: readonly Column<Slashing>[] = [
  { name: 'Validator', show: ({ validator }) => <AddressLink address={validator} /> },
  { name: 'Offence', show: ({ offence }) => offence.replaceAll('-', ' ') },
  { name: 'Epoch', isNumber: true, show: ({ epoch }) => epoch },
  { name: 'Block', isNumber: true, show: ({ block }) => <BlockLink number={block} /> },
  { name: 'Amount', isNumber: true, show: ({ amountWei }) => <NativeAmount wei={amountWei} /> },
  { name: 'Transaction', isNumber: true, show: ({ transaction }) => <TransactionLink hash={transaction} /> },
]

interface SlashingsCardProps {
  readonly view: StakingView
  readonly contract: Address
}

const keyOf = ({ transaction, validator, epoch, offence }: Slashing) => `${transaction} ${validator} ${epoch} ${offence}`

/** Those of the last day are always read, older ones when the reader asks for them. */
export function SlashingsCard({ view: { events, eventsFrom, validators }, contract }: SlashingsCardProps) {
  const [searched, setSearched] = useState<SearchedBack<Slashing>>({ found: [], from: eventsFrom })
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isSearching, setIsSearching] = useState(false)
  const kept = new Set(searched.found.map(keyOf))
  const rows = [...[...events.slashed].reverse().filter((row) => !kept.has(keyOf(row))), ...searched.found]
  const search = async () => {
    setIsSearching(true)
    setTrouble(null)
    try {
      const { found, from } = await searchBack((start, end) => readSlashings(contract, start, end), searched.from, WANTED)
      setSearched({ found: [...rows, ...found], from })
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : 'The node does not answer.')
    }
    setIsSearching(false)
  }
  const excluded = validators.filter(({ record }) => record.slashed)
  return (
    <Card title="Slashings" aside={<span className="muted">from block {searched.from} on, newest first</span>}>
      {rows.length === 0 ? <p className="empty">None.</p> : <Table caption="Slashings" columns={COLUMNS} rows={rows} keyOf={keyOf} />}
      <p role="status" className={trouble === null ? undefined : 'notice-line'}>
        {trouble ?? (isSearching ? 'Searching.' : null)}
      </p>
      {searched.from > 0 && (
        <div className="form-actions">
          <button type="button" className="button is-plain" disabled={isSearching} onClick={() => void search()}>
            Search older blocks
          </button>
        </div>
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
