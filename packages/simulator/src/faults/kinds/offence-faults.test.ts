import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { Judges } from '../../judges/judges.ts'
import { judgeStakes, validatorAt } from '../../judges/staking/stake-judge.ts'
import { unsafeStateOf } from '../../judges/unsafe-state.ts'
import { buildL2Start, type L2Start } from '../../roles/rollup-network.ts'
import { RollupWorld } from '../../roles/rollup-world.ts'
import type { RunningNode } from '../../roles/simulated-node.ts'
import type { Fault } from '../fault-kind.ts'
import { machinesOf } from '../machines.ts'
import { runFaults } from '../run-faults.ts'
import { doubleVote, oldProtection, twoMachines } from './offence-faults.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const crypto = createNativeCrypto()

describe('validators whose keys sign twice', function () {
  this.timeout(120_000)
  let l2: L2Start
  let world: RollupWorld
  let judges: Judges

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  beforeEach(() => {
    const logger = () => createSilentLogger()
    world = new RollupWorld({ seed: 1, startMs: START_MS, validators: 2, transactionsPerSec: 0.2, staking: true, crypto, l2, logger })
    judges = new Judges(world, MINUTE_MS)
    world.start()
    judges.start()
  })

  const runUntil = (minutes: number) => world.simulation.run(START_MS + minutes * MINUTE_MS)
  const plan = (...faults: readonly Pick<Fault, 'kind' | 'victim' | 'parameters'>[]) =>
    runFaults(
      world,
      faults.map((fault) => ({ ...fault, atMs: 1.5 * MINUTE_MS, durationMs: 0 })),
    )
  const nodeAt = (index: number) => world.nodes[index]?.running as RunningNode
  const stakers = () => {
    assert.ok(world.stakers !== null)
    return world.stakers
  }
  const recordOf = (machine: string) => validatorAt(unsafeStateOf(nodeAt(0)), stakers().keyOf(machine))
  const blamed = async (machine: string) => {
    const rules: string[] = []
    await judgeStakes([stakers().keyOf(machine)], 'sequencer', nodeAt(0), (rule) => rules.push(rule))
    return rules
  }

  for (const onChain of [false, true]) {
    for (const sameBlock of [false, true]) {
      const how = `${onChain ? 'on the chain and in gossip' : 'in gossip'} to ${sameBlock ? 'two L1 origins of one block' : 'two blocks'}`
      it(`attest ${how}, and are slashed; the others are not`, async () => {
        plan({ kind: 'double-vote', victim: 'validator-1', parameters: { onChain, sameBlock } })
        await runUntil(1.4)
        assert.deepEqual([(await recordOf('validator-1'))?.slashed, await blamed('validator-1')], [false, []])
        // Two epochs for the offence, half a minute for the watcher and its report.
        await runUntil(3)
        assert.equal(stakers().offencesMs.size, 1)
        assert.equal((await recordOf('validator-1'))?.slashed, true)
        assert.deepEqual(await blamed('validator-1'), ['no honest validator is slashed'])
        assert.equal((await recordOf('validator-2'))?.slashed, false)
        assert.deepEqual(await blamed('validator-2'), [])
        assert.deepEqual(judges.violations, [])
      })
    }
  }

  it('are not all of them: one that reports the others remains', async () => {
    const parameters = { onChain: false, sameBlock: false }
    const happened = plan(
      { kind: 'double-vote', victim: 'validator-1', parameters },
      { kind: 'double-vote', victim: 'validator-2', parameters },
      { kind: 'two-machines', victim: 'validator-2', parameters: { sequencerNodes: true } },
    )
    await runUntil(1.6)
    assert.deepEqual(
      happened.map(({ victim }) => victim),
      ['validator-1'],
    )
    assert.deepEqual(stakers().honest, ['validator-2'])
  })

  it('are drawn only where validators attest, and double votes only beside another validator', () => {
    const kinds = [oldProtection, twoMachines, doubleVote]
    const victims = (validators: number, staking: boolean) => kinds.map((kind) => kind.victims(machinesOf(validators, 2, staking)).length)
    assert.deepEqual(victims(2, false), [0, 0, 0])
    assert.deepEqual(victims(1, true), [1, 0, 0])
    assert.deepEqual(victims(2, true), [2, 2, 2])
  })
})
