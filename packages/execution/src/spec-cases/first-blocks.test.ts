/** Addresses, gas and code hashes are from the specifications. */
import assert from 'node:assert/strict'
import { type Fork, forksAtGenesis, type LaterFork } from '@keelson/chainspec'
import {
  type Address,
  bytesToHex,
  decodeTransaction,
  type Hex,
  hexToBytes,
  isDeposit,
  keccak256Hash,
  l2Time,
  TX_DEPOSIT,
} from '@keelson/primitives'
import type { GenesisAccount } from '@keelson/state'
import { createExecutionWorld } from '../../../../test/support/execution-world.ts'

const GENESIS_SEC = 1_700_000_000
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f'
const OPERATOR_FEE_VAULT = '0x420000000000000000000000000000000000001b'
const RECORDER = '0x6004355f3560e01c5500'
const UPGRADE_TO = '0x3659cfe6'

interface Deployment {
  readonly from: Hex
  readonly address: Hex
  readonly codeHash: Hex
}
interface FirstBlock {
  readonly before: Fork
  readonly fork: LaterFork
  readonly deployments: readonly Deployment[]
  readonly proxies: readonly (readonly [Hex, Hex])[]
  readonly switches: readonly Hex[]
  readonly gasLimits: readonly bigint[]
}

const deployer = (index: number): Hex => `0x421000000000000000000000000000000000000${index}`

const FIRST_BLOCKS: readonly FirstBlock[] = [
  {
    before: 'delta',
    fork: 'ecotone',
    deployments: [
      {
        from: deployer(0),
        address: '0x07dbe8500fc591d1852b76fee44d5a05e13097ff',
        codeHash: '0xc88a313aa75dc4fbf0b6850d9f9ae41e04243b7008cf3eadb29256d4a71c1dfd',
      },
      {
        from: deployer(1),
        address: '0xb528d11cc114e026f138fe568744c6d45ce6da7a',
        codeHash: '0x8b71360ea773b4cfaf1ae6d2bd15464a4e1e2e360f786e475f63aeaed8da0ae5',
      },
      {
        from: '0x0b799c86a49deeb90402691f1041aa3af2d3c875',
        address: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
        codeHash: '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c',
      },
    ],
    proxies: [[GAS_PRICE_ORACLE, '0xb528d11cc114e026f138fe568744c6d45ce6da7a']],
    switches: ['0x22b90ab3'],
    gasLimits: [375_000n, 1_000_000n, 50_000n, 50_000n, 80_000n, 250_000n],
  },
  {
    before: 'ecotone',
    fork: 'fjord',
    deployments: [
      {
        from: deployer(2),
        address: '0xa919894851548179a0750865e7974da599c0fac7',
        codeHash: '0xa88fa50a2745b15e6794247614b5298483070661adacb8d32d716434ed24c6b2',
      },
    ],
    proxies: [[GAS_PRICE_ORACLE, '0xa919894851548179a0750865e7974da599c0fac7']],
    switches: ['0x8e98b106'],
    gasLimits: [1_450_000n, 50_000n, 90_000n],
  },
  {
    before: 'holocene',
    fork: 'isthmus',
    deployments: [
      {
        from: deployer(3),
        address: '0xff256497d61dcd71a9e9ff43967c13fde1f72d12',
        codeHash: '0x8e3fe7a416d3e5f3b7be74ddd4e7e58e516fa3f80b67c6d930e3cd7297da4a4b',
      },
      {
        from: deployer(4),
        address: '0x93e57a196454cb919193fa9946f14943cf733845',
        codeHash: '0x4d195a9d7caf9fb6d4beaf80de252c626c853afd5868c4f4f8d19c9d301c2679',
      },
      {
        from: deployer(5),
        address: '0x4fa2be8cd41504037f1838bce3bcc93bc68ff537',
        codeHash: '0x57dc55c9c09ca456fa728f253fe7b895d3e6aae0706104935fe87c7721001971',
      },
      {
        from: '0x3462413af4609098e1e27a490f554f260213d685',
        address: '0x0000f90827f1c53a10cb7a02335b175320002935',
        codeHash: '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d',
      },
    ],
    proxies: [
      [GAS_PRICE_ORACLE, '0x93e57a196454cb919193fa9946f14943cf733845'],
      [OPERATOR_FEE_VAULT, '0x4fa2be8cd41504037f1838bce3bcc93bc68ff537'],
    ],
    switches: ['0x291b0383'],
    gasLimits: [425_000n, 1_625_000n, 500_000n, 50_000n, 50_000n, 50_000n, 90_000n, 250_000n],
  },
  {
    before: 'isthmus',
    fork: 'jovian',
    deployments: [
      {
        from: deployer(6),
        address: '0x3ba4007f5c922fbb33c454b41ea7a1f11e83df2c',
        codeHash: '0x5f885ca815d2cf27a203123e50b8ae204fdca910b6995d90b2d7700cbb9240d1',
      },
      {
        from: deployer(7),
        address: '0x4f1db3c6abd250ba86e0928471a8f7db3afd88f1',
        codeHash: '0xe9fc7c96c4db0d6078e3d359d7e8c982c350a513cb2c31121adf5e1e8a446614',
      },
    ],
    proxies: [[GAS_PRICE_ORACLE, '0x4f1db3c6abd250ba86e0928471a8f7db3afd88f1']],
    switches: ['0xb3d72079'],
    gasLimits: [447_315n, 50_000n, 1_750_714n, 50_000n, 90_000n],
  },
]

