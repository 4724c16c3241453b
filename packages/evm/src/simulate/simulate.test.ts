import assert from 'node:assert/strict'
import {
  bytesToHex,
  hexToBytes,
  SEQUENCER_FEE_VAULT,
  TX_ACCESS_LIST,
  TX_FEE_MARKET,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import { ALICE, BOB, CHAIN_ID, CONTRACT, crypto, ETHER, engine, opRules, word } from '../../../../test/support/evm-world.ts'
import { createMemoryView, type MemoryAccount } from '../memory-view.ts'
import { createAccessList } from './create-access-list.ts'
import { estimateGas } from './estimate-gas.ts'
import { type SimulationContext, simulateCall } from './simulate-call.ts'
import type { StateOverride } from './state-overrides.ts'

const RETURN_TOP = '60005260206000f3'
const REVERTS = hexToBytes('0x602a60005260206000fd')

function context(accounts: readonly MemoryAccount[], overrides: readonly StateOverride[] = []): SimulationContext {
  return {
    engine,
    view: createMemoryView(accounts),
    header: {
      parentHash: ZERO_HASH,
      number: 100,
      timestampSec: 1000,
      gasLimit: 30_000_000n,
      baseFeeWei: 10n,
      feeRecipient: SEQUENCER_FEE_VAULT,
      mixHash: ZERO_HASH,
      difficulty: 0n,
      parentBeaconBlockRoot: null,
      excessBlobGas: 0n,
    },
    rules: opRules('isthmus'),
    chainId: CHAIN_ID,
    crypto,
    blockHash: () => null,
    overrides,
  }
}

function call(changes: Partial<UnsignedTransaction & { type: typeof TX_FEE_MARKET }> = {}) {
  const tx: UnsignedTransaction = {
    type: TX_FEE_MARKET,
    chainId: CHAIN_ID,
    nonce: 0n,
    gasLimit: 1_000_000n,
    maxFeePerGasWei: 0n,
    maxPriorityFeePerGasWei: 0n,
    to: CONTRACT,
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    ...changes,
  }
  return { from: ALICE, tx }
}

describe('simulated call', () => {
  it('needs no balance, nonce or fee, and sees a base fee of zero', async () => {
    const code = hexToBytes(`0x48${RETURN_TOP}`)
    const result = simulateCall(
      context([
        { address: CONTRACT, code },
        { address: ALICE, nonce: 9n, code },
      ]),
      call(),
    )
    assert.ok(result.kind === 'executed')
    assert.deepEqual([result.status, bytesToHex(result.output)], ['success', bytesToHex(word(0n))])
  })

  it('sees the base fee when it offers one, and must then afford its gas', async () => {
    const code = hexToBytes(`0x48${RETURN_TOP}`)
    const accounts = [{ address: CONTRACT, code }]
    const poor = simulateCall(context(accounts), call({ maxFeePerGasWei: 20n }))
    assert.equal(poor.kind === 'rejected' && poor.reason, 'insufficient-funds')
    const low = simulateCall(context(accounts), call({ maxFeePerGasWei: 9n }))
    assert.equal(low.kind === 'rejected' && low.reason, 'fee-cap-below-base-fee')
    const rich = simulateCall(context([...accounts, { address: ALICE, balanceWei: ETHER }]), call({ maxFeePerGasWei: 20n }))
    assert.equal(rich.kind === 'executed' && bytesToHex(rich.output), bytesToHex(word(10n)))
  })

  it('returns the data of a revert', async () => {
    const result = simulateCall(context([{ address: CONTRACT, code: REVERTS }]), call())
    assert.ok(result.kind === 'executed')
    assert.deepEqual([result.status, bytesToHex(result.output)], ['revert', bytesToHex(word(42n))])
  })

  it('runs on overridden state, and leaves the state unchanged', async () => {
    const code = hexToBytes(`0x600054600154 01${RETURN_TOP}`.replace(' ', ''))
    const accounts = [
      {
        address: CONTRACT,
        code,
        storage: [
          [word(0n), word(5n)],
          [word(1n), word(7n)],
        ] as const,
      },
    ]
    const sum = async (override: Omit<StateOverride, 'address'>) => {
      const result = simulateCall(context(accounts, [{ address: CONTRACT, ...override }]), call())
      return result.kind === 'executed' ? Number(BigInt(bytesToHex(result.output))) : result.reason
    }
    assert.equal(await sum({}), 12)
    assert.equal(await sum({ storageDiff: [[word(0n), word(1n)]] }), 8)
    assert.equal(await sum({ storage: [[word(0n), word(1n)]] }), 1)
    assert.equal(await sum({ code: hexToBytes(`0x6063${RETURN_TOP}`) }), 99)
    const paying = context(accounts, [{ address: ALICE, balanceWei: 3n }])
    assert.equal(simulateCall(paying, call({ to: BOB, valueWei: 3n })).kind, 'executed')
    assert.equal(paying.view.account(BOB), null)
  })
})

describe('gas estimate', () => {
  it('is exact for a transfer', async () => {
    const estimate = estimateGas(context([{ address: ALICE, balanceWei: 10n }]), call({ to: BOB, valueWei: 1n }))
    assert.deepEqual(estimate, { kind: 'estimated', gas: 21_000n })
  })

  it('covers gas that is refunded later', async () => {
    const code = hexToBytes('0x6000600055')
    const world = context([{ address: CONTRACT, code, storage: [[word(0n), word(1n)]] }])
    const estimate = estimateGas(world, call())
    assert.ok(estimate.kind === 'estimated')
    assert.ok(estimate.gas >= 26_006n && estimate.gas < 26_500n, `${estimate.gas}`)
    const run = simulateCall(world, call({ gasLimit: estimate.gas }))
    assert.equal(run.kind === 'executed' && run.status, 'success')
  })

  it('covers code that requires more gas than it uses', async () => {
    const code = hexToBytes('0x620186a05a11600c575f5ffd5b00'.replace('600c', '600c'))
    const world = context([{ address: CONTRACT, code }])
    const estimate = estimateGas(world, call())
    assert.ok(estimate.kind === 'estimated')
    assert.ok(estimate.gas > 121_000n && estimate.gas < 124_000n, `${estimate.gas}`)
  })

  it('fails with the revert data when no gas suffices', async () => {
    const estimate = estimateGas(context([{ address: CONTRACT, code: REVERTS }]), call())
    assert.ok(estimate.kind === 'reverted')
    assert.equal(bytesToHex(estimate.output), bytesToHex(word(42n)))
  })

  it('is limited by the balance of the sender', async () => {
    const world = context([{ address: ALICE, balanceWei: 20_999n * 20n }])
    const estimate = estimateGas(world, call({ to: BOB, maxFeePerGasWei: 20n }))
    assert.equal(estimate.kind === 'rejected' && estimate.reason, 'intrinsic-gas')
  })
})

describe('access list', () => {
  const from = ALICE
  const listCall = (to: Uint8Array = CONTRACT, gasLimit = 1_000_000n) => ({
    from,
    tx: {
      type: TX_ACCESS_LIST,
      chainId: CHAIN_ID,
      nonce: 0n,
      gasPriceWei: 0n,
      gasLimit,
      to,
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
    } satisfies UnsignedTransaction,
  })
  async function created(accounts: readonly MemoryAccount[], call = listCall()) {
    const result = createAccessList(context(accounts), call)
    assert.ok(result.kind === 'created')
    const { gasUsed, status, accessList } = result
    const list = accessList.map((entry) => [bytesToHex(entry.address), entry.slots.map(bytesToHex)])
    return { list, gasUsed, status, accessList }
  }
  const entry = (address: Uint8Array, ...slots: readonly bigint[]) => [bytesToHex(address), slots.map((slot) => bytesToHex(word(slot)))]
  const hex = (address: Uint8Array) => bytesToHex(address).slice(2)
  const callTo = (address: Uint8Array) => `5f5f5f5f5f73${hex(address)}5af150`
  const ADDRESS = 2_400n
  const SLOT = 1_900n

  it('contains cold slots and addresses, but none that are warm anyway', async () => {
    const code = hexToBytes(`0x6003545073${hex(BOB)}3150`)
    const { list, gasUsed } = await created([{ address: CONTRACT, code }])
    assert.deepEqual(list, [entry(BOB), entry(CONTRACT, 3n)])
    assert.equal(gasUsed, 21_000n + 2n * ADDRESS + SLOT + 3n + 100n + 2n + 3n + 100n + 2n)
  })

  it('keeps given entries, but none of the sender, the called contract or a precompile', async () => {
    const code = hexToBytes('0x60035450')
    const precompile = hexToBytes('0x0000000000000000000000000000000000000002')
    const { from, tx } = listCall()
    const accessList = [ALICE, CONTRACT, precompile, BOB].map((address) => ({ address, slots: [word(9n)] }))
    // As in go-ethereum's `NewAccessListTracer`; the slot that the call reads comes back.
    const { list } = await created([{ address: CONTRACT, code }], { from, tx: { ...tx, accessList } } as never)
    assert.deepEqual(list, [entry(BOB, 9n), entry(CONTRACT, 3n)])
  })

  it('of a call that reverts keeps the slots it read', async () => {
    const { list, gasUsed, status } = await created([{ address: CONTRACT, code: hexToBytes('0x600354505f5ffd') }])
    assert.deepEqual([list, status], [[entry(CONTRACT, 3n)], 'revert'])
    assert.equal(gasUsed, 21_000n + ADDRESS + SLOT + 3n + 100n + 2n + 2n + 2n)
  })

  it('contains accesses of an inner call that reverted or halted', async () => {
    const reverting = new Uint8Array(20).fill(0xd1)
    const halting = new Uint8Array(20).fill(0xd2)
    const { list, status } = await created([
      { address: CONTRACT, code: hexToBytes(`0x${callTo(reverting)}${callTo(halting)}`) },
      { address: reverting, code: hexToBytes(`0x60016005555f5073${hex(BOB)}31505f5ffd`) },
      { address: halting, code: hexToBytes('0x60065450fe') },
    ])
    assert.deepEqual([list, status], [[entry(BOB), entry(reverting, 5n), entry(halting, 6n)], 'success'])
  })

  it('leaves out sender, fee recipient, precompiles, authorities and contracts the call creates', async () => {
    const free = [ALICE, hexToBytes(SEQUENCER_FEE_VAULT), new Uint8Array(20).fill(2, 19)]
    const code = hexToBytes(`0x${free.map((address) => `73${hex(address)}3150`).join('')}5f5f5ff03150`)
    const { list, gasUsed } = await created([{ address: CONTRACT, nonce: 1n, code }])
    assert.deepEqual(list, [])
    assert.equal(gasUsed, 21_000n + 3n * 105n + 6n + 32_000n + 102n)
  })

  it('ends after eight rounds for code that reads another slot in each, with list and gas of one run', async () => {
    const world = context([{ address: CONTRACT, code: hexToBytes('0x5a5450') }])
    let runs = 0
    const open: typeof engine.open = (...args) => {
      runs++
      return engine.open(...args)
    }
    const result = createAccessList({ ...world, engine: { ...engine, open } }, listCall())
    assert.ok(result.kind === 'created')
    assert.equal(runs, 8)
    const { tx } = listCall()
    const again = simulateCall(world, { from, tx: { ...tx, accessList: result.accessList } })
    assert.equal(again.kind === 'executed' && again.gasUsed, result.gasUsed)
  })
})
