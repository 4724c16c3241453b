import type { Block, Hash } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import { ExecutionError } from '../errors.ts'
import { canonicalOps, staleOps } from './canonical-ops.ts'
import type { ChainReader, SealedHeader } from './chain-reader.ts'
import type { StoredReceipt } from './records.ts'

export interface ForkchoicePlan {
  readonly ancestor: SealedHeader
  readonly removed: readonly Block[]
  readonly added: readonly Block[]
  readonly ops: readonly KeyValueOp[]
}

/** Throws ExecutionError `execution/missing-record`. */
export function planForkchoice(chain: ChainReader, head: SealedHeader): ForkchoicePlan {
  const added: Block[] = []
  let ancestor = head
  while (!chain.isCanonical(ancestor)) {
    added.push(need(chain, ancestor.hash))
    const parent = chain.header(ancestor.header.parentHash)
    if (parent === null) throw missing(ancestor.header.parentHash)
    ancestor = { hash: ancestor.header.parentHash, header: parent }
  }
  added.reverse()
  const removed: Block[] = []
  for (let number = ancestor.header.number + 1; number <= chain.label('unsafe').header.number; number++) {
    const hash = chain.canonicalHash(number)
    if (hash === null) throw missing(`number ${number}`)
    removed.push(need(chain, hash))
  }
  return {
    ancestor,
    removed,
    added,
    ops: [
      ...removed.flatMap((block) => staleOps(block, receiptsOf(chain, block))),
      ...added.flatMap((block) => canonicalOps(block, receiptsOf(chain, block))),
    ],
  }
}

function receiptsOf(chain: ChainReader, block: Block): readonly StoredReceipt[] {
  const receipts = chain.receipts(block.hash)
  if (receipts === null) throw missing(block.hash)
  return receipts
}

function need(chain: ChainReader, hash: Hash): Block {
  const block = chain.block(hash)
  if (block === null) throw missing(hash)
  return block
}

function missing(what: string): ExecutionError {
  return new ExecutionError('execution/missing-record', `block ${what} is not in the data directory, though its child is`, { block: what })
}
