import { useConfig } from '../../data/config.ts'
import { Refusal } from '../../data/get-json.ts'
import type { Held, TokenDetails, TokenTransfer } from '../../data/index-types.ts'
import { useIndex } from '../../data/use-index.ts'
import { formatCount } from '../../format/amounts.ts'
import { UnitAmount } from '../../parts/amounts/unit-amount.tsx'
import { TryIt } from '../../parts/command/try-it.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { AddressLink, BlockLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { HeldAmount } from './held-amount.tsx'
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
  if (token === null) return <NoToken address={address} error={error} />
  const { name, symbol, kind, decimals, totalSupply, holders, hasMoreHolders, firstBlock } = token
  return (
    <>
      <h1>
        {name ?? 'Token without a name'} {symbol !== null && <span className="muted">{symbol}</span>}
      </h1>
      <section className="card">
        <Facts>
          <Fact name="Contract">
            <FullHex hex={address} what="the address of the token">
              <AddressLink address={address} full />
            </FullHex>
          </Fact>
          <Fact name="Kind">{decimals === null ? kind : `${kind}, ${decimals} decimals`}</Fact>
          <Fact name="Supply" hint="What the contract answers to totalSupply().">
            {totalSupply === null ? 'the contract does not say' : <UnitAmount amount={totalSupply} decimals={decimals} />}
          </Fact>
          <Fact name="Holders" hint="Addresses that the first state or an event of the contract names, and that hold something.">
            {hasMoreHolders ? `more than ${formatCount(holders)}` : formatCount(holders)}
          </Fact>
          <Fact name="First seen">
            {firstBlock === null ? (
              'in no indexed event yet'
            ) : (
              <>
                block <BlockLink number={firstBlock} />
                {firstBlock === 0 && ', the first state'}
              </>
            )}
          </Fact>
        </Facts>
        <p className="hint">
          Name, symbol, supply and balances are the contract's own words, read from the chain now. Transfers, and who may hold the token,
          come from its events and the first state.
        </p>
      </section>
      <Tabs tabs={TABS} chosen={tab} what="Histories of the token" />
      <section className="card">{tab === 'holders' ? <Holders token={token} /> : <Transfers address={address} />}</section>
    </>
  )
}

/** An address may be a contract or an account without being a token. */
function NoToken({ address, error }: { readonly address: string; readonly error: Error | null }) {
  const { services } = useConfig()
  if (!services.index || !(error instanceof Refusal) || error.status !== 404) return <Notice error={error} what="the token" />
  return (
    <>
      <h1>No token</h1>
      <section className="card">
        <p>
          <AddressLink address={address} full /> does not answer as a token does: it needs <code>totalSupply</code>, <code>decimals</code>{' '}
          and <code>balanceOf</code>, or the interface of ERC-721 or ERC-1155. Its page shows what it is.
        </p>
      </section>
    </>
  )
}

function Transfers({ address }: { readonly address: string }) {
  const url = useConfig().l2.publicRpcUrl ?? 'RPC_URL'
  return (
    <PagedList<TokenTransfer>
      what="the transfers of the token"
      path={`/tokens/${address}/transfers`}
      empty={
        <TryIt command={`cast send ${address} "transfer(address,uint256)" TO AMOUNT --rpc-url ${url} --private-key KEY`}>
          Nobody has moved the token since the first block. Holders can: on the tab Contract of its address, with a wallet, or with
        </TryIt>
      }
      columns={transferColumns(null)}
      keyOf={({ block, logPosition, tokenId }) => `${block} ${logPosition} ${tokenId}`}
    />
  )
}

interface Holder extends Held {
  readonly address: string
}

function Holders({ token: { address, decimals, totalSupply } }: { readonly token: TokenDetails }) {
  const columns: readonly Column<Holder>[] = [
    { name: 'Holder', show: ({ address }) => <AddressLink address={address} /> },
    {
      name: 'Balance',
      isNumber: true,
      show: (held) => <HeldAmount held={held} decimals={decimals} />,
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
