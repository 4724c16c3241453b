import assert from 'node:assert/strict'
import { type L2BlockRef, type PayloadEnvelope, toHash } from '@keelson/primitives'
import { makePayload } from '../../../../test/support/payloads.ts'
import type { L2BlockSource } from '../ports.ts'
import { createDerivedChain } from './derived-chain.ts'

const L1_ORIGIN = { hash: toHash(`0x${'a1'.repeat(32)}`), number: 0 }

function block(number: number, parent: PayloadEnvelope | null, salt = 0): PayloadEnvelope {
  const parentHash = parent?.payload.blockHash ?? toHash(`0x${'00'.repeat(32)}`)
  return makePayload({ number, parentHash, timestampSec: 1_800_000_000 + 2 * number + salt, l1Origin: L1_ORIGIN, sequenceNumber: number })
}

describe('the derived chain', () => {
  const canonical = [block(0, null)]
  for (let n = 1; n < 6; n++) canonical.push(block(n, canonical[n - 1] as PayloadEnvelope))
  // derivation replaced canonical blocks 4 and 5 and added block 6, but the engine's head is still canonical
  const derived: PayloadEnvelope[] = canonical.slice(0, 4)
  for (let n = 4; n < 7; n++) derived.push(block(n, derived[n - 1] as PayloadEnvelope, 1))
  const all = [...canonical, ...derived]
  const asked: (number | string)[] = []
  const l2: L2BlockSource = {
    async payload(at) {
      asked.push(at)
      return (typeof at === 'number' ? canonical[at] : all.find(({ payload }) => payload.blockHash === at)) ?? null
    },
    messagePasserStorageRoot: async () => null,
  }
  const tip = derived[6] as PayloadEnvelope
  const pendingSafe = { hash: tip.payload.blockHash, number: 6 } as L2BlockRef
  const engine = (unflushed: number) => ({ unflushed, heads: { pendingSafe } as never })
  const at = async (number: number, unflushed = 3) => (await createDerivedChain(engine(unflushed), l2).payload(number))?.payload.blockHash

  it('returns derived blocks that the engine has not received, not those they replaced', async () => {
    for (const number of [4, 5, 6]) assert.equal(await at(number), derived[number]?.payload.blockHash, `block ${number}`)
  })

  it('reads other blocks by number', async () => {
    asked.length = 0
    assert.equal(await at(3), canonical[3]?.payload.blockHash)
    assert.equal(await at(5, 0), canonical[5]?.payload.blockHash)
    assert.deepEqual(asked, [3, 5])
  })

  it("returns only the engine's blocks above the newest derived one", async () => {
    assert.equal(await at(7), undefined)
  })
})
