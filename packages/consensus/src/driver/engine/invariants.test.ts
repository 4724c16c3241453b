import assert from 'node:assert/strict'
import { type Hash, type L2BlockRef, l2Time, toHash } from '@keelson/primitives'
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { RESET_AT_START, RESET_BY_OPERATOR } from '../reset/reset-reason.ts'
import { createHeadInvariants, type HeadInvariants, type HeadMove } from './invariants.ts'

const hashOf = (number: number, branch = 0): Hash => toHash(`0x${(branch * 1000 + number + 1).toString(16).padStart(64, '0')}`)
const l1Of = (number: number) => ({ number, hash: hashOf(number, 9) })

function block(number: number, branch = 0, parentBranch = branch): L2BlockRef {
  return {
    number,
    hash: hashOf(number, branch),
    parentHash: hashOf(number - 1, parentBranch),
    timestampSec: l2Time(number * 2),
    l1Origin: l1Of(number >> 1),
    sequenceNumber: 0,
  }
}

const heads = (finalized: number, safe: number, pendingSafe: number, unsafe: number): L2Heads => ({
  finalized: block(finalized),
  safe: block(safe),
  pendingSafe: block(pendingSafe),
  unsafe: block(unsafe),
})
const start: HeadMove = { kind: 'reset', reason: RESET_AT_START, mayUnfinalize: false }

describe('head invariants', () => {
  let engine: Map<number | Hash, L2BlockRef>
  let invariants: HeadInvariants
  let current: L2Heads

  const move = (to: L2Heads, why: HeadMove) => {
    invariants.check(current, to, why)
    invariants.moved(current, to, why)
    current = to
  }
  const breaks = (to: L2Heads, why: HeadMove, invariant: string, message: RegExp) =>
    assert.throws(() => invariants.check(current, to, why), { code: 'consensus/invariant', severity: 'critical', invariant, message })

  beforeEach(() => {
    engine = new Map()
    for (let number = 0; number < 20; number++) engine.set(number, block(number)).set(block(number).hash, block(number))
    invariants = createHeadInvariants({ find: async (at) => engine.get(at as number) ?? null })
    current = heads(2, 4, 4, 8)
    invariants.check(null, current, start)
    invariants.moved(null, current, start)
  })

  it('allow an ordinary chain', () => {
    move({ ...current, unsafe: block(9) }, { kind: 'unsafe' })
    move({ ...current, pendingSafe: block(5) }, { kind: 'confirmed' })
    move({ ...current, pendingSafe: block(6), safe: block(6) }, { kind: 'confirmed' })
    move({ ...current, finalized: block(6) }, { kind: 'finalized', derivedFrom: l1Of(5), finalizedL1: l1Of(5) })
    move({ ...current, unsafe: block(6) }, { kind: 'build' })
    const derived = block(7, 1, 0)
    move({ ...current, unsafe: derived, pendingSafe: derived }, { kind: 'derived' })
    move({ ...current, pendingSafe: current.safe }, { kind: 'pending-dropped' })
    move(current, { kind: 'told' })
    move({ ...current, unsafe: block(8, 1) }, { kind: 'unsafe' })
    move(
      { ...current, safe: block(6), unsafe: block(6), pendingSafe: block(6) },
      { kind: 'reset', reason: RESET_BY_OPERATOR, mayUnfinalize: false },
    )
    assert.equal(current.unsafe.number, 6)
  })

  it('require finalized <= safe <= pending safe <= unsafe', () => {
    breaks({ ...current, finalized: block(5) }, start, 'heads-in-order', /finalized head 5 .* above the safe head 4/)
    breaks({ ...current, pendingSafe: block(3) }, start, 'heads-in-order', /the safe head 4 .* above the pending safe head 3/)
    breaks({ ...current, unsafe: block(3) }, start, 'heads-in-order', /pending safe head 4 .* above the unsafe head 3/)
    breaks({ ...current, safe: block(4, 1) }, start, 'heads-in-order', /above/)
  })

  it('require that a new head has the previous one as its parent', () => {
    breaks({ ...current, unsafe: block(9, 1) }, { kind: 'unsafe' }, 'heads-on-one-chain', /new unsafe head 9 .* does not follow 8/)
    breaks({ ...current, unsafe: block(10) }, { kind: 'unsafe' }, 'heads-on-one-chain', /does not follow/)
    breaks(
      { ...current, pendingSafe: block(5, 1) },
      { kind: 'confirmed' },
      'heads-on-one-chain',
      /pending safe head 5 .* does not follow 4/,
    )
    const stray = block(5, 1)
    breaks({ ...current, unsafe: stray, pendingSafe: stray }, { kind: 'derived' }, 'heads-on-one-chain', /does not follow 4/)
    breaks({ ...current, unsafe: block(7) }, { kind: 'build' }, 'heads-on-one-chain', /neither the unsafe nor the pending safe/)
  })

  it('require that a safe block is on the unsafe chain', () => {
    move({ ...current, unsafe: block(9) }, { kind: 'unsafe' })
    for (let number = 5; number <= 8; number++) move({ ...current, pendingSafe: block(number) }, { kind: 'confirmed' })
    const otherAbove = block(10)
    move({ ...current, unsafe: otherAbove }, { kind: 'unsafe' })
    const other = block(9, 1, 0)
    breaks(
      { ...current, pendingSafe: other },
      { kind: 'confirmed' },
      'heads-on-one-chain',
      /pending safe head 9 .* is not on the unsafe chain/,
    )
  })

  it('let a head move back only on a reset, and the finalized head only if it is lost or the operator allows it', () => {
    const back = { ...current, safe: block(3) }
    breaks(back, { kind: 'told' }, 'heads-go-forward', /the safe head goes from 4 .* back to 3/)
    breaks({ ...current, unsafe: block(7) }, { kind: 'told' }, 'heads-go-forward', /the unsafe head goes from 8/)
    const reset = { kind: 'reset', reason: RESET_BY_OPERATOR } as const
    breaks(heads(1, 3, 3, 3), { ...reset, mayUnfinalize: false }, 'heads-go-forward', /the finalized head goes from 2 .* back to 1/)
    move(heads(1, 3, 3, 3), { ...reset, mayUnfinalize: true })
  })

  it('let no block be final whose L1 block is not', () => {
    const final = { ...current, finalized: block(4) }
    breaks(
      final,
      { kind: 'finalized', derivedFrom: l1Of(6), finalizedL1: l1Of(5) },
      'finality-behind-l1',
      /would be final while L1 has finalized 5/,
    )
    breaks(final, { kind: 'finalized', derivedFrom: l1Of(1), finalizedL1: l1Of(5) }, 'finality-behind-l1', /derived from L1 block 1/)
    move(final, { kind: 'finalized', derivedFrom: l1Of(5), finalizedL1: l1Of(5) })
  })

  it('require that the execution client has the accepted heads on its chain', async () => {
    await invariants.checkChain(null, current, start)
    engine.set(2, block(2, 1))
    await assert.rejects(invariants.checkChain(null, current, start), { invariant: 'heads-on-one-chain', message: /block 2 \(finalized\)/ })
    engine
      .set(2, block(2))
      .set(block(7).hash, { ...block(7), parentHash: hashOf(6, 1) })
      .set(hashOf(6, 1), block(6, 1))
    engine.set(hashOf(5, 1), block(5, 1)).set(hashOf(4, 1), block(4, 1))
    await assert.rejects(invariants.checkChain(null, current, start), { message: /ancestor of the unsafe head at 4/ })
  })
})
