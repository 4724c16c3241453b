import assert from 'node:assert/strict'
import { z } from 'zod'
import { SourceError } from '../market/source-error.ts'
import { succeeded } from '../market/tool-outcome.ts'
import { publicTool, sessionTool, type ToolContext } from './tool.ts'
import { createToolbox } from './toolbox.ts'

const base = { title: 'T', description: 'D', input: z.strictObject({ n: z.int() }) } as const
const doubled = publicTool({ ...base, name: 'double', call: async ({ n }) => succeeded(2 * n) })
const mine = sessionTool({ ...base, name: 'mine', call: async (_, { caller }) => succeeded(caller.userId) })
const pay = sessionTool({ ...base, name: 'pay', call: async () => succeeded('paid') }, 'moves-money')
const away = publicTool({
  ...base,
  name: 'away',
  call: async () => {
    throw new SourceError('feed', 'timeout', 'it hangs')
  },
})
const box = createToolbox([doubled, mine, pay, away])
const { signal } = new AbortController()
const nobody: ToolContext = { caller: null, signal }
const somebody: ToolContext = { caller: { userId: 7, sessionId: 's' }, signal }

describe('toolbox', () => {
  it('calls a tool with arguments that its schema let through, and refuses others by name', async () => {
    assert.deepEqual(await box.call('double', { n: 2 }, nobody, ['reads']), succeeded(4))
    const wrong = await box.call('double', { n: 'two' }, nobody, ['reads'])
    assert.ok(!wrong.ok && wrong.reason === 'invalid' && wrong.detail.includes('double') && wrong.detail.includes('at n'))
  })

  it('gives what belongs to a session to nobody else', async () => {
    const refused = await box.call('mine', { n: 1 }, nobody, ['reads'])
    assert.ok(!refused.ok && refused.reason === 'invalid')
    assert.deepEqual(await box.call('mine', { n: 1 }, somebody, ['reads']), succeeded(7))
  })

  it('does not know a tool that moves money where only reading is offered', async () => {
    const refused = await box.call('pay', { n: 1 }, somebody, ['reads'])
    assert.ok(!refused.ok && refused.reason === 'not-found')
    assert.deepEqual(
      box.list({ session: true, effects: ['reads'] }).map(({ name }) => name),
      ['double', 'mine', 'away'],
    )
    assert.deepEqual(await box.call('pay', { n: 1 }, somebody, ['reads', 'moves-money']), succeeded('paid'))
  })

  it('tells a source that is away from a wrong call', async () => {
    const result = await box.call('away', { n: 1 }, nobody, ['reads'])
    assert.ok(!result.ok && result.reason === 'unavailable' && result.detail.includes('it hangs'))
  })

  it('refuses two tools of one name', () => {
    assert.throws(() => createToolbox([doubled, doubled]), RangeError)
  })
})
