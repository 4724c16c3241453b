import assert from 'node:assert/strict'
import { resolveOptions } from '@keelson/runtime'
import { fundCommand } from '../devnet/fund.ts'
import { depositCommand } from './deposit.ts'
import { forceCommand } from './force.ts'
import { withdrawCommand } from './withdraw.ts'

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

describe('the recipient of a deposit, a withdrawal and devnet fund', () => {
  const MISTYPED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'
  const RIGHT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const ZERO = `0x${'00'.repeat(20)}`
  const toOf = ({ options }: typeof depositCommand | typeof withdrawCommand, to: string) =>
    resolveOptions({ to: options.to }, { flags: { to }, env: {} }).values.to
  const fund = (to: string) => fundCommand.checkArguments?.([to, '1'])

  it('with a mistyped digit is refused by its checksum', () => {
    const refused = new RegExp(`the checksum of ${MISTYPED} is wrong: look for a mistyped digit`)
    for (const command of [depositCommand, withdrawCommand]) assert.throws(() => toOf(command, MISTYPED), refused)
    assert.throws(() => fund(MISTYPED), refused)
  })

  it('is taken with the right checksum, and in one case', () => {
    for (const text of [RIGHT, RIGHT.toLowerCase(), `0x${RIGHT.slice(2).toUpperCase()}`]) {
      for (const command of [depositCommand, withdrawCommand]) assert.equal(toOf(command, text), RIGHT.toLowerCase())
      fund(text)
    }
  })

  it('is not the zero address', async () => {
    const refused = /the zero address belongs to nobody, and what is sent there is lost/
    for (const command of [depositCommand, withdrawCommand]) assert.throws(() => toOf(command, ZERO), refused)
    assert.throws(() => fund(ZERO), refused)
    const flags = { network: '/nowhere', withdraw: 'true', value: '1', to: ZERO }
    const { values } = resolveOptions(forceCommand.options, { flags, env: {} })
    await assert.rejects(forceCommand.run(values, { positional: [] } as never), refused)
  })
})
