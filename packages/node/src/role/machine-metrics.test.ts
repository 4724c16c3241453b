import assert from 'node:assert/strict'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { registerMachineMetrics } from './machine-metrics.ts'

describe('metrics of the machine', () => {
  it('average the processors between scrapes that are at least ten seconds apart, and show the used part of the memory', async () => {
    const clock = createManualClock()
    const metrics = createMetrics('role')
    let cpu = { busyMs: 1_000, totalMs: 10_000 }
    registerMachineMetrics(metrics, clock, { cpu: () => cpu, memory: () => ({ availableBytes: 250, totalBytes: 1_000 }) })
    const value = async (name: string) => Number(new RegExp(`^role_machine_${name} (\\S+)$`, 'm').exec((await metrics.render()).text)?.[1])
    assert.equal(await value('cpu_used_ratio'), 0)
    assert.equal(await value('memory_used_ratio'), 0.75)
    cpu = { busyMs: 10_000, totalMs: 30_000 }
    await clock.advance(9_000)
    assert.equal(await value('cpu_used_ratio'), 0)
    await clock.advance(1_000)
    assert.equal(await value('cpu_used_ratio'), 0.45)
    cpu = { busyMs: 10_100, totalMs: 30_100 }
    await clock.advance(1_000)
    assert.equal(await value('cpu_used_ratio'), 0.45)
  })

  it('are shares for the machine it runs on', async () => {
    const metrics = createMetrics('role')
    registerMachineMetrics(metrics, createManualClock())
    const { text } = await metrics.render()
    const memory = Number(/^role_machine_memory_used_ratio (\S+)$/m.exec(text)?.[1])
    assert.ok(memory > 0 && memory < 1, String(memory))
  })
})
