import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { devnetPorts, HIGHEST_PORT_OFFSET } from '@keelson/devnet'
import { NodeError } from '@keelson/primitives'
import { DEFAULT_DEVNET_FOLDER, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { DOCTOR_CHECKS } from '../doctor/checks.ts'
import type { DoctorSettings, PortUse } from '../doctor/doctor-context.ts'
import { DEVELOPMENT_MINIMUM, PUBLIC_MINIMUM } from '../doctor/hardware-minimum.ts'
import { thisMachine } from '../doctor/machine.ts'
import { createProbe } from '../doctor/probe.ts'
import { renderFinding, renderVerdict } from '../doctor/render-finding.ts'
import { roleFolders } from '../doctor/role-folders.ts'
import { exitCodeOf, hasFailed, runDoctor } from '../doctor/run-doctor.ts'
import { devnetFolder, openDevnet } from '../doctor/running-devnet.ts'
import { AssemblyError } from '../errors.ts'
import { DISK, etcdOptions, storeAddress } from '../etcd/etcd-options.ts'
import type { NewerForkTimes } from '../fork-times/fork-times-file.ts'
import { type ReadRollup, readRollup } from '../fork-times/read-rollup.ts'
import { optionalNetworkOption } from '../networks/network-option.ts'
import { registryAddress } from '../networks/read-registry.ts'
import { allowSameChainIdOption } from '../role/rollup-option.ts'

const USUAL = devnetPorts(0)
const QUESTION_TIMEOUT_MS = 5_000
const HOST = '127.0.0.1'

const port = (key: string, at: number, description: string) =>
  optionalOption({ key, flag: key, parse: parse.port, description: `${description} Default: ${at}, or where --port-offset puts it.` })

const options = {
  network: optionalNetworkOption(
    'Name of a public network, or folder with rollup.json, genesis.json and l1-chain.json. Default: that of the network in --devnet.',
  ),
  allowSameChainId: allowSameChainIdOption,
  devnet: optionalOption({
    key: 'doctor.devnet',
    flag: 'devnet',
    parse: devnetFolder,
    description: `Looks at a running development network; its devnet.json says what is not given otherwise. Without a folder: ${DEFAULT_DEVNET_FOLDER}.`,
  }),
  dataDir: option({
    key: 'dataDir',
    parse: parse.list(parse.path),
    default: [],
    description: 'Data folders of the roles, or folders that hold them, separated by commas.',
  }),
  l1Rpc: option({ key: 'l1.rpc', parse: parse.list(parse.rpcUrl), default: [], description: 'RPC of L1 nodes, http(s) or ws(s).' }),
  l1Beacon: option({ key: 'l1.beacon', parse: parse.list(parse.httpUrl), default: [], description: 'Beacon APIs for blobs.' }),
  engineUrl: optionalOption({ key: 'engine.url', parse: parse.httpUrl, description: 'Engine API of the execution client.' }),
  jwtSecret: optionalOption({ key: 'jwtSecret', parse: parse.path, description: 'File with the secret the clients share.' }),
  portOffset: option({
    key: 'portOffset',
    parse: parse.integer(0, HIGHEST_PORT_OFFSET),
    default: 0,
    description: 'Looks at the ports that keelson devnet uses with the same option.',
  }),
  httpPort: port('http.port', USUAL.execution.http, 'JSON-RPC of the execution client.'),
  wsPort: port('ws.port', USUAL.execution.ws, 'WebSocket of the execution client.'),
  enginePort: port('engine.port', USUAL.execution.engine, 'Engine API of the execution client.'),
  rpcPort: port('rpc.port', USUAL.consensus.rpc, 'RPC of the consensus client.'),
  p2pPort: port('p2p.port', USUAL.consensus.p2p, 'Gossip of the consensus client.'),
  p2pPeers: option({
    key: 'p2p.peers',
    parse: parse.list(parse.text),
    default: [],
    description: 'Multiaddresses of the peers of the consensus client.',
  }),
  metricsPort: optionalOption({
    key: 'metrics.port',
    parse: parse.list(parse.port),
    description: `Metrics and health of the execution and the consensus client. Default: ${USUAL.execution.metrics},${USUAL.consensus.metrics}, or where --port-offset puts them.`,
  }),
  clockOffsetMs: optionalOption({
    key: 'clock.offsetMs',
    parse: parse.integer(-Number.MAX_SAFE_INTEGER),
    description: 'Milliseconds added to the machine clock. Default: that of the network in --devnet, else 0.',
  }),
  minFree: option({
    key: 'doctor.minFree',
    flag: 'min-free',
    parse: parse.byteSize,
    default: 2 ** 30,
    description: 'Room a disk must have left.',
  }),
  registry: optionalOption({
    key: 'doctor.registry',
    flag: 'registry',
    parse: registryAddress,
    description:
      'Compares the forks with a newer superchain registry: a checkout, or https://raw.githubusercontent.com/ethereum-optimism/superchain-registry/main.',
  }),
  store: option({
    key: 'store',
    parse: storeAddress,
    default: DISK,
    description: 'Store of the conductors; looks at its members when it is etcd.',
  }),
  ...etcdOptions,
  json: option({ key: 'doctor.json', flag: 'json', parse: parse.toggle, default: false, description: 'Print one JSON document.' }),
} as const

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'looks at machine, L1, beacon, etcd, clock, secret, ports, disk, chain, forks, peers; names what is wrong',
  usage: '--network NETWORK | --devnet [FOLDER] [the options of the roles] [--json]',
  options,
  async run(values, { version }) {
    const machine = thisMachine()
    const probe = createProbe({ timeoutMs: QUESTION_TIMEOUT_MS, nowMs: machine.nowMs })
    try {
      const settings = await settingsOf(values)
      const context = {
        settings,
        machine,
        probe,
        ...usableRollup(settings, Math.floor(machine.nowMs() / 1000)),
        l1: [],
        engineSilent: false,
        otherNetwork: false,
        secret: null,
      }
      const findings = await runDoctor(DOCTOR_CHECKS, context, (finding) => {
        if (!values.json) console.log(renderFinding(finding))
      })
      if (values.json) console.log(JSON.stringify({ ok: !hasFailed(findings), version, findings }, null, 2))
      else console.log(renderVerdict(findings))
      return exitCodeOf(findings)
    } finally {
      probe.close()
    }
  },
})

