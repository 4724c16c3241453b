import assert from 'node:assert/strict'
import { readTask } from './network-task.ts'
import { createTaskDesk } from './task-desk.ts'

const task = (title: string, before = () => Promise.resolve()) => ({
  title,
  before,
  pause: 'stopped' as const,
  act: async () => async () => title,
  keepsClock: false,
})

describe('tasks of a running network', () => {
  it('run one at a time, and end when the network runs again', async () => {
    const desk = createTaskDesk()
    const running = desk.run(task('taking snapshot "a"'))
    await assert.rejects(desk.run(task('b')), { code: 'node/devnet', message: /the network is taking snapshot "a": try again/ })
    const pending = await desk.next(new AbortController().signal)
    const finish = await pending?.task.act(null)
    pending?.done(await finish?.())
    assert.equal(await running, 'taking snapshot "a"')
    const next = desk.next(new AbortController().signal)
    const failing = desk.run(task('c'))
    ;(await next)?.failed(new Error('the disk is full'))
    await assert.rejects(failing, /the disk is full/)
  })

  it('that are refused never stop the network', async () => {
    const desk = createTaskDesk()
    const refuse = async () => {
      throw new Error('no such snapshot')
    }
    await assert.rejects(desk.run(task('a', refuse)), /no such snapshot/)
    const ending = new AbortController()
    const next = desk.next(ending.signal)
    ending.abort()
    assert.equal(await next, null)
  })

  it('are named by what they do, and refuse other input', () => {
    const read = (name: string, params = {}) => readTask({ task: name, params }, '/data', () => 0)
    assert.equal(read('time', { byMs: 86_400_000 }).title, 'moving the clocks forward by 86400 s')
    for (const byMs of [0, -1000, 1500, 8 * 86_400_000, '1000', undefined])
      assert.throws(() => read('time', { byMs }), { code: 'node/usage' })
    assert.throws(() => read('eject'), { code: 'node/usage', message: /there are snapshot, restore and time/ })
  })
})
