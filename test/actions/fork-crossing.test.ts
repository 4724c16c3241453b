import assert from 'node:assert/strict'
import {
  type Fork,
  type ForkTimes,
  forksAtGenesis,
  forksUpTo,
  type LaterFork,
  LINEAGES,
  loadUpgradeBundle,
  type UpgradeBundle,
} from '@keelson/chainspec'
import { bytesToHex, decodeTransaction, l2Time, TX_DEPOSIT } from '@keelson/primitives'
import { createWorld, type World } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const LATER_FORKS = LINEAGES.op.slice(1) as readonly LaterFork[]
const JOVIAN_INDEX = LATER_FORKS.indexOf('jovian')
const BEFORE_JOVIAN = LATER_FORKS.slice(0, JOVIAN_INDEX)
const CROSSING_SEC = 20
const CROSSING_BLOCK = CROSSING_SEC / 2
const RECIPIENT = '0x00000000000000000000000000000000000000aa'

function crossing(first: LaterFork, everySec: number): ForkTimes {
  const from = LATER_FORKS.indexOf(first)
  return Object.fromEntries(
    LATER_FORKS.slice(0, JOVIAN_INDEX + 1).map((fork, i) => [fork, i < from ? 0 : GENESIS_SEC + (i - from + 1) * everySec]),
  )
}

function together(forks: readonly LaterFork[]): ForkTimes {
  const before = forksUpTo(forks[0] as LaterFork).at(-2) as Fork
  return { ...forksAtGenesis(before), ...Object.fromEntries(forks.map((fork) => [fork, GENESIS_SEC + CROSSING_SEC])) }
}

async function runUnderLoad(world: World, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 10) {
    const tx = world.sequencer.execution.transfer(1, RECIPIENT, 1n)
    await world.sequencer.execution.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    await world.advance(10)
  }
}

async function cross(forks: ForkTimes, seconds: number, bundle?: UpgradeBundle): Promise<World> {
  const world = await createWorld({ forks, ...(bundle === undefined ? {} : { upgradeBundles: { karst: bundle } }) })
  const follower = await world.addFollower('validator', { gossip: false })
  const gossiped = await world.addFollower('gossiped')
  world.startBatcher({ dataAvailability: 'calldata' })
  await runUnderLoad(world, seconds)
  await world.advance(40)
  const { safe } = follower.heads()
  assert.ok(safe * 2 >= seconds, `safe ${safe}`)
  for (let number = 1; number <= safe; number++) {
    assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
  }
  assert.equal(gossiped.heads().unsafe, world.sequencer.heads().unsafe)
  for (const node of world.nodes) assert.equal(node.log.matching('block differs from L1').length, 0, node.name)
  return world
}

async function assertActivation(world: World, forks: readonly LaterFork[]): Promise<void> {
  const time = (number: number) => l2Time(GENESIS_SEC + number * 2)
  const { activates, upgradeTransactions, userTransactionsAllowed, upgradeGas } = world.config.forks.transition(
    time(CROSSING_BLOCK - 1),
    time(CROSSING_BLOCK),
  )
  assert.deepEqual(activates, forks)
  const { payload } = await world.sequencer.payloadAt(CROSSING_BLOCK)
  const [info, ...others] = payload.transactions
  assert.equal(info?.[0], TX_DEPOSIT)
  assert.deepEqual(others.slice(0, upgradeTransactions.length), upgradeTransactions)
  const users = others.slice(upgradeTransactions.length)
  if (!userTransactionsAllowed) assert.equal(users.length, 0)
  for (const raw of upgradeTransactions) {
    const { hash } = decodeTransaction(raw)
    const receipt = (await world.sequencer.execution.call('eth_getTransactionReceipt', hash)) as { status: string } | null
    assert.equal(receipt?.status, '0x1', `upgrade transaction ${hash}`)
  }
  const before = (await world.sequencer.payloadAt(CROSSING_BLOCK - 1)).payload.gasLimit
  const after = (await world.sequencer.payloadAt(CROSSING_BLOCK + 1)).payload.gasLimit
  assert.deepEqual([payload.gasLimit, after], [before + upgradeGas, before], 'gas limits from the block before to the block after')
}

describe('crossing forks', () => {
  for (const first of ['canyon', 'ecotone', 'holocene'] as const) {
    it(`from before ${first} to Jovian, one after another`, async () => {
      const everySec = 20
      const seconds = (JOVIAN_INDEX + 1 - LATER_FORKS.indexOf(first) + 2) * everySec
      const world = await cross(crossing(first, everySec), seconds)
      await world.stop()
    })
  }

  const groups: readonly (readonly LaterFork[])[] = [
    ...LATER_FORKS.map((fork) => [fork]),
    // From Jovian on, a rollup config must not have two forks at one time.
    ...BEFORE_JOVIAN.slice(1).map((fork, i) => [BEFORE_JOVIAN[i] as LaterFork, fork]),
    BEFORE_JOVIAN,
    ['azul'],
    ['jovian', 'azul'],
  ]
  for (const forks of groups) {
    const what = forks.length === BEFORE_JOVIAN.length ? 'all before Jovian' : forks.join(' and ')
    it(`${what} at one block, and nothing after`, async () => {
      const world = await cross(together(forks), 2 * CROSSING_SEC)
      await assertActivation(world, forks)
      await world.stop()
    })
  }

  it('Karst deploys the contracts of its bundle at activation, and the bundle of another network gives another chain', async () => {
    const bundleOf = (word: string): UpgradeBundle =>
      loadUpgradeBundle('karst', {
        metadata: { version: '1.0.0' },
        transactions: [
          {
            data: `0x600a600c600039600a6000f360${word}60005260206000f3`,
            from: '0x4210000000000000000000000000000000000008',
            gasLimit: 200_000,
            intent: 'Sample Deployment',
            to: null,
          },
        ],
      })
    const [one, two] = [await cross(together(['karst']), 40, bundleOf('2a')), await cross(together(['karst']), 40, bundleOf('2b'))]
    const answer = (world: World) =>
      world.sequencer.execution.call('eth_call', { to: '0x5be482da3e457ab3b439b184532224ec42c6b8db', data: '0x' }, 'latest')
    assert.deepEqual([BigInt(String(await answer(one))), BigInt(String(await answer(two)))], [0x2an, 0x2bn])
    const hashes = async (number: number) => [await one.sequencer.hashAt(number), await two.sequencer.hashAt(number)]
    const [before, after] = [await hashes(CROSSING_BLOCK - 1), await hashes(CROSSING_BLOCK)]
    assert.equal(before[0], before[1])
    assert.notEqual(after[0], after[1])
    for (const world of [one, two]) await world.stop()
  })
})
