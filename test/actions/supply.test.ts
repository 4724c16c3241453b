import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_EXECUTION_OPTIONS, type SupplyParams, type SupplyResult } from '@keelson/execution'
import {
  type Address,
  bigintToBytes,
  concatBytes,
  EMPTY_BYTES,
  encodeDeposit,
  type GenesisAccount,
  type Hex,
  hexToBytes,
  keccak256,
  L1_BLOCK,
  L2_TO_L1_MESSAGE_PASSER,
  OPERATOR_FEE_VAULT,
  rlpBigint,
  rlpDecode,
  rlpEncode,
  rlpList,
  SEQUENCER_FEE_VAULT,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  toAddress,
} from '@keelson/primitives'
import { claimDataDirectory, createMemoryStore, createSeededRandom, type LevelStore, openLevelStore } from '@keelson/runtime'
import { BUCKETS } from '@keelson/state'
import fc from 'fast-check'
import { openContractFiles } from '../../packages/devnet/src/genesis/contract-files.ts'
import { createDatabaseControl, runOnDirectory } from '../../packages/node/src/commands/db/database-control.ts'
import { renderResult } from '../../packages/node/src/commands/db/render-result.ts'
import { createSnapshotWriter } from '../../packages/node/src/commands/db/snapshot-folder.ts'
import { createExecutionWorld, type ExecutionWorld, SILENT_LOG } from '../support/execution-world.ts'
import { assertSupply, genesisSupply, readSupply } from '../support/supply.ts'

const ETHER = 10n ** 18n
const STRANGER = toAddress(`0x${'5a'.repeat(20)}`)
const OLD = toAddress(`0x${'0d'.repeat(20)}`)
const BURN: Hex = '0x44df8e70'
const BURNS_ITSELF: Hex = '0x30ff'
const TO_THE_PASSER: Hex = `0x73${L2_TO_L1_MESSAGE_PASSER.slice(2)}ff`
const PAYS_THE_DEAD: Hex = '0x6133ff6000526002601e6005f060006000600060006007855af1505000'
const BURNS_AND_REVERTS: Hex = '0x6130ff6000526002601e6005f060006000fd'

const word = (value: bigint) => bigintToBytes(value, 32)
const ALLOC: readonly GenesisAccount[] = [
  {
    address: L2_TO_L1_MESSAGE_PASSER,
    nonce: 1n,
    balanceWei: 3n,
    code: openContractFiles().artifact('L2ToL1MessagePasser').deployedBytecode,
    storage: [],
  },
  {
    address: L1_BLOCK,
    nonce: 1n,
    balanceWei: 0n,
    code: Uint8Array.of(0),
    storage: [
      [word(1n), word(1_000_000_000n)],
      [word(3n), concatBytes(new Uint8Array(16), bigintToBytes(1_368n, 4), bigintToBytes(810_949n, 4), new Uint8Array(8))],
      [word(7n), word(1n)],
      [word(8n), concatBytes(new Uint8Array(18), bigintToBytes(400n, 2), bigintToBytes(2_000_000n, 4), bigintToBytes(1_001n, 8))],
    ],
  },
  { address: OLD, nonce: 1n, balanceWei: 11n, code: hexToBytes(BURNS_ITSELF), storage: [] },
]
const OPTIONS = { state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 2, maxLayers: 5 } }

interface Sent {
  readonly to?: Address | null
  readonly valueWei?: bigint
  readonly data?: Hex
}

async function send(world: ExecutionWorld, from: number, { to = null, valueWei = 0n, data = '0x' }: Sent): Promise<void> {
  const sender = world.accounts[from]?.address as Address
  const nonce = world.node.pool.nextNonce(sender) ?? BigInt(await world.call('eth_getTransactionCount', sender, 'latest'))
  const signed = world.sign(from, {
    type: TX_FEE_MARKET,
    chainId: world.chainId,
    nonce,
    gasLimit: 400_000n,
    to: to === null ? null : hexToBytes(to),
    valueWei,
    data: hexToBytes(data),
    accessList: [],
    maxPriorityFeePerGasWei: 1_000_000_000n,
    maxFeePerGasWei: 20_000_000_000n,
  })
  await world.call('eth_sendRawTransaction', `0x${Buffer.from(signed.raw).toString('hex')}`)
}

/** The L2 call fails if the value exceeds the mint: the depositor has no other balance. */
function deposit(mintWei: bigint, valueWei: bigint, number: number): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: keccak256(Uint8Array.of(number & 255, number >> 8)),
    from: concatBytes(new Uint8Array(18).fill(0xde), Uint8Array.of(number & 255, number >> 8)),
    to: hexToBytes(STRANGER),
    mintWei,
    valueWei,
    gasLimit: 100_000n,
    isSystemTx: false,
    data: EMPTY_BYTES,
  }).raw
}

