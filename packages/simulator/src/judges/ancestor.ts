import { l1InfoOf } from '@keelson/derivation'
import type { ChainReader } from '@keelson/execution'
import type { BlockId, Hash } from '@keelson/primitives'

/** By parent hashes, because the index of canonical blocks lags behind the heads of consensus. Null if the client does not have it. */
export function ancestorOf(chain: Pick<ChainReader, 'header' | 'ancestorHash'>, { hash, number }: BlockId, ancestor: number): Hash | null {
  if (ancestor === number) return hash
  const header = chain.header(hash)
  return header === null ? null : chain.ancestorHash({ hash, header }, ancestor)
}

/** The L1 origin of a block above genesis. Null if the client does not have the block. */
export function originOf(chain: Pick<ChainReader, 'block'>, block: Hash): BlockId | null {
  const found = chain.block(block)
  if (found === null) return null
  const { hash, number } = l1InfoOf(found.transactions[0])
  return { hash, number }
}
