/** `keelson devnet`: the whole development network; `stop` and `status` speak of one that runs. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describeForksToCome, FORKS } from '@keelson/chainspec'
import { createHttpRpcClient } from '@keelson/client'
import { operatorSecretPath } from '@keelson/conductor'
import {
  acquireInstanceLock,
  assertPortsFree,
  createDevnet,
  createL1Clock,
  DEFAULT_DEVNET_FOLDER,
  describeDevnet,
  devnetFilePath,
  devnetPaths,
  devnetPorts,
  devnetRoles,
  endOrphans,
  firstScreen,
  forkAtOptions,
  HIGHEST_PORT_OFFSET,
  type JsonRpc,
  LEAST_PORT_OFFSET,
  l1PaceOf,
  makeSecrets,
  makeTradingWallet,
  openNetworkTime,
  openRunningNetworks,
  prepareNetwork,
  prepareSharedFolder,
  readInstance,
  restoreAnvilDump,
  stakingOptions,
  startDetached,
  stopNetwork,
} from '@keelson/devnet'
import { anvilGenesisArguments, DEFAULT_DEVNET_PARAMETERS, DEV_ACCOUNTS, DEV_ROLES } from '@keelson/devnet/genesis'
import { DEFAULT_CURRENCY_SYMBOL, hasNetwork, readCurrencySymbol, readRollupConfig } from '@keelson/devnet/network-files'
import { networkStatus } from '@keelson/devnet/status'
import { createReferenceEngine } from '@keelson/evm'
import { type Clock, createPureCrypto, l2Time } from '@keelson/primitives'
import {
  createSilentLogger,
  createSystemClock,
  createSystemRandom,
  LOG_LEVELS,
  type LogLevel,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { type CommandContext, defineCommand } from '../command.ts'
import { createKzg } from '../crypto/kzg.ts'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { currencySymbol, MAX_SYMBOL_LENGTH } from '../currency-symbol.ts'
import { AssemblyError } from '../errors.ts'
import { roleOptions } from '../role.ts'
import { allowSameChainIdOption } from '../rollup-option.ts'
import { stateFolder } from '../state-folder.ts'
import { VERSION } from '../version.ts'
import { DEVNET_KEY_FORMATS } from './devnet/key-formats.ts'
import { ROLE_FACTS } from './devnet/role-facts.ts'

const options = {
  dataDir: option({
    key: 'dataDir',
    parse: parse.path,
    default: DEFAULT_DEVNET_FOLDER,
    description: 'Folder for everything the network keeps.',
  }),
  portOffset: option({
    key: 'portOffset',
    parse: parse.integer(0, HIGHEST_PORT_OFFSET),
    default: 0,
    description: `Moves the network to the thousand ports from 8000 + N on; 0, or from ${LEAST_PORT_OFFSET} on. Networks that are ${LEAST_PORT_OFFSET} apart share no port.`,
  }),
  host: option({ key: 'host', parse: parse.text, default: '127.0.0.1', description: 'Address everything listens on.' }),
  fresh: option({ key: 'fresh', parse: parse.toggle, default: false, description: 'Begin a new chain; what the folder holds is deleted.' }),
  keepClock: option({
    key: 'keepClock',
    parse: parse.toggle,
    default: false,
    description: 'Continue at the time of the last stop. Without it, the chain catches up with real time by blocks without transactions.',
  }),
  detach: option({ key: 'detach', parse: parse.toggle, default: false, description: 'Go on in the background and return when ready.' }),
  json: option({
    key: 'json',
    parse: parse.toggle,
    default: false,
    description: 'Print JSON lines: one when ready, one a block; with status, one document.',
  }),
  fork: optionalOption<(typeof FORKS)[number]>({
    key: 'fork',
    parse: parse.oneOf(...FORKS),
    description: `OP Stack fork in force from the first block, chosen with a new chain. Default: ${DEFAULT_DEVNET_PARAMETERS.fork}.`,
  }),
  ...forkAtOptions,
  l1Fork: optionalOption<'cancun' | 'prague'>({
    key: 'l1.fork',
    parse: parse.oneOf('cancun', 'prague'),
    description: `Fork of L1, chosen with a new chain. Default: ${DEFAULT_DEVNET_PARAMETERS.l1Fork}.`,
  }),
  l1BlockTimeSec: option({ key: 'l1.blockTimeSec', parse: parse.integer(1, 60), default: 4, description: 'Seconds between L1 blocks.' }),
  symbol: optionalOption({
    key: 'symbol',
    parse: currencySymbol,
    description: `Symbol of the native currency, at most ${MAX_SYMBOL_LENGTH} characters, chosen with a new chain. Default: ${DEFAULT_CURRENCY_SYMBOL}.`,
  }),
  ...stakingOptions,
  sequencers: option({
    key: 'sequencers',
    parse: parse.integer(1, 2),
    default: 1,
    description: 'With 2, a second sequencer stands by, and a conductor decides which of them leads.',
  }),
  p2p: option({ key: 'p2p', parse: parse.toggle, default: true, description: 'Gossip between sequencer and validator.' }),
  dataAvailability: option<'calldata' | 'blobs' | 'auto'>({
    key: 'batcher.dataAvailability',
    parse: parse.oneOf('calldata', 'blobs', 'auto'),
    default: 'blobs',
    description: 'Where batches go on L1.',
  }),
  batchType: option<'singular' | 'span'>({
    key: 'batcher.batchType',
    parse: parse.oneOf('singular', 'span'),
    default: 'span',
    description: 'Form of the batches.',
  }),
  compression: option<'zlib' | 'brotli'>({
    key: 'batcher.compression',
    parse: parse.oneOf('zlib', 'brotli'),
    default: 'brotli',
    description: 'How channels are compressed.',
  }),
  maxChannelDuration: option({
    key: 'batcher.maxChannelDuration',
    parse: parse.integer(1, 3600),
    default: 2,
    description: 'L1 blocks after which a channel is sent however empty.',
  }),
  l1Confirmations: option({
    key: 'sequencer.l1Confirmations',
    parse: parse.integer(0, 64),
    default: 4,
    description: 'L1 blocks above an origin before the sequencer takes it.',
  }),
  logLevel: option<LogLevel>({
    key: 'log.level',
    parse: parse.oneOf(...LOG_LEVELS),
    default: 'info',
    description: 'Least severe lines roles write to their files.',
  }),
  slowCrypto: roleOptions.slowCrypto,
  allowSameChainId: allowSameChainIdOption,
} as const

type Values = OptionValues<typeof options>

function createSupervisorRpc(clock: Clock): (url: string) => JsonRpc {
  const random = createSystemRandom()
  return (url) => {
    const rpc = createHttpRpcClient({ url, timeoutMs: 5_000 }, { clock, random, log: createSilentLogger() })
    return { request: (method, params) => rpc.call(method, params, { retry: false }) }
  }
}

async function runNetwork(values: Values, startedMs: number): Promise<number> {
  if (values.sequencers > 1 && !values.p2p) throw new AssemblyError('node/usage', '--sequencers 2 needs gossip: leave out --no-p2p')
  const systemClock = createSystemClock()
  const ports = devnetPorts(values.portOffset, values.sequencers)
  const paths = devnetPaths(resolve(values.dataDir))
  const crypto = values.slowCrypto ? createPureCrypto() : createNativeCrypto()
  const orphaned = readInstance(paths.folder)
  const lock = acquireInstanceLock(paths.folder, { host: values.host, portOffset: values.portOffset })
  const networks = openRunningNetworks(stateFolder(process.env))
  const others = networks.list().filter(({ folder }) => folder !== paths.folder)
  networks.add(paths.folder)
  try {
    for (const ended of await endOrphans(paths.folder, orphaned, systemClock))
      console.error(`keelson: ended ${ended}, left behind by a network that was killed`)
    await assertPortsFree(values.host, ports, { clock: systemClock, networks: others, say: (line) => console.error(`keelson: ${line}`) })
    if (values.fresh)
      for (const folder of Object.values(paths)) if (folder !== paths.folder) rmSync(folder, { recursive: true, force: true })
    const time = openNetworkTime(paths.folder, systemClock.nowMs, {
      firstStart: !hasNetwork(paths.network),
      keepClock: values.keepClock,
    })
    const networkClock = createSystemClock({ offsetMs: time.offsetMs })
    const genesis = await prepareNetwork(paths.network, values, networkClock.nowMs(), () =>
      createReferenceEngine({ crypto, kzg: createKzg() }),
    )
    const { forks } = readRollupConfig(paths.network, { allowSameChainId: values.allowSameChainId })
    const genesisState = join(paths.network, 'anvil-genesis-state.json')
    await restoreAnvilDump(paths.l1, genesisState)
    await makeSecrets(paths, DEVNET_KEY_FORMATS)
    const nodeKey = await DEVNET_KEY_FORMATS.loadNodeKey(join(paths.sequencer, 'consensus', 'node.key'))
    const { parameters, addresses } = genesis
    await makeTradingWallet(paths.platform, Number(parameters.l2ChainId), DEVNET_KEY_FORMATS)
    const sequencerPeerId = values.p2p ? await DEVNET_KEY_FORMATS.peerIdOfNodeKey(nodeKey) : null
    const standbyPeerId =
      values.sequencers === 1
        ? null
        : await DEVNET_KEY_FORMATS.peerIdOfNodeKey(await DEVNET_KEY_FORMATS.loadNodeKey(join(paths.standby, 'consensus', 'node.key')))
    const roles = devnetRoles({
      host: values.host,
      ports,
      paths,
      facts: ROLE_FACTS,
      anvil: {
        host: values.host,
        port: ports.l1,
        genesisArguments: anvilGenesisArguments(genesis),
        folder: paths.l1,
        genesisState,
      },
      clockOffsetMs: time.offsetMs,
      keys: {
        batcher: DEV_ROLES.batcher.privateKey,
        proposer: DEV_ROLES.proposer.privateKey,
        sequencerSigner: DEV_ROLES.sequencer.privateKey,
        faucet: DEV_ROLES.faucet.privateKey,
        validator: DEV_ROLES.validator.privateKey,
      },
      outputOracle: addresses.L2OutputOracle,
      l1Messenger: addresses.L1CrossDomainMessenger,
      sequencerPeerId,
      standbyPeerId,
      batcher: {
        dataAvailability: values.dataAvailability,
        batchType: values.batchType,
        compression: values.compression,
        maxChannelDurationL1Blocks: values.maxChannelDuration,
      },
      sequencerL1Confirmations: values.l1Confirmations,
      logLevel: values.logLevel,
      slowCrypto: values.slowCrypto,
      allowSameChainId: values.allowSameChainId,
    })
    const facts = describeDevnet({
      clockOffsetMs: time.offsetMs,
      sequencerPeerId,
      host: values.host,
      ports,
      folder: paths.folder,
      l1ChainId: Number(parameters.l1ChainId),
      l2ChainId: Number(parameters.l2ChainId),
      accounts: DEV_ACCOUNTS,
      contracts: { ...addresses },
    })
    const ending = new AbortController()
    const devnet = createDevnet(
      { paths, roles, facts, json: values.json },
      {
        clock: systemClock,
        time,
        lock,
        rpc: createSupervisorRpc(systemClock),
        print: (line) => console.log(line),
        l1Clock: (l1) => createL1Clock(l1, networkClock, l1PaceOf(values.l1BlockTimeSec, parameters.sequencingWindowL1Blocks)),
        networkNowMs: networkClock.nowMs,
        firstScreen: (continuesFrom) =>
          firstScreen({
            facts,
            folder: values.dataDir,
            symbol: readCurrencySymbol(paths.network),
            version: VERSION,
            readyAfterMs: systemClock.nowMs() - startedMs,
            continuesFrom,
            fork: forks.forkAt(l2Time(Math.floor(networkClock.nowMs() / 1000))),
            forksToCome: describeForksToCome(forks, Math.floor(networkClock.nowMs() / 1000)),
          }),
      },
    )
    const interrupted = new Promise<void>((done) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(signal, () => {
          ending.abort(new AssemblyError('node/devnet', `interrupted by ${signal}`))
          done()
        })
      }
    })
    try {
      await devnet.start(ending.signal)
      await interrupted
    } catch (error) {
      if (!ending.signal.aborted) throw error
    } finally {
      if (!values.json) console.log('stopping ...')
      await devnet.stop()
    }
    return 0
  } finally {
    networks.remove(paths.folder)
    lock.release()
  }
}

async function runDevnet(values: Values, { positional }: CommandContext): Promise<number> {
  const clock = createSystemClock()
  const startedMs = clock.nowMs()
  const folder = resolve(values.dataDir)
  const [action, ...rest] = positional
  if (rest.length > 0) throw new AssemblyError('node/usage', `one action at most, got ${positional.join(' ')}`)
  switch (action) {
    case undefined:
      if (!values.detach) return runNetwork(values, startedMs)
      console.log(await startDetached(folder, process.argv.slice(3), clock))
      return 0
    case 'stop':
      console.log(await stopNetwork(folder, clock))
      return 0
    case 'status': {
      const { ready, text, document } = await networkStatus(folder, operatorSecretPath)
      console.log(values.json ? JSON.stringify(document, null, 2) : text)
      return ready ? 0 : 1
    }
    case 'prepare': {
      const engine = () =>
        createReferenceEngine({ crypto: values.slowCrypto ? createPureCrypto() : createNativeCrypto(), kzg: createKzg() })
      await prepareSharedFolder(devnetPaths(folder), values, startedMs, engine, DEVNET_KEY_FORMATS)
      console.log(`${folder} holds a development network for roles that run in containers, with the URLs in ${devnetFilePath(folder)}`)
      return 0
    }
    default:
      throw new AssemblyError('node/usage', `unknown action "${action}"; there are stop, status and prepare, and none to start`)
  }
}

export const devnetCommand = defineCommand({
  name: 'devnet',
  summary: 'a whole rollup on this machine: L1, sequencer, validator, batcher, proposer',
  usage:
    '[stop|status|prepare] [options]\n\n  (no action)  start, or go on where the last start ended; Ctrl-C stops\n  stop         end a network that runs in the background or in another terminal\n  status       how each role is; exit code 1 while one is not ready, or nothing runs\n  prepare      write the files of a network whose roles run in containers of their own, and end',
  options,
  takesArguments: true,
  run: runDevnet,
})
