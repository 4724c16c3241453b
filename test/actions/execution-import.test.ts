import assert from 'node:assert/strict'
import { encodeBlock } from '@keelson/primitives'
import { createExecutionWorld } from '../support/execution-world.ts'

describe('the import of an exported block', () => {
  it('rejects a body that does not match the header, and accepts the correct one afterwards', async () => {
    const source = await createExecutionWorld()
    const target = await createExecutionWorld()
    const tx = source.transfer(0, `0x${'11'.repeat(20)}`, 5n)
    const block = await source.mine({ transactions: [tx.raw] })
    const verdict = await target.node.importExported(encodeBlock({ ...block, transactions: block.transactions.slice(0, 1) }))
    assert.ok(verdict.kind === 'invalid')
    assert.match(verdict.reason, /transactions-root/)
    assert.deepEqual(await target.node.importExported(encodeBlock(block)), { kind: 'valid', imported: true })
    await source.stop()
    await target.stop()
  })
})
