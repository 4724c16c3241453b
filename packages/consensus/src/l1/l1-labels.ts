import type { L1Reader } from '@keelson/derivation'
import type { BlockId, Hash, L1BlockRef } from '@keelson/primitives'

export type L1Label = 'safe' | 'finalized'

export type LabelFault =
  | 'above-head'
  | 'above-safe'
  | 'not-an-ancestor'
  /** The label moved to a lower block: the L1 node behind the URL lags. */
  | 'went-back'
  | 'finalized-replaced'

export interface LabelNews {
  /** The safe label is listed before the finalized label. */
  readonly moved: readonly { readonly label: L1Label; readonly block: L1BlockRef }[]
  readonly refused: readonly { readonly label: L1Label; readonly block: L1BlockRef; readonly fault: LabelFault }[]
  readonly unproven: boolean
}

export interface L1Labels {
  /**
   * Verifies L1's labels, because an L1 node can label any block and L2 finality cannot be undone: finalized <= safe <= head,
   * both are ancestors of the head, and finalized never moves back.
   */
  look(head: L1BlockRef, maxReads: number): Promise<LabelNews>
}

export interface L1LabelsOptions {
  readonly mayGoBack: boolean
}

/** A label further below the head is compared with the block at its number, to limit reads. */
const LONGEST_WALK = 4_096

export function createL1Labels(l1: Pick<L1Reader, 'blockRef'>, { mayGoBack }: L1LabelsOptions): L1Labels {
  const ancestry = createL1Ancestry(l1)
  const known: Record<L1Label, L1BlockRef | null> = { safe: null, finalized: null }

  async function judge(label: L1Label, block: L1BlockRef, head: L1BlockRef, safe: L1BlockRef | null, maxReads: number) {
    if (block.number > head.number) {
      // L1 may have grown since its head was read
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

type Ancestry = 'ancestor' | 'not-ancestor' | 'unknown'

interface L1Ancestry {
  note(block: L1BlockRef): void
  /** Returns 'unknown' after `maxReads` reads; call again to continue. */
  look(block: BlockId, head: L1BlockRef, maxReads: number): Promise<Ancestry>
}

/** More than a day of L1. */
const REMEMBERED = 8_192

function createL1Ancestry(l1: Pick<L1Reader, 'blockRef'>): L1Ancestry {
  const parents = new Map<Hash, Hash>()

  function note({ hash, parentHash }: L1BlockRef): void {
    parents.set(hash, parentHash)
    if (parents.size > REMEMBERED) parents.delete(parents.keys().next().value as Hash)
  }

  return {
    note,
    async look(block, head, maxReads) {
      if (block.number > head.number) return 'not-ancestor'
      note(head)
      let hash = head.hash
      let reads = 0
      for (let number = head.number; number > block.number; number--) {
        let parent = parents.get(hash)
        if (parent === undefined) {
          if (++reads > maxReads) return 'unknown'
          const ref = await l1.blockRef(hash)
          // L1 reorganized since the previous read
          if (ref === null || ref.number !== number) return 'unknown'
          note(ref)
          parent = ref.parentHash
        }
        hash = parent
      }
      return hash === block.hash ? 'ancestor' : 'not-ancestor'
    },
  }
}
