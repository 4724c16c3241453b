import type { RpcClient } from '@keelson/client'
import { decodeBlock, decodeHeader, type Header, hexToBytes } from '@keelson/primitives'
import type { BlockWitness } from '@keelson/second-opinion'
import { z } from 'zod'
import { AssemblyError } from '../errors.ts'

const hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
/** Several times what a block of 200 million gas can touch. A larger witness could fill the memory. */
const MAX_ITEMS = 250_000
const items = z
  .array(hex)
  .max(MAX_ITEMS)
  .transform((list) => list.map((item) => hexToBytes(item)))
const witnessShape = z.object({ state: items, codes: items, headers: items })

export interface BlockEvidence {
  /** RLP of the block. */
  readonly block: Uint8Array
  readonly witness: BlockWitness
  readonly hash: string
  readonly header: Header
  readonly parent: Header
}

/** Null if debug_executionWitness responds in another shape. */
export function parseEvidence(block: Uint8Array, witness: unknown): BlockEvidence | null {
  const parsed = witnessShape.safeParse(witness)
  const parent = parsed.data?.headers.at(-1)
  if (!parsed.success || parent === undefined) return null
  const { hash, header } = decodeBlock(block)
  return { block, witness: parsed.data, hash, header, parent: decodeHeader(parent) }
}

/** Throws AssemblyError `node/usage`, ClientError. */
export async function readBlockEvidence(rpc: Pick<RpcClient, 'host' | 'call'>, number: number): Promise<BlockEvidence> {
  const id = `0x${number.toString(16)}`
  const raw = hex.safeParse(await rpc.call('debug_getRawBlock', [id]))
  const evidence = raw.success ? parseEvidence(hexToBytes(raw.data), await rpc.call('debug_executionWitness', [id])) : null
  if (evidence !== null && evidence.header.number !== number) {
    throw new AssemblyError('node/usage', `${rpc.host} returned block ${evidence.header.number} in place of block ${number}`)
  }
  if (evidence !== null) return evidence
  const needs = "it needs the block, its parent's state and the debug namespace"
  throw new AssemblyError('node/usage', `${rpc.host} returned no block or no execution witness for block ${number}: ${needs}`)
}
