import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { BUNDLED_FORKS, ETH_FORKS, type EthFork, type Fork, type LaterFork, loadUpgradeBundle } from '@keelson/chainspec'
import type { EvmEngine } from '@keelson/evm'
import { bytesToHex, encodeHeader, l2Time, NodeError } from '@keelson/primitives'
import { DevnetError } from '../devnet-error.ts'
import type { DevnetAddresses, DevnetGenesis } from '../genesis/devnet/build-devnet-genesis.ts'
import { DEFAULT_DEVNET_PARAMETERS } from '../genesis/devnet/devnet-parameters.ts'
import { openDevnetGenesis } from '../genesis/devnet/open-devnet-genesis.ts'
import { writeDevnetFiles } from '../genesis/devnet/write-devnet-files.ts'
import { l2GenesisHeader } from '../genesis/network-config.ts'
import {
  DEFAULT_CURRENCY_SYMBOL,
  hasNetwork,
  readKeelsonFile,
  readNetworkJson,
  readRollupConfig,
  upgradeBundleName,
  writeKeelsonFile,
} from '../network-files/network-files.ts'
import { readAccountsFile, writeAccountsFile } from './accounts-file.ts'
import { type ChainChoice, chosenAccounts, chosenParameters, DEFAULT_DEV_ACCOUNTS } from './chain-options.ts'
import { type BundleAt, type ForkAt, forkTimesOf, genesisForkOf } from './fork-at.ts'
import { chosenStaking, type StakingChoice, stakingFlag, stakingOf } from './staking-options.ts'

const WEI_PER_COIN = 10n ** 18n

export interface NetworkChoice extends Partial<StakingChoice>, Partial<ChainChoice> {
  /** Null keeps an existing chain's value, otherwise selects the default. */
  readonly fork: Fork | null
  readonly l1Fork: EthFork | null
  readonly symbol: string | null
  readonly forkAt?: readonly ForkAt[]
  readonly upgradeBundle?: readonly BundleAt[]
  readonly allowSameChainId: boolean
}

/** Throws DevnetError `node/usage` if an existing chain differs from the choice, ChainspecError for an invalid rollup.json. */
export async function prepareNetwork(
  folder: string,
  choice: NetworkChoice,
  nowMs: number,
  engine: () => EvmEngine,
): Promise<DevnetGenesis> {
  const bundles = readGivenBundles(choice.upgradeBundle ?? [])
  if (hasNetwork(folder)) {
    assertSameChain(folder, choice, bundles)
    const { genesis, l2ChainId, blockTimeSec } = readRollupConfig(folder, { allowSameChainId: choice.allowSameChainId })
    const kept = await openDevnetGenesis({ genesisTimeSec: genesis.l2TimestampSec, engine })
    const staking = { ...kept.parameters.staking, ...readKeelsonFile(folder).staking }
    const addresses = readNetworkJson(folder, 'addresses.json') as DevnetAddresses
    const own = { l2ChainId, l2BlockTimeSec: blockTimeSec, l2GasLimit: genesis.systemConfig.gasLimit }
    return { ...kept, addresses, parameters: { ...kept.parameters, ...own, l1Fork: keptL1Fork(folder), staking } }
  }
  const forkAt = choice.forkAt ?? []
  const fork = genesisForkOf(choice.fork, forkAt) ?? DEFAULT_DEVNET_PARAMETERS.fork
  for (const later of bundles.keys()) {
    if (!forkAt.some(([name]) => name === later))
      throw new DevnetError(
        'node/usage',
        `--upgrade-bundle ${later}=...: fork ${later} does not activate while the chain runs; add --fork-at ${later}=SECONDS`,
      )
  }
  const l1Fork = choice.l1Fork ?? DEFAULT_DEVNET_PARAMETERS.l1Fork
  const accounts = chosenAccounts(choice)
  const funded = isDeepStrictEqual(accounts, DEFAULT_DEV_ACCOUNTS)
    ? null
    : { balanceWei: accounts.balanceWei, addresses: accounts.accounts.map(({ address }) => address) }
  const genesis = await openDevnetGenesis({
    genesisTimeSec: Math.floor(nowMs / 1000),
    changes: { ...chosenParameters(choice), fork, l1Fork, staking: stakingOf(choice) },
    funded,
    engine,
  })
  writeKeelsonFile(folder, {
    currencySymbol: choice.symbol ?? DEFAULT_CURRENCY_SYMBOL,
    fork,
    l1Fork,
    staking: chosenStaking(choice),
    genesisHeader: bytesToHex(encodeHeader(l2GenesisHeader(genesis))),
  })
  if (funded !== null) writeAccountsFile(folder, accounts)
  writeDevnetFiles(folder, genesis, { laterForks: forkTimesOf(forkAt, genesis.l2.timestampSec) })
  for (const [later, text] of bundles) writeFileSync(join(folder, upgradeBundleName(later)), text)
  return genesis
}

