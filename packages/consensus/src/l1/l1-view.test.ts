import assert from 'node:assert/strict'
import { createFakeL1, type FakeL1 } from '../../../../test/support/fake-l1.ts'
import { ConsensusError } from '../errors.ts'
import { L1View } from './l1-view.ts'

describe('the L1 view', () => {
  let l1: FakeL1
  let view: L1View
  let changed: number

  beforeEach(() => {
    l1 = createFakeL1({ genesisTimestampSec: 1_800_000_000 })
    changed = 0
    view = new L1View({
      l1: l1.reader,
      metrics: { l1: () => undefined },
      walk: { end: async () => undefined },
      onChange: () => {
        changed++
      },
    })
  })
  const newHead = () => {
    l1.mine()
    view.update({ kind: 'l1-head', block: l1.head })
  }
  const isReorgReset = (error: unknown) =>
    error instanceof ConsensusError && error.code === 'consensus/l1-reorg' && error.severity === 'reset'

  it('shows a change at once and drains the last of each kind', () => {
    newHead()
    view.update({ kind: 'l1-finalized', block: l1.genesis })
    newHead()
    assert.equal(view.head?.hash, l1.head.hash)
    assert.equal(changed, 3)
    const { changes, headReplaced } = view.drainChanges()
    assert.deepEqual(changes, [
      { kind: 'l1-finalized', block: l1.genesis },
      { kind: 'l1-head', block: l1.head },
    ])
    assert.equal(headReplaced, false)
    assert.equal(view.hasChanges, false)
  })

  it('reports a head that does not extend the one before, until drained', () => {
    newHead()
    l1.reorg(1, { newBlocks: 1 })
    view.update({ kind: 'l1-head', block: l1.head })
    newHead()
    assert.equal(view.drainChanges().headReplaced, true)
    assert.equal(view.drainChanges().headReplaced, false)
  })

  it('keeps the deeper of two pending reorgs', () => {
    view.update({ kind: 'l1-reorg', lastCommon: 3, head: l1.head })
    view.update({ kind: 'l1-reorg', lastCommon: 5, head: l1.head })
    assert.deepEqual(view.drainChanges().changes, [{ kind: 'l1-reorg', lastCommon: 3, head: l1.head }])
  })

  it('asks for a reset when a block in use was replaced, and only once', async () => {
    l1.mine(3)
    const replaced = l1.head
    l1.reorg(2, { newBlocks: 1 })
    view.update({ kind: 'l1-reorg', lastCommon: 1, head: l1.head })
    await assert.rejects(view.assertNotReplaced([replaced]), isReorgReset)
    assert.equal(view.replacedAfter, 1)
    await view.assertNotReplaced([replaced])
    view.resetDone()
    assert.equal(view.replacedAfter, null)
  })

  it('forgets a reorg that touched no block in use', async () => {
    l1.mine(3)
    view.update({ kind: 'l1-reorg', lastCommon: 2, head: l1.head })
    await view.assertNotReplaced([l1.genesis, l1.head, null])
    await view.resetBegins()
    assert.equal(view.replacedAfter, null)
  })

  it('does not lose a reorg that arrives while another is being checked', async () => {
    l1.mine(3)
    view.update({ kind: 'l1-reorg', lastCommon: 2, head: l1.head })
    const check = view.assertNotReplaced([l1.head])
    view.update({ kind: 'l1-reorg', lastCommon: 0, head: l1.head })
    await check
    await view.resetBegins()
    assert.equal(view.replacedAfter, 0)
  })
})
