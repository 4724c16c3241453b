import type { AbiDocument } from '../../../shared/abi-document.ts'
import { functionName } from '../../data/abi/decode.ts'
import { useContractAbis } from '../../data/contract-abis.ts'
import type { IndexedTransaction } from '../../data/index-types.ts'
import { DEPOSIT_TYPE, isL1Info } from '../../data/transaction-kind.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
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
    { name: 'Call', show: (transaction) => <CallName transaction={transaction} abis={abis} /> },
    ...(withBlock ? [block] : []),
    { name: 'From', show: ({ from }) => <AddressLink address={from} /> },
    { name: 'To', show: ({ to, created }) => <Recipient to={to} created={created} /> },
    { name: 'Value', isNumber: true, show: ({ value }) => <NativeAmount wei={value} /> },
    { name: 'Fee', isNumber: true, show: (transaction) => <Fee transaction={transaction} /> },
    { name: 'Age', isNumber: true, show: ({ time }) => <Ago ms={Date.parse(time)} /> },
  ]
}

/** Deposits paid on L1. Without the operator fee, as few chains have one. */
function Fee({ transaction: { type, gasUsed, gasPrice, l1Fee } }: { readonly transaction: IndexedTransaction }) {
  if (type === DEPOSIT_TYPE) return <span className="muted">on L1</span>
  return <NativeAmount wei={BigInt(gasUsed) * BigInt(gasPrice) + BigInt(l1Fee ?? 0)} />
}

/** A verified ABI is looked up only for a function that nobody else names. */
function CallName({ transaction, abis }: { readonly transaction: IndexedTransaction; readonly abis: AbiDocument | null }) {
  const { to, method } = transaction
  const isUnknown = to !== null && method !== null && abis !== null && abis.functions[method] === undefined
  const verified = useContractAbis(isUnknown ? [to] : [])
  return <span className="call-name">{callName(transaction, isUnknown ? verified.of(to) : abis)}</span>
}

function callName(transaction: IndexedTransaction, abis: AbiDocument | null): string {
  if (isL1Info(transaction)) return 'L1 information'
  if (transaction.type === DEPOSIT_TYPE) return 'deposit'
  if (transaction.to === null) return 'create contract'
  return functionName(transaction.method, abis) ?? 'transfer'
}
