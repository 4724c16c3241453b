/**
 * Which transaction has a nonce of the account: found in the block in which the account's nonce passed it. That a
 * receipt is missing says nothing, since a node behind a balancer may be late; only the transaction itself does.
 */
import type { Hash } from '@keelson/primitives'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { ChainAccount } from './chain-account.ts'

export type NonceOwner =
  | { readonly kind: 'transaction'; readonly hash: Hash; readonly blockNumber: number }
  /** At this head the nonce is free. */
  | { readonly kind: 'nobody' }
  /** The node does not show it, perhaps because it has thrown old state away. */
  | { readonly kind: 'unknown'; readonly reason: string }

export type NonceVerdict =
  /** Ours; its receipt is still to come. */
  | { readonly kind: 'ours'; readonly hash: Hash }
  /** Another's, as deep as ours would have to be: what we sent can never be mined. */
  | { readonly kind: 'another'; readonly hash: Hash }
  /** May still change, or the node is a little behind. */
  | { readonly kind: 'open' }
  | { readonly kind: 'unknown'; readonly reason: string }

type Chain = Pick<ChainAccount, 'nonce' | 'transactionsAt'>

/** Throws ClientError when the node cannot be asked. */
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
  // mostly it is near the head, and far from it a node may have no state any more
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

/** What became of transactions with this nonce, of which these hashes are all that we sent. Throws ClientError. */
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
 * Of a transaction that was just refused because its nonce is used, or for any other reason: who repeats requests between
 * us and the node may have had it accepted before. 'nowhere': no node that was asked has it, and its nonce is another's.
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
