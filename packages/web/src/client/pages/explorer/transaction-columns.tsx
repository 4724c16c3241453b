import type { AbiDocument } from '../../../shared/config-document.ts'
import { functionName } from '../../data/decode.ts'
import type { IndexedTransaction } from '../../data/index-types.ts'
import { DEPOSIT_TYPE, isL1Info } from '../../data/transaction-kind.ts'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hash.tsx'
import { NativeAmount } from '../../parts/native-amount.tsx'
import { Recipient } from '../../parts/recipient.tsx'
import { ResultBadge } from '../../parts/status-badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

/** Columns of lists of transactions. */
export function transactionColumns(abis: AbiDocument | null, { withBlock = true } = {}): readonly Column<IndexedTransaction>[] {
  const block: Column<IndexedTransaction> = { name: 'Block', show: ({ block }) => <BlockLink number={block} /> }
  return [
    {
      name: 'Transaction',
      show: ({ hash, succeeded }) => (
        <>
          <TransactionLink hash={hash} /> {!succeeded && <ResultBadge succeeded={false} />}
        </>
      ),
    },
    { name: 'Call', show: (transaction) => <span className="call-name">{callName(transaction, abis)}</span> },
    ...(withBlock ? [block] : []),
    { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
    { name: 'To', show: ({ to, created }) => <Recipient to={to} created={created} /> },
    { name: 'Value', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
    { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
  ]
}

function callName(transaction: IndexedTransaction, abis: AbiDocument | null): string {
  if (isL1Info(transaction)) return 'L1 information'
  if (transaction.type === DEPOSIT_TYPE) return 'deposit'
  if (transaction.to === null) return 'create contract'
  return functionName(transaction.method, abis) ?? 'transfer'
}
