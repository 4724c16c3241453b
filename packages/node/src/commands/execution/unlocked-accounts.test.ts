import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareNetwork } from '@keelson/devnet'
import { DEV_ACCOUNTS } from '@keelson/devnet/genesis'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { createPureCrypto } from '@keelson/primitives'
import { networksFolder } from '../../networks/shipped-networks.ts'
import { openUnlockedAccounts } from './unlocked-accounts.ts'

const LOOPBACK = { devAccounts: true, httpHost: '127.0.0.1' }
const crypto = createPureCrypto()

describe('unlocked accounts', () => {
  let network: string
  before(async () => {
    network = mkdtempSync(join(tmpdir(), 'keelson-unlocked-'))
    const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
    await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
  })
  after(() => rmSync(network, { recursive: true }))

  it('are those of the development network, which sign, and none without the option', () => {
    const unlocked = openUnlockedAccounts({ ...LOOPBACK, network }, readRollupConfig(network), crypto)
    assert.deepEqual(
      unlocked?.addresses,
      DEV_ACCOUNTS.map(({ address }) => address),
    )
    const digest = new Uint8Array(32).fill(7)
    const [account] = DEV_ACCOUNTS
    assert.ok(account)
    const signature = unlocked?.sign(account.address, digest)
    assert.ok(signature)
    assert.equal(Buffer.from(crypto.recover(digest, signature) as Uint8Array).toString('hex'), account.address.slice(2))
    assert.equal(unlocked?.sign(`0x${'11'.repeat(20)}` as never, digest), null)
    assert.equal(openUnlockedAccounts({ ...LOOPBACK, devAccounts: false, network }, readRollupConfig(network), crypto), null)
  })

  it('are refused on every other network, and where others reach the port', () => {
    for (const name of ['op-sepolia', 'op-mainnet']) {
      const folder = join(networksFolder(), name)
      assert.throws(() => openUnlockedAccounts({ ...LOOPBACK, network: folder }, readRollupConfig(folder), crypto), {
        code: 'node/usage',
        message: /is not a network of keelson devnet/,
      })
    }
    const rollup = readRollupConfig(network)
    const { systemConfig } = rollup.genesis
    const otherBatcher = {
      ...rollup,
      genesis: { ...rollup.genesis, systemConfig: { ...systemConfig, batcherAddress: DEV_ACCOUNTS[0]?.address as never } },
    }
    assert.throws(() => openUnlockedAccounts({ ...LOOPBACK, network }, otherBatcher, crypto), {
      message: /is not a network of keelson devnet/,
    })
    for (const httpHost of ['0.0.0.0', '10.0.0.1', '::'])
      assert.throws(() => openUnlockedAccounts({ devAccounts: true, httpHost, network }, rollup, crypto), {
        code: 'node/usage',
        message: /anybody who reaches .* could sign; expected --http\.host 127\.0\.0\.1/,
      })
  })
})
