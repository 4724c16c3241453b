import type { TokenTransfer } from '../../data/index-types.ts'
import { TokenAmount } from '../../parts/amounts/token-amount.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

/** `of` is the address from whose side a transfer is incoming or outgoing, or null. */
export function transferColumns(of: string | null): readonly Column<TokenTransfer>[] {
  const direction: Column<TokenTransfer> = {
    name: 'Direction',
    show: ({ from, to }) => <span className="badge">{from === to ? 'to itself' : to === of ? 'in' : 'out'}</span>,
  }
  return [
    { name: 'Transaction', show: ({ transaction }) => <TransactionLink hash={transaction} /> },
    { name: 'Block', isNumber: true, show: ({ block }) => <BlockLink number={block} /> },
    ...(of === null ? [] : [direction]),
    { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
    { name: 'To', show: ({ to }) => <AddressLink address={to} /> },
    {
      name: 'Amount',
      isNumber: true,
      show: ({ amount, tokenId, token }) => <TokenAmount amount={amount} tokenId={tokenId} token={token} />,
    },
    { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
  ]
}
