import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { genesisHeader, loadGenesis } from '@keelson/chainspec'
import { bytesToHex, encodeHeader, type Hash, hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { networksFolder } from '../../../node/src/networks/shipped-networks.ts'
import { DevnetError } from '../devnet-error.ts'
import {
  readCurrencySymbol,
  readGenesisBlock,
  readL1ChainConfig,
  readPublicNetwork,
  readRollupConfig,
  replacedBundleWarnings,
  writeKeelsonFile,
} from './network-files.ts'

const TIME = 1_700_000_000
const GENESIS = {
  config: { chainId: 84532 },
  timestamp: `0x${TIME.toString(16)}`,
  gasLimit: '0x1c9c380',
  extraData: '0x',
  alloc: {
    '0x00000000000000000000000000000000000000aa': { balance: '0x1' },
    '0x00000000000000000000000000000000000000bb': { balance: '0x2' },
  },
}
const ROLLUP = {
  genesis: {
    l1: { hash: `0x${'11'.repeat(32)}`, number: 0 },
    l2: { hash: `0x${'22'.repeat(32)}`, number: 0 },
    l2_time: TIME,
    system_config: {
      batcherAddr: `0x${'33'.repeat(20)}`,
      overhead: `0x${'00'.repeat(32)}`,
      scalar: `0x${'00'.repeat(32)}`,
      gasLimit: 30_000_000,
    },
  },
  block_time: 2,
  max_sequencer_drift: 600,
  seq_window_size: 3600,
  channel_timeout: 300,
  l1_chain_id: 900_084,
  l2_chain_id: 84_532,
  regolith_time: 0,
  canyon_time: 0,
  delta_time: 0,
  batch_inbox_address: `0x${'44'.repeat(20)}`,
  deposit_contract_address: `0x${'55'.repeat(20)}`,
  l1_system_config_address: `0x${'66'.repeat(20)}`,
  chain_op_config: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
}

describe('the files of a network', () => {
  let folder: string
  const put = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  function writeNetwork(genesis: object = GENESIS) {
    put('rollup.json', ROLLUP)
    const parsed = loadGenesis(genesis)
    const state = computeGenesisState(parsed.accounts)
    const rules = readRollupConfig(folder).forks.blockRules(l2Time(TIME))
    const header = genesisHeader(parsed, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
    put('rollup.json', { ...ROLLUP, genesis: { ...ROLLUP.genesis, l2: { hash: hashHeader(header), number: 0 } } })
    put('genesis.json', genesis)
    return header
  }
  const keep = (header: ReturnType<typeof writeNetwork>) =>
    writeKeelsonFile(folder, { currencySymbol: 'KEEL', fork: 'delta', genesisHeader: bytesToHex(encodeHeader(header)) })
  const read = () => readGenesisBlock(folder, readRollupConfig(folder))

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-network-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, read] of [
    ['rollup.json', () => readRollupConfig(folder)],
    ['genesis.json', () => readGenesisBlock(folder, readRollupConfig(folder))],
    ['l1-chain.json', () => readL1ChainConfig(folder)],
    ['upgrade-karst.json', () => readRollupConfig(folder)],
  ] as const) {
    it(`names ${name} of the folder before the mistakes in it`, () => {
      put('rollup.json', ROLLUP)
      put(name, {})
      assert.throws(read, (error: Error) => {
        assert.match(error.message, new RegExp(`^[^:]* in ${join(folder, name)}: (\\d+ mistakes:\\n  - )?\\S`))
        return true
      })
      rmSync(join(folder, name))
    })
  }

  it('give block 0 from the genesis file alone', () => {
    const header = writeNetwork()
    const block = read()
    assert.deepEqual(block.header, header)
    assert.equal([...block.accounts].length, 2)
    assert.equal(readCurrencySymbol(folder), 'ETH')
  })

  it('give block 0 as kept without opening the genesis file, and the accounts when they are walked', () => {
    keep(writeNetwork())
    const text = readFileSync(join(folder, 'genesis.json'), 'utf8')
    rmSync(join(folder, 'genesis.json'))
    const block = read()
    assert.equal(hashHeader(block.header), readRollupConfig(folder).genesis.l2.hash)
    assert.throws(() => [...block.accounts], { code: 'node/usage', message: /cannot read .*genesis\.json/ })
    writeFileSync(join(folder, 'genesis.json.gz'), gzipSync(text))
    assert.deepEqual(
      [...block.accounts].map(({ balanceWei }) => balanceWei),
      [1n, 2n],
    )
    assert.equal(readCurrencySymbol(folder), 'KEEL')
  })

  it('refuse a genesis file of another network, whether block 0 is kept or not', () => {
    const header = writeNetwork()
    const other = loadGenesis({ ...GENESIS, gasLimit: '0x1' })
    put('genesis.json', { ...GENESIS, gasLimit: '0x1' })
    const message = /genesis\.json in .* makes block 0x[0-9a-f]{64}, but rollup\.json says 0x[0-9a-f]{64}: the two files are of different/
    assert.throws(read, { code: 'node/usage', message })
    keep(header)
    assert.throws(() => [...read().accounts], { code: 'node/usage', message })
    assert.equal(other.gasLimit, 1n)
  })

  it('do not believe a kept block 0 that is not the one of rollup.json', () => {
    const header = writeNetwork()
    keep({ ...header, gasLimit: 1n })
    assert.deepEqual(read().header, header)
    writeKeelsonFile(folder, { currencySymbol: 'KEEL', fork: 'delta', genesisHeader: 'no hex' })
    assert.deepEqual(read().header, header)
  })

  it('name the key of keelson.json that has a wrong value', () => {
    const facts = JSON.parse(readFileSync(join(networksFolder(), 'op-sepolia', 'keelson.json'), 'utf8'))
    const messageOf = (content: unknown) => {
      put('keelson.json', content)
      try {
        readPublicNetwork(folder)
      } catch (error) {
        assert.ok(error instanceof DevnetError && error.code === 'node/usage', String(error))
        return error.message
      }
      return 'read'
    }
    const changed = (change: object) => messageOf({ ...facts, publicNetwork: { ...facts.publicNetwork, ...change } })
    assert.equal(messageOf({ ...facts, aKeyOfLater: 1 }), 'read')
    for (const content of [null, [], 5, 'text']) assert.match(messageOf(content), /keelson\.json: the document: expected an object/)
    assert.match(messageOf({ l1Chain: '../../etc/passwd' }), /l1Chain: expected a name such as sepolia/)
    assert.match(messageOf({ ...facts, publicNetwork: [] }), /publicNetwork: expected an object/)
    assert.match(changed({ bootnodes: 'enode://' }), /publicNetwork\.bootnodes: expected a list/)
    assert.match(changed({ sequencerRpc: 'file:///etc' }), /publicNetwork\.sequencerRpc: expected a URL/)
    assert.match(changed({ state: 'archive' }), /publicNetwork\.state: expected "genesis" or "snapshot"/)
    assert.match(changed({ source: { repository: 5 } }), /publicNetwork\.source\.repository: expected text/)
    const checksummed = '0x57CACBB0d30b01eb2462e5dC940c161aff3230D3'
    assert.equal(changed({ unsafeBlockSigner: checksummed }), 'read')
    assert.equal(readPublicNetwork(folder)?.unsafeBlockSigner, checksummed.toLowerCase())
  })

  it('refuse equal chain ids unless they are allowed', () => {
    put('rollup.json', { ...ROLLUP, l1_chain_id: ROLLUP.l2_chain_id })
    assert.throws(() => readRollupConfig(folder), { code: 'chainspec/rollup-config', message: /--allow-same-chain-id/ })
    assert.equal(readRollupConfig(folder, { allowSameChainId: true }).l1ChainId, 84_532n)
  })

  it('name the file and the folder that lack something', () => {
    assert.throws(() => readRollupConfig(folder), {
      code: 'node/usage',
      message: /cannot read .*rollup\.json.*--network takes the name of a public network/,
    })
    writeFileSync(join(folder, 'rollup.json'), '{"genesis":')
    assert.throws(() => readRollupConfig(folder), { code: 'node/usage', message: /cannot read .*rollup\.json/ })
    put('rollup.json', { ...ROLLUP, foo_time: 5 as unknown as Hash })
    assert.throws(() => readRollupConfig(folder), { message: /fork foo is in force at genesis and this release does not implement it/ })
  })

  it('warn of upgrade transactions that are not the official ones', () => {
    put('rollup.json', ROLLUP)
    const official = new URL('../../../chainspec/src/forks/upgrade-transactions/karst_nut_bundle.json', import.meta.url)
    const bundle = JSON.parse(readFileSync(official, 'utf8'))
    assert.deepEqual(replacedBundleWarnings(folder), [])
    put('upgrade-karst.json', bundle)
    assert.deepEqual(replacedBundleWarnings(folder), [])
    put('upgrade-karst.json', { ...bundle, transactions: bundle.transactions.slice(1) })
    const [warning, ...others] = replacedBundleWarnings(folder)
    assert.equal(others.length, 0)
    assert.match(warning ?? '', /upgrade-karst\.json replaces the official upgrade transactions of karst: .* remove the file unless/)
  })
})
