import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type Address, bytesToHex, hexToBytes, toAddress } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { createPublicClient, custom } from 'viem'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const COUNTER = toAddress('0x00000000000000000000000000000000000ec003')
/** Adds one to slot 0, emits a log without topics, returns the old value. */
const COUNTER_CODE = hexToBytes('0x5f54806001015f555f5fa05f5260205ff3')
const STRANGER = '0xc000000000000000000000000000000000000001'
const OTHER = '0xc000000000000000000000000000000000000002'
const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, '0')}` as const

function looking(): () => number {
  let nowMs = 0
  return () => {
    nowMs += 100
    return nowMs
  }
}

const openWorld = () => createExecutionWorld({ alloc: [{ address: COUNTER, nonce: 1n, balanceWei: 0n, code: COUNTER_CODE, storage: [] }] })

const GAS_LEFT = toAddress('0x00000000000000000000000000000000000ec004')
const GAS_LEFT_CODE = hexToBytes('0x5a5f5260205ff3')
/** Halts unless more than 17,000,000 gas is left, which exceeds EIP-7825's limit for transactions. */
const GREEDY = toAddress('0x00000000000000000000000000000000000ec005')
const GREEDY_CODE = hexToBytes('0x63010366405a11600b57fe5b00')

describe('execution RPC: simulation', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await openWorld()
    await world.mine()
  })
  after(() => world.stop())

  it('carries state between calls and blocks, and changes nothing', async () => {
    const call = { to: COUNTER }
    const blocks = await world.call('eth_simulateV1', { blockStateCalls: [{ calls: [call, call] }, { calls: [call] }] }, 'latest')
    assert.deepEqual(
      blocks.map((block: { calls: { returnData: string }[] }) => block.calls.map(({ returnData }) => returnData)),
      [[word(0), word(1)], [word(2)]],
    )
    assert.equal(blocks[1].parentHash, blocks[0].hash)
    assert.equal(blocks[0].parentHash, world.node.chain.label('unsafe').hash)
    assert.equal(blocks[0].calls[1].logs[0].logIndex, '0x1')
    assert.equal(blocks[0].calls[0].logs[0].blockHash, blocks[0].hash)
    assert.equal(await world.call('eth_getStorageAt', COUNTER, '0x0', 'latest'), word(0))
  })

  it("serves viem's asset changes, which need transfers as logs", async () => {
    const client = createPublicClient({
      transport: custom({ request: ({ method, params }) => world.call(method, ...((params ?? []) as unknown[])) }),
    })
    const { results } = await client.simulateCalls({ calls: [{ to: COUNTER, data: '0x' }] })
    assert.deepEqual([results[0]?.status, results[0]?.data], ['success', word(0)])
    const account = world.accounts[0]?.address as Address
    const moved = await client.simulateCalls({ account, calls: [{ to: OTHER, value: 1_000n }], traceAssetChanges: true })
    assert.equal(moved.assetChanges[0]?.value.diff, -1_000n)
    const [block] = await client.simulateBlocks({
      blocks: [
        {
          blockOverrides: { number: 2n },
          stateOverrides: [{ address: STRANGER, balance: 10n }],
          calls: [{ from: STRANGER, to: OTHER, value: 10n }],
        },
      ],
      traceTransfers: true,
    })
    const last = await client.simulateBlocks({
      blocks: [{ calls: [{ from: STRANGER, to: OTHER, value: 11n }], stateOverrides: [{ address: STRANGER, balance: 12n }] }],
    })
    assert.equal(block?.number, 2n)
    assert.equal(last[0]?.calls[0]?.status, 'success')
  })

  it('rejects impossible simulations with the error codes of the specification', async () => {
    const simulate = (options: object) => rejection(world.call('eth_simulateV1', options, 'latest'))
    const one = (call: object, more: object = {}) => simulate({ blockStateCalls: [{ calls: [call], ...more }] })
    assert.equal((await one({ from: STRANGER, to: OTHER, value: '0x1' })).number, -38014)
    assert.equal((await one({ from: STRANGER, to: OTHER, gas: '0x1' })).number, -38013)
    assert.equal((await one({ to: OTHER, gas: '0xffffffffff' })).number, -38015)
    assert.equal((await one({}, { blockOverrides: { number: '0x1' } })).number, -38020)
    assert.equal((await one({}, { blockOverrides: { time: '0x1' } })).number, -38021)
    const tooMany = await simulate({ blockStateCalls: Array(257).fill({}) })
    assert.deepEqual(
      [tooMany.number, tooMany.message],
      [-38026, 'too many blocks: 257 > 256, skipped ones included; simulate fewer at once'],
    )
    assert.equal((await simulate({ blockStateCalls: [] })).number, -32602)
    const validated = (call: object) => simulate({ validation: true, blockStateCalls: [{ calls: [call] }] })
    assert.equal((await validated({ from: STRANGER, to: OTHER, nonce: '0x5' })).number, -38011)
    assert.equal((await validated({ from: STRANGER, to: OTHER })).number, -38012)
    const used = { stateOverrides: { [STRANGER]: { nonce: '0x9' } }, calls: [{ from: STRANGER, to: OTHER, nonce: '0x1' }] }
    assert.equal((await simulate({ validation: true, blockStateCalls: [used] })).number, -38010)
  })

  it('stops at its deadline between blocks without calls, which also cost time', async () => {
    const clock = createManualClock(1_700_000_000_000)
    const hurried = await createExecutionWorld({ clock: { ...clock, monotonicMs: looking() } })
    await hurried.mine()
    const blocks = { blockStateCalls: [{ blockOverrides: { number: '0x100' } }] }
    assert.equal((await rejection(hurried.call('eth_simulateV1', blocks, 'latest'))).message, 'execution timeout')
  })

  it('moves a precompile in calls and in simulated blocks', async () => {
    const identity = '0x0000000000000000000000000000000000000004'
    const overrides = { [identity]: { movePrecompileToAddress: OTHER } }
    const at = (to: string) => world.call('eth_call', { to, input: '0x1234' }, 'latest', overrides)
    assert.deepEqual([await at(OTHER), await at(identity)], ['0x1234', '0x'])
    assert.equal(await world.call('eth_call', { to: identity, input: '0x1234' }, 'latest'), '0x1234')
    const wrong = await rejection(world.call('eth_call', { to: OTHER }, 'latest', { [STRANGER]: { movePrecompileToAddress: OTHER } }))
    assert.match(wrong.message, /is not a precompile/)
  })

  it('overrides the block of a call, and keeps the storage of an account with no other state', async () => {
    // Returns NUMBER, TIMESTAMP, COINBASE and BASEFEE.
    const code = '0x435f52426020524160405248606052608080f3'.replace('608080f3', '60805ff3')
    const override = { [OTHER]: { code } }
    const block = { number: '0x99', time: '0xffffffff', feeRecipient: STRANGER, baseFeePerGas: '0x7' }
    const answer = await world.call('eth_call', { to: OTHER, gasPrice: '0x8', from: world.accounts[0]?.address }, 'latest', override, block)
    const words = answer
      .slice(2)
      .match(/.{64}/g)
      .map((part: string) => BigInt(`0x${part}`))
    assert.deepEqual(words, [0x99n, 0xffffffffn, BigInt(STRANGER), 7n])
    const reader = hexToBytes('0x5f545f5260205ff3')
    const both = { [STRANGER]: { code: bytesToHex(reader), stateDiff: { [word(0)]: word(77) } } }
    assert.equal(await world.call('eth_call', { to: STRANGER }, 'latest', both), word(77))
    assert.match((await rejection(world.call('eth_call', { to: OTHER }, 'latest', {}, { beaconRoot: word(1) }))).message, /not supported/)
  })
})

describe('execution RPC: simulation since Karst', () => {
  const contract = (address: Address, code: Uint8Array) => ({ address, nonce: 1n, balanceWei: 0n, code, storage: [] })
  let world: ExecutionWorld
  before(async () => {
    world = await createExecutionWorld({
      forks: forksAtGenesis('karst'),
      alloc: [contract(GAS_LEFT, GAS_LEFT_CODE), contract(GREEDY, GREEDY_CODE)],
    })
    await world.mine()
  })
  after(() => world.stop())

  // go-ethereum pull request 32641, reth pull request 22893
  it('gives calls more gas than EIP-7825 allows transactions', async () => {
    const { callGasCap } = DEFAULT_EXECUTION_OPTIONS.rpc
    const left = async (call: object) => BigInt(await world.call('eth_call', { to: GAS_LEFT, ...call }, 'latest'))
    assert.equal(await left({}), callGasCap - 21_000n - 2n)
    assert.equal(await left({ gas: '0x1312d00' }), 20_000_000n - 21_000n - 2n)
    assert.equal(await world.call('eth_call', { to: GREEDY }, 'latest'), '0x')
    assert.equal((await world.call('eth_createAccessList', { to: GREEDY }, 'latest')).error, undefined)
    assert.equal((await world.call('debug_traceCall', { to: GREEDY }, 'latest', {})).failed, false)
  })

  // ethereum-optimism/optimism pull request 21574, reth pull request 25612
  it('estimates gas within what EIP-7825 allows', async () => {
    assert.ok(BigInt(await world.call('eth_estimateGas', { to: GAS_LEFT })) < 30_000n)
    // GREEDY ends with INVALID when it has less; go-ethereum's eth/gasestimator names that.
    assert.equal((await rejection(world.call('eth_estimateGas', { to: GREEDY }))).message, 'invalid opcode: INVALID')
  })
})
