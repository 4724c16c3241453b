import { useState } from 'react'
import { getJson } from '../../data/get-json.ts'
import { useQuery } from '../../data/use-query.ts'
import type { WalletState } from '../../data/wallet/use-wallet.ts'
import { shortHex } from '../../format/hex.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Notice } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { ApplyForm } from './apply-form.tsx'
import { LinkAccount } from './link-account.tsx'
import type { TiersJson } from './tiers.ts'

type Row = TiersJson['tiers'][number]

const HOUR_SEC = 3_600
const HOW: Readonly<Record<string, string>> = {
  anonymous: 'Every address, without a login.',
  verified: 'An address whose owner linked an account: more claims, and sooner again.',
  developer: 'An address that the operator approved, for a project that needs more.',
}
const COLUMNS: readonly Column<Row>[] = [
  { name: 'Tier', show: ({ tier }) => <strong>{tier}</strong> },
  { name: 'Who has it', show: ({ tier }) => HOW[tier] ?? '' },
  { name: 'Claims', isNumber: true, show: ({ claims, windowSeconds }) => `${claims} in ${Math.round(windowSeconds / HOUR_SEC)} h` },
]

/** The limits of the tiers, and how the address of the wallet gets a higher one. */
export function TiersCard({ wallet, account, connecting, connect }: WalletState) {
  const { data, error } = useQuery('faucet tiers', () => getJson<TiersJson>('/api/faucet/tiers'))
  const [isApplying, setIsApplying] = useState(false)
  if (data === null)
    return (
      <Card title="Tiers">
        <Notice error={error} what="the tiers" />
      </Card>
    )
  return (
    <Card title="Tiers" className="form">
      <p className="hint">How often an address may claim depends on its tier. Each claim pays the same amount.</p>
      <Table caption="Tiers" columns={COLUMNS} rows={data.tiers} keyOf={({ tier }) => tier} />
      {wallet === null ? (
        <p className="hint">A higher tier needs a signature: open this page in a browser with a wallet.</p>
      ) : account === null ? (
        <ActionButton action={connecting} name="Connect a wallet for a higher tier" onClick={connect} />
      ) : (
        <>
          {data.accounts !== null && (
            <details className="tier-way">
              <summary>Become verified as {shortHex(account)}</summary>
              <LinkAccount key={account} wallet={wallet} account={account} provider={data.accounts} />
            </details>
          )}
          <details className="tier-way" onToggle={({ currentTarget }) => setIsApplying(currentTarget.open)}>
            <summary>Apply as developer with {shortHex(account)}</summary>
            {isApplying && <ApplyForm key={account} wallet={wallet} account={account} />}
          </details>
        </>
      )}
    </Card>
  )
}
