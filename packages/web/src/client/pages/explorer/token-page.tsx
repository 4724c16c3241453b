import type { TokenDetails, TokenTransfer } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { formatCount, formatUnits } from '../../format/amounts.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { AddressLink, BlockLink } from '../../parts/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { transferColumns } from './transfer-columns.tsx'
import './explorer.css'

const TABS = [
  { id: 'transfers', name: 'Transfers' },
  { id: 'holders', name: 'Holders' },
]
const REFRESH_MS = 6_000

export function TokenPage({ id }: PageProps) {
  const address = id.toLowerCase()
  const { data: token, error } = useIndex<TokenDetails>(`/tokens/${address}`, REFRESH_MS)
  const tab = useTab(TABS)
  useTitle(token?.symbol ?? 'Token')
  if (token === null) return <Notice error={error} what="the token" />
  const { name, symbol, kind, decimals, totalSupply, holders, hasMoreHolders, firstBlock } = token
  return (
    <>
      <h1>
        {name ?? 'Token without a name'} {symbol !== null && <span className="muted">{symbol}</span>}
      </h1>
      <section className="card">
        <Facts>
          <Fact name="Contract">
            <AddressLink address={address} full />
          </Fact>
          <Fact name="Kind">{decimals === null ? kind : `${kind}, ${decimals} decimals`}</Fact>
          <Fact name="Supply" hint="What the contract answers to totalSupply().">
            {totalSupply === null ? 'the contract does not say' : formatUnits(BigInt(totalSupply), decimals ?? 0)}
          </Fact>
          <Fact name="Holders">{hasMoreHolders ? `more than ${formatCount(holders)}` : formatCount(holders)}</Fact>
          <Fact name="First seen">
            block <BlockLink number={firstBlock} />
          </Fact>
        </Facts>
        <p className="hint">Name and symbol are the contract's own words.</p>
      </section>
      <Tabs tabs={TABS} chosen={tab} what="Histories of the token" />
      <section className="card">{tab === 'holders' ? <Holders token={token} /> : <Transfers address={address} />}</section>
    </>
  )
}

function Transfers({ address }: { readonly address: string }) {
  return (
    <PagedList<TokenTransfer>
      what="the transfers of the token"
      path={`/tokens/${address}/transfers`}
      empty="The token was never moved."
      columns={transferColumns(null)}
      keyOf={({ block, logPosition, tokenId }) => `${block} ${logPosition} ${tokenId}`}
    />
  )
}

interface Holder {
  readonly address: string
  readonly balance: string
}

function Holders({ token: { address, decimals, totalSupply } }: { readonly token: TokenDetails }) {
  const columns: readonly Column<Holder>[] = [
    { name: 'Holder', show: ({ address }) => <AddressLink address={address} /> },
    {
      name: 'Balance',
      isNumber: true,
      show: ({ balance }) => <span className="number">{formatUnits(BigInt(balance), decimals ?? 0)}</span>,
    },
    { name: 'Share', isNumber: true, show: ({ balance }) => shareOf(balance, totalSupply) },
  ]
  return (
    <PagedList
      what="the holders of the token"
      path={`/tokens/${address}/holders`}
      empty="Nobody holds the token."
      columns={columns}
      keyOf={({ address }) => address}
    />
  )
}

function shareOf(balance: string, totalSupply: string | null): string {
  const supply = BigInt(totalSupply ?? 0)
  return supply === 0n ? 'not known' : `${(Number((BigInt(balance) * 100_000n) / supply) / 1_000).toFixed(2)}%`
}
