import type { BlockId, Hash, L2BlockRef } from '@keelson/primitives'
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { ResetReason } from '../reset/reset-reason.ts'

export type InvariantName = 'heads-in-order' | 'heads-on-one-chain' | 'heads-go-forward' | 'finality-behind-l1'

export type HeadMove =
  /** `mayUnfinalize`: the execution client lost the finalized block, or the operator allows that. */
  | { readonly kind: 'reset'; readonly reason: ResetReason; readonly mayUnfinalize: boolean }
  | { readonly kind: 'unsafe' }
  | { readonly kind: 'build' }
  /** A derived block extends pending safe and replaces the unsafe block. */
  | { readonly kind: 'derived' }
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'pending-dropped' }
  | { readonly kind: 'told' }
  | { readonly kind: 'finalized'; readonly derivedFrom: BlockId; readonly finalizedL1: BlockId }
  | { readonly kind: 'engine-synced' }

export class InvariantViolation extends ConsensusError {
  readonly invariant: InvariantName
  readonly before: L2Heads | null
  readonly after: L2Heads
  readonly move: HeadMove

  constructor(invariant: InvariantName, message: string, before: L2Heads | null, after: L2Heads, move: HeadMove) {
    super('consensus/invariant', 'critical', `${message}; invariant violated (${invariant}, on ${move.kind})`, { invariant })
    this.invariant = invariant
    this.before = before
    this.after = after
    this.move = move
  }
}

/**
 * finalized <= safe <= pending safe <= unsafe, all on one chain; a head moves back only on a reset; nothing is final that L1 has
 * not finalized. A violation is a bug here or in the execution client, so the node stops.
 */
export interface HeadInvariants {
  /** Throws InvariantViolation. */
  check(before: L2Heads | null, after: L2Heads, move: HeadMove): void
  moved(before: L2Heads | null, after: L2Heads, move: HeadMove): void
  /** Checks the heads against the execution client's chain. Throws InvariantViolation. */
  checkChain(before: L2Heads | null, after: L2Heads, move: HeadMove): Promise<void>
}

const REMEMBERED_BLOCKS = 4_096
/** Parents checked after a reset, one request each. */
const WALKED_BLOCKS = 16

const ORDER = [
  ['finalized', 'safe'],
  ['safe', 'pendingSafe'],
  ['pendingSafe', 'unsafe'],
] as const
const NAMES = { finalized: 'finalized', safe: 'safe', pendingSafe: 'pending safe', unsafe: 'unsafe' } as const

