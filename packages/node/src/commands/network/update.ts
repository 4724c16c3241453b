import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { durationText, type RollupConfig, utcText } from '@keelson/chainspec'
import { readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { messageOf } from '@keelson/primitives'
import { asCalled, createSystemClock, option, optionParsers as parse, readDataIdentity, shellWord } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { roleFolders } from '../../doctor/role-folders.ts'
import { AssemblyError } from '../../errors.ts'
import { FORK_TIMES_FILE, readForkTimesFile, writeForkTimesFile } from '../../fork-times/fork-times-file.ts'
import { planUpdate, type UpdatePlan } from '../../fork-times/update-fork-times.ts'
import { networkArgument } from '../../networks/network-argument.ts'
import { readRegistryFile, registryAddress } from '../../networks/read-registry.ts'
import { type RegistryEntry, readRegistryEntry } from '../../networks/registry-entry.ts'

const REGISTRY = 'https://raw.githubusercontent.com/ethereum-optimism/superchain-registry/main'
const TIMEOUT_MS = 10_000

export const networkUpdateCommand = defineCommand({
  name: 'network update',
  summary: 'fork times of a newer superchain registry, for nodes that are set up already',
  usage: 'NETWORK --data-dir FOLDER,... [--registry FOLDER|URL]',
  explanation: `Reads superchain/configs/SUPERCHAIN/CHAIN.toml of the registry and writes the fork times that this release lacks to
${FORK_TIMES_FILE} in the data folder of each role. A role with that file uses it from its next start, and says so in its log. It refuses
times that move an active fork or are out of order, and it stops before a fork that this release does not implement.`,
  options: {
    dataDir: option({
      key: 'dataDir',
      parse: parse.list(parse.path),
      description: 'Data folders of the roles of one network, or folders that hold them, separated by commas.',
    }),
    registry: option({
      key: 'network.registry',
      flag: 'registry',
      parse: registryAddress,
      default: REGISTRY,
      description: 'A checkout of the superchain registry, or the https URL of its files.',
    }),
  },
  takesArguments: true,
  checkArguments: (positional) => void networkArgument('network update', positional),
  async run({ dataDir, registry }, { positional }) {
    const folder = networkArgument('network update', positional)
    const network = positional[0] as string
    const nowSec = Math.floor(createSystemClock().nowMs() / 1000)
    const rollup = readRollupConfig(folder, { allowSameChainId: true })
    const entry = await readEntry(registry, network, folder, rollup)
    const folders = (await Promise.all(dataDir.map((path) => roleFolders(resolve(path))))).flat()
    for (const path of folders) await assertSameChain(path, rollup)
    // All plans come before the first write, so that the roles of a node agree.
    const plans = folders.map((path) => {
      return { path, plan: planUpdate({ network, folder, rollup, entry, previous: readForkTimesFile(path), nowSec }) }
    })
    for (const { path, plan } of plans) for (const line of await carryOut(path, plan)) console.log(line)
    const doctor = `${asCalled('doctor', { network })} --data-dir ${shellWord(dataDir.join(','))}`
    for (const line of describePlan(plans[0]?.plan, entry, nowSec, doctor)) console.log(line)
    return 0
  },
})

async function readEntry(registry: string, network: string, folder: string, rollup: RollupConfig): Promise<RegistryEntry> {
  const chain = readPublicNetwork(folder)?.source.chain
  if (chain === undefined)
    throw new AssemblyError('node/usage', `${network} is no network of the superchain registry; its operators announce its forks`)
  const path = `superchain/configs/${chain}.toml`
  try {
    return readRegistryEntry(await readRegistryFile(registry, path, TIMEOUT_MS), `${registry.replace(/\/+$/, '')}/${path}`, rollup)
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? `it has no ${path}` : messageOf(cause)
    const todo = `give --registry a checkout that has the chain, or the URL of its files`
    throw new AssemblyError('node/usage', `the registry at ${registry} cannot be used: ${why}; nothing was written; ${todo}`, {}, { cause })
  }
}

async function assertSameChain(path: string, { l2ChainId, genesis }: RollupConfig): Promise<void> {
  const identity = await readDataIdentity(path)
  if (identity === null || (identity.chainId === l2ChainId.toString() && identity.genesisHash === genesis.l2.hash)) return
  throw new AssemblyError(
    'node/usage',
    `${path} holds data of chain ${identity.chainId} with genesis ${identity.genesisHash}, the network is chain ${l2ChainId} with genesis ${genesis.l2.hash}; nothing was written`,
  )
}

async function carryOut(path: string, { newer }: UpdatePlan): Promise<readonly string[]> {
  const file = join(path, FORK_TIMES_FILE)
  if (newer !== null) {
    await writeForkTimesFile(path, newer)
    return [`${file} is written for ${newer.network}, chain ${newer.chainId}: a role with this data folder uses it from its next start`]
  }
  if (readForkTimesFile(path) === null) return [`${file} is not needed`]
  await rm(file)
  return [`${file} is removed, because it is no longer needed`]
}

function describePlan(plan: UpdatePlan | undefined, { source }: RegistryEntry, nowSec: number, doctor: string): readonly string[] {
  if (plan === undefined) return []
  const { newer, applied, notes } = plan
  if (newer === null) return [`this release has every fork time of ${source}`, ...notes]
  const lines = [...newer.forks].map(([name, { timeSec }]) => {
    const when = timeSec > nowSec ? `in ${durationText(timeSec - nowSec)}` : `${durationText(nowSec - timeSec)} ago`
    const stops = applied.unsupportedForks.some((fork) => fork.name === name)
    return `  ${name} at ${timeSec} (${utcText(timeSec)}), ${when}${stops ? `: this release cannot follow it, and a node stops before it` : ''}`
  })
  return [`from ${source}:`, ...lines, ...notes, `"${doctor}" and --print-config show it`]
}
