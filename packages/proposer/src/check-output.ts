import { type OutputAtBlock, outputRootV0 } from '@keelson/primitives'
import { ProposerError } from './errors.ts'
import type { L1Blocks } from './ports.ts'

/** The oracle checks the last 256 L1 blocks; the rest is time for inclusion. */
const MAX_L1_LAG = 200

/**
 * Returns the reason why the output cannot be proposed yet, or null: L1 must have the L1 origin of the block and the L1 block that
 * derivation has reached. Throws ProposerError `proposer/output-mismatch`.
 */
export async function checkOutput(output: OutputAtBlock, l2BlockNumber: number, l1: L1Blocks): Promise<string | null> {
  const { block, syncStatus, stateRoot, withdrawalStorageRoot, outputRoot } = output
  const expected = outputRootV0(stateRoot, withdrawalStorageRoot, block.hash)
  if (block.number !== l2BlockNumber || outputRoot !== expected) {
    throw new ProposerError(
      'proposer/output-mismatch',
      `asked for the output of L2 block ${l2BlockNumber}, got ${outputRoot} for block ${block.number}, whose fields give ${expected}`,
      { l2BlockNumber },
    )
  }
  const { currentL1 } = syncStatus
  const head = await l1.blockRef('latest')
  if (head === null) return 'the L1 head is unavailable'
  if (head.number - currentL1.number > MAX_L1_LAG) {
    return `the consensus client has derived to L1 block ${currentL1.number}, the L1 head is ${head.number}`
  }
  for (const [what, { number, hash }] of [
    ['the L1 origin of the output', block.l1Origin],
    ['the L1 block the consensus client has derived to', currentL1],
  ] as const) {
    const known = await l1.blockRef(number)
    if (known?.hash !== hash) return `${what}, ${number}, is ${hash}, but L1 has ${known?.hash ?? 'none'} there`
  }
  return null
}
