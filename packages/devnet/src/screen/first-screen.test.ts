import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_DEVNET_FOLDER, npmScript } from '@keelson/runtime'
import { DEV_ACCOUNTS } from '../genesis/devnet/dev-accounts.ts'
import { healthPorts } from '../ports/health-ports.ts'
import { devnetPorts } from '../ports/ports.ts'
import { describeDevnet, devnetFilePath, removeDevnetFile, writeDevnetFile } from '../prepare/devnet-file.ts'
import { DEVNET_SERVICES } from '../roles/devnet-services.ts'
import { firstScreen } from './first-screen.ts'

const ORACLE = `0x${'44'.repeat(20)}`
const facts = (l2ChainId = 84_532, sequencers = 1) =>
  describeDevnet({
    clockOffsetMs: 0,
    sequencerPeerId: '16Uiu2peer',
    host: '127.0.0.1',
    ports: devnetPorts(0, sequencers),
    services: DEVNET_SERVICES,
    folder: '/data',
    l1ChainId: 900_084,
    l2ChainId,
    accounts: DEV_ACCOUNTS,
    contracts: { L2OutputOracle: ORACLE },
  })
const screen = (l2ChainId?: number, continuesFrom = 0, forksToCome: string | null = null) =>
  firstScreen({
    facts: facts(l2ChainId),
    folder: '/data',
    symbol: 'KEEL',
    balanceWei: 10_000n * 10n ** 18n,
    version: '9.9.9',
    readyAfterMs: 3_456,
    continuesFrom,
    fork: 'karst',
    forksToCome,
  })

describe('the first screen', () => {
  it('has what a wallet and a program need, and the warnings', () => {
    const text = screen()
    for (const part of [
      'ready after 3.5 s, a new chain',
      'L2  chain id 84532  currency KEEL  fork karst',
      'http://127.0.0.1:8545',
      'ws://127.0.0.1:8546',
      'http://127.0.0.1:9545',
      'http://127.0.0.1:8645',
      'http://127.0.0.1:8091/api/status/L1_TRANSACTION_HASH  (where a deposit is)',
      'Services, opening now: a line says when each answers; the platform makes its database first',
      'L1  chain id 900084',
      'http://127.0.0.1:7546',
      ORACLE,
      '/data/devnet.json',
      'never fund these accounts on a public network',
      '84532 is also the chain id of Base Sepolia',
      'npm run stop',
      '--fresh',
    ])
      assert.ok(text.includes(part), part)
    assert.equal(DEV_ACCOUNTS.length, 10)
    for (const { address, privateKey } of DEV_ACCOUNTS) assert.ok(text.includes(`${address}  ${privateKey}`))
    assert.ok(!screen(1234).includes('Base Sepolia'))
    assert.match(screen(84_532, 12), /continuing at block 12/)
    assert.doesNotMatch(screen(84_532, 12), /makes its database/)
    assert.doesNotMatch(screen(), /forks to come/)
    assert.match(screen(84_532, 0, 'isthmus in 42 s, jovian in 3 min'), /forks to come +isthmus in 42 s, jovian in 3 min/)
  })

  it('names the second sequencer and the conductor when there are two sequencers, and so does status', () => {
    const two = facts(84_532, 2)
    assert.deepEqual([two.standby?.rpcUrl, two.standby?.rollupRpcUrl], ['http://127.0.0.1:8555', 'http://127.0.0.1:8955'])
    assert.deepEqual([two.conductor?.sequencerUrl, two.conductor?.standbyUrl], ['http://127.0.0.1:8547', 'http://127.0.0.1:8548'])
    assert.deepEqual([facts().standby, facts().conductor], [null, null])
    const input = {
      folder: '/data',
      symbol: 'KEEL',
      balanceWei: 0n,
      version: '9.9.9',
      readyAfterMs: 1,
      continuesFrom: 0,
      fork: 'karst',
      forksToCome: null,
    }
    const text = firstScreen({ ...input, facts: two })
    for (const part of ['http://127.0.0.1:8555', 'http://127.0.0.1:8955', 'http://127.0.0.1:8549']) assert.ok(text.includes(part), part)
    assert.doesNotMatch(screen(), /standby|conductor/)
    const roles = healthPorts(devnetPorts(0, 2)).map(([role]) => role)
    assert.deepEqual(roles.slice(-3), ['standby-execution', 'standby-consensus', 'conductor'])
  })

  it('prints commands that work for a folder that is not the default', () => {
    assert.match(screen(), /npm run stop -- --data-dir \/data,/)
    assert.equal(npmScript('status', DEFAULT_DEVNET_FOLDER), 'npm run status')
    assert.equal(npmScript('stop', 'my net'), "npm run stop -- --data-dir 'my net'")
  })

  it('is also a file, whole or not there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-facts-'))
    writeDevnetFile(folder, facts())
    assert.deepEqual(JSON.parse(readFileSync(devnetFilePath(folder), 'utf8')), facts())
    assert.deepEqual(readdirSync(folder), ['devnet.json'])
    removeDevnetFile(folder)
    removeDevnetFile(folder)
    assert.deepEqual(readdirSync(folder), [])
    rmSync(folder, { recursive: true })
  })
})
