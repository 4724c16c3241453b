import assert from 'node:assert/strict'
import { bytesToHex, decodeTransaction, upgradeSourceHash } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import type { LaterFork } from './fork-schedule.ts'
import { loadUpgradeBundle } from './upgrade-bundle.ts'

const first = {
  data: '0x6001',
  from: '0x4210000000000000000000000000000000000008',
  gasLimit: 500_000,
  intent: 'ConditionalDeployer Deployment',
  to: null,
}
const second = {
  data: '0xabcd',
  from: '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001',
  gasLimit: 70_000,
  intent: 'Upgrade',
  to: `0x${'42'.repeat(20)}`,
}
const metadata = { version: '1.0.0' }

describe('upgrade bundle', () => {
  it('makes deposits in order, with hashes over fork, index and intent, and sums their gas', () => {
    const bundle = loadUpgradeBundle('karst', { metadata, transactions: [first, second] })
    assert.equal(bundle.gas, 570_000n)
    const [a, b] = bundle.transactions.map(decodeTransaction)
    assert.ok(a?.type === 0x7e && b?.type === 0x7e)
    assert.deepEqual(a.sourceHash, upgradeSourceHash('Karst 0: ConditionalDeployer Deployment'))
    assert.deepEqual(b.sourceHash, upgradeSourceHash('Karst 1: Upgrade'))
    assert.deepEqual([a.to, a.gasLimit, a.data, a.mintWei, a.isSystemTx], [null, 500_000n, Uint8Array.of(0x60, 1), 0n, false])
    assert.deepEqual(b.to, new Uint8Array(20).fill(0x42))
  })

  // ethereum-optimism/optimism: rust/op-alloy/crates/consensus/src/nuts/mod.rs, `test_to_encoded_transactions`, whose fork is "Test"
  it('encodes transactions as op-alloy does', () => {
    const { transactions } = loadUpgradeBundle('test' as LaterFork, {
      metadata,
      transactions: [
        {
          data: '0xabcdef',
          from: `0x${'00'.repeat(20)}`,
          gasLimit: 1_000_000,
          intent: 'First Transaction',
          to: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        },
        {
          data: '0xfeedface',
          from: '0x000000000000000000000000000000000000abba',
          gasLimit: 5_000_000,
          intent: 'Second Transaction',
          to: '0x4200000000000000000000000000000000000015',
        },
      ],
    })
    assert.deepEqual(transactions.map(bytesToHex), [
      '0x7ef856a0c3ecdc70c81521aae81240518d3547f601bb33ec07b909e83544b2fe093c78bd94000000000000000000000000000000000000000094f39fd6e51aad88f6f4ce6ab8827279cfffb922668080830f42408083abcdef',
      '0x7ef857a0ac61fbb5e3d61e626f66c413c564d376e3b363b94a37aab323b860a2293b7c6c94000000000000000000000000000000000000abba9442000000000000000000000000000000000000158080834c4b408084feedface',
    ])
  })

  // op-core/nuts/metadata.go in ethereum-optimism/optimism
  it('reads the additional gas that version 1.1.0 can state', () => {
    const extraGas = (json: object) => loadUpgradeBundle('lagoon', { metadata: json, transactions: [first] }).extraGas
    assert.deepEqual(
      [extraGas({ version: '1.1.0', extraGas: 150_000 }), extraGas({ version: '1.1.0' }), extraGas(metadata)],
      [150_000n, 0n, null],
    )
  })

  it('refuses what is not a bundle, with every mistake', () => {
    const mistakes = (json: unknown): string => {
      try {
        loadUpgradeBundle('karst', json)
      } catch (error) {
        assert.ok(error instanceof ChainspecError && error.code === 'chainspec/fork-schedule')
        return error.message
      }
      return ''
    }
    assert.match(mistakes({ metadata: { version: '2.0.0' }, transactions: [first] }), /expected 1\.0\.0 or 1\.1\.0, got 2\.0\.0/)
    assert.match(
      mistakes({ metadata: { ...metadata, extraGas: 5 }, transactions: [first] }),
      /metadata\.extraGas: .* must not have it, got 5/,
    )
    assert.match(mistakes({ metadata, transactions: [] }), /transactions is empty/)
    assert.match(mistakes({ metadata, transactions: [{ ...first, value: 1 }] }), /transactions\[0\]\.value is not a key/)
    const several = mistakes({
      metadata,
      transactions: [
        { ...first, gasLimit: -1 },
        { ...second, intent: '', data: '0x1' },
      ],
    })
    assert.match(several, /transactions\[0\]\.gasLimit/)
    assert.match(several, /transactions\[1\]\.intent/)
    assert.match(several, /transactions\[1\]\.data/)
  })
})