/** With the newer fork times of the first data directory that has valid ones; a check compares the directories. */
function usableRollup(
  { network, allowSameChainId, dataDirs }: DoctorSettings,
  nowSec: number,
): { readonly rollup: RollupConfig | null; readonly newer: NewerForkTimes | null } {
  const read = (dataDir: string | null): ReadRollup | null => {
    try {
      return readRollup({ network, allowSameChainId, dataDir }, nowSec)
    } catch (error) {
      if (error instanceof NodeError) return null
      throw error
    }
  }
  const found = dataDirs.map(read).find((rollup) => (rollup?.newer ?? null) !== null) ?? read(null)
  return { rollup: found?.config ?? null, newer: found?.newer ?? null }
}

async function settingsOf(values: OptionValues<typeof options>): Promise<DoctorSettings> {
  const devnet = values.devnet === null ? null : openDevnet(values.devnet)
  const network = values.network ?? devnet?.facts.networkDir
  if (network === undefined)
    throw new AssemblyError('node/usage', 'name what to look at: --network NETWORK, or --devnet [FOLDER] for a development network')
  const host = devnet?.host ?? HOST
  const use = (purpose: string, flag: string, at: number): PortUse => ({ purpose, option: `--${flag}`, host, port: at })
  const { execution, consensus } = devnetPorts(devnet?.portOffset ?? values.portOffset)
  const httpPort = values.httpPort ?? execution.http
  const enginePort = values.enginePort ?? execution.engine
  const rpcPort = values.rpcPort ?? consensus.rpc
  const metrics = (values.metricsPort ?? [execution.metrics, consensus.metrics]).map((at) => use('metrics and health', 'metrics.port', at))
  const given = <T>(list: readonly T[], fallback: readonly T[]) => (list.length > 0 ? list : fallback)
  const dataDirs = given(values.dataDir, devnet === null ? [] : [devnet.facts.l2.dataDir])
  return {
    network,
    isDevnet: devnet !== null,
    allowSameChainId: values.allowSameChainId,
    dataDirs: (await Promise.all(dataDirs.map((folder) => roleFolders(folder)))).flat(),
    l1Rpc: given(values.l1Rpc, devnet === null ? [] : [devnet.facts.l1.rpcUrl]),
    l1Beacon: given(values.l1Beacon, devnet === null ? [] : [devnet.facts.l1.beaconUrl]),
    engineUrl: values.engineUrl ?? `http://${host}:${enginePort}`,
    engineGiven: values.engineUrl !== null || devnet !== null,
    jwtSecret: values.jwtSecret ?? (devnet === null ? null : join(devnet.facts.l2.dataDir, 'jwt.hex')),
    ports: [
      use('HTTP RPC', 'http.port', httpPort),
      use('WebSocket RPC', 'ws.port', values.wsPort ?? execution.ws),
      use('engine API', 'engine.port', enginePort),
      use('rollup RPC', 'rpc.port', rpcPort),
      use('gossip', 'p2p.port', values.p2pPort ?? consensus.p2p),
      ...metrics,
    ],
    httpRpc: `http://${host}:${httpPort}`,
    rollupRpc: `http://${host}:${rpcPort}`,
    health: metrics.map(({ port: at }) => `http://${host}:${at}`),
    peers: values.p2pPeers,
    registry: values.registry,
    etcd: values.store.kind === 'etcd' ? { endpoints: values.store.endpoints, options: values } : null,
    clockOffsetMs: values.clockOffsetMs ?? devnet?.facts.clockOffsetMs ?? 0,
    minFreeBytes: values.minFree,
    minimum: devnet === null ? PUBLIC_MINIMUM : DEVELOPMENT_MINIMUM,
  }
}
