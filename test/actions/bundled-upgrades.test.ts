import assert from 'node:assert/strict'
import { type Fork, forksAtGenesis, type LaterFork, loadGenesis } from '@keelson/chainspec'
import { PREDEPLOYS } from '@keelson/contracts'
import { bytesToHex, createPureCrypto, decodeTransaction, type GenesisAccount, hexToBytes, l2Time, TX_DEPOSIT } from '@keelson/primitives'
import { openDevnetGenesis } from '../../packages/devnet/src/genesis/devnet/open-devnet-genesis.ts'
import { sendDeposit } from '../support/deposit-log.ts'
import {
  type PredeployVersions,
  readPredeployVersions,
  VERSIONS_AT_JOVIAN,
  VERSIONS_AT_KARST,
  VERSIONS_AT_LAGOON,
} from '../support/predeploy-versions.ts'
import { createTestEngine } from '../support/test-engine.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const BLOCK = 11
const ACTIVATION_SEC = GENESIS_SEC + 2 * BLOCK
const OWN_LIMIT = 30_000_000n
const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

interface Upgrade {
  readonly fork: LaterFork
  readonly before: Fork
  /** Transactions of the bundle. */
  readonly count: number
  /** Sum of the gas limits; Lagoon adds 150,000 always. op-node: lagoon_activation_transactions.go, pull request 22216. */
  readonly gas: bigint
  readonly versionsBefore: PredeployVersions
  readonly versions: PredeployVersions
}

/** Counts and sums of `gasLimit` in the two files of ethereum-optimism/optimism op-core/nuts/bundles. */
const UPGRADES: readonly Upgrade[] = [
  {
    fork: 'karst',
    before: 'jovian',
    count: 31,
    gas: 55_370_657n,
    versionsBefore: VERSIONS_AT_JOVIAN,
    versions: VERSIONS_AT_KARST,
  },
  {
    fork: 'lagoon',
    before: 'karst',
    count: 29,
    gas: 64_827_394n + 150_000n,
    versionsBefore: VERSIONS_AT_KARST,
    versions: VERSIONS_AT_LAGOON,
  },
]

interface Crossed {
  readonly world: World
  readonly fromL1: WorldNode
}

async function cross({ fork, before }: Upgrade, alloc: readonly GenesisAccount[], keepKarstUpgradeGas: boolean): Promise<Crossed> {
  const forks = { ...forksAtGenesis(before), [fork]: ACTIVATION_SEC }
  const world = await createWorld({ forks, alloc, keepKarstUpgradeGas })
  const fromL1 = await world.addFollower('validator', { gossip: false })
  await world.addFollower('gossiped')
  world.startBatcher({ dataAvailability: 'calldata' })
  for (let elapsedSec = 0; elapsedSec < 4 * BLOCK; elapsedSec += 2) {
    if (elapsedSec % 4 === 0) sendDeposit(world.l1, 1n)
    const tx = world.sequencer.execution.transfer(1, RECIPIENT, 1n)
    await world.sequencer.execution.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    await world.advance(2)
  }
  await world.advance(40)
  return { world, fromL1 }
}

const versionsAt = (node: WorldNode, number: number) =>
  readPredeployVersions(async (to, data) =>
    hexToBytes(await node.execution.call('eth_call', { to, data: bytesToHex(data) }, `0x${number.toString(16)}`)),
  )

async function gasLimitsAround(node: WorldNode): Promise<readonly bigint[]> {
  const payloads = await Promise.all([BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 2].map((number) => node.payloadAt(number)))
  return payloads.map(({ payload }) => payload.gasLimit)
}