/** Bundles are read before any write, so that a mistake leaves no incomplete network. */
function readGivenBundles(given: readonly BundleAt[]): ReadonlyMap<LaterFork, string> {
  const bundles = new Map<LaterFork, string>()
  for (const [fork, file] of given) {
    const refuse = (reason: string, cause?: unknown) =>
      new DevnetError('node/usage', `--upgrade-bundle ${fork}=${file}: ${reason}`, {}, { cause })
    if (bundles.has(fork)) throw refuse(`fork ${fork} is given twice`)
    if (!(BUNDLED_FORKS as readonly LaterFork[]).includes(fork))
      throw refuse(`fork ${fork} has no upgrade bundle; those that have one: ${BUNDLED_FORKS.join(', ')}`)
    try {
      const text = readFileSync(file, 'utf8')
      loadUpgradeBundle(fork, JSON.parse(text))
      bundles.set(fork, text)
    } catch (cause) {
      if (cause instanceof NodeError) throw refuse(cause.message, cause)
      // The parser's message would quote the file, which may hold secrets.
      throw refuse(
        cause instanceof SyntaxError ? 'expected an upgrade bundle in JSON' : `cannot be read: ${(cause as Error).message}`,
        cause,
      )
    }
  }
  return bundles
}

function keptL1Fork(folder: string): EthFork {
  const kept = readKeelsonFile(folder).l1Fork
  return ETH_FORKS.find((known) => known === kept) ?? DEFAULT_DEVNET_PARAMETERS.l1Fork
}

/** Throws for options that an existing chain cannot adopt. */
function assertSameChain(folder: string, choice: NetworkChoice, bundles: ReadonlyMap<LaterFork, string>): void {
  const { fork, l1Fork, symbol, forkAt = [], allowSameChainId } = choice
  genesisForkOf(fork, forkAt)
  const { forks, genesis } = readRollupConfig(folder, { allowSameChainId })
  const keptAfter = (later: LaterFork) => {
    const timeSec = forks.activationTimeSec(later)
    return timeSec === null ? null : Math.max(0, timeSec - genesis.l2TimestampSec)
  }
  const kept = readKeelsonFile(folder)
  const keptFork = forks.forkAt(l2Time(genesis.l2TimestampSec))
  const keptSymbol = kept.currencySymbol ?? DEFAULT_CURRENCY_SYMBOL
  const keptStaking = { ...DEFAULT_DEVNET_PARAMETERS.staking, ...kept.staking }
  const differing = [
    ...(fork === null || fork === keptFork ? [] : [`--fork ${fork} (it has ${keptFork})`]),
    ...(l1Fork === null || l1Fork === keptL1Fork(folder) ? [] : [`--l1.fork ${l1Fork} (it has ${keptL1Fork(folder)})`]),
    ...(symbol === null || symbol === keptSymbol ? [] : [`--symbol ${symbol} (it has ${keptSymbol})`]),
    ...chainDifferences(folder, choice),
    ...Object.entries(chosenStaking(choice))
      .filter(([name, blocks]) => keptStaking[name as keyof typeof keptStaking] !== blocks)
      .map(([name, blocks]) => `${stakingFlag(name)} ${blocks} (it has ${keptStaking[name as keyof typeof keptStaking]})`),
    ...forkAt
      .filter(([later, afterSec]) => keptAfter(later) !== afterSec)
      .map(([later, afterSec]) => `--fork-at ${later}=${afterSec} (there ${describeKept(keptAfter(later))})`),
    ...[...bundles].filter(([later, text]) => text !== keptBundle(folder, later)).map(([later]) => `this --upgrade-bundle for ${later}`),
  ]
  if (differing.length === 0) return
  throw new DevnetError(
    'node/usage',
    `the chain in ${folder} was made without ${differing.join(' and ')}: leave that out to continue it, add --fresh for a new chain, ` +
      'or keep both with another --data-dir',
  )
}

function chainDifferences(folder: string, choice: NetworkChoice): readonly string[] {
  const { l2ChainId, blockTimeSec, genesis } = readRollupConfig(folder, { allowSameChainId: choice.allowSameChainId })
  const kept = readAccountsFile(folder)
  const differing = (flag: string, value: number | null | undefined, has: bigint | number) =>
    value === null || value === undefined || BigInt(value) === BigInt(has) ? [] : [`--${flag} ${value} (it has ${has})`]
  const others =
    choice.mnemonic !== null &&
    choice.mnemonic !== undefined &&
    chosenAccounts({ ...choice, accounts: choice.accounts ?? kept.accounts.length }).accounts.some(
      ({ address }, i) => address !== kept.accounts[i]?.address,
    )
  return [
    ...differing('chain-id', choice.chainId, l2ChainId),
    ...differing('block-time', choice.blockTime, blockTimeSec),
    ...differing('gas-limit', choice.gasLimit, genesis.systemConfig.gasLimit),
    ...differing('accounts', choice.accounts, kept.accounts.length),
    ...differing('balance', choice.balance, kept.balanceWei / WEI_PER_COIN),
    ...(others ? ['this --mnemonic'] : []),
  ]
}

function describeKept(afterSec: number | null): string {
  if (afterSec === null) return 'it never activates'
  return afterSec === 0 ? 'it is in force from the first block' : `it activates after ${afterSec} s`
}

function keptBundle(folder: string, fork: LaterFork): string | null {
  const file = join(folder, upgradeBundleName(fork))
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
