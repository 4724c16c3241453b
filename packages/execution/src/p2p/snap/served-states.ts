import { type Bytes32, bytesToHex, type Hash } from '@keelson/primitives'
import type { StateRanges, StateReads } from '@keelson/state'
import type { ChainReader } from '../../chain/chain-reader.ts'
import { SNAP_LIMITS } from './codes.ts'

export interface ServedStates {
  /** Null for a root that none of the newest blocks has. */
  at(root: Bytes32): StateRanges | null
  code(codeHash: Bytes32): Uint8Array | null
}

export type ServedChain = Pick<ChainReader, 'label' | 'header'>

export function createServedStates(chain: ServedChain, state: Pick<StateReads, 'rangesAt' | 'code'>): ServedStates {
  let head: Hash | null = null
  let blocks: ReadonlyMap<string, { readonly hash: Hash; readonly number: number }> = new Map()

  const newestBlocks = () => {
    const newest = chain.label('unsafe')
    if (newest.hash === head) return blocks
    const found = new Map<string, { readonly hash: Hash; readonly number: number }>()
    let at: Hash = newest.hash
    for (let i = 0; i < SNAP_LIMITS.states; i++) {
      const header = chain.header(at)
      if (header === null) break
      // The newest of blocks with equal states counts.
      if (!found.has(header.stateRoot)) found.set(header.stateRoot, { hash: at, number: header.number })
      at = header.parentHash
    }
    head = newest.hash
    blocks = found
    return found
  }

  return {
    at(root) {
      const block = newestBlocks().get(bytesToHex(root))
      return block === undefined ? null : state.rangesAt(block)
    },
    code: (codeHash) => state.code(codeHash),
  }
}