for (const upgrade of UPGRADES)
  describe(`the upgrade to ${upgrade.fork} on a chain with every predeploy`, () => {
    let alloc: readonly GenesisAccount[]
    let crossed: Crossed
    before(async () => {
      const engine = () => createTestEngine({ crypto: createPureCrypto() })
      const genesis = await openDevnetGenesis({ genesisTimeSec: GENESIS_SEC, changes: { fork: upgrade.before }, engine })
      alloc = loadGenesis(JSON.parse(genesis.l2Json())).accounts
      crossed = await cross(upgrade, alloc, false)
    })
    after(() => crossed.world.stop())

    it('gives the same blocks to a node that follows gossip and to one that reads only L1', async () => {
      const { world, fromL1 } = crossed
      const { safe } = fromL1.heads()
      assert.ok(safe > BLOCK + 5, `safe ${safe}`)
      for (let number = 1; number <= safe; number++) {
        for (const node of world.nodes)
          assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `${node.name}, block ${number}`)
      }
      for (const node of world.nodes) assert.equal(node.log.matching('block differs from L1').length, 0, node.name)
    })

    it('executes the whole bundle after L1 info and user deposits, in a block without user transactions', async () => {
      const { sequencer, config } = crossed.world
      const { upgradeTransactions } = config.forks.transition(l2Time(ACTIVATION_SEC - 2), l2Time(ACTIVATION_SEC))
      assert.equal(upgradeTransactions.length, upgrade.count)
      const { payload } = await sequencer.payloadAt(BLOCK)
      assert.ok(payload.transactions.every((raw) => raw[0] === TX_DEPOSIT))
      assert.deepEqual(payload.transactions.slice(-upgrade.count), upgradeTransactions)
      assert.equal(payload.transactions.length, 1 + 1 + upgrade.count, 'L1 info, one deposit, the upgrade')
      const receipts = await sequencer.execution.call('eth_getBlockReceipts', payload.blockHash)
      assert.deepEqual(
        receipts.map(({ status }: { status: string }) => status),
        receipts.map(() => '0x1'),
      )
      for (const [i, raw] of payload.transactions.entries()) {
        const tx = decodeTransaction(raw)
        assert.ok(tx.type === TX_DEPOSIT && BigInt(receipts[i].gasUsed) <= tx.gasLimit, `transaction ${i}`)
      }
      for (const number of [BLOCK - 1, BLOCK + 1]) {
        const { transactions } = (await sequencer.payloadAt(number)).payload
        assert.ok(
          transactions.some((raw) => raw[0] !== TX_DEPOSIT),
          `block ${number} holds transfers`,
        )
      }
    })

    it("upgrades every predeploy to the version of the bundle's sources", async () => {
      for (const node of crossed.world.nodes) {
        assert.deepEqual(await versionsAt(node, BLOCK - 1), upgrade.versionsBefore)
        assert.deepEqual(await versionsAt(node, BLOCK), upgrade.versions)
      }
    })

    it('results in the same implementations as a genesis at the fork', async () => {
      const engine = () => createTestEngine({ crypto: createPureCrypto() })
      const { l2Json } = await openDevnetGenesis({ genesisTimeSec: GENESIS_SEC, changes: { fork: upgrade.fork }, engine })
      const atGenesis = new Map(loadGenesis(JSON.parse(l2Json())).accounts.map((account) => [account.address, account]))
      const { call } = crossed.world.sequencer.execution
      for (const [name, proxy] of Object.entries(PREDEPLOYS)) {
        const slot = atGenesis.get(proxy)?.storage.find(([key]) => bytesToHex(key) === IMPLEMENTATION_SLOT)?.[1]
        if (slot === undefined) continue
        assert.equal(await call('eth_getStorageAt', proxy, IMPLEMENTATION_SLOT, 'latest'), bytesToHex(slot), name)
        const implementation = `0x${bytesToHex(slot).slice(26)}` as const
        const code = atGenesis.get(implementation as GenesisAccount['address'])?.code ?? new Uint8Array(0)
        assert.ok(code.length > 0, name)
        assert.equal(await call('eth_getCode', implementation, 'latest'), bytesToHex(code), name)
      }
    })

    it('adds the gas of the upgrade only to the activation block', async () => {
      for (const node of crossed.world.nodes)
        assert.deepEqual(await gasLimitsAround(node), [OWN_LIMIT, OWN_LIMIT + upgrade.gas, OWN_LIMIT, OWN_LIMIT])
    })

    if (upgrade.fork === 'karst')
      it('keeps the upgrade gas in the limit on a chain that did so, with the same blocks up to the activation', async () => {
        const kept = await cross(upgrade, alloc, true)
        const limit = OWN_LIMIT + upgrade.gas
        for (const node of kept.world.nodes) assert.deepEqual(await gasLimitsAround(node), [OWN_LIMIT, limit, limit, limit])
        const { safe } = kept.fromL1.heads()
        assert.ok(safe > BLOCK + 5, `safe ${safe}`)
        assert.equal(await kept.fromL1.hashAt(safe), await kept.world.sequencer.hashAt(safe))
        const hashes = async ({ world }: Crossed) => [await world.sequencer.hashAt(BLOCK), await world.sequencer.hashAt(BLOCK + 1)]
        const [ours, theirs] = [await hashes(crossed), await hashes(kept)]
        assert.equal(ours[0], theirs[0])
        assert.notEqual(ours[1], theirs[1])
        await kept.world.stop()
      })
  })
