import assert from 'node:assert/strict'
import { forksUpTo } from '@keelson/chainspec'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { createSeed } from '../core/seed.ts'
import { buildL2Start } from '../roles/rollup-network.ts'
import { simulate } from '../simulate.ts'
import { checkUpgrades, drawUpgrades, forkBefore, readUpgrades, upgradesText } from './upgrades.ts'

const START_MS = 1_800_000_000_000
const MINUTES = 1 / (24 * 60)

describe('upgrades of a simulated chain', function () {
  this.timeout(300_000)

  it('are read as they are written', () => {
    const upgrades = readUpgrades('holocene@60,isthmus@3600')
    assert.deepEqual(upgrades, [
      { fork: 'holocene', atSec: 60 },
      { fork: 'isthmus', atSec: 3600 },
    ])
    assert.equal(upgradesText(upgrades), 'holocene@60,isthmus@3600')
    assert.deepEqual([forkBefore(upgrades), forkBefore([])], ['granite', null])
  })

  for (const [text, message] of [
    ['jovian', /^expected FORK@SECONDS, got jovian$/],
    ['canyon@60', /^expected a fork of fjord, .*, got canyon$/],
    ['jovian@0', /^jovian: expected whole seconds/],
    ['jovian@60,isthmus@90', /jovian is set to 60, before isthmus at 90/],
    ['jovian@60,karst@60', /^forks jovian and karst are both set to 60; /],
    ['granite@60,isthmus@90', /the fork before it, holocene, is not scheduled/],
    ['karst@60,azul@90', /exclude each other/],
  ] as const) {
    it(`are refused: ${text}`, () => {
      assert.throws(() => readUpgrades(text), { message })
    })
  }

  it('that a seed draws are in order, within the time, and happen to a part of the seeds', () => {
    const drawn = Array.from({ length: 300 }, (_, seed) => drawUpgrades(createSeed(seed).random('upgrades'), 600))
    const some = drawn.filter(({ length }) => length > 0)
    assert.ok(some.length > 60 && some.length < 140, `${some.length} of 300`)
    for (const upgrades of some) {
      assert.deepEqual(checkUpgrades(upgrades), upgrades)
      assert.ok(upgrades.every(({ atSec }) => atSec >= 60 && atSec <= 600))
    }
    assert.deepEqual(new Set(some.flat().map(({ fork }) => fork)), new Set(forksUpTo('lagoon').slice(forksUpTo('fjord').length - 1)))
  })

  it('activate in the middle of the run, and all rules hold', async () => {
    const crypto = createNativeCrypto()
    const upgrades = readUpgrades('karst@91,lagoon@150')
    const l2 = await buildL2Start(START_MS / 1000, crypto, forkBefore(upgrades) ?? undefined)
    const scenario = { seed: 3, days: 4 * MINUTES, validators: 1, transactionsPerSec: 0.5, recoveryMinutes: 30, faults: [], upgrades }
    const options = { ...scenario, crypto, l2, startMs: START_MS, logger: () => createSilentLogger() }
    const { violations, blocks } = await simulate(options)
    assert.deepEqual(violations, [])
    assert.ok(blocks >= 120, `${blocks} blocks`)
    await assert.rejects(simulate({ ...options, upgrades: [] }), /the chain begins with jovian; these upgrades need lagoon/)
  })
})