export function createHeadInvariants(refs: Pick<L2Refs, 'find'>): HeadInvariants {
  const chain = new Map<number, Hash>()

  function remember(block: L2BlockRef, cut: boolean): void {
    if (cut) for (const number of [...chain.keys()]) if (number > block.number) chain.delete(number)
    chain.delete(block.number)
    chain.set(block.number, block.hash)
    for (const oldest of chain.keys()) {
      if (chain.size <= REMEMBERED_BLOCKS) break
      chain.delete(oldest)
    }
  }

  return {
    check(before, after, move) {
      const fail = (name: InvariantName, message: string): never => {
        throw new InvariantViolation(name, message, before, after, move)
      }
      for (const [low, high] of ORDER) {
        if (after[low].number < after[high].number || after[low].hash === after[high].hash) continue
        fail(
          'heads-in-order',
          `the ${NAMES[low]} head ${describeBlock(after[low])} is above the ${NAMES[high]} head ${describeBlock(after[high])}`,
        )
      }
      if (before !== null) {
        const back = wentBack(before, after, move)
        if (back !== null) fail('heads-go-forward', back)
        const link = brokenLink(before, after, move)
        if (link !== null) fail('heads-on-one-chain', link)
      }
      if (move.kind === 'finalized') {
        const { derivedFrom, finalizedL1 } = move
        const tooEarly = derivedFrom.number > finalizedL1.number || after.finalized.l1Origin.number > derivedFrom.number
        const what = `${describeBlock(after.finalized)}, derived from L1 block ${describeBlock(derivedFrom)}`
        if (tooEarly) fail('finality-behind-l1', `${what}, would be final while L1 has finalized ${describeBlock(finalizedL1)}`)
      }
      if (isAnew(before, move)) return
      for (const name of ['finalized', 'safe', 'pendingSafe'] as const) {
        const known = chain.get(after[name].number)
        if (known === undefined || known === after[name].hash || after[name].hash === after.unsafe.hash) continue
        fail(
          'heads-on-one-chain',
          `the ${NAMES[name]} head ${describeBlock(after[name])} is not on the unsafe chain, which has ${known} there`,
        )
      }
    },
    moved(before, after, move) {
      if (isAnew(before, move)) {
        chain.clear()
        for (const name of ['finalized', 'safe', 'pendingSafe'] as const) remember(after[name], false)
      }
      if (after.unsafe.hash !== chain.get(after.unsafe.number)) remember(after.unsafe, true)
      else if (after.unsafe.number < (before?.unsafe.number ?? 0)) remember(after.unsafe, true)
    },
    async checkChain(before, after, move) {
      const fail = (what: string, expected: Hash, got: Hash): never => {
        const message = `the execution client accepted the heads, but has ${got} as ${what}, not ${expected}`
        throw new InvariantViolation('heads-on-one-chain', message, before, after, move)
      }
      for (const name of ['finalized', 'safe', 'unsafe'] as const) {
        const found = await refs.find(after[name].number)
        if (found !== null && found.hash !== after[name].hash) fail(`block ${found.number} (${NAMES[name]})`, after[name].hash, found.hash)
      }
      let child = after.unsafe
      for (let i = 0; i < WALKED_BLOCKS && child.number > after.safe.number; i++) {
        const parent = await refs.find(child.parentHash)
        if (parent === null) return
        if (parent.hash !== child.parentHash || parent.number !== child.number - 1) {
          fail(`parent of ${describeBlock(child)}`, child.parentHash, parent.hash)
        }
        if (parent.number === after.safe.number && parent.hash !== after.safe.hash) {
          fail(`ancestor of the unsafe head at ${parent.number}`, after.safe.hash, parent.hash)
        }
        child = parent
      }
    },
  }
}

function isAnew(before: L2Heads | null, move: HeadMove): boolean {
  return before === null || move.kind === 'reset' || move.kind === 'engine-synced'
}

function wentBack(before: L2Heads, after: L2Heads, move: HeadMove): string | null {
  const allowed = {
    finalized: move.kind === 'reset' && move.mayUnfinalize,
    safe: move.kind === 'reset',
    unsafe: move.kind === 'reset' || move.kind === 'derived' || move.kind === 'build',
  }
  for (const name of ['finalized', 'safe', 'unsafe'] as const) {
    const [old, now] = [before[name], after[name]]
    if (allowed[name] || now.hash === old.hash || now.number > old.number) continue
    return `the ${name} head goes from ${describeBlock(old)} back to ${describeBlock(now)}`
  }
  return null
}

function brokenLink(before: L2Heads, after: L2Heads, move: HeadMove): string | null {
  const follows = (name: 'unsafe' | 'pendingSafe'): string | null => {
    const [old, now] = [before[name], after[name]]
    if (now.number === old.number + 1 && now.parentHash === old.hash) return null
    return `the new ${NAMES[name]} head ${describeBlock(now)} has the parent ${now.parentHash} and does not follow ${describeBlock(old)}`
  }
  switch (move.kind) {
    case 'unsafe':
      return follows('unsafe')
    case 'derived':
    case 'confirmed':
      return follows('pendingSafe')
    case 'build':
      if (after.unsafe.hash === before.unsafe.hash || after.unsafe.hash === before.pendingSafe.hash) return null
      return `a block is to be built on ${describeBlock(after.unsafe)}, which is neither the unsafe nor the pending safe head`
    default:
      return null
  }
}
