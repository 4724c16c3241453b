import type { RpcClient } from '@keelson/client'
import { decodeBlock, decodeHeader, type Header, hexToBytes } from '@keelson/primitives'
import type { BlockWitness } from '@keelson/second-opinion'
import { z } from 'zod'
import { AssemblyError } from '../../errors.ts'

const hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
const items = z.array(hex).transform((list) => list.map((item) => hexToBytes(item)))
const witnessShape = z.object({ state: items, codes: items, headers: items })

export interface BlockEvidence {
  readonly block: Uint8Array
  readonly witness: BlockWitness
  readonly hash: string
  readonly header: Header
  readonly parent: Header
}

/** Throws AssemblyError `node/usage` if the node does not return them, ClientError if it cannot be reached. */
export async function readBlockEvidence(rpc: Pick<RpcClient, 'host' | 'call'>, number: number): Promise<BlockEvidence> {
  const id = `0x${number.toString(16)}`
  const raw = hex.nullable().safeParse(await rpc.call('debug_getRawBlock', [id]))
  if (!raw.success || raw.data === null) throw unusable(rpc, 'debug_getRawBlock', id)
  const witness = witnessShape.safeParse(await rpc.call('debug_executionWitness', [id]))
  const parent = witness.data?.headers.at(-1)
  if (!witness.success || parent === undefined) throw unusable(rpc, 'debug_executionWitness', id)
  const block = hexToBytes(raw.data)
  const { hash, header } = decodeBlock(block)
  return { block, witness: witness.data, hash, header, parent: decodeHeader(parent) }
}

function unusable(rpc: Pick<RpcClient, 'host' | 'call'>, method: string, id: string): AssemblyError {
  return new AssemblyError(
    'node/usage',
    `${rpc.host} returned no block for ${method} ${id}: it must have the block, its parent's state and the debug namespace`,
  )
}
