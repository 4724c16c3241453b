/** Checks each block's records against its header and neighbours. */
import { encodeReceipt, encodeWithdrawal, type Hash, hashHeader, orderedListRoot } from '@keelson/primitives'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { TaskContext } from './database.ts'

export interface VerifyChainInput {
  readonly chain: ChainReader
  readonly from: number | null
  readonly blocks: number
  readonly oldest: number | null
  problem(text: string): void
}

const BREATHE_EVERY = 16

export async function verifyChain({ chain, from, blocks, oldest, problem }: VerifyChainInput, context: TaskContext): Promise<number> {
  const head = chain.label('unsafe')
  for (const label of ['safe', 'finalized'] as const) {
    if (!chain.isCanonical(chain.label(label))) problem(`the ${label} block ${chain.label(label).hash} is not on the chain of the head`)
  }
  const first = Math.min(from ?? head.header.number, head.header.number)
  const last = Math.max(oldest ?? chain.genesis.header.number, first - blocks + 1)
  let child: Hash | null = null
  let looked = 0
  for (let number = first; number >= last; number--) {
    const hash = chain.canonicalHash(number)
    if (hash === null) {
      problem(`block ${number} is missing, though block ${number + 1} is there`)
      break
    }
    if (child !== null && chain.header(child)?.parentHash !== hash)
      problem(`block ${number + 1} does not follow from block ${number} (${hash})`)
    verifyBlock(chain, number, hash, problem)
    child = hash
    looked++
    if (looked % BREATHE_EVERY === 0) {
      context.report({ phase: 'blocks', done: looked, of: first - last + 1, resume: `block:${number - 1}` })
      await context.breathe()
    }
  }
  return looked
}

function verifyBlock(chain: ChainReader, number: number, hash: Hash, problem: (text: string) => void): void {
  const name = `block ${number} (${hash})`
  const block = chain.block(hash)
  const receipts = chain.receipts(hash)
  if (block === null) {
    problem(`${name} has no header or no body`)
    return
  }
  const { header, transactions, withdrawals } = block
  if (hashHeader(header) !== hash || header.number !== number) problem(`${name}: the header stored under its hash is another`)
  if (orderedListRoot(transactions.map(({ raw }) => raw)) !== header.transactionsRoot)
    problem(`${name}: the transactions are not those of the header`)
  if ((withdrawals === null) !== (header.withdrawalsRoot === null)) problem(`${name}: the withdrawals are not those of the header`)
  // From Isthmus on, blocks have no withdrawals and this field is a storage root.
  if (withdrawals !== null && withdrawals.length > 0 && orderedListRoot(withdrawals.map(encodeWithdrawal)) !== header.withdrawalsRoot) {
    problem(`${name}: the withdrawals are not those of the header`)
  }
  for (const [index, { hash: tx }] of transactions.entries()) {
    const place = chain.locate(tx)
    if (place?.blockNumber !== number || place.index !== index) problem(`${name}: transaction ${tx} is not in the index`)
  }
  if (receipts === null) problem(`${name} has no receipts`)
  else if (orderedListRoot(receipts.map(({ receipt }) => encodeReceipt(receipt))) !== header.receiptsRoot) {
    problem(`${name}: the receipts are not those of the header`)
  }
}
