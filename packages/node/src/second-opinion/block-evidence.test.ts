import assert from 'node:assert/strict'
import { createExecutionWorld } from '../../../../test/support/execution-world.ts'
import { readBlockEvidence } from './block-evidence.ts'

describe('evidence for the second opinion', () => {
  it('refuses another block than the requested one', async () => {
    const world = await createExecutionWorld()
    for (let i = 0; i < 3; i++) await world.mine()
    const rpc = { host: 'a lying node', call: (method: string) => world.call(method, '0x2') }
    assert.equal((await readBlockEvidence(rpc, 2)).header.number, 2)
    await assert.rejects(readBlockEvidence(rpc, 3), /a lying node returned block 2 in place of block 3/)
    await world.stop()
  })

  it('refuses a witness that is missing, malformed or far too large', async () => {
    const world = await createExecutionWorld()
    await world.mine()
    const witness = await world.call('debug_executionWitness', '0x1')
    const tooMany = { ...witness, state: Array.from({ length: 250_001 }, () => '0x') }
    for (const answer of [null, 7, { ...witness, state: ['0x1'] }, { ...witness, headers: [] }, tooMany]) {
      const rpc = { host: 'node', call: async (method: string) => (method === 'debug_getRawBlock' ? world.call(method, '0x1') : answer) }
      await assert.rejects(readBlockEvidence(rpc, 1), /node returned no block or no execution witness for block 1/)
    }
    await world.stop()
  })
})
