import { useConfig } from '../../data/config.ts'
import type { Deposit, IndexedTransaction, TokenTransfer, Withdrawal } from '../../data/index-types.ts'
import { depositPage } from '../../data/l1-pages.ts'
import { useAbis } from '../../data/use-abis.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TokenLink } from '../../parts/amounts/token-amount.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { L1Address, L1BlockNumber, L1Transaction } from '../../parts/hashes/l1-links.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { ResultBadge } from '../../parts/status-badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { HeldAmount } from '../explorer/held-amount.tsx'
import { transactionColumns } from '../explorer/transaction-columns.tsx'
import { transferColumns } from '../explorer/transfer-columns.tsx'
import type { Holding } from './holding.ts'
import { NoDeposit, NoToken, NoTransaction, NoWithdrawal } from './nothing-yet.tsx'

export interface OfAddress {
  readonly address: string
  readonly code: string
}

export function AddressTransactions({ address, code }: OfAddress) {
  return (
    <PagedList<IndexedTransaction>
      what="the transactions of the address"
      path={`/addresses/${address}/transactions`}
      empty={<NoTransaction address={address} code={code} />}
      columns={transactionColumns(useAbis())}
      keyOf={({ hash }) => hash}
    />
  )
}

export function AddressTransfers({ address, code }: OfAddress) {
  return (
    <PagedList<TokenTransfer>
      what="the token transfers of the address"
      path={`/addresses/${address}/token-transfers`}
      empty={
        <NoToken address={address} code={code}>
          The address neither sent nor received a token.
        </NoToken>
      }
      columns={transferColumns(address)}
      keyOf={({ block, logPosition, tokenId }) => `${block} ${logPosition} ${tokenId}`}
    />
  )
}

const HOLDINGS: readonly Column<Holding>[] = [
  { name: 'Token', show: ({ token }) => <TokenLink token={token} /> },
  { name: 'Name', show: ({ token }) => token.name ?? 'none' },
  { name: 'Kind', show: ({ token }) => token.kind },
  {
    name: 'Balance',
    isNumber: true,
    show: ({ token, ...held }) => <HeldAmount held={held} decimals={token.decimals} />,
  },
]

export function AddressTokens({ address, code }: OfAddress) {
  return (
    <>
      <p className="hint">
        Balances are what each contract answers now. The first state and events say which tokens to ask: a token that never named the
        address is not listed.
      </p>
      <PagedList
        what="the tokens of the address"
        path={`/addresses/${address}/tokens`}
        empty={
          <NoToken address={address} code={code}>
            The address holds no token.
          </NoToken>
        }
        columns={HOLDINGS}
        keyOf={({ token }) => token.address}
      />
    </>
  )
}

const DEPOSITS: readonly Column<Deposit>[] = [
  { name: 'L1 transaction', show: ({ l1Transaction }) => <DepositLink hash={l1Transaction} /> },
  { name: 'L1 block', isNumber: true, show: ({ l1Block }) => <L1BlockNumber number={l1Block} /> },
  {
    name: 'Here',
    show: ({ l2Transaction, block, succeeded }) => (
      <>
        {block === null ? <span className="muted">not yet</span> : <TransactionLink hash={l2Transaction} />}{' '}
        {succeeded === false && <ResultBadge succeeded={false} />}
      </>
    ),
  },
  { name: 'To', show: ({ transfer, ...deposit }) => <DepositTo to={transfer?.to ?? deposit.to} /> },
  { name: 'Minted', isNumber: true, show: ({ mint }) => <NativeAmount wei={mint} /> },
  { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

function DepositTo({ to }: { readonly to: string | null }) {
  return to === null ? 'new contract' : <AddressLink address={to} />
}

function DepositLink({ hash }: { readonly hash: string }) {
  return <L1Transaction hex={hash} page={depositPage(useConfig(), hash)} />
}

export function AddressDeposits({ address, code }: OfAddress) {
  return (
    <PagedList
      what="the deposits of the address"
      path={`/addresses/${address}/deposits`}
      empty={<NoDeposit address={address} code={code} />}
      columns={DEPOSITS}
      keyOf={({ l2Transaction }) => l2Transaction}
    />
  )
}

const WITHDRAWALS: readonly Column<Withdrawal>[] = [
  { name: 'Transaction', show: ({ transaction }) => <TransactionLink hash={transaction} /> },
  { name: 'Block', isNumber: true, show: ({ block }) => <BlockLink number={block} /> },
  { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
  { name: 'To, on L1', show: ({ to }) => <L1Address hex={to} /> },
  { name: 'Value', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
  { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

export function AddressWithdrawals({ address, code }: OfAddress) {
  return (
    <PagedList
      what="the withdrawals of the address"
      path={`/addresses/${address}/withdrawals`}
      empty={<NoWithdrawal address={address} code={code} />}
      columns={WITHDRAWALS}
      keyOf={({ withdrawalHash }) => withdrawalHash}
    />
  )
}
