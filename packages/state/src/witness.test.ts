import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, keccak256 } from '@keelson/primitives'
import { computeGenesisState } from './genesis.ts'
import { assertView, genesisAlloc, type ModelState, modelAddress, modelChild, modelGenesis, modelRoots } from './state-model.test.ts'
import { decodeNodeChanges } from './trie/node-changes.ts'
import { createWitnessState } from './witness.ts'

const STATE: ModelState = new Map(
  [0, 1, 2, 3, 4].map((i) => [
    i,
    {
      nonce: 0n,
      balanceWei: BigInt(i),
      code: new Uint8Array(i).fill(9),
      slots: new Map([
        [i, 3],
        [i + 1, 4],
      ]),
    },
  ]),
)

function preimagesOf(state: ModelState): Map<string, Uint8Array> {
  const { computed } = computeGenesisState(genesisAlloc(state))
  const preimages = [...decodeNodeChanges(computed.nodes).values(), ...[...state.values()].map((account) => account.code)]
  return new Map(preimages.flatMap((bytes) => (bytes === null ? [] : [[bytesToHex(keccak256(bytes)), bytes] as const])))
}

describe('a state over a witness', () => {
  it('reads and computes like the full state', async () => {
    const root = (await modelRoots(STATE)).root
    const witness = createWitnessState(preimagesOf(STATE), hexToBytes(root))
    assertView(witness.view, STATE)
    const { block, diff } = modelChild(modelGenesis(STATE), [
      {
        address: 1,
        kind: 'write',
        balance: 9,
        code: 0,
        slots: [
          [1, 0],
          [2, 0],
          [5, 9],
        ],
      },
      { address: 2, kind: 'delete', balance: 0, code: 0, slots: [] },
      { address: 3, kind: 'reset', balance: 0, code: 4, slots: [[7, 7]] },
      { address: 8, kind: 'write', balance: 1, code: 0, slots: [] },
    ])
    const after = witness.rootOf(diff)
    const expected = await modelRoots(block.state)
    assert.equal(bytesToHex(after.root), expected.root)
    for (const i of [1, 3, 4]) assert.equal(bytesToHex(after.storageRoot(modelAddress(i)) as Uint8Array), expected.storage.get(i))
    assert.equal(after.storageRoot(modelAddress(2)), null)
  })

  it('reports missing nodes and code', async () => {
    const root = hexToBytes((await modelRoots(STATE)).root)
    const { view } = createWitnessState(new Map(), root)
    assert.throws(() => view.account(modelAddress(1)), { code: 'state/missing-node', message: new RegExp(bytesToHex(root)) })
    assert.throws(() => view.code(root), { code: 'state/missing-code' })
    assert.equal(createWitnessState(preimagesOf(STATE), root).view.account(modelAddress(11)), null)
  })
})
