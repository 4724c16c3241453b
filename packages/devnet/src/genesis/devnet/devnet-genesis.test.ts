import assert from 'node:assert/strict'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { createForkSchedule, type Fork, forksAtGenesis, loadGenesis, loadL1ChainConfig, loadRollupConfig } from '@keelson/chainspec'
import {
  decodeParameters,
  decodeStakingAccounts,
  decodeUint,
  encodeCall,
  OWN_CONTRACTS,
  PREDEPLOYS,
  PREINSTALLS,
  predeployAddress,
  STAKING_ACCOUNTS,
  STAKING_WORDS,
} from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  createPureCrypto,
  type GenesisAccount,
  hexToBytes,
  keccak256,
  keccak256Hash,
  L2_TO_L1_MESSAGE_PASSER,
  l2Time,
  rlpEncode,
  toAddress,
} from '@keelson/primitives'
import { HDNodeWallet, id, Mnemonic, Wallet } from 'ethers'
import {
  NEW_AT_LAGOON,
  readPredeployVersions,
  VERSIONS_AT_JOVIAN,
  VERSIONS_AT_KARST,
  VERSIONS_AT_LAGOON,
} from '../../../../../test/support/predeploy-versions.ts'
import { createTestEngine } from '../../../../../test/support/test-engine.ts'
import lagoonBundle from '../../../../chainspec/src/forks/upgrade-transactions/lagoon_nut_bundle.json' with { type: 'json' }
import { openContractFiles } from '../contract-files.ts'
import { openGenesisSession } from '../genesis-session.ts'
import { l2GenesisHash } from '../network-config.ts'
import { anvilGenesisState } from './anvil-state.ts'
import { buildDevnetGenesis, type DevnetGenesis } from './build-devnet-genesis.ts'
import { DEV_ACCOUNTS, DEV_ROLES } from './dev-accounts.ts'
import { devnetL1ChainJson, devnetRollupJson } from './devnet-config.ts'
import { DEFAULT_DEVNET_PARAMETERS } from './devnet-parameters.ts'
import { openDevnetGenesis } from './open-devnet-genesis.ts'

const GENESIS_TIME = 1_700_000_000
const engine = createTestEngine({ crypto: createPureCrypto() })

function build(fork: Fork): Promise<DevnetGenesis> {
  const parameters = { ...DEFAULT_DEVNET_PARAMETERS, fork }
  return buildDevnetGenesis({ engine, contracts: openContractFiles(), parameters, genesisTimeSec: GENESIS_TIME })
}

function openChain(accounts: readonly GenesisAccount[], fork: Fork) {
  const session = openSession(accounts, fork)
  return async (to: Address, signature: string, answer: string) => {
    const output = await session.call(DEV_ACCOUNTS[9]?.address as Address, to, encodeCall(signature))
    return decodeParameters(answer, output)[0]
  }
}

function openSession(accounts: readonly GenesisAccount[], fork: Fork) {
  const rules = createForkSchedule({ times: forksAtGenesis(fork) }).blockRules(l2Time(GENESIS_TIME))
  const session = openGenesisSession({ engine, rules, chainId: 1n, timestampSec: GENESIS_TIME, gasLimit: 30_000_000n, baseFeeWei: 7n })
  for (const { address, ...account } of accounts) session.place(address, account)
  return session
}

const accountsOf = (genesis: DevnetGenesis) => loadGenesis(JSON.parse(genesis.l2Json())).accounts