const recorder = (address: string): GenesisAccount => ({
  address: address as Address,
  nonce: 1n,
  balanceWei: 0n,
  code: hexToBytes(RECORDER),
  storage: [],
})

async function mineFirstBlock(before: Fork, fork: LaterFork) {
  const at = GENESIS_SEC + 2
  const world = await createExecutionWorld({
    genesisTimestampSec: GENESIS_SEC,
    forks: { ...forksAtGenesis(before), [fork]: l2Time(at) },
    alloc: [recorder(GAS_PRICE_ORACLE), recorder(OPERATOR_FEE_VAULT)],
  })
  const { upgradeTransactions } = world.schedule.transition(l2Time(GENESIS_SEC), l2Time(at))
  return { world, upgradeTransactions, block: await world.mine({ noTxPool: true, transactions: upgradeTransactions }) }
}

describe('first block of a fork', () => {
  for (const { before, fork, deployments, proxies, switches, gasLimits } of FIRST_BLOCKS) {
    it(`executes all upgrade transactions of ${fork} successfully`, async () => {
      const { world, upgradeTransactions, block } = await mineFirstBlock(before, fork)
      const decoded = upgradeTransactions.map(decodeTransaction)
      const gas = decoded.map((tx) => (tx.type === TX_DEPOSIT ? tx.gasLimit : -1n))
      assert.deepEqual(gas.toSorted(), gasLimits.toSorted())
      const receipts = await world.call('eth_getBlockReceipts', block.hash)
      assert.deepEqual(
        receipts.map(({ status, type }: { status: Hex; type: Hex }) => [status, type]),
        new Array(1 + gasLimits.length).fill(['0x1', '0x7e']),
      )
      const created = receipts.filter((receipt: { contractAddress: Hex | null }) => receipt.contractAddress !== null)
      assert.deepEqual(
        created.map(({ from, contractAddress }: { from: Hex; contractAddress: Hex }) => [from, contractAddress]).toSorted(),
        deployments.map(({ from, address }) => [from, address]).toSorted(),
      )
      for (const { address, codeHash } of deployments)
        assert.equal(keccak256Hash(hexToBytes(await world.call('eth_getCode', address, 'latest'))), codeHash, address)
      for (const [proxy, implementation] of proxies)
        assert.equal(await world.call('eth_getStorageAt', proxy, UPGRADE_TO, 'latest'), `0x${implementation.slice(2).padStart(64, '0')}`)
      const calls = decoded
        .filter(isDeposit)
        .filter((tx) => tx.to !== null && bytesToHex(tx.to) === GAS_PRICE_ORACLE)
        .map((tx) => bytesToHex(tx.data.subarray(0, 4)))
      assert.deepEqual(calls, [UPGRADE_TO, ...switches])
      await world.stop()
    })
  }

  it('sets the code of the create2 deployer at Canyon without a transaction', async () => {
    const { world, upgradeTransactions, block } = await mineFirstBlock('regolith', 'canyon')
    const address = '0x13b0d85ccb8bf860b6b79af3029fca081ae9bef2'
    assert.deepEqual(upgradeTransactions, [])
    assert.equal(await world.call('eth_getCode', address, '0x0'), '0x')
    const code = await world.call('eth_getCode', address, block.hash)
    assert.equal(keccak256Hash(hexToBytes(code)), '0xb0550b5b431e30d38000efb7107aaa0ade03d48a7198a140edda9d27134468b2')
    await world.stop()
  })

  it('has no upgrade transactions at Regolith, Delta, Granite and Holocene', async () => {
    for (const [before, fork] of [
      ['bedrock', 'regolith'],
      ['canyon', 'delta'],
      ['fjord', 'granite'],
      ['granite', 'holocene'],
    ] as const) {
      const { world, upgradeTransactions, block } = await mineFirstBlock(before, fork)
      assert.deepEqual(upgradeTransactions, [], fork)
      assert.equal(block.transactions.length, 1, fork)
      await world.stop()
    }
  })
})
