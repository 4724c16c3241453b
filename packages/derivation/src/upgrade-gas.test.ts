/**
 * specs: protocol/l2-upgrades-1-execution.md#gas-allocation-specification; op-node (payload_util.go, `upgradeGasToStrip`) and
 * kona (`upgrade_gas_to_strip`) since optimism pull request 21441.
 */
import assert from 'node:assert/strict'
import { hexToBytes, type Log, toHash, ZERO_HASH } from '@keelson/primitives'
import {
  createDerivationWorld,
  type DerivationWorld,
  emit,
  forksUpTo,
  GENESIS_TIME_SEC,
  SYSTEM_CONFIG,
} from '../../../test/support/derivation-world.ts'
import { mayIncludeTransactions } from './attributes-builder.ts'
import { CONFIG_UPDATE_TOPIC } from './codec/l1/system-config-log.ts'
import { systemConfigOf } from './codec/payload.ts'

const OWN_LIMIT = 30_000_000n
const UPGRADE_GAS = 55_370_657n

function worldWith(karstBlock: number, keepKarstUpgradeGas: boolean): DerivationWorld {
  const karst = GENESIS_TIME_SEC + 2 * karstBlock
  return createDerivationWorld({ forks: { ...forksUpTo('jovian'), karst }, keepKarstUpgradeGas })
}

function gasLimitUpdate(gasLimit: bigint): Log {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  return {
    address: SYSTEM_CONFIG,
    topics: [CONFIG_UPDATE_TOPIC, ZERO_HASH, toHash(`0x${word(2n)}`)],
    data: hexToBytes(`0x${word(32n)}${word(32n)}${word(gasLimit)}`),
  }
}

async function limitsOf(world: DerivationWorld, count: number): Promise<readonly bigint[]> {
  const limits: bigint[] = []
  for (let i = 0; i < count; i++) {
    if (world.sequenced.head.blockNumber % 2 === 1) world.l1.mine(1)
    limits.push(...(await world.sequence(1, 0)).map(({ gasLimit }) => gasLimit))
  }
  return limits
}

describe('upgrade gas of Karst', () => {
  it('is added to the limit of the activation block only', async () => {
    const limits = await limitsOf(worldWith(2, false), 5)
    assert.deepEqual(limits, [OWN_LIMIT, OWN_LIMIT + UPGRADE_GAS, OWN_LIMIT, OWN_LIMIT, OWN_LIMIT])
  })

  it('stays in the limit of a chain that keeps it, until L1 sets another limit', async () => {
    const world = worldWith(2, true)
    const kept = OWN_LIMIT + UPGRADE_GAS
    assert.deepEqual(await limitsOf(world, 5), [OWN_LIMIT, kept, kept, kept, kept])
    emit(world, gasLimitUpdate(OWN_LIMIT))
    assert.deepEqual(await limitsOf(world, 3), [OWN_LIMIT, OWN_LIMIT, OWN_LIMIT])
  })

  for (const keeps of [false, true]) {
    it(`gives way to a limit that L1 sets at the origin of the block after, ${keeps ? 'kept' : 'not kept'}`, async () => {
      const world = worldWith(3, keeps)
      assert.deepEqual(await limitsOf(world, 3), [OWN_LIMIT, OWN_LIMIT, OWN_LIMIT + UPGRADE_GAS])
      emit(world, gasLimitUpdate(60_000_000n))
      assert.deepEqual(await limitsOf(world, 2), [60_000_000n, 60_000_000n])
    })

    it(`comes on top of a limit that L1 sets at the origin of the activation block, ${keeps ? 'kept' : 'not kept'}`, async () => {
      const world = worldWith(2, keeps)
      emit(world, gasLimitUpdate(40_000_000n))
      const after = keeps ? 40_000_000n + UPGRADE_GAS : 40_000_000n
      assert.deepEqual(await limitsOf(world, 3), [OWN_LIMIT, 40_000_000n + UPGRADE_GAS, after])
    })
  }

  it('is not added when Karst is active from the first block', async () => {
    assert.deepEqual(await limitsOf(worldWith(0, false), 3), [OWN_LIMIT, OWN_LIMIT, OWN_LIMIT])
  })

  // op-node: derive/payload_util.go, PayloadToSystemConfig
  it('cannot be taken off a limit below it', async () => {
    const world = worldWith(2, false)
    await limitsOf(world, 1)
    world.l1.mine(1)
    const crossing = (await world.sequence(1, 0))[0] ?? assert.fail('no block')
    assert.equal(systemConfigOf(crossing, world.config).gasLimit, OWN_LIMIT)
    assert.equal(systemConfigOf({ ...crossing, gasLimit: UPGRADE_GAS }, world.config).gasLimit, 0n)
    assert.throws(() => systemConfigOf({ ...crossing, gasLimit: UPGRADE_GAS - 1n }, world.config), {
      code: 'derivation/l2-block-malformed',
      message: /its gas limit 55370656 is below the 55370657 gas/,
    })
  })

  it('leaves no room for transactions of users: a sequencer takes none', async () => {
    const world = worldWith(2, false)
    await limitsOf(world, 1)
    assert.equal(mayIncludeTransactions(world.config, world.unsafe(), world.l1.genesis), false)
  })

  for (const batches of ['singular', 'span'] as const) {
    it(`drops a batch for the activation block with transactions of users, and what follows it in its channel (${batches})`, async () => {
      const world = worldWith(2, false)
      await limitsOf(world, 1)
      world.l1.mine(1)
      const before = world.sequenced.head
      const crossing = await world.sequenceWith(world.l1.head, [world.userTransaction()])
      const [after] = await world.sequence(1, 0)
      world.submitter.submit([before, crossing, after ?? assert.fail('no block')], { batches, compression: 'zlib', carrier: 'calldata' })
      world.l1.mine(1)
      await world.derive()
      assert.equal(world.drops[0]?.reason, 'batch-in-activation-block-not-empty')
      assert.equal(world.derived.head.blockNumber, 1)
    })
  }
})