describe('development genesis', () => {
  let genesis: DevnetGenesis
  let l2: readonly GenesisAccount[]
  before(async () => {
    genesis = await build('lagoon')
    l2 = accountsOf(genesis)
  })

  it('is what the prebuilt files give for the same time', async () => {
    const notNeeded = () => assert.fail('the default network is prebuilt')
    const { l2Json, ...prebuilt } = await openDevnetGenesis({ genesisTimeSec: GENESIS_TIME, engine: notNeeded })
    const { l2Json: builtJson, ...built } = genesis
    const inOrder = (accounts: readonly GenesisAccount[]) =>
      accounts.map((account) => ({
        ...account,
        storage: [...account.storage].sort(([a], [b]) => (bytesToHex(a) < bytesToHex(b) ? -1 : 1)),
      }))
    assert.equal(l2Json(), builtJson())
    assert.deepEqual(inOrder(prebuilt.l1.accounts), inOrder(built.l1.accounts))
    assert.deepEqual({ ...prebuilt, l1: { ...prebuilt.l1, accounts: [] } }, { ...built, l1: { ...built.l1, accounts: [] } })
  })

  it('has a proxy under the proxy admin at every predeploy address but two', () => {
    const byAddress = new Map(l2.map((account) => [account.address, account]))
    const proxyCode = bytesToHex(openContractFiles().artifact('Proxy').deployedBytecode)
    const unproxied: Address[] = []
    for (let i = 0; i < 2048; i++) {
      const account = byAddress.get(predeployAddress(i))
      if (account === undefined || bytesToHex(account.code) !== proxyCode) {
        unproxied.push(predeployAddress(i))
        continue
      }
      const admin = account.storage.find(([slot]) => bytesToHex(slot).startsWith('0xb53127684a56'))?.[1]
      assert.equal(toAddress((admin as Uint8Array).subarray(12)), PREDEPLOYS.ProxyAdmin)
    }
    assert.deepEqual(unproxied, [PREDEPLOYS.WETH, PREDEPLOYS.GovernanceToken])
    for (const address of Object.values(PREINSTALLS)) assert.ok((byAddress.get(address)?.code.length ?? 0) > 0, address)
  })

  it('has the code that the specifications state where upgrades deployed it, and no trace of their senders', () => {
    const codeHashes = new Map(l2.map((account) => [account.address as string, keccak256Hash(account.code) as string]))
    for (const [address, codeHash] of [
      ['0xff256497d61dcd71a9e9ff43967c13fde1f72d12', '0x8e3fe7a416d3e5f3b7be74ddd4e7e58e516fa3f80b67c6d930e3cd7297da4a4b'],
      ['0x4fa2be8cd41504037f1838bce3bcc93bc68ff537', '0x57dc55c9c09ca456fa728f253fe7b895d3e6aae0706104935fe87c7721001971'],
      ['0x0000f90827f1c53a10cb7a02335b175320002935', '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d'],
      ['0x3ba4007f5c922fbb33c454b41ea7a1f11e83df2c', '0x5f885ca815d2cf27a203123e50b8ae204fdca910b6995d90b2d7700cbb9240d1'],
      ['0x4f1db3c6abd250ba86e0928471a8f7db3afd88f1', '0xe9fc7c96c4db0d6078e3d359d7e8c982c350a513cb2c31121adf5e1e8a446614'],
    ] as const) {
      assert.equal(codeHashes.get(address), codeHash)
    }
    const leftOver = l2.filter((account) => account.address.startsWith('0x42100000') || account.address.startsWith('0xdeaddead'))
    assert.deepEqual(leftOver, [])
  })

  it('has L2 contracts that know their fork, their owner and their counterparts on L1', async () => {
    const ask = openChain(l2, 'lagoon')
    for (const fork of ['isEcotone', 'isFjord', 'isIsthmus', 'isJovian']) {
      assert.equal(await ask(PREDEPLOYS.GasPriceOracle, `${fork}()`, 'bool'), true, fork)
    }
    assert.equal(await ask(PREDEPLOYS.ProxyAdmin, 'owner()', 'address'), DEV_ROLES.admin.address)
    assert.equal(await ask(PREDEPLOYS.L2CrossDomainMessenger, 'otherMessenger()', 'address'), genesis.addresses.L1CrossDomainMessenger)
    assert.equal(await ask(PREDEPLOYS.L2StandardBridge, 'otherBridge()', 'address'), genesis.addresses.L1StandardBridge)
    assert.equal(await ask(PREDEPLOYS.L2ERC721Bridge, 'otherBridge()', 'address'), genesis.addresses.L1ERC721Bridge)
    assert.equal(await ask(PREDEPLOYS.OptimismMintableERC20Factory, 'BRIDGE()', 'address'), PREDEPLOYS.L2StandardBridge)
    assert.equal(await ask(PREDEPLOYS.SequencerFeeVault, 'RECIPIENT()', 'address'), DEV_ROLES.admin.address)
    assert.equal(await ask(PREDEPLOYS.WETH, 'symbol()', 'string'), 'WETH')
    assert.equal(await ask(PREDEPLOYS.L1Block, 'number()', 'uint64'), 0n)
  })

  it('has the contracts for tasks and agents where they are announced', async () => {
    const ask = openChain(l2, 'lagoon')
    const { addresses, parameters } = genesis
    assert.deepEqual([addresses.Agents, addresses.Tasks], [OWN_CONTRACTS.Agents, OWN_CONTRACTS.Tasks])
    assert.equal(await ask(addresses.Tasks, 'agents()', 'address'), addresses.Agents)
    assert.equal(await ask(addresses.Tasks, 'arbiter()', 'address'), DEV_ROLES.admin.address)
    assert.equal(await ask(addresses.Tasks, 'nextTaskId()', 'uint256'), 1n)
    assert.equal(await ask(addresses.Tasks, 'reviewPeriod()', 'uint64'), BigInt(parameters.taskReviewSec))
    assert.equal(await ask(addresses.Tasks, 'claimPeriod()', 'uint32'), BigInt(parameters.taskClaimSec))
    assert.equal(await ask(addresses.Agents, 'tasks()', 'address'), addresses.Tasks)
    assert.equal(await ask(addresses.Agents, 'minimumStake()', 'uint256'), parameters.agentMinimumStakeWei)
  })

  it('has staking with the network’s parameters, a pool that was paid in, and nobody at stake', async () => {
    const session = openSession(l2, 'lagoon')
    const { staking, stakingPoolWei } = genesis.parameters
    const ask = async (data: Uint8Array) => session.call(DEV_ROLES.validator.address, genesis.addresses.Staking, data)
    const words: [string, bigint][] = []
    for (const [name, data] of Object.entries(STAKING_WORDS)) words.push([name, decodeUint(await ask(data))])
    const { minimumStakeWei, rewardPerBlockWei, ...periods } = staking
    const expected = Object.entries(periods).map(([name, value]) => [name, BigInt(value)])
    assert.deepEqual(Object.fromEntries(words), {
      ...Object.fromEntries(expected),
      minimumStake: minimumStakeWei,
      retentionStake: (minimumStakeWei * 95n) / 100n,
      rewardPerBlock: rewardPerBlockWei,
      currentEpoch: 0n,
      rewardsReleased: 0n,
      rewardsMissed: 0n,
      shortfall: 0n,
      validatorCount: 0n,
    })
    assert.deepEqual(decodeStakingAccounts(await ask(STAKING_ACCOUNTS)), {
      stakesWei: 0n,
      unbondingWei: 0n,
      rewardsWei: 0n,
      slashedWei: 0n,
      poolWei: stakingPoolWei,
    })
    assert.equal(l2.find(({ address }) => address === OWN_CONTRACTS.Staking)?.balanceWei, stakingPoolWei)
  })

  it('gives faucet, validator and admin what they pay with, and backs every wei of L2 at the portal', () => {
    const balances = (accounts: readonly GenesisAccount[]) => new Map(accounts.map(({ address, balanceWei }) => [address, balanceWei]))
    const [onL1, onL2] = [balances(genesis.l1.accounts), balances(l2)]
    const tokens = 10n ** 18n
    assert.equal(onL2.get(DEV_ROLES.faucet.address), 1_000_000n * tokens)
    assert.ok((onL2.get(DEV_ROLES.validator.address) ?? 0n) > genesis.parameters.staking.minimumStakeWei + 100n * tokens)
    const admin = l2.find(({ address }) => address === DEV_ROLES.admin.address)
    assert.deepEqual([admin?.nonce, admin?.balanceWei], [0n, 10_000n * tokens])
    for (const { address } of Object.values(DEV_ROLES)) assert.equal(onL1.get(address), 10_000n * tokens)
    const supply = [...onL2.values()].reduce((sum, balanceWei) => sum + balanceWei, 0n)
    assert.equal(supply, (12n * 10_000n + 1_000_000n + 10_000_000n) * tokens + (onL2.get(PREDEPLOYS.WETH) ?? 0n))
    assert.equal(onL2.get(PREDEPLOYS.WETH), 7_000n * tokens)
    assert.equal(onL1.get(genesis.addresses.OptimismPortal), supply)
  })

  it('has L1 contracts whose answers are the rollup config', async () => {
    const ask = openChain(genesis.l1.accounts, 'jovian')
    const { addresses, parameters } = genesis
    const rollup = loadRollupConfig(devnetRollupJson(genesis))
    assert.equal(await ask(rollup.systemConfigContract, 'gasLimit()', 'uint64'), 30_000_000n)
    assert.equal(await ask(rollup.systemConfigContract, 'batcherHash()', 'uint256'), BigInt(rollup.genesis.systemConfig.batcherAddress))
    assert.deepEqual(await ask(rollup.systemConfigContract, 'scalar()', 'bytes32'), rollup.genesis.systemConfig.scalar)
    assert.equal(await ask(rollup.systemConfigContract, 'unsafeBlockSigner()', 'address'), DEV_ROLES.sequencer.address)
    assert.equal(await ask(rollup.systemConfigContract, 'batchInbox()', 'address'), rollup.batchInbox)
    assert.equal(await ask(rollup.depositContract, 'l2Oracle()', 'address'), addresses.L2OutputOracle)
    assert.equal(await ask(addresses.L2OutputOracle, 'startingTimestamp()', 'uint256'), BigInt(GENESIS_TIME))
    assert.equal(await ask(addresses.L2OutputOracle, 'nextBlockNumber()', 'uint256'), BigInt(parameters.submissionIntervalBlocks))
    assert.equal(await ask(addresses.L1StandardBridge, 'otherBridge()', 'address'), PREDEPLOYS.L2StandardBridge)
    assert.equal(await ask(addresses.L1CrossDomainMessenger, 'portal()', 'address'), addresses.OptimismPortal)
    assert.equal(loadL1ChainConfig(devnetL1ChainJson(parameters)).chainId, rollup.l1ChainId)
  })

  it('puts the storage root of the message passer into the header, equal to another implementation of the trie', async () => {
    const trie = new MerklePatriciaTrie({ useKeyHashing: true })
    const passer = l2.find((account) => account.address === L2_TO_L1_MESSAGE_PASSER)
    for (const [slot, value] of passer?.storage ?? []) {
      const trimmed = value.subarray(value.findIndex((byte) => byte !== 0))
      await trie.put(slot, rlpEncode(trimmed))
    }
    assert.equal(genesis.messagePasserStorageRoot, bytesToHex(trie.root()))
    const state = new MerklePatriciaTrie({ useKeyHashing: true })
    for (const account of l2) {
      const storage = new MerklePatriciaTrie({ useKeyHashing: true })
      for (const [slot, value] of account.storage) await storage.put(slot, rlpEncode(value.subarray(value.findIndex((byte) => byte !== 0))))
      await state.put(hexToBytes(account.address), rlpEncode([account.nonce, account.balanceWei, storage.root(), keccak256(account.code)]))
    }
    assert.equal(genesis.l2StateRoot, bytesToHex(state.root()))
  })

  it('is described by an anvil state of the same block and accounts', () => {
    const state = anvilGenesisState(genesis) as { accounts: Record<string, { code: string }>; blocks: { header: { timestamp: string } }[] }
    assert.equal(Object.keys(state.accounts).length, genesis.l1.accounts.length)
    assert.equal(Number(state.blocks[0]?.header.timestamp), GENESIS_TIME)
    assert.ok((state.accounts[genesis.addresses.OptimismPortal]?.code.length ?? 0) > 2)
  })

  it('can start with an older fork', async () => {
    const bedrock = await build('bedrock')
    const ask = openChain(accountsOf(bedrock), 'bedrock')
    assert.equal(await ask(PREDEPLOYS.GasPriceOracle, 'isEcotone()', 'bool'), false)
    const system = loadRollupConfig(devnetRollupJson(bedrock)).genesis.systemConfig
    assert.equal(bytesToHex(system.scalar), `0x${(684_000).toString(16).padStart(64, '0')}`)
    assert.equal(await openChain(bedrock.l1.accounts, 'jovian')(bedrock.addresses.SystemConfig, 'scalar()', 'uint256'), 684_000n)
    assert.notEqual(l2GenesisHash(bedrock), l2GenesisHash(genesis))
  })

  it('has predeploys of the versions that the upgrades to its fork install', async () => {
    const versionsAt = async (fork: Fork, accounts?: readonly GenesisAccount[]) => {
      const session = openSession(accounts ?? accountsOf(await build(fork)), fork)
      return readPredeployVersions((to, data) => session.call(DEV_ACCOUNTS[9]?.address as Address, to, data))
    }
    assert.deepEqual(await versionsAt('jovian'), VERSIONS_AT_JOVIAN)
    assert.deepEqual(await versionsAt('karst'), VERSIONS_AT_KARST)
    assert.deepEqual(await versionsAt('lagoon', l2), VERSIONS_AT_LAGOON)
    for (const [name, version] of Object.entries(NEW_AT_LAGOON)) {
      const intent = `Deploy ${name === 'ProxyAdmin' ? 'L2ProxyAdmin' : name} Implementation`
      const deployed = lagoonBundle.transactions.filter((transaction) => transaction.intent === intent)
      assert.equal(deployed.length, 1, intent)
      assert.ok(deployed[0]?.data.includes(Buffer.from(version).toString('hex')), `${intent} at ${version}`)
    }
  })
})

describe('development keys', () => {
  it('are those of the mnemonic every tool uses, and of the roles’ names', () => {
    const mnemonic = Mnemonic.fromPhrase('test test test test test test test test test test test junk')
    DEV_ACCOUNTS.forEach((account, i) => {
      const wallet = HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${i}`)
      assert.deepEqual(account, { address: wallet.address.toLowerCase(), privateKey: wallet.privateKey })
    })
    for (const [role, account] of Object.entries(DEV_ROLES)) {
      assert.equal(account.privateKey, id(`keelson devnet ${role}`))
      assert.equal(account.address, new Wallet(account.privateKey).address.toLowerCase())
    }
  })
})
