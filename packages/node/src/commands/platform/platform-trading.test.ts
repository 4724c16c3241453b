import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVNET_WALLET, devnetTradingFile, makeTradingWallet } from '@keelson/devnet'
import { DEV_ACCOUNTS, DEVNET_FILES, findProjectRoot } from '@keelson/devnet/genesis'
import { devnetChains } from '@keelson/platform'
import { createPureCrypto } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import { DEVNET_KEY_FORMATS } from '../devnet/key-formats.ts'
import { openTrading } from './platform-trading.ts'

const CHAIN = 901
const CONTRACTS = JSON.parse(readFileSync(join(findProjectRoot(), DEVNET_FILES, 'addresses.json'), 'utf8')) as Record<string, string>
const chainAt = (chainId: number) => ({ rpcUrl: 'http://127.0.0.1:1', chainId })
const CHAINS = devnetChains({ l1: chainAt(900), l2: chainAt(CHAIN), contracts: CONTRACTS }, { symbol: 'KEEL' })
const USAGE = 'node/usage'

describe('wallets of the platform command', () => {
  let folder: string
  let file: string
  const closed: string[] = []
  const role = {
    crypto: createPureCrypto(),
    log: createSilentLogger(),
    rpc: (url: string) => ({ host: new URL(url).host, close: () => void closed.push(url) }) as never,
  }
  const open = (tradingConfig: string | null = file) => openTrading({ tradingConfig }, CHAINS, role)
  const change = (edit: (config: { wallets: Record<string, unknown>[] }) => void) => {
    const config = JSON.parse(readFileSync(file, 'utf8'))
    edit(config)
    writeFileSync(file, JSON.stringify(config))
  }
  beforeEach(async () => {
    closed.length = 0
    folder = mkdtempSync(join(tmpdir(), 'keelson-trading-'))
    file = devnetTradingFile(folder)
    await makeTradingWallet(folder, CHAIN, DEVNET_KEY_FORMATS)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are, on the development network, one for everybody, with the last of its accounts', async () => {
    const opened = await open()
    assert.deepEqual(
      opened?.setup.wallets.map(({ ref, users, signer }) => [ref, users, signer.address]),
      [[DEVNET_WALLET, '*', DEV_ACCOUNTS[9]?.address]],
    )
    assert.equal(opened?.setup.stopFile, join(folder, 'trading', 'stop-trading'))
    for (const name of ['keystore.json', 'password', 'trading.json'])
      assert.equal(statSync(join(folder, 'trading', name)).mode & 0o777, 0o600, name)
  })

  it('stay as their owner changed them', async () => {
    change(({ wallets }) => Object.assign(wallets[0] as object, { ref: 'mine' }))
    await makeTradingWallet(folder, CHAIN, DEVNET_KEY_FORMATS)
    assert.equal((await open())?.setup.wallets[0]?.ref, 'mine')
  })

  it('are none without a file', async () => {
    assert.equal(await open(null), null)
    await assert.rejects(open(join(folder, 'none.json')), { code: USAGE, message: /--trading\.config: there is no file/ })
  })

  it('are at a service that signs, which is asked only when it is to sign', async () => {
    const address = `0x${'12'.repeat(20)}`
    change(({ wallets }) => {
      wallets[0] = { ...wallets[0], keystore: undefined, remoteSigner: { url: 'http://127.0.0.1:1', address } }
    })
    const opened = await open()
    assert.equal(opened?.setup.wallets[0]?.signer.address, address)
    opened?.close()
    assert.deepEqual(closed, ['http://127.0.0.1:1'])
  })

  it('are refused with the file that is wrong, and nothing of what is in it', async () => {
    const password = join(folder, 'trading', 'password')
    writeFileSync(password, 'hush hush\n')
    const silent = (message: RegExp) => (error: Error & { code?: string }) =>
      error.code === USAGE && message.test(error.message) && !error.message.includes('hush')
    await assert.rejects(open(), silent(/keystore\.json: wrong password/))
    chmodSync(password, 0o644)
    await assert.rejects(open(), silent(/password.*chmod 600/))
    writeFileSync(join(folder, 'trading', 'keystore.json'), '5a'.repeat(32))
    await assert.rejects(open(), (error: Error) => /no key file under a password/.test(error.message) && !error.message.includes('5a5a'))
    change(({ wallets }) => Object.assign(wallets[0] as object, { chainIds: [7] }))
    await assert.rejects(open(), { code: 'platform/trading-config', message: /trading\.json .*wallets\.0\.chainIds\.0: chain 7/ })
  })
})