async function liveThroughAll(world: ExecutionWorld): Promise<bigint> {
  await world.mine({ transactions: [deposit(4n * ETHER, 4n * ETHER, 1), deposit(2n * ETHER, 3n * ETHER, 2)] })
  await send(world, 0, { to: STRANGER, valueWei: ETHER })
  await send(world, 1, { to: L2_TO_L1_MESSAGE_PASSER, valueWei: 2n * ETHER })
  await world.mine()
  await send(world, 2, { data: BURNS_ITSELF, valueWei: 1_000n })
  await send(world, 3, { data: PAYS_THE_DEAD, valueWei: 100n })
  await send(world, 4, { data: BURNS_AND_REVERTS, valueWei: 100n })
  await send(world, 5, { to: OLD, valueWei: 1n })
  await world.mine()
  await send(world, 0, { to: L2_TO_L1_MESSAGE_PASSER, data: BURN })
  await send(world, 1, { to: L2_TO_L1_MESSAGE_PASSER, valueWei: ETHER })
  await send(world, 2, { data: TO_THE_PASSER, valueWei: 77n })
  for (let i = 0; i < 10; i++) await world.mine()
  await world.node.settled()
  return 1_007n
}

describe('the supply of the native currency', () => {
  it('adds up over deposits, withdrawals, burns, fees and self-destruction', async () => {
    const world = await createExecutionWorld({ store: createMemoryStore(), alloc: ALLOC, options: OPTIONS })
    const destroyedWei = await liveThroughAll(world)
    assert.ok((world.node.database(world.store as LevelStore).state.disk?.number ?? 0) > 4, 'the tables have taken these blocks')
    const result = await assertSupply(world)
    const genesisWei = BigInt(genesisSupply(world).totalWei)
    const expected: Partial<SupplyResult> = {
      from: { number: 0, hash: world.genesis.hash, source: 'genesis file' },
      startWei: `${genesisWei}`,
      mintedWei: `${6n * ETHER}`,
      deposits: 2,
      failedDeposits: 1,
      burntWei: `${2n * ETHER + 3n}`,
      selfDestructWei: `${destroyedWei}`,
      stateWei: `${genesisWei + 4n * ETHER - 3n - destroyedWei}`,
      differenceWei: '0',
      passer: { startWei: '3', withdrawals: 2, withdrawnWei: `${3n * ETHER}`, otherWei: '77', balanceWei: `${ETHER + 77n}` },
    }
    assert.deepEqual({ ...result, ...expected }, result)
    const addresses = [...world.accounts.map(({ address }) => address), STRANGER, OLD, SEQUENCER_FEE_VAULT, OPERATOR_FEE_VAULT]
    const { held } = await readSupply(world, { held: addresses })
    for (const address of addresses) assert.equal(held[address], BigInt(await world.call('eth_getBalance', address, 'latest')).toString())
    assert.ok(BigInt(held[OPERATOR_FEE_VAULT] as string) > 0n && BigInt(held[SEQUENCER_FEE_VAULT] as string) > 0n)
    assert.equal(held[OLD], '12', 'a contract of an earlier block keeps its balance')
    await world.stop()
  })

  it('names the block with unexplained missing wei, and that it was not executed again', async () => {
    const world = await createExecutionWorld({ store: createMemoryStore(), alloc: ALLOC })
    await liveThroughAll(world)
    const database = world.node.database(world.store as LevelStore)
    const blind = { ...world, node: { ...world.node, database: () => ({ ...database, selfDestructBurns: async () => null }) } }
    const result = await readSupply(blind, { genesis: genesisSupply(world) })
    assert.deepEqual(
      [result.ok, result.differenceWei, result.unexplained],
      [false, '-1007', [{ number: 3, wei: '-1007', executed: false }]],
    )
    assert.match(renderResult('supply', result), /1007 wei less .* burnt, not explained\n- block 3: 1007 wei less/)
    await world.stop()
  })

  it('holds over any sequence of blocks with state in tables, history and layers', async () => {
    const happening = fc.record({
      kind: fc.constantFrom(
        'transfer',
        'deposit',
        'failing deposit',
        'withdraw',
        'burn',
        'self',
        'dead',
        'revert',
        'forced',
        'mine',
        'mine',
      ),
      from: fc.nat(9),
      wei: fc.bigInt(0n, ETHER),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 40 }), async (happenings) => {
        const world = await createExecutionWorld({ store: createMemoryStore(), alloc: ALLOC, options: OPTIONS })
        let [mintedWei, deposits, waiting] = [0n, 0, [] as Uint8Array[]]
        for (const { kind, from, wei } of happenings) {
          const [data, to] = [
            { self: BURNS_ITSELF, dead: PAYS_THE_DEAD, revert: BURNS_AND_REVERTS, forced: TO_THE_PASSER, burn: BURN }[kind as 'self'],
            { transfer: STRANGER, withdraw: L2_TO_L1_MESSAGE_PASSER, burn: L2_TO_L1_MESSAGE_PASSER }[kind as 'burn'],
          ]
          if (kind === 'mine') {
            await world.mine({ transactions: waiting })
            waiting = []
          } else if (kind.endsWith('deposit')) {
            waiting.push(deposit(wei, kind === 'deposit' ? wei : wei + 1n, ++deposits))
            mintedWei += wei
          } else {
            await send(world, from, {
              to: to ?? null,
              valueWei: kind === 'burn' ? 0n : wei + 100n,
              ...(data === undefined ? {} : { data }),
            })
          }
        }
        await world.mine({ transactions: waiting })
        await world.mine()
        await world.node.settled()
        const result = await assertSupply(world)
        assert.equal(result.mintedWei, `${mintedWei}`)
        await world.stop()
      }),
      { numRuns: 15, seed: 7 },
    )
  })

  describe('of a directory', () => {
    let folder: string
    let level: LevelStore
    let world: ExecutionWorld
    const tools = { random: createSeededRandom(5), log: SILENT_LOG, snapshotFolder: createSnapshotWriter }

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'keelson-supply-'))
      level = await openLevelStore({ directory: join(folder, 'chain') })
      world = await createExecutionWorld({ store: level, alloc: ALLOC, options: OPTIONS })
      const { chainId, genesis } = world
      await claimDataDirectory(folder, { version: 1, role: 'execution', chainId, genesisHash: genesis.hash })
      await liveThroughAll(world)
    })
    afterEach(async () => {
      await level.close()
      await rm(folder, { recursive: true, force: true })
    })
    const run = async (supply: SupplyParams, rules = true) => {
      const offline = { historyBlocks: null, ...(rules ? { forks: world.schedule } : {}) }
      return (await runOnDirectory(
        folder,
        'supply',
        { supply },
        offline,
        tools,
        new AbortController().signal,
        () => undefined,
      )) as SupplyResult
    }
    const leave = async () => {
      await world.stop()
      await level.close()
    }
    const change = async (address: Address, by: bigint) => {
      const store = await openLevelStore({ directory: join(folder, 'chain') })
      const key = concatBytes(Uint8Array.of(BUCKETS.account), keccak256(hexToBytes(address)))
      const fields = rlpList(rlpDecode(store.getSync(key) as Uint8Array), 'account')
      await store.batch([{ put: key, value: rlpEncode([fields[0], rlpBigint(fields[1], 'balance') + by, fields[2], fields[3]] as never) }])
      await store.close()
    }

    it('is the same through the socket of a running node and without it', async () => {
      const control = createDatabaseControl(folder, world.node.database(level), tools)
      await control.start(new AbortController().signal)
      const asked = await run({ genesis: genesisSupply(world) }).finally(() => control.stop())
      await leave()
      const read = await run({ genesis: genesisSupply(world) })
      assert.deepEqual(read, asked)
      assert.equal(read.ok, true)
      assert.match(renderResult('supply', read), /^OK: blocks 0 to 13 add up to the wei$/m)
      const { ok, unexplained } = await run({}, false)
      assert.deepEqual([ok, unexplained], [false, [{ number: 3, wei: '-1007', executed: false }]])
    })

    it('reports one wei too many or too few, and rejects another genesis', async () => {
      await leave()
      const genesis = genesisSupply(world)
      const untouched = world.accounts[9]?.address as Address
      for (const [by, words] of [
        [1n, /NOT OK: the state has 1 wei more/],
        [-2n, /NOT OK: the state has 1 wei less .*burnt, not explained/],
      ] as const) {
        await change(untouched, by)
        const result = await run({ genesis })
        assert.equal(result.ok, false)
        assert.match(renderResult('supply', result), words)
      }
      await assert.rejects(run({ genesis: { ...genesis, hash: `0x${'00'.repeat(32)}` } }), { code: 'execution/supply-refused' })
    })

    it('starts at the oldest history after pruning, and at genesis on request', async () => {
      await leave()
      await runOnDirectory(folder, 'prune', {}, { historyBlocks: 1 }, tools, new AbortController().signal, () => undefined)
      const short = await run({})
      assert.ok(short.ok && short.from.number > 0 && short.from.source === 'history')
      const whole = await run({ genesis: genesisSupply(world) })
      // The state of the blocks with the burns is deleted.
      assert.deepEqual([whole.ok, whole.from.number, whole.differenceWei, whole.unexplained], [false, 0, '-1007', []])
      assert.match(renderResult('supply', whole), /1007 wei less .*state history begins after block/)
      assert.equal(whole.stateWei, short.stateWei)
    })
  })
})
