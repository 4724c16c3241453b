/** Deposits through the bridge, indexed on a chain with the messenger and the bridge of an OP Stack chain. */
import assert from 'node:assert/strict'
import { forksAtGenesis, loadGenesis } from '@keelson/chainspec'
import { encodeCall } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  createPureCrypto,
  L1_BLOCK,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  toAddress,
} from '@keelson/primitives'
import { createMetrics, createSilentLogger } from '@keelson/runtime'
import { aliasOf, type BridgeSenders } from '../../packages/apps/src/bridge/deposit-facts.ts'
import { parseChainBlock } from '../../packages/apps/src/index/chain/parse-block.ts'
import type { ChainBlock } from '../../packages/apps/src/index/chain/ports.ts'
import { createFollower } from '../../packages/apps/src/index/follow/follower.ts'
import { createL1Chain } from '../../packages/apps/src/index/l1/l1-chain.ts'
import { createL1Store } from '../../packages/apps/src/index/l1/l1-store.ts'
import { listDeposits } from '../../packages/apps/src/index/queries/l1-queries.ts'
import { createBlockStore } from '../../packages/apps/src/index/storage/block-store.ts'
import type { Database } from '../../packages/apps/src/index/storage/database.ts'
import { prepareDatabase } from '../../packages/apps/src/index/storage/migrate.ts'
import { openMemoryPglite } from '../../packages/apps/src/index/storage/open-pglite.ts'
import { openDevnetGenesis } from '../../packages/devnet/src/genesis/devnet/open-devnet-genesis.ts'
import { l1RollupOf } from '../../packages/node/src/commands/index-chain/l1-rollup.ts'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { depositLog } from '../support/bridge/fake-chains.ts'
import { PORTAL } from '../support/rollup-config.ts'
import { createTestEngine } from '../support/test-engine.ts'
import { createWorld, type World } from '../support/world.ts'

const PAGE = { before: null, limit: 50 }
const PAYER = toAddress(`0x${'aa'.repeat(20)}`)
const PAYEE = toAddress(`0x${'bb'.repeat(20)}`)
const AMOUNT = 10n ** 17n
/** A contract that takes no payment. */
const REFUSING = L1_BLOCK

describe('the index of deposits through the bridge', function () {
  this.timeout(60_000)
  let db: Database
  let world: World
  let senders: { readonly messenger: Address; readonly standardBridge: Address }
  before(async () => {
    const engine = () => createTestEngine({ crypto: createPureCrypto() })
    const genesis = await openDevnetGenesis({ genesisTimeSec: 1_800_000_000, changes: { fork: 'jovian' }, engine })
    senders = { messenger: genesis.addresses.L1CrossDomainMessenger, standardBridge: genesis.addresses.L1StandardBridge }
    world = await createWorld({ forks: forksAtGenesis('jovian'), alloc: loadGenesis(JSON.parse(genesis.l2Json())).accounts })
  })
  after(() => world.stop())
  beforeEach(async () => {
    db = await openMemoryPglite()
  })
  afterEach(() => db.close())

  /** A deposit as L1StandardBridge.bridgeETHTo makes it. */
  function bridgeTo(payee: Address, from = aliasOf(senders.messenger)): void {
    const call = encodeCall('finalizeBridgeETH(address,address,uint256,bytes)', [PAYER, payee, AMOUNT, '0x'])
    const data = encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', [
      1n << 240n,
      ...[senders.standardBridge, L2_STANDARD_BRIDGE],
      ...[AMOUNT, 200_000n],
      bytesToHex(call),
    ])
    const log = depositLog({ from, to: L2_CROSS_DOMAIN_MESSENGER, mintWei: AMOUNT, gasLimit: 1_000_000n, data })
    world.l1.send({ privateKey: new Uint8Array(32).fill(0xd1), to: PORTAL, logs: [{ ...log, address: PORTAL }] })
  }

  async function indexL1(known: BridgeSenders): Promise<void> {
    await prepareDatabase(db, { chainId: world.config.l2ChainId, genesisHash: world.config.genesis.l2.hash })
    const rollup = l1RollupOf(world.config, [], known)
    const { reader: client, blobReader: blobs } = world.l1
    const chain = createL1Chain({ client, blobs, crypto: createNativeCrypto(), rollup, clock: world.clock })
    const options = { name: 'L1', startBlock: 0, pollIntervalMs: 1_000, partsAtOnce: 2 } as const
    const shared = { clock: world.clock, log: createSilentLogger(), metrics: createMetrics('index') }
    await createFollower(options, { ...shared, chain, store: createL1Store(db, rollup), isWriter: async () => true }).step()
  }

  async function indexL2(): Promise<void> {
    const { execution } = world.sequencer
    const blocks: ChainBlock[] = []
    for (let number = 0; number <= world.sequencer.heads().unsafe; number++) {
      const at = `0x${number.toString(16)}`
      const block = await execution.call('eth_getBlockByNumber', at, true)
      blocks.push(parseChainBlock(block, await execution.call('eth_getBlockReceipts', at)) as ChainBlock)
    }
    await createBlockStore(db).append(null, blocks)
  }

  const depositsOf = async (address: Address) =>
    (await listDeposits(db, address, PAGE)).items.map(({ to, transfer, mint, succeeded }) => ({ to, transfer, mint, succeeded }))
  const shown = (payee: Address, succeeded: boolean | null) => {
    return { to: L2_CROSS_DOMAIN_MESSENGER, transfer: { from: PAYER, to: payee }, mint: `${AMOUNT}`, succeeded }
  }

  it('lists it for the payer and the payee, before and after it is on L2, and says when the messenger could not pay', async () => {
    bridgeTo(PAYEE)
    bridgeTo(REFUSING)
    await world.advance(24)
    await indexL1(senders)
    assert.deepEqual(await depositsOf(PAYEE), [shown(PAYEE, null)])
    await indexL2()
    assert.equal(BigInt(await world.sequencer.execution.call('eth_getBalance', PAYEE, 'latest')), AMOUNT)
    assert.deepEqual(await depositsOf(PAYEE), [shown(PAYEE, true)])
    assert.deepEqual(await depositsOf(REFUSING), [shown(REFUSING, false)])
    assert.equal((await depositsOf(PAYER)).length, 2)
    assert.equal((await depositsOf(L2_CROSS_DOMAIN_MESSENGER)).length, 2)
  })

  it('believes nobody but the messenger of L1', async () => {
    const stranger = toAddress(`0x${'cc'.repeat(20)}`)
    const victim = toAddress(`0x${'dd'.repeat(20)}`)
    bridgeTo(victim, stranger)
    await world.advance(24)
    await indexL1(senders)
    assert.deepEqual(await depositsOf(victim), [])
    assert.deepEqual(
      (await depositsOf(stranger)).map(({ transfer }) => transfer),
      [null],
    )
  })

  it('shows plain calls while the contracts on L1 are not known', async () => {
    const payee = toAddress(`0x${'ee'.repeat(20)}`)
    bridgeTo(payee)
    await world.advance(24)
    await indexL1({ messenger: null, standardBridge: null })
    assert.deepEqual(await depositsOf(payee), [])
    const [newest] = await depositsOf(aliasOf(senders.messenger))
    assert.deepEqual(newest, { to: L2_CROSS_DOMAIN_MESSENGER, transfer: null, mint: `${AMOUNT}`, succeeded: null })
  })
})
