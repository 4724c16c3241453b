import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForkSchedule, type Fork, forksAtGenesis, l1ConfigAtGenesis, unconfirmedBundle } from '@keelson/chainspec'
import { decodeParameters, encodeCall, OWN_CONTRACTS } from '@keelson/contracts'
import { DEV_ACCOUNTS, DEV_ROLES, type NetworkParameters, openContractFiles, openGenesisSession } from '@keelson/devnet/genesis'
import { readGenesisBlock, readL1ChainConfig, readRollupConfig } from '@keelson/devnet/network-files'
import {
  type Address,
  createPureCrypto,
  type GenesisAccount,
  hashHeader,
  l2Time,
  toAddress,
  toHash,
  ZERO_ADDRESS,
} from '@keelson/primitives'
import { getCreateAddress } from 'ethers'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { buildNetwork } from './build-network.ts'
import { changeParameters } from './change-parameters.ts'
import { addressMistakes, inputMistakes, inputWarnings, isPublicKey } from './judge-inputs.ts'
import { type NetworkInputs, networkInputsFromJson, networkInputsToJson } from './network-inputs.ts'
import { type PlannedDeployment, planL1Deployment } from './plan-l1-deployment.ts'
import { PRESETS, type Preset, presetParameters } from './presets.ts'
import { draftNetwork } from './write-network.ts'

const account = (n: number) => toAddress(`0x${n.toString(16).padStart(40, 'a')}`)
const ROLES = { admin: account(1), batcher: account(2), proposer: account(3), sequencer: account(4) }
const DEPLOYER = account(5)
const NONCE = 7n
const L1 = l1ConfigAtGenesis(31_500n, 'prague')
const START = { number: 12, hash: toHash(`0x${'5a'.repeat(32)}`), timestampSec: 1_800_000_000 }
const engine = createTestEngine({ crypto: createPureCrypto() })
const contracts = openContractFiles()

const parametersOf = (preset: Preset) => presetParameters(preset, { l1ChainId: 31_500n, l2ChainId: 77_001n, roles: ROLES })
const plan = (parameters: NetworkParameters, l1Chain = L1) =>
  planL1Deployment({ engine, contracts, parameters, l1Chain, start: START, deployer: DEPLOYER, nonce: NONCE })
const inputsOf = (preset: Preset, { addresses }: PlannedDeployment): NetworkInputs => ({
  preset,
  currencySymbol: 'KEEL',
  parameters: parametersOf(preset),
  l1: { chain: L1, start: START, addresses },
})

function stakingOf(accounts: Iterable<GenesisAccount>) {
  const rules = createForkSchedule({ times: forksAtGenesis('karst') }).blockRules(l2Time(START.timestampSec))
  const chain = { engine, rules, chainId: 77_001n, timestampSec: START.timestampSec, gasLimit: 30_000_000n, baseFeeWei: 7n }
  const session = openGenesisSession(chain)
  for (const { address, ...rest } of accounts) session.place(address, rest)
  return async (getter: string) => {
    const output = await session.call(account(9), OWN_CONTRACTS.Staking, encodeCall(getter))
    return decodeParameters('uint256', output)[0]
  }
}

