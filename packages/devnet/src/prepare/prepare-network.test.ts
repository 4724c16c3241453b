import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPureCrypto, hashHeader, l2Time } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { anvilGenesisArguments } from '../genesis/devnet/anvil-state.ts'
import { DEV_ACCOUNTS } from '../genesis/devnet/dev-accounts.ts'
import { l1GenesisHash } from '../genesis/devnet/devnet-config.ts'
import {
  readCurrencySymbol,
  readGenesisBlock,
  readKeelsonFile,
  readNetworkJson,
  readRollupConfig,
  writeKeelsonFile,
} from '../network-files/network-files.ts'
import { readAccountsFile } from './accounts-file.ts'
import { type NetworkChoice, prepareNetwork } from './prepare-network.ts'

const NOW = 1_700_000_000_900
const ANY: NetworkChoice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }

describe('the network’s files', () => {
  let folder: string
  const prepare = (choice: Partial<NetworkChoice> = {}, nowMs = NOW) =>
    prepareNetwork(folder, { ...ANY, ...choice }, nowMs, () => createTestEngine({ crypto: createPureCrypto() }))
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-prepare-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are made once; block 0 is kept with them and is that of genesis.json', async () => {
    const made = await prepare()
    const rollup = readRollupConfig(folder)
    assert.equal(rollup.genesis.l2TimestampSec, 1_700_000_000)
    const text = readFileSync(join(folder, 'rollup.json'), 'utf8')
    const again = await prepare({}, NOW + 3_600_000)
    assert.equal(readFileSync(join(folder, 'rollup.json'), 'utf8'), text)
    assert.deepEqual(again.addresses, made.addresses)

    const kept = readGenesisBlock(folder, rollup)
    rmSync(join(folder, 'keelson.json'))
    const computed = readGenesisBlock(folder, rollup)
    assert.deepEqual(kept.header, computed.header)
    assert.equal(hashHeader(kept.header), rollup.genesis.l2.hash)
    assert.equal([...kept.accounts].length, [...computed.accounts].length)
  })

  it('are gone on with whatever fork and symbol they have, and not when others are asked for', async () => {
    await prepare({ fork: 'isthmus', symbol: 'KEEL' })
    await prepare()
    await prepare({ fork: 'isthmus', symbol: 'KEEL' })
    assert.equal(readCurrencySymbol(folder), 'KEEL')
    assert.equal(readRollupConfig(folder).forks.activationTimeSec('jovian'), null)
    await assert.rejects(prepare({ fork: 'jovian' }), {
      code: 'node/usage',
      message: /was made without --fork jovian \(it has isthmus\): .* --fresh for a new chain/,
    })
    await assert.rejects(prepare({ symbol: 'ETH' }), { message: /made without --symbol ETH \(it has KEEL\)/ })
  })

  it('have the chain id, block time, gas limit and accounts that were chosen, and keep them', async () => {
    const mnemonic = new Secret('legal winner thank year wave sausage worth useful legal winner thank yellow')
    const choice = { chainId: 7_777, blockTime: 1, gasLimit: 60_000_000, accounts: 2, balance: 5, mnemonic }
    const made = await prepare(choice)
    const rollup = readRollupConfig(folder)
    assert.deepEqual([rollup.l2ChainId, rollup.blockTimeSec, rollup.genesis.systemConfig.gasLimit], [7_777n, 1, 60_000_000n])
    const { accounts, balanceWei } = readAccountsFile(folder)
    assert.equal(statSync(join(folder, 'dev-accounts.json')).mode & 0o777, 0o600)
    const held = new Map([...readGenesisBlock(folder, rollup).accounts].map((account) => [account.address, account.balanceWei]))
    assert.deepEqual(
      accounts.map(({ address }) => held.get(address)),
      [balanceWei, balanceWei],
    )
    const onL1 = new Map(made.l1.accounts.map((account) => [account.address, account.balanceWei]))
    assert.deepEqual([onL1.get(accounts[0]?.address as Address), balanceWei], [5n * 10n ** 18n, 5n * 10n ** 18n])
    assert.equal(held.get(DEV_ACCOUNTS[0]?.address as Address), undefined)

    for (const again of [{}, choice]) assert.equal((await prepare(again)).parameters.l2ChainId, 7_777n)
    assert.equal((await prepare()).parameters.l2GasLimit, 60_000_000n)
    await assert.rejects(prepare({ chainId: 5, blockTime: 2, gasLimit: 30_000_000, accounts: 3, balance: 6 }), {
      code: 'node/usage',
      message:
        /made without --chain-id 5 \(it has 7777\) and --block-time 2 \(it has 1\) and --gas-limit 30000000 \(it has 60000000\) and --accounts 3 \(it has 2\) and --balance 6 \(it has 5\)/,
    })
    await assert.rejects(prepare({ mnemonic: new Secret('test '.repeat(11).concat('junk')) }), { message: /made without this --mnemonic/ })
  })

  it('of a release that did not keep the fork have the one of rollup.json, not the default of today', async () => {
    await prepare({ fork: 'jovian' })
    const { fork: _, ...kept } = readKeelsonFile(folder)
    writeKeelsonFile(folder, kept)
    await prepare({ fork: 'jovian' })
    await assert.rejects(prepare({ fork: 'karst' }), { message: /made without --fork karst \(it has jovian\)/ })
  })

  it('have forks that come later in both files, Ethereum’s among them, from the genesis fork before the first', async () => {
    await prepare({
      forkAt: [
        ['isthmus', 30],
        ['jovian', 40],
        ['karst', 60],
      ],
    })
    const { forks, genesis } = readRollupConfig(folder)
    const at = (fork: 'holocene' | 'isthmus' | 'jovian' | 'karst') => (forks.activationTimeSec(fork) ?? -1) - genesis.l2TimestampSec
    assert.deepEqual([forks.forkAt(l2Time(genesis.l2TimestampSec)), at('isthmus'), at('jovian'), at('karst')], ['holocene', 30, 40, 60])
    const { config } = readNetworkJson(folder, 'genesis.json') as { config: Record<string, number> }
    const timeSec = genesis.l2TimestampSec
    assert.deepEqual(
      [
        config.holoceneTime,
        config.cancunTime,
        config.isthmusTime,
        config.pragueTime,
        config.jovianTime,
        config.karstTime,
        config.osakaTime,
      ],
      [0, 0, timeSec + 30, timeSec + 30, timeSec + 40, timeSec + 60, timeSec + 60],
    )
    await prepare(
      {
        forkAt: [
          ['isthmus', 30],
          ['jovian', 40],
          ['karst', 60],
        ],
      },
      NOW + 1000,
    )
    await assert.rejects(
      prepare({
        forkAt: [
          ['isthmus', 31],
          ['jovian', 41],
        ],
      }),
      {
        message:
          /made without --fork-at isthmus=31 \(there it activates after 30 s\) and --fork-at jovian=41 \(there it activates after 40 s\)/,
      },
    )
  })

  it('activate a fork with its own upgrade bundle or with one that is given', async () => {
    const bundle = join(folder, 'own.json')
    const to = `0x${'42'.repeat(20)}`
    const transactions = [{ data: '0x', from: `0x${'00'.repeat(20)}`, gasLimit: 77_000, intent: 'Own', to }]
    writeFileSync(bundle, JSON.stringify({ metadata: { version: '1.0.0' }, transactions }))
    await prepare({ forkAt: [['karst', 10]], upgradeBundle: [['karst', bundle]] })
    const { forks, genesis } = readRollupConfig(folder)
    const crossing = forks.transition(l2Time(genesis.l2TimestampSec + 8), l2Time(genesis.l2TimestampSec + 10))
    assert.deepEqual([crossing.activates, crossing.upgradeTransactions.length, crossing.upgradeGas], [['karst'], 1, 77_000n])

    const other = join(folder, 'other.json')
    writeFileSync(other, JSON.stringify({ metadata: { version: '1.0.0' }, transactions: [{ ...transactions[0], gasLimit: 1 }] }))
    await prepare({ upgradeBundle: [['karst', bundle]] })
    await assert.rejects(prepare({ upgradeBundle: [['karst', other]] }), { message: /made without this --upgrade-bundle for karst/ })

    rmSync(join(folder, 'upgrade-karst.json'))
    const official = readRollupConfig(folder).forks.transition(l2Time(genesis.l2TimestampSec + 8), l2Time(genesis.l2TimestampSec + 10))
    assert.deepEqual([official.upgradeTransactions.length, official.upgradeGas], [31, 55_370_657n])
    writeFileSync(join(folder, 'upgrade-karst.json'), JSON.stringify({ metadata: { version: '1.0.0' }, transactions: [] }))
    assert.throws(() => readRollupConfig(folder), { message: /transactions is empty/ })
  })

  it('are not begun with an upgrade bundle that cannot be read: the message names the option and the file', async () => {
    const noJson = join(folder, 'own.txt')
    writeFileSync(noJson, 'root:x:0:0')
    const empty = join(folder, 'empty.json')
    writeFileSync(empty, '{}')
    for (const [file, message] of [
      ['/nope', /^--upgrade-bundle karst=\/nope: cannot be read: ENOENT/],
      [folder, /^--upgrade-bundle karst=.*: cannot be read: EISDIR/],
      [noJson, /^--upgrade-bundle karst=.*own\.txt: expected an upgrade bundle in JSON$/],
      [empty, /^--upgrade-bundle karst=.*empty\.json: upgrade bundle of karst/],
    ] as const) {
      await assert.rejects(prepare({ forkAt: [['karst', 60]], upgradeBundle: [['karst', file]] }), { code: 'node/usage', message })
    }
    await assert.rejects(prepare({ forkAt: [['isthmus', 60]], upgradeBundle: [['isthmus', empty]] }), {
      message: /fork isthmus has no upgrade bundle; those that have one: karst, lagoon/,
    })
    assert.deepEqual(readdirSync(folder).sort(), ['empty.json', 'own.txt'])
    await prepare()
    assert.equal(readRollupConfig(folder).forks.activationTimeSec('lagoon'), 0)
  })

  it('have staking with the periods that are chosen, which are the chain’s from then on', async () => {
    const made = await prepare({ stakingDayBlocks: 30, stakingEvidenceBlocks: 45, stakingUnbondingBlocks: 76 })
    const { staking } = made.parameters
    assert.deepEqual([staking.hourBlocks, staking.dayBlocks, staking.evidenceBlocks, staking.unbondingBlocks], [30, 30, 45, 76])
    assert.deepEqual((await prepare({}, NOW + 1000)).parameters.staking, staking)
    await prepare({ stakingDayBlocks: 30, stakingHourBlocks: 30 })
    await assert.rejects(prepare({ stakingDayBlocks: 45 }), {
      code: 'node/usage',
      message: /made without --staking.day-blocks 45 \(it has 30\): leave that out/,
    })
    const other = mkdtempSync(join(tmpdir(), 'keelson-prepare-'))
    rmSync(folder, { recursive: true })
    folder = other
    await prepare()
    await assert.rejects(prepare({ stakingUnbondingBlocks: 151 }), { message: /--staking.unbonding-blocks 151 \(it has 150\)/ })
  })

  it('are not begun with periods of staking that its contract refuses', async () => {
    for (const [choice, message] of [
      [{ stakingHourBlocks: 20 }, /^--staking.hour-blocks: expected a multiple of an epoch's 15 blocks, got 20$/],
      [
        { stakingEvidenceBlocks: 120 },
        /^--staking.unbonding-blocks: expected more than 150, the 120 blocks for evidence and two epochs, got 150$/,
      ],
    ] as const) {
      await assert.rejects(prepare(choice), { code: 'node/usage', message })
      assert.deepEqual(readdirSync(folder), [])
    }
  })

  it('keep the fork of L1, with which anvil must be started again', async () => {
    const made = await prepare({ l1Fork: 'cancun' })
    const again = await prepare({}, NOW + 3_600_000)
    assert.deepEqual(anvilGenesisArguments(again), anvilGenesisArguments(made))
    assert.equal(readRollupConfig(folder).genesis.l1.hash, l1GenesisHash(again))
    await assert.rejects(prepare({ l1Fork: 'prague' }), { message: /made without --l1.fork prague \(it has cancun\)/ })
  })

  it('are refused before anything starts when rollup.json cannot be used', async () => {
    await prepare()
    const file = join(folder, 'rollup.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"block_time"', '"foo_time": 1, "block_time"'))
    await assert.rejects(prepare(), { message: /fork foo is in force at genesis and this release does not implement it/ })
  })
})
