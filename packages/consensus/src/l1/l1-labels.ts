/**
 * L1's safe and finalized labels, checked before anything rests on them, because finality on L2 is never undone: an L1
 * node can call any block final. finalized <= safe <= head, both are ancestors of the head, and finalized never goes back.
 */
import type { L1Reader } from '@keelson/derivation'
import type { L1BlockRef } from '@keelson/primitives'
import { createL1Ancestry } from './l1-ancestry.ts'

export type L1Label = 'safe' | 'finalized'

export type LabelFault =
  | 'above-head'
  | 'above-safe'
  /** Another block stands at that height under the head. */
  | 'not-an-ancestor'
  /** Lower than the finalized block before: the node behind the URL lags. */
  | 'went-back'
  /** The head does not build on the finalized block before. */
  | 'finalized-replaced'

export interface LabelNews {
  /** Labels that moved, safe first. */
  readonly moved: readonly { readonly label: L1Label; readonly block: L1BlockRef }[]
  readonly refused: readonly { readonly label: L1Label; readonly block: L1BlockRef; readonly fault: LabelFault }[]
  /** Some label is not proven to be below the head yet. */
  readonly unproven: boolean
}

export interface L1Labels {
  /** Asks for both labels, under a head of this L1. Throws what reading L1 throws. */
  look(head: L1BlockRef, maxReads: number): Promise<LabelNews>
}

export interface L1LabelsOptions {
  /** An L1 that may lose finalized blocks: finalized goes back with it. */
  readonly mayGoBack: boolean
}

/** Further below the head, a label is compared with the block of its height: a walk would read too many blocks. */
const LONGEST_WALK = 4_096

export function createL1Labels(l1: Pick<L1Reader, 'blockRef'>, { mayGoBack }: L1LabelsOptions): L1Labels {
  const ancestry = createL1Ancestry(l1)
  const known: Record<L1Label, L1BlockRef | null> = { safe: null, finalized: null }

  /** Null when the block may be believed. */
  async function judge(label: L1Label, block: L1BlockRef, head: L1BlockRef, safe: L1BlockRef | null, maxReads: number) {
    if (block.number > head.number) {
      // L1 may have grown since it was asked for its head
      const newest = await l1.blockRef('latest')
      return newest !== null && block.number <= newest.number ? 'unproven' : 'above-head'
    }
    if (label === 'finalized' && safe !== null && block.number > safe.number) return 'above-safe'
    const standing = await standingOf(block, head, maxReads)
    const last = known.finalized
    if (standing !== null || label === 'safe' || mayGoBack || last === null) return standing
    if (block.number < last.number) return 'went-back'
    return (await standingOf(last, head, maxReads)) === 'not-an-ancestor' ? 'finalized-replaced' : null
  }

  async function standingOf(block: L1BlockRef, head: L1BlockRef, maxReads: number) {
    if (head.number - block.number > LONGEST_WALK) return (await l1.blockRef(block.number))?.hash === block.hash ? null : 'not-an-ancestor'
    const standing = await ancestry.look(block, head, maxReads)
    if (standing === 'unknown') return 'unproven'
    return standing === 'ancestor' ? null : 'not-an-ancestor'
  }

  return {
    async look(head, maxReads) {
      const moved: LabelNews['moved'][number][] = []
      const refused: LabelNews['refused'][number][] = []
      let unproven = false
      ancestry.note(head)
      const safe = await l1.blockRef('safe')
      const shown = [['safe', safe] as const, ['finalized', await l1.blockRef('finalized')] as const]
      for (const [label, block] of shown) {
        if (block === null || block.hash === known[label]?.hash) continue
        const verdict = await judge(label, block, head, safe, maxReads)
        if (verdict === 'unproven') unproven = true
        else if (verdict !== null) refused.push({ label, block, fault: verdict })
        else {
          known[label] = block
          moved.push({ label, block })
        }
      }
      return { moved, refused, unproven }
    },
  }
}
