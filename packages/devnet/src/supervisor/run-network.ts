import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeForksToCome } from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'
import { createL1Clock, l1PaceOf } from '../clocks/l1-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import { anvilGenesisArguments } from '../genesis/devnet/anvil-state.ts'
import { DEV_ROLES } from '../genesis/devnet/dev-accounts.ts'
import { readCurrencySymbol } from '../network-files/network-files.ts'
import { assertPortsFree } from '../ports/free-ports.ts'
import { type DevnetPorts, devnetPorts } from '../ports/ports.ts'
import { readAccountsFile } from '../prepare/accounts-file.ts'
import { type DevnetFile, describeDevnet } from '../prepare/devnet-file.ts'
import type { NetworkChoice } from '../prepare/prepare-network.ts'
import { type DevnetPaths, devnetPaths } from '../roles/devnet-paths.ts'
import { devnetRoles } from '../roles/devnet-roles.ts'
import type { DevnetRoleInput } from '../roles/role-input.ts'
import { firstScreen } from '../screen/first-screen.ts'
import { finishRestore } from '../snapshots/snapshots.ts'
import { Devnet } from './devnet.ts'
import { acquireInstanceLock, endOrphans, type InstanceLock, readInstance } from './instance-lock.ts'
import type { NetworkEnvironment, NetworkSettings } from './network-settings.ts'
import { readTask } from './network-task.ts'
import { type OpenNetwork, openNetwork } from './open-network.ts'
import { openRunningNetworks } from './running-networks.ts'
import { createSupervisorRpc } from './supervisor-rpc.ts'
import { createTaskDesk, type PendingTask } from './task-desk.ts'

/** Throws DevnetError `node/usage` for conflicting settings, `node/devnet` if ports are in use or a role does not start. */
export async function runNetwork(settings: NetworkSettings, environment: NetworkEnvironment): Promise<void> {
  if (settings.sequencers > 1 && !settings.p2p) throw new DevnetError('node/usage', '--sequencers 2 needs gossip: leave out --no-p2p')
  const { clock, warn } = environment
  const { host, portOffset } = settings
  const ports = devnetPorts(portOffset, settings.sequencers)
  const paths = devnetPaths(resolve(settings.dataDir))
  const orphaned = readInstance(paths.folder)
  const lock = acquireInstanceLock(paths.folder, { host, portOffset })
  const networks = openRunningNetworks(environment.stateFolder)
  const others = networks.list().filter(({ folder }) => folder !== paths.folder)
  networks.add(paths.folder)
  try {
    for (const ended of await endOrphans(paths.folder, orphaned, clock))
      warn(`keelson: ended ${ended}, left behind by a network that was killed`)
    await assertPortsFree(host, ports, { clock, networks: others, say: (line) => warn(`keelson: ${line}`) })
    await finishRestore(paths.folder)
    if (settings.fresh) removeChain(paths)
    const network = await openNetwork(settings, paths, environment)
    await supervise({ settings, paths, ports, network, lock }, environment)
  } finally {
    networks.remove(paths.folder)
    lock.release()
  }
}

/** Takes the chain's properties from its files, because a restored chain may have others than the options say. */
const KEPT_CHAIN: Omit<NetworkChoice, 'allowSameChainId'> = {
  fork: null,
  l1Fork: null,
  symbol: null,
  forkAt: [],
  upgradeBundle: [],
  accounts: null,
  mnemonic: null,
  balance: null,
  chainId: null,
  blockTime: null,
  gasLimit: null,
  stakingHourBlocks: null,
  stakingDayBlocks: null,
  stakingEvidenceBlocks: null,
  stakingUnbondingBlocks: null,
}

interface Supervised {
  readonly settings: NetworkSettings
  readonly paths: DevnetPaths
  readonly ports: DevnetPorts
  readonly network: OpenNetwork
  readonly lock: InstanceLock
}

function removeChain(paths: DevnetPaths): void {
  for (const folder of Object.values(paths)) if (folder !== paths.folder) rmSync(folder, { recursive: true, force: true })
}

async function supervise(first: Supervised, environment: NetworkEnvironment): Promise<void> {
  const { paths, settings } = first
  const { clock, print } = environment
  const desk = createTaskDesk()
  const control = environment.serveControl(paths.folder, (request) => desk.run(readTask(request, paths.folder, clock.nowMs)))
  const interrupted = environment.interruption()
  let finished: (() => void) | null = null
  let keepClock = settings.keepClock
  await control.start(interrupted)
  try {
    for (let supervised = first; ; ) {
      const pending = await runUntilTask(supervised, environment, {
        interrupted,
        next: () => {
          finished?.()
          return desk.next(interrupted)
        },
        isFirst: supervised === first,
      })
      if (pending === null) return
      const { task, done, failed } = pending
      finished = await task.act(null).then(
        (finish) => () => void finish().then(done, failed),
        (error: unknown) => () => failed(error),
      )
      keepClock ||= task.keepsClock
      if (!settings.json) print('starting again ...')
      supervised = { ...supervised, network: await openNetwork({ ...settings, ...KEPT_CHAIN, keepClock }, paths, environment) }
    }
  } finally {
    await control.stop()
  }
}

