/** Canonical blocks as a chain export carries them: RLP, one after another. */
import { encodeBlock } from '@keelson/primitives'
import type { ChainReader } from '../chain/chain-store.ts'
import { ExecutionError } from '../errors.ts'

/** Blocks `from` to `to`, both included. Throws ExecutionError `execution/missing-record` for one that is not stored. */
export async function* exportChain(chain: ChainReader, from: number, to: number): AsyncIterable<Uint8Array> {
  for (let number = from; number <= to; number++) {
    const hash = chain.canonicalHash(number)
    const block = hash === null ? null : chain.block(hash)
    if (block === null) {
      throw new ExecutionError(
        'execution/missing-record',
        `block ${number} is not stored; the head is ${chain.label('unsafe').header.number}`,
      )
    }
    yield encodeBlock(block)
  }
}
