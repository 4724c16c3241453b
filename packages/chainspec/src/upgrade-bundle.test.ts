import assert from 'node:assert/strict'
import { decodeTransaction, upgradeSourceHash } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
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
    assert.match(mistakes({ metadata: { version: '2.0.0' }, transactions: [first] }), /expected 1\.0\.0, got 2\.0\.0/)
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
