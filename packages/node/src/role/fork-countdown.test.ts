import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { registerForkCountdown } from './fork-countdown.ts'

describe('the countdown to forks', () => {
  it('has a value for each that has not activated, the one this release does not implement among them', async () => {
    const clock = createManualClock(1_000_000)
    const metrics = createMetrics('keelson')
    const forks = createForkSchedule({ times: { ...forksAtGenesis('holocene'), isthmus: 1_060, jovian: 1_090 } })
    registerForkCountdown(metrics, { forks, firstUnsupportedFork: { name: 'beryl', timeSec: 1_100 } }, clock)
    const values = async () =>
      [...(await metrics.render()).text.matchAll(/^keelson_fork_activates_in_seconds\{fork="(\w+)"\} (\d+)$/gm)].map(([, fork, value]) => [
        fork,
        value,
      ])
    assert.deepEqual(await values(), [
      ['isthmus', '60'],
      ['jovian', '90'],
      ['beryl', '100'],
    ])
    await clock.advance(60_000)
    assert.deepEqual(await values(), [
      ['jovian', '30'],
      ['beryl', '40'],
    ])
    await clock.advance(60_000)
    assert.deepEqual(await values(), [])
  })
})
