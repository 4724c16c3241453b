import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Signer } from '@keelson/client'
import { type Address, toAddress } from '@keelson/primitives'
import { CHAINS, type WalletInput, walletInput } from '../config/trading-config.test-support.ts'
import { parseTradingConfig } from '../config/trading-config.ts'
import { CHAIN } from '../market.test-support.ts'
import { type KeySources, openWallets } from './open-wallets.ts'
import { readStopFile } from './stop-file.ts'
import { createPolicySource, createWallets } from './wallets.ts'

const ADDRESS = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const signerOf = (address: Address): Signer => ({
  address,
  signTransaction: async () => {
    throw new Error('nothing is signed here')
  },
})
const KEYS: KeySources = {
  keystore: async (path) => signerOf(ADDRESS(path.at(-1) as string)),
  remote: (_url, address) => signerOf(address),
}
const USERS = { findEmail: async (id: number) => ['ann@example.org', 'bob@example.org'][id - 1] ?? null }
const keyed = (key: string, changes: Partial<WalletInput>) => walletInput({ keystore: { path: key, passwordFile: 'p' }, ...changes })
const open = (...wallets: readonly WalletInput[]) =>
  openWallets(parseTradingConfig(JSON.stringify({ wallets }), 'trading.json', CHAINS), KEYS)

describe('wallets of trading', () => {
  it('are found by name by those they are of, and by nobody else', async () => {
    const wallets = await open(
      keyed('1', { users: ['Ann@example.org'] }),
      keyed('2', { users: [2] }),
      keyed('3', { ref: 'all' }),
      walletInput({
        ref: 'remote',
        keystore: undefined,
        remoteSigner: { url: 'http://127.0.0.1:1', address: ADDRESS('4') },
        users: [1, 2],
      }),
    )
    const lookup = createWallets(wallets, USERS)
    const found = async (userId: number, ref: string, chainId = CHAIN) => (await lookup.wallet(userId, ref, chainId))?.address ?? null
    assert.deepEqual([await found(1, 'main'), await found(2, 'main'), await found(3, 'main')], [ADDRESS('1'), ADDRESS('2'), null])
    assert.deepEqual([await found(1, 'all'), await found(3, 'all')], [ADDRESS('3'), ADDRESS('3')])
    assert.deepEqual([await found(2, 'remote'), await found(3, 'remote')], [ADDRESS('4'), null])
    const shared = (await lookup.list(1)).map(({ walletRef, shared }) => [walletRef, shared])
    assert.deepEqual(shared, [
      ['main', false],
      ['all', true],
      ['remote', false],
    ])
    const ofVisitors = (await lookup.list(null)).map(({ walletRef, shared }) => [walletRef, shared])
    assert.deepEqual(ofVisitors, [['all', true]], 'somebody without an account sees only what all users share')
    assert.deepEqual([await found(1, 'Main'), await found(1, 'main', 7), await found(1, '')], [null, null, null])
  })

  it('have a key each, one policy each, and none that is not of them', async () => {
    await assert.rejects(open(keyed('1', {}), keyed('a/1', { ref: 'again' })), {
      code: 'platform/trading-config',
      message: /wallets\.1: its key is that of wallets\.0/,
    })
    const policies = createPolicySource(await open(keyed('1', {})), async () => 'a fire')
    assert.equal((await policies.policy(ADDRESS('1')))?.maxDailyUsd.toFixed(), '1000')
    assert.equal(await policies.policy(ADDRESS('2')), null)
    assert.equal(await policies.stopped(), 'a fire')
  })
})

describe('the switch that stops trading', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-stop-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is a file that is there, looked for each time, with its reason', async () => {
    const path = join(folder, 'stop')
    const reason = () => readStopFile(path)
    assert.equal(await reason(), null)
    await writeFile(path, '')
    assert.equal(await reason(), 'the operator gave no reason')
    await writeFile(path, ' feeds\nlook wrong\u0007 ')
    assert.equal(await reason(), 'feeds look wrong')
    await writeFile(path, 'x'.repeat(5_000))
    assert.equal((await reason())?.length, 1_024)
    await rm(path)
    assert.equal(await reason(), null)
  })

  it('stops where it cannot be seen whether the file is there', async () => {
    await mkdir(join(folder, 'stop'))
    assert.match((await readStopFile(join(folder, 'stop'))) ?? '', /cannot be read/)
    await writeFile(join(folder, 'file'), '')
    assert.match((await readStopFile(join(folder, 'file', 'stop'))) ?? '', /cannot be read/)
  })
})
