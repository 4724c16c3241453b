/** Finds the transaction that used a nonce, in its block: a missing receipt proves nothing, because a node may lag. */
import type { Hash } from '@keelson/primitives'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { ChainAccount } from './chain-account.ts'

export type NonceOwner =
  | { readonly kind: 'transaction'; readonly hash: Hash; readonly blockNumber: number }
  | { readonly kind: 'nobody' }
  /** For example, the node has pruned the state. */
  | { readonly kind: 'unknown'; readonly reason: string }

export type NonceVerdict =
  | { readonly kind: 'ours'; readonly hash: Hash }
  /** Another transaction, as deep as required: ours can never be mined. */
  | { readonly kind: 'another'; readonly hash: Hash }
  | { readonly kind: 'open' }
  | { readonly kind: 'unknown'; readonly reason: string }

type Chain = Pick<ChainAccount, 'nonce' | 'transactionsAt'>

export async function findNonceOwner(chain: Chain, nonce: bigint, head: number): Promise<NonceOwner> {
  try {
    return await search(chain, nonce, head)
  } catch (error) {
    if (!(error instanceof RpcResponseError)) throw error
    return { kind: 'unknown', reason: error.message }
  }
}

async function search(chain: Chain, nonce: bigint, head: number): Promise<NonceOwner> {
  const used = async (block: number) => (await chain.nonce(block)) > nonce
  if (!(await used(head))) return { kind: 'nobody' }
  // The block is usually near the head, and the node may lack older state.
  let above = head
  let below = head - 1
  for (let stride = 1; below >= 0 && (await used(below)); stride *= 2) {
    above = below
    below = above - stride
  }
  below = Math.max(below, -1)
  while (above - below > 1) {
    const middle = (above + below) >> 1
    if (await used(middle)) above = middle
    else below = middle
  }
  const transactions = await chain.transactionsAt(above)
  const found = transactions?.find((transaction) => transaction.nonce === nonce)
  if (found !== undefined) return { kind: 'transaction', hash: found.hash, blockNumber: above }
  const what = transactions === null ? `the node does not give block ${above}` : `block ${above} shows no transaction with it`
  return { kind: 'unknown', reason: what }
}

/** `attempts` has the hashes of all our transactions with the nonce. Throws ClientError. */
export async function judgeNonce(
  chain: Chain,
  { nonce, attempts }: { readonly nonce: bigint; readonly attempts: readonly Hash[] },
  head: number,
  confirmations: number,
): Promise<NonceVerdict> {
  const owner = await findNonceOwner(chain, nonce, head)
  if (owner.kind === 'unknown') return owner
  if (owner.kind === 'nobody') return { kind: 'open' }
  if (attempts.includes(owner.hash)) return { kind: 'ours', hash: owner.hash }
  return head - owner.blockNumber + 1 >= confirmations ? { kind: 'another', hash: owner.hash } : { kind: 'open' }
}

/**
 * A refused transaction may have been sent before, by a proxy that repeats requests. 'nowhere': no node has it, and another
 * transaction has the nonce.
 */
export async function judgeRefusal(
  account: Pick<ChainAccount, 'nonce' | 'transactionsAt' | 'receipts' | 'knows' | 'headNumber'>,
  entry: { readonly nonce: bigint; readonly attempts: readonly Hash[] },
  nonceUsed: boolean,
  confirmations: number,
): Promise<'sent' | 'nowhere' | 'unsure'> {
  try {
    const [receipts, known] = await Promise.all([account.receipts(entry.attempts), account.knows(entry.attempts)])
    if (known || receipts.some((receipt) => receipt !== null)) return 'sent'
    if (!nonceUsed) return 'nowhere'
    const { kind } = await judgeNonce(account, entry, await account.headNumber(), confirmations)
    if (kind === 'another') return 'nowhere'
    return kind === 'ours' ? 'sent' : 'unsure'
  } catch (error) {
    if (error instanceof ClientError) return 'unsure'
    throw error
  }
}