describe('a network made from a preset', () => {
  let planned: PlannedDeployment
  let folder: string
  before(async () => {
    planned = await plan(parametersOf('test'))
    folder = mkdtempSync(join(tmpdir(), 'keelson-make-network-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [preset, minimum] of [
    ['test', 1_000n],
    ['main', 10_000n],
  ] as const) {
    it(`${preset}: its files are read by a node and hold a stake of ${minimum} and real hours and days`, async () => {
      const built = await buildNetwork(inputsOf(preset, planned), { engine, contracts })
      const out = join(folder, preset)
      draftNetwork(out, built.files).publish()
      const rollup = readRollupConfig(out)
      const { header, accounts } = readGenesisBlock(out, rollup)
      assert.equal(hashHeader(header), built.l2GenesisHash)
      assert.equal(readL1ChainConfig(out).chainId, 31_500n)
      assert.deepEqual(rollup.genesis.l1, { number: START.number, hash: START.hash })
      assert.equal(rollup.genesis.l2TimestampSec, START.timestampSec)
      assert.deepEqual(
        [rollup.l2ChainId, rollup.batchInbox, rollup.genesis.systemConfig.batcherAddress, rollup.depositContract],
        [77_001n, '0xff00000000000000000000000000000000077001', ROLES.batcher, planned.addresses.OptimismPortal],
      )
      const all = [...accounts]
      const ask = stakingOf(all)
      assert.equal(await ask('minimumStake()'), minimum * 10n ** 18n)
      assert.deepEqual([await ask('hourBlocks()'), await ask('dayBlocks()')], [3_600n / 2n, 86_400n / 2n])
      assert.equal(await ask('unbondingBlocks()'), (preset === 'main' ? 7n : 1n) * 43_200n)
      assert.equal(
        all.reduce((sum, { balanceWei }) => sum + balanceWei, 0n),
        0n,
        'nobody holds coins that L1 does not back',
      )
    })
  }

  it('is the same byte by byte when it is made again from its network.json', async () => {
    const first = await buildNetwork(inputsOf('test', planned), { engine, contracts })
    const file = first.files.get('network.json') as string
    const second = await buildNetwork(networkInputsFromJson(JSON.parse(file), 'network.json'), { engine, contracts })
    assert.deepEqual([...second.files.keys()], [...first.files.keys()])
    for (const [name, content] of first.files) assert.ok(second.files.get(name) === content, name)
  })

  it('has its contracts on L1 where the nonces of the deployer put them, and leaves the deployer nothing', async () => {
    const created = planned.transactions.flatMap(({ to }, i) =>
      to === null ? [getCreateAddress({ from: DEPLOYER, nonce: NONCE + BigInt(i) }).toLowerCase()] : [],
    )
    for (const address of Object.values(planned.addresses)) assert.ok(created.includes(address))
    assert.equal(new Set(Object.values(planned.addresses)).size, 11)
    const last = planned.transactions.at(-2)
    assert.equal(last?.to, planned.addresses.ProxyAdmin)
    assert.deepEqual(last?.data, encodeCall('transferOwnership(address)', [ROLES.admin]))
    // EIP-7825's limit for a transaction.
    for (const { gasLimit } of planned.transactions) assert.ok(gasLimit < 2n ** 24n)
  })

  it('is planned without contracts of its own on an L1 at Amsterdam, whose gas for state is not worked out here', async () => {
    await assert.rejects(plan(parametersOf('test'), l1ConfigAtGenesis(31_500n, 'amsterdam')), {
      code: 'node/usage',
      message: /L1 block 12 is under amsterdam, .* give their addresses with --l1\.addresses; nothing was sent/,
    })
  })

  it('is not written over a folder with something in it', () => {
    const out = join(folder, 'taken')
    mkdirSync(out)
    writeFileSync(join(out, 'notes.txt'), 'mine')
    assert.throws(() => draftNetwork(out, new Map([['a', 'b']])), {
      code: 'node/usage',
      message: /taken is not empty and is not written over/,
    })
    assert.deepEqual(readdirSync(out), ['notes.txt'])
    assert.throws(() => draftNetwork(join(out, 'notes.txt'), new Map()), { code: 'node/usage', message: /is not a folder/ })
  })
})

describe('the inputs of a network', () => {
  const mistakesOf = (preset: Preset, changes: Partial<NetworkParameters>, allowSameChainId = false) =>
    inputMistakes({ preset, parameters: { ...parametersOf(preset), ...changes }, allowSameChainId })

  it('are refused with a chain id of L1 or of a public chain', () => {
    assert.deepEqual(mistakesOf('test', {}), [])
    assert.match(mistakesOf('test', { l2ChainId: 31_500n }).join(), /^--chain-id 31500 is the chain id of L1/)
    assert.deepEqual(mistakesOf('test', { l2ChainId: 31_500n }, true), [])
    assert.match(mistakesOf('test', { l2ChainId: 8_453n }).join(), /^--chain-id 8453 belongs to Base:/)
    assert.match(mistakesOf('main', { l2ChainId: 84_532n }).join(), /^--chain-id 84532 belongs to Base Sepolia:/)
    assert.match(mistakesOf('main', { l2ChainId: 0n }).join(), /^--chain-id 0: expected a whole number from 1/)
    assert.deepEqual(mistakesOf('test', { l2ChainId: 84_532n }), [], 'the id that the interface documents name')
    const warned = inputWarnings({ preset: 'test', parameters: { ...parametersOf('test'), l2ChainId: 84_532n }, allowSameChainId: false })
    assert.match(warned.join(), /84532 also belongs to Base Sepolia/)
  })

  it('are refused with zero addresses and with accounts whose keys everybody knows, except on a devnet', () => {
    const known = DEV_ACCOUNTS[1]?.address as Address
    for (const role of ['admin', 'batcher', 'proposer', 'sequencer'] as const) {
      assert.match(
        mistakesOf('devnet', { roles: { ...ROLES, [role]: ZERO_ADDRESS } }).join(),
        new RegExp(`^--${role} 0x0{40}: .*zero address`),
      )
      for (const preset of ['test', 'main'] as const) {
        const [mistake, ...more] = mistakesOf(preset, { roles: { ...ROLES, [role]: known } })
        assert.match(mistake ?? '', new RegExp(`^--${role} ${known}: the key of this account is published`))
        assert.deepEqual(more, [])
      }
      assert.deepEqual(mistakesOf('devnet', { roles: { ...ROLES, [role]: known } }), [])
    }
    assert.ok(isPublicKey(DEV_ROLES.batcher.address))
    assert.match(mistakesOf('test', { roles: { ...ROLES, proposer: ROLES.batcher } }).join(), /--batcher and --proposer are both/)
    assert.match(mistakesOf('test', { batchInbox: ZERO_ADDRESS }).join(), /batchInbox: .*zero address/)
  })

  it('are refused with parameters that a contract would refuse, by name and value', () => {
    const changed = (...changes: string[]) => {
      const mistakes: string[] = []
      const parameters = changeParameters(parametersOf('test'), changes, mistakes)
      return [...mistakes, ...inputMistakes({ preset: 'test', parameters, allowSameChainId: false })].join('\n')
    }
    assert.equal(changed('submissionIntervalBlocks=9', 'staking.seats=50', `batchInbox=${account(8)}`), '')
    assert.match(changed('l2GasLimit=5'), /l2GasLimit: expected at least 21000000, got 5/)
    assert.match(changed('l2GasLimit=1000000000'), /l2GasLimit: expected at most 200000000, got 1000000000/)
    assert.match(changed('staking.hourBlocks=7'), /staking\.hourBlocks: expected a multiple of an epoch's 150 blocks, got 7/)
    assert.match(changed('staking.minimumStakeWei=0'), /staking\.minimumStakeWei: expected at least 1, got 0/)
    assert.match(changed('staking.unbondingBlocks=8300'), /staking\.unbondingBlocks: expected more than 8300/)
    assert.match(changed('nonsense=1'), /--set nonsense: there is no such parameter; there are l2GasLimit,/)
    assert.match(changed('l2GasLimit=abc'), /--set l2GasLimit: expected a whole number in decimal digits, as text, got "abc"/)
    assert.match(changed('l2ChainId=5'), /l2ChainId cannot be set: give --chain-id/)
    assert.match(changed('l2BlockTimeSec=1'), /l2BlockTimeSec cannot be set: give --block-time/)
    assert.match(changed('roles.admin=0x1'), /roles\.admin cannot be set: give --admin/)
    assert.match(changed('__proto__.x=1', 'staking=1'), /there is no such parameter.*\n.*there is no such parameter/)
  })

  it('begin at Karst, or at Jovian as those of earlier releases do', () => {
    const judged = (fork: Fork) => inputMistakes({ preset: 'test', parameters: { ...parametersOf('test'), fork }, allowSameChainId: false })
    for (const preset of PRESETS) {
      assert.equal(parametersOf(preset).fork, 'karst')
      // A network on a public L1 has to be one that this release follows.
      assert.equal(unconfirmedBundle(parametersOf(preset).fork), null)
    }
    assert.deepEqual([judged('karst'), judged('jovian')], [[], []])
    assert.deepEqual(judged('isthmus'), ['fork: expected karst or jovian, got "isthmus"'])
  })

  it('are read from network.json strictly: every mistake is named', async () => {
    const { addresses } = await plan(parametersOf('test'))
    const json = JSON.parse(JSON.stringify(networkInputsToJson(inputsOf('test', { addresses, transactions: [] }))))
    const refused = (changed: unknown) => {
      let message = ''
      assert.throws(
        () => networkInputsFromJson(changed, 'n.json'),
        (error: Error) => {
          message = error.message
          return true
        },
      )
      return message
    }
    assert.match(refused({ ...json, version: 2 }), /n\.json does not describe a network:\n {2}- version: expected 1, got 2$/)
    assert.match(refused({ ...json, parameters: { ...json.parameters, extra: 1 } }), /parameters\.extra: this key is not known/)
    assert.match(
      refused({ ...json, parameters: { ...json.parameters, l2GasLimit: 'x' } }),
      /parameters\.l2GasLimit: expected a whole number/,
    )
    assert.match(
      refused({ ...json, l1: { ...json.l1, addresses: {} } }),
      /l1\.addresses\.OptimismPortal: expected an address on L1, got nothing/,
    )
    for (const broken of [null, 5, [], {}, { ...json, l1: null }]) assert.match(refused(broken), /does not describe a network/)
    const same = { ...addresses, SystemConfig: addresses.OptimismPortal, ProxyAdmin: ZERO_ADDRESS }
    assert.match(addressMistakes(same).join('\n'), /ProxyAdmin: .*zero address\n.*OptimismPortal and SystemConfig are both/)
  })
})
