import { encodeBlock } from '@keelson/primitives'
import type { ChainReader } from '../chain/chain-reader.ts'
import { ExecutionError } from '../errors.ts'

/** Yields the RLP of each block from `from` to `to`, inclusive. Throws ExecutionError `execution/missing-record`. */
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
