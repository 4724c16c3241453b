/**
 * Finds blocks that this sequencer signed and the execution client lost. They are resumed, because another block at the same
 * place would be double signing.
 */
import type { L1Reader } from '@keelson/derivation'
import type { Hash, L2BlockRef, PayloadEnvelope } from '@keelson/primitives'
import { describeBlock } from '../blocks/l2-heads.ts'
import type { L2Refs } from '../blocks/l2-refs.ts'
import { ConsensusError } from '../errors.ts'
import type { SigningRecord } from './signing-record.ts'

export interface SignedBlocks {
  /**
   * Returns null if a new block may be built. Throws ConsensusError `consensus/l1-unavailable` (temporary) if L1 lacks the
   * origin.
   */
  find(parent: L2BlockRef): Promise<PayloadEnvelope | null>
  refused(hash: Hash): void
}

const MAX_REFUSED = 64

export function createSignedBlocks(
  record: Pick<SigningRecord, 'others' | 'signedOn'>,
  l1: L1Reader,
  refs: Pick<L2Refs, 'refOf'>,
): SignedBlocks {
  const refused = new Set<Hash>()
  return {
    async find(parent) {
      await record.others(parent.number, parent.hash)
      for (const envelope of await record.signedOn(parent)) {
        const block = refs.refOf(envelope)
        if (refused.has(block.hash)) continue
        const origin = await l1.blockRef(block.l1Origin.number)
        if (origin === null) {
          const message = `block ${describeBlock(block)} was signed with the origin ${describeBlock(block.l1Origin)}, which L1 does not have yet`
          throw new ConsensusError('consensus/l1-unavailable', 'temporary', message, { l2: block.hash })
        }
        if (origin.hash === block.l1Origin.hash) return envelope
      }
      return null
    },
    refused(hash) {
      refused.add(hash)
      if (refused.size > MAX_REFUSED) refused.delete(refused.values().next().value as Hash)
    },
  }
}
