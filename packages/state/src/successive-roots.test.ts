import assert from 'node:assert/strict'
import { bytesToHex, keccak256 } from '@keelson/primitives'
import fc from 'fast-check'
import { EMPTY_TRIE_STATE } from './compute-state.ts'
import { MODEL_ADDRESSES, MODEL_SLOTS, type ModelOp, modelAddress, modelChild, modelGenesis, modelRoots } from './state-model.test.ts'
import { fresh } from './state-world.test.ts'
import { createSuccessiveRoots } from './successive-roots.ts'

const op: fc.Arbitrary<ModelOp> = fc.record({
  address: fc.nat(MODEL_ADDRESSES - 1),
  kind: fc.constantFrom('write', 'write', 'reset', 'delete'),
  balance: fc.nat(9),
  code: fc.nat(2),
  slots: fc.array(fc.tuple(fc.nat(MODEL_SLOTS - 1), fc.nat(3)), { maxLength: 6 }),
})

describe('roots of successive states', () => {
  it('equal the roots that another implementation computes from the whole state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(op, { maxLength: 5 }), { minLength: 1, maxLength: 8 }), async (blocks) => {
        const { state, genesis } = await fresh()
        const roots = state.successiveRoots(genesis.hash)
        let parent = genesis
        for (const ops of blocks) {
          const { block, diff } = modelChild(parent, ops)
          const computed = roots.next(diff)
          const expected = await modelRoots(block.state)
          assert.equal(bytesToHex(computed.root), expected.root)
          for (const i of block.state.keys()) {
            assert.equal(bytesToHex(computed.storageRoot(modelAddress(i)) as Uint8Array), expected.storage.get(i))
          }
          parent = block
        }
      }),
      { numRuns: 60 },
    )
  })

  it('cost work only for the changes since the previous root', () => {
    let hashed = 0
    const counting = (bytes: Uint8Array) => {
      hashed++
      return keccak256(bytes)
    }
    const write = (from: number, count: number) => ({
      address: 1,
      kind: 'write' as const,
      balance: 1,
      code: 0,
      slots: Array.from({ length: count }, (_, i) => [from + i, 7] as const),
    })
    const roots = createSuccessiveRoots(EMPTY_TRIE_STATE, counting)
    let { block: parent, diff } = modelChild(modelGenesis(new Map()), [write(0, 200)])
    roots.next(diff)
    hashed = 0
    for (let i = 0; i < 100; i++) {
      const next = modelChild(parent, [write(i, 1)])
      parent = next.block
      diff = next.diff
      roots.next(diff)
    }
    assert.ok(hashed <= 300, `${hashed} keys were hashed for 100 changes of a slot`)
  })
})
