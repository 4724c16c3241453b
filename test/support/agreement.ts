import { blockAt, blockHashes, syncStatus } from './chain-reading.ts'
import type { DevnetProcess } from './devnet-process.ts'

export interface Agreement {
  readonly unsafe: number
  readonly safe: number
}

/** Returns the lower heads of both nodes, or null if the nodes differ in the unsafe block or up to the safe head. */
export async function findAgreement({ facts: { l2, validator } }: DevnetProcess): Promise<Agreement | null> {
  const nodes = [l2, validator] as const
  const status = await Promise.all(nodes.map((node) => syncStatus(node.rollupRpcUrl)))
  const safe = Math.min(...status.map(({ safe_l2 }) => safe_l2.number))
  const unsafe = Math.min(...status.map(({ unsafe_l2 }) => unsafe_l2.number))
  const [ours, theirs] = await Promise.all(nodes.map((node) => blockHashes(node.rpcUrl, safe)))
  if (ours?.join() !== theirs?.join()) return null
  const heads = await Promise.all(nodes.map((node) => blockAt(node.rpcUrl, unsafe)))
  return heads[0] !== null && heads[0]?.hash === heads[1]?.hash ? { unsafe, safe } : null
}