interface Run {
  readonly interrupted: AbortSignal
  /** Called when the network is ready. */
  readonly next: () => Promise<PendingTask | null>
  readonly isFirst: boolean
}

/** Returns the task that the network was stopped for, or null after an interruption. */
async function runUntilTask(supervised: Supervised, environment: NetworkEnvironment, { interrupted, next, isFirst }: Run) {
  const { settings, paths, network, lock } = supervised
  const { clock, print } = environment
  const facts = factsOf(supervised)
  const pace = l1PaceOf(settings.l1BlockTimeSec, network.genesis.parameters.sequencingWindowL1Blocks)
  const devnet = new Devnet(
    {
      paths,
      roles: devnetRoles(roleInputOf(supervised, environment)),
      facts,
      metricsAt: { host: settings.host, ports: supervised.ports, services: settings.services },
      json: settings.json,
    },
    {
      clock,
      time: network.time,
      lock,
      rpc: createSupervisorRpc(clock),
      print,
      l1Clock: (l1) => createL1Clock(l1, network.networkClock, pace),
      firstScreen: (continuesFrom) =>
        isFirst ? screenOf(facts, continuesFrom, supervised, environment) : `the network runs again, from block ${continuesFrom}`,
      networkNowMs: network.networkClock.nowMs,
    },
  )
  let pending: PendingTask | null = null
  try {
    await devnet.start(interrupted)
    pending = await next()
    for (; pending?.task.pause === 'frozen'; pending = await next())
      await runFrozen(devnet, pending, settings.json ? () => undefined : print)
  } catch (error) {
    if (!interrupted.aborted) throw error
  } finally {
    if (!settings.json) print(pending === null ? 'stopping ...' : `${pending.task.title} ...`)
    await devnet.stop()
  }
  return pending
}

/** An interruption waits for the task, so that no process stays frozen. */
async function runFrozen(devnet: Devnet, { task, done, failed }: PendingTask, print: (line: string) => void): Promise<void> {
  print(`${task.title} ...`)
  try {
    const { result: finish, pausedMs } = await devnet.freeze(task.act)
    const result = await finish()
    print(`done; the network stood still for ${(pausedMs / 1000).toFixed(1)} s`)
    done({ ...(result as object), pausedMs })
  } catch (error) {
    failed(error)
  }
}

function roleInputOf({ settings, paths, ports, network }: Supervised, { roleFacts }: NetworkEnvironment): DevnetRoleInput {
  const { genesis, genesisState, time, sequencerPeerId, standbyPeerId } = network
  const { host } = settings
  return {
    host,
    ports,
    paths,
    facts: roleFacts,
    services: settings.services,
    anvil: { host, port: ports.l1, genesisArguments: anvilGenesisArguments(genesis), folder: paths.l1, genesisState },
    clockOffsetMs: time.offsetMs,
    keys: {
      batcher: DEV_ROLES.batcher.privateKey,
      proposer: DEV_ROLES.proposer.privateKey,
      sequencerSigner: DEV_ROLES.sequencer.privateKey,
      faucet: DEV_ROLES.faucet.privateKey,
      validator: DEV_ROLES.validator.privateKey,
    },
    outputOracle: genesis.addresses.L2OutputOracle,
    l1Messenger: genesis.addresses.L1CrossDomainMessenger,
    sequencerPeerId,
    standbyPeerId,
    batcher: {
      dataAvailability: settings.dataAvailability,
      batchType: settings.batchType,
      compression: settings.compression,
      maxChannelDurationL1Blocks: settings.maxChannelDuration,
    },
    sequencerL1Confirmations: settings.l1Confirmations,
    l2BlockTimeSec: genesis.parameters.l2BlockTimeSec,
    logLevel: settings.logLevel,
    slowCrypto: settings.slowCrypto,
    allowSameChainId: settings.allowSameChainId,
  }
}

function factsOf({ settings, paths, ports, network }: Supervised): DevnetFile {
  const { parameters, addresses } = network.genesis
  return describeDevnet({
    clockOffsetMs: network.time.offsetMs,
    sequencerPeerId: network.sequencerPeerId,
    host: settings.host,
    ports,
    services: settings.services,
    folder: paths.folder,
    l1ChainId: Number(parameters.l1ChainId),
    l2ChainId: Number(parameters.l2ChainId),
    accounts: readAccountsFile(paths.network).accounts,
    contracts: { ...addresses },
  })
}

function screenOf(facts: DevnetFile, continuesFrom: number, { settings, paths, network }: Supervised, environment: NetworkEnvironment) {
  const nowSec = Math.floor(network.networkClock.nowMs() / 1000)
  return firstScreen({
    facts,
    folder: settings.dataDir,
    symbol: readCurrencySymbol(paths.network),
    balanceWei: readAccountsFile(paths.network).balanceWei,
    version: environment.version,
    readyAfterMs: environment.clock.nowMs() - environment.startedMs,
    continuesFrom,
    fork: network.forks.forkAt(l2Time(nowSec)),
    forksToCome: describeForksToCome(network.forks, nowSec),
  })
}
