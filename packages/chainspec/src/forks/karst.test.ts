import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { bytesToHex, type DepositTransaction, decodeTransaction, TX_DEPOSIT, upgradeSourceHash } from '@keelson/primitives'
import { karst } from './karst.ts'

/** op-core/nuts/fork_lock.toml of ethereum-optimism/optimism. */
const LOCKED_SHA256 = '08f5df36f7ff29a9421ab84beebe96684a7455df9a5d234a2468613a4008ad91'
const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
const ZERO = `0x${'00'.repeat(20)}`
const PROXY_ADMIN = '0x4200000000000000000000000000000000000018'
const CONDITIONAL_DEPLOYER = '0x420000000000000000000000000000000000002c'

function deposits(): readonly DepositTransaction[] {
  return (karst.upgradeBundle?.().transactions ?? []).map((raw) => {
    const tx = decodeTransaction(raw)
    assert.ok(tx.type === TX_DEPOSIT)
    return tx
  })
}

describe('the upgrade bundle of Karst', () => {
  it('is the official one, byte for byte', () => {
    const file = readFileSync(new URL('./upgrade-transactions/karst_nut_bundle.json', import.meta.url))
    assert.equal(createHash('sha256').update(file).digest('hex'), LOCKED_SHA256)
  })

  it('has 31 transactions whose gas limits make up its gas', () => {
    const limits = deposits().map(({ gasLimit }) => gasLimit)
    assert.equal(limits.length, 31)
    assert.equal(karst.upgradeBundle?.().gas, 55_370_657n)
    assert.equal(
      limits.reduce((sum, limit) => sum + limit, 0n),
      55_370_657n,
    )
  })

  // specs: protocol/l2-upgrades-1-execution.md#transaction-execution-sequence
  it('deploys the deployer, then implementations, upgrades the proxy admin, and has it upgrade the predeploys', () => {
    const steps = deposits().map(({ from, to }) => [bytesToHex(from), to === null ? null : bytesToHex(to)])
    assert.deepEqual(steps[0], [DEPOSITOR, '0x4e59b44847b379578588920ca78fbf26c0b4956c'])
    assert.deepEqual(steps[1], [ZERO, CONDITIONAL_DEPLOYER])
    for (const step of steps.slice(2, 28)) assert.deepEqual(step, [DEPOSITOR, CONDITIONAL_DEPLOYER])
    assert.deepEqual(steps.slice(28), [
      [ZERO, PROXY_ADMIN],
      [DEPOSITOR, CONDITIONAL_DEPLOYER],
      [DEPOSITOR, PROXY_ADMIN],
    ])
  })

  it('has source hashes over the capitalized fork, the index and the intent', () => {
    const [first, last] = [deposits().at(0), deposits().at(-1)]
    assert.deepEqual(first?.sourceHash, upgradeSourceHash('Karst 0: ConditionalDeployer Deployment'))
    assert.deepEqual(last?.sourceHash, upgradeSourceHash('Karst 30: L2ProxyAdmin Upgrade Predeploys'))
  })
})
