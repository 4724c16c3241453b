import type { Deposit, IndexedTransaction, Token, TokenTransfer, Withdrawal } from '../../data/index-types.ts'
import { useAbis } from '../../data/use-abis.ts'
import { formatCount, formatUnits } from '../../format/amounts.ts'
import { shortHex } from '../../format/hex.ts'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hash.tsx'
import { NativeAmount } from '../../parts/native-amount.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { ResultBadge } from '../../parts/status-badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { TokenLink } from '../../parts/token-amount.tsx'
import { transactionColumns } from '../explorer/transaction-columns.tsx'
import { transferColumns } from '../explorer/transfer-columns.tsx'

interface OfAddress {
  readonly address: string
}

export function AddressTransactions({ address }: OfAddress) {
  return (
    <PagedList<IndexedTransaction>
      what="the transactions of the address"
      path={`/addresses/${address}/transactions`}
      empty="The address has no part in any transaction."
      columns={transactionColumns(useAbis())}
      keyOf={({ hash }) => hash}
    />
  )
}

export function AddressTransfers({ address }: OfAddress) {
  return (
    <PagedList<TokenTransfer>
      what="the token transfers of the address"
      path={`/addresses/${address}/token-transfers`}
      empty="The address neither sent nor received a token."
      columns={transferColumns(address)}
      keyOf={({ block, logPosition, tokenId }) => `${block} ${logPosition} ${tokenId}`}
    />
  )
}

interface Holding {
  readonly token: Token
  readonly balance: string
}

const HOLDINGS: readonly Column<Holding>[] = [
  { name: 'Token', show: ({ token }) => <TokenLink token={token} /> },
  { name: 'Name', show: ({ token }) => token.name ?? 'none' },
  { name: 'Kind', show: ({ token }) => token.kind },
  {
    name: 'Balance',
    isNumber: true,
    show: ({ token, balance }) => <span className="number">{formatUnits(BigInt(balance), token.decimals ?? 0)}</span>,
  },
]

export function AddressTokens({ address }: OfAddress) {
  return (
    <>
      <p className="hint">Balances are sums of the transfers that each token reported.</p>
      <PagedList
        what="the tokens of the address"
        path={`/addresses/${address}/tokens`}
        empty="The address holds no token."
        columns={HOLDINGS}
        keyOf={({ token }) => token.address}
      />
    </>
  )
}

const DEPOSITS: readonly Column<Deposit>[] = [
  {
    name: 'L1 transaction',
    show: ({ l1Transaction }) => (
      <span className="hex" title={l1Transaction}>
        {shortHex(l1Transaction)}
      </span>
    ),
  },
  { name: 'L1 block', isNumber: true, show: ({ l1Block }) => formatCount(l1Block) },
  {
    name: 'Here',
    show: ({ l2Transaction, block, succeeded }) => (
      <>
        {block === null ? <span className="muted">not yet</span> : <TransactionLink hash={l2Transaction} />}{' '}
        {succeeded === false && <ResultBadge succeeded={false} />}
      </>
    ),
  },
  { name: 'To', show: ({ to }) => (to === null ? 'new contract' : <AddressLink address={to} />) },
  { name: 'Minted', isNumber: true, show: ({ mint }) => <NativeAmount wei={mint} /> },
  { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

export function AddressDeposits({ address }: OfAddress) {
  return (
    <PagedList
      what="the deposits of the address"
      path={`/addresses/${address}/deposits`}
      empty="The address has no part in any deposit."
      columns={DEPOSITS}
      keyOf={({ l2Transaction }) => l2Transaction}
    />
  )
}

const WITHDRAWALS: readonly Column<Withdrawal>[] = [
  { name: 'Transaction', show: ({ transaction }) => <TransactionLink hash={transaction} /> },
  { name: 'Block', isNumber: true, show: ({ block }) => <BlockLink number={block} /> },
  { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
  {
    name: 'To, on L1',
    show: ({ to }) => (
      <span className="hex" title={to}>
        {shortHex(to)}
      </span>
    ),
  },
  { name: 'Value', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
  { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
]

export function AddressWithdrawals({ address }: OfAddress) {
  return (
    <PagedList
      what="the withdrawals of the address"
      path={`/addresses/${address}/withdrawals`}
      empty="The address has no part in any withdrawal."
      columns={WITHDRAWALS}
      keyOf={({ withdrawalHash }) => withdrawalHash}
    />
  )
}
