import type { ContractCaller } from '@keelson/client'
import { decodeL2Output, encodeGetL2OutputAfter } from '@keelson/contracts'
import { type Address, type Hash, isHex, toAddress } from '@keelson/primitives'
import { AssemblyError } from '../../errors.ts'

/** Throws AssemblyError `node/usage` if L1 has no output for blocks `first` to `last`. */
export async function findOutputOnL1(l1: ContractCaller, oracle: Address, first: number, last: number): Promise<Hash> {
  const none = (why: string, cause?: unknown) =>
    new AssemblyError(
      'node/usage',
      `L1 has no output root for a block from ${first} to ${last} (${why}): make a snapshot with later headers once one is proposed, give --output-root, or --trust the snapshot`,
      {},
      { cause },
    )
  let found: ReturnType<typeof decodeL2Output>
  try {
    found = decodeL2Output(await l1.call(oracle, encodeGetL2OutputAfter(BigInt(first))))
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'client/rpc') throw cause
    throw none('none is proposed after it', cause)
  }
  if (found.l2BlockNumber > last) throw none(`the next is for block ${found.l2BlockNumber}`)
  return found.outputRoot
}

/** Throws AssemblyError `node/usage` for chains with fault proofs. */
export function findOracle(folder: string, addresses: unknown): Address {
  const named = (addresses ?? {}) as Readonly<Record<string, unknown>>
  const found = named.L2OutputOracle ?? named.L2OutputOracleProxy
  if (isHex(found, 20)) return toAddress(found)
  throw new AssemblyError(
    'node/usage',
    `addresses.json in ${folder} names no L2OutputOracle: give --oracle ADDRESS, or, where the chain has dispute games instead, ` +
      '--output-root HASH from a source you trust',
  )
}
