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
/** REVERT with the word 42. */
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
    const result = await simulateCall(
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
    const poor = await simulateCall(context(accounts), call({ maxFeePerGasWei: 20n }))
    assert.equal(poor.kind === 'rejected' && poor.reason, 'insufficient-funds')
    const low = await simulateCall(context(accounts), call({ maxFeePerGasWei: 9n }))
    assert.equal(low.kind === 'rejected' && low.reason, 'fee-cap-below-base-fee')
    const rich = await simulateCall(context([...accounts, { address: ALICE, balanceWei: ETHER }]), call({ maxFeePerGasWei: 20n }))
    assert.equal(rich.kind === 'executed' && bytesToHex(rich.output), bytesToHex(word(10n)))
  })

  it('gives back the data of a revert', async () => {
    const result = await simulateCall(context([{ address: CONTRACT, code: REVERTS }]), call())
    assert.ok(result.kind === 'executed')
    assert.deepEqual([result.status, bytesToHex(result.output)], ['revert', bytesToHex(word(42n))])
  })

  it('stands on overridden state, and leaves the state as it was', async () => {
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
      const result = await simulateCall(context(accounts, [{ address: CONTRACT, ...override }]), call())
      return result.kind === 'executed' ? Number(BigInt(bytesToHex(result.output))) : result.reason
    }
    assert.equal(await sum({}), 12)
    assert.equal(await sum({ storageDiff: [[word(0n), word(1n)]] }), 8)
    assert.equal(await sum({ storage: [[word(0n), word(1n)]] }), 1)
    assert.equal(await sum({ code: hexToBytes(`0x6063${RETURN_TOP}`) }), 99)
    const paying = context(accounts, [{ address: ALICE, balanceWei: 3n }])
    assert.equal((await simulateCall(paying, call({ to: BOB, valueWei: 3n }))).kind, 'executed')
    assert.equal(paying.view.account(BOB), null)
  })
})

describe('gas estimate', () => {
  it('is exact for a transfer', async () => {
    const estimate = await estimateGas(context([{ address: ALICE, balanceWei: 10n }]), call({ to: BOB, valueWei: 1n }))
    assert.deepEqual(estimate, { kind: 'estimated', gas: 21_000n })
  })

  it('covers what a refund gives back later', async () => {
    const code = hexToBytes('0x6000600055')
    const world = context([{ address: CONTRACT, code, storage: [[word(0n), word(1n)]] }])
    const estimate = await estimateGas(world, call())
    assert.ok(estimate.kind === 'estimated')
    assert.ok(estimate.gas >= 26_006n && estimate.gas < 26_500n, `${estimate.gas}`)
    const run = await simulateCall(world, call({ gasLimit: estimate.gas }))
    assert.equal(run.kind === 'executed' && run.status, 'success')
  })

  it('covers code that wants more gas at hand than it uses', async () => {
    // Reverts unless 100,000 gas are left: PUSH3 100000 GAS GT PUSH1 0x0c JUMPI PUSH0 PUSH0 REVERT JUMPDEST
    const code = hexToBytes('0x620186a05a11600c575f5ffd5b00'.replace('600c', '600c'))
    const world = context([{ address: CONTRACT, code }])
    const estimate = await estimateGas(world, call())
    assert.ok(estimate.kind === 'estimated')
    assert.ok(estimate.gas > 121_000n && estimate.gas < 124_000n, `${estimate.gas}`)
  })

  it('fails with the revert data when no gas suffices', async () => {
    const estimate = await estimateGas(context([{ address: CONTRACT, code: REVERTS }]), call())
    assert.ok(estimate.kind === 'failed')
    assert.deepEqual([estimate.status, bytesToHex(estimate.output)], ['revert', bytesToHex(word(42n))])
  })

  it('is bounded by what the sender can pay for', async () => {
    const world = context([{ address: ALICE, balanceWei: 20_999n * 20n }])
    const estimate = await estimateGas(world, call({ to: BOB, maxFeePerGasWei: 20n }))
    assert.equal(estimate.kind === 'rejected' && estimate.reason, 'intrinsic-gas')
  })
})

describe('access list', () => {
  it('holds slots and addresses that were cold, and not those warm anyway', async () => {
    // SLOAD(3), then BALANCE(BOB)
    const code = hexToBytes(`0x6003545073${bytesToHex(BOB).slice(2)}3150`)
    const { tx } = call()
    const base = { chainId: CHAIN_ID, nonce: 0n, gasLimit: 1_000_000n, to: CONTRACT, valueWei: 0n, data: tx.data, accessList: [] }
    const result = await createAccessList(context([{ address: CONTRACT, code }]), {
      from: ALICE,
      tx: { type: TX_ACCESS_LIST, gasPriceWei: 0n, ...base },
    })
    assert.ok(result.kind === 'created')
    assert.deepEqual(
      result.accessList.map((entry) => [bytesToHex(entry.address), entry.slots.map(bytesToHex)]),
      [
        [bytesToHex(CONTRACT), [bytesToHex(word(3n))]],
        [bytesToHex(BOB), []],
      ],
    )
    // 21,000, two addresses, one slot; code: PUSH1 SLOAD(warm) POP PUSH20 BALANCE(warm) POP
    assert.equal(result.gasUsed, 21_000n + 2n * 2_400n + 1_900n + 3n + 100n + 2n + 3n + 100n + 2n)
  })
})
