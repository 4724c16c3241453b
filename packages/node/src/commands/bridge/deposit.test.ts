import assert from 'node:assert/strict'
import { resolveOptions } from '@keelson/runtime'
import { depositCommand } from './deposit.ts'

const deposit = (flags: Readonly<Record<string, string>>) => {
  const { values } = resolveOptions(depositCommand.options, { flags: { network: '/nowhere', ...flags }, env: {} })
  return depositCommand.run(values, { positional: [] } as never)
}

describe('keelson bridge deposit', () => {
  it('refuses 0.001 with the amount and the minimum, with and without a call, before it asks for a key', async () => {
    const refused = { code: 'apps/bridge-refused', message: /at least 0\.01 of the native currency, got 0\.001; nothing was sent/ }
    await assert.rejects(deposit({ amount: '0.001' }), refused)
    await assert.rejects(deposit({ amount: '0.001', to: `0x${'11'.repeat(20)}`, data: '0x01' }), refused)
    await assert.rejects(deposit({ amount: '0.01' }), (error: Error) => !/at least/.test(error.message))
  })
})
