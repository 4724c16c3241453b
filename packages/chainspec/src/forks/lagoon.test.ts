import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  bytesToHex,
  type DepositTransaction,
  decodeTransaction,
  isDeposit,
  keccak256,
  l2Time,
  upgradeSourceHash,
  utf8ToBytes,
} from '@keelson/primitives'
import { createForkSchedule, type ForkScheduleOptions, forksAtGenesis } from '../fork-schedule.ts'
import type { BlockTransition } from '../rules.ts'
import { lagoon } from './lagoon.ts'

/** op-core/nuts/fork_lock.toml of ethereum-optimism/optimism at commit 4fc25a93. */
const LOCKED_SHA256 = 'a4a9dac53431d07e4f24a803f23f0216e10396269a17d1df7ecd64393dc76b5e'
const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
const CONDITIONAL_DEPLOYER = '0x420000000000000000000000000000000000002c'
const PROXY_ADMIN = '0x4200000000000000000000000000000000000018'
/** 29 transactions: op-node lagoon_activation_transactions_test.go, `TestUpgradeTransactionsInterop`. */
const TRANSACTIONS = 29

function crossing(options: Partial<ForkScheduleOptions> = {}): BlockTransition {
  return createForkSchedule({ times: { ...forksAtGenesis('karst'), lagoon: 10 }, ...options }).transition(l2Time(8), l2Time(10))
}

function deposits(transition: BlockTransition): readonly DepositTransaction[] {
  return transition.upgradeTransactions.map((raw) => {
    const tx = decodeTransaction(raw)
    assert.ok(isDeposit(tx))
    return tx
  })
}

const selector = (signature: string) => bytesToHex(keccak256(utf8ToBytes(signature)).subarray(0, 4))

describe('the activation of Lagoon', () => {
  it('has the bundle of optimism, byte for byte', () => {
    const file = readFileSync(new URL('./upgrade-transactions/lagoon_nut_bundle.json', import.meta.url))
    assert.equal(createHash('sha256').update(file).digest('hex'), LOCKED_SHA256)
  })

  it('deploys implementations and has the proxy admin upgrade the predeploys', () => {
    const steps = deposits(crossing()).map(({ from, to }) => [bytesToHex(from), to === null ? null : bytesToHex(to)])
    assert.equal(steps.length, TRANSACTIONS)
    for (const step of steps.slice(0, -1)) assert.deepEqual(step, [DEPOSITOR, CONDITIONAL_DEPLOYER])
    assert.deepEqual(steps.at(-1), [DEPOSITOR, PROXY_ADMIN])
  })

  // op-node upgrade_transaction.go, `nutBundleForFork`: the label in source hashes stayed "Interop".
  it('has source hashes over the name that the fork had before', () => {
    const all = deposits(crossing())
    assert.deepEqual(all.at(0)?.sourceHash, upgradeSourceHash('Interop 0: Deploy StorageSetter Implementation'))
    assert.deepEqual(all.at(-1)?.sourceHash, upgradeSourceHash('Interop 28: L2ProxyAdmin Upgrade Predeploys'))
  })

  // op-node lagoon_activation_transactions.go; its test `TestLagoonActivationUpgradeTransactions`.
  it('enables cross-chain messages around the bundle where the dependency set has other members', () => {
    const [alone, together] = [crossing(), crossing({ hasDependencies: true })]
    const all = deposits(together)
    assert.deepEqual(together.upgradeTransactions.slice(1, -1), alone.upgradeTransactions)
    const [first, last] = [all[0], all.at(-1)] as [DepositTransaction, DepositTransaction]
    assert.deepEqual(first.sourceHash, upgradeSourceHash('Interop pre: setFeature(INTEROP)'))
    assert.equal(bytesToHex(first.data), `${selector('setFeature(bytes32)')}${Buffer.from('INTEROP').toString('hex').padEnd(64, '0')}`)
    assert.deepEqual([first.gasLimit, first.mintWei, first.valueWei, bytesToHex(first.from)], [100_000n, 0n, 0n, DEPOSITOR])
    assert.equal(bytesToHex(first.to as Uint8Array), '0x4200000000000000000000000000000000000015')
    assert.deepEqual(last.sourceHash, upgradeSourceHash('Interop post: ETHLiquidity Funding'))
    const most = 2n ** 128n - 1n
    assert.deepEqual([last.gasLimit, last.mintWei, last.valueWei], [50_000n, most, most])
    assert.equal(bytesToHex(last.data), selector('fund()'))
    assert.equal(bytesToHex(last.to as Uint8Array), '0x4200000000000000000000000000000000000025')
  })

  // op-node upgrade_transaction.go, `UpgradeGas`: the reservation is unconditional.
  it('raises the gas limit by the same amount for every dependency set, and never keeps it', () => {
    const limits = deposits(crossing()).reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
    for (const hasDependencies of [false, true]) {
      const { upgradeGas, keptUpgradeGas } = crossing({ hasDependencies, keepKarstUpgradeGas: true })
      assert.deepEqual([upgradeGas, keptUpgradeGas], [limits + 150_000n, 0n])
    }
  })

  // op-core/nuts/metadata.go: version 1.1.0 says the gas of deposits outside the bundle itself.
  it('takes the gas of deposits outside the bundle from a bundle that states it', () => {
    const given = { transactions: [], gas: 7n, extraGas: 90n }
    assert.equal(crossing({ upgradeBundles: { lagoon: given } }).upgradeGas, 97n)
    assert.equal(crossing({ upgradeBundles: { lagoon: { ...given, extraGas: null } } }).upgradeGas, 150_007n)
  })

  it('takes no transactions of users, and allows post-execution transactions from its first block', () => {
    assert.equal(crossing().userTransactionsAllowed, false)
    const schedule = createForkSchedule({ times: { ...forksAtGenesis('karst'), lagoon: 10 } })
    assert.deepEqual(
      [9, 10].map((time) => schedule.blockRules(l2Time(time)).postExecTransactions),
      [false, true],
    )
    assert.equal(lagoon.block !== undefined && 'ethFork' in lagoon.block, false, 'the EVM stays that of Karst')
  })
})
