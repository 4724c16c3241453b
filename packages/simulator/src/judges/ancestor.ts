import type { ChainReader } from '@keelson/execution'
import type { BlockId, Hash } from '@keelson/primitives'

/** By parent hashes, because the index of canonical blocks lags behind the heads of consensus. Null if the client does not have it. */
export function ancestorOf(chain: Pick<ChainReader, 'header' | 'ancestorHash'>, { hash, number }: BlockId, ancestor: number): Hash | null {
  if (ancestor === number) return hash
  const header = chain.header(hash)
  return header === null ? null : chain.ancestorHash({ hash, header }, ancestor)
}
