import type { BlockRules } from '@keelson/chainspec'
import {
  encodeHeader,
  encodeWithdrawal,
  type Header,
  keccak256Hash,
  orderedListRoot,
  rlpEncodeList,
  type Transaction,
  type Withdrawal,
} from '@keelson/primitives'
import { type HeaderProblem, headerProblem } from './validate-header.ts'

export interface BlockBody {
  readonly transactions: readonly Transaction[]
  readonly ommers: readonly Header[]
  readonly withdrawals: readonly Withdrawal[] | null
}

export function validateBody(header: Header, body: BlockBody, rules: Pick<BlockRules, 'withdrawals'>): HeaderProblem | null {
  const transactionsRoot = orderedListRoot(body.transactions.map((tx) => tx.raw))
  if (header.transactionsRoot !== transactionsRoot)
    return headerProblem(header, 'transactions-root', transactionsRoot, header.transactionsRoot)
  const ommersHash = keccak256Hash(rlpEncodeList(body.ommers.map(encodeHeader)))
  if (header.ommersHash !== ommersHash) return headerProblem(header, 'ommers', ommersHash, header.ommersHash)
  if (rules.withdrawals === 'storage-root') return null
  const withdrawalsRoot = body.withdrawals === null ? null : orderedListRoot(body.withdrawals.map(encodeWithdrawal))
  if (header.withdrawalsRoot !== withdrawalsRoot) return headerProblem(header, 'withdrawals-root', withdrawalsRoot, header.withdrawalsRoot)
  return null
}
