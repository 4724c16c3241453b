/** `keelson doctor`: looks at everything a node needs, before its first start or while it runs, and names what is wrong. */
import type { RollupConfig } from '@keelson/chainspec'
import { NodeError } from '@keelson/primitives'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { devnetPorts, HIGHEST_PORT_OFFSET } from '../devnet/ports.ts'
import { DOCTOR_CHECKS } from '../doctor/checks.ts'
import type { DoctorSettings, PortUse } from '../doctor/doctor-context.ts'
import { thisMachine } from '../doctor/machine.ts'
import { createProbe } from '../doctor/probe.ts'
import { renderFinding, renderVerdict } from '../doctor/render-finding.ts'
import { hasFailed, runDoctor } from '../doctor/run-doctor.ts'
import { readRollupConfig } from '../network.ts'
import { rollupOptions } from '../rollup-option.ts'

const USUAL = devnetPorts(0)
const QUESTION_TIMEOUT_MS = 5_000
const HOST = '127.0.0.1'

const port = (key: string, at: number, description: string) =>
  optionalOption({ key, flag: key, parse: parse.port, description: `${description} Default: ${at}, or where --port-offset puts it.` })

const options = {
  ...rollupOptions,
  dataDir: option({
    key: 'dataDir',
    parse: parse.list(parse.path),
    default: [],
    description: 'Data folders of the roles, separated by commas.',
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
  clockOffsetMs: option({
    key: 'clock.offsetMs',
    parse: parse.integer(-Number.MAX_SAFE_INTEGER),
    default: 0,
    description: 'Milliseconds added to the machine clock; a paused development network resumes with it.',
  }),
  minFree: option({
    key: 'doctor.minFree',
    flag: 'min-free',
    parse: parse.byteSize,
    default: 2 ** 30,
    description: 'Room a disk must have left.',
  }),
  json: option({ key: 'doctor.json', flag: 'json', parse: parse.toggle, default: false, description: 'Print one JSON document.' }),
} as const

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'looks at L1, beacon, clock, secret, ports, disk, chain, forks, peers; names what is wrong',
  usage: '--network FOLDER [the options of the roles] [--json]',
  options,
  async run(values, { version }) {
    const machine = thisMachine()
    const probe = createProbe({ timeoutMs: QUESTION_TIMEOUT_MS, nowMs: machine.nowMs })
    try {
      const context = {
        settings: settingsOf(values),
        machine,
        probe,
        rollup: usableRollup(values),
        l1: [],
        engineSilent: false,
        secret: null,
      }
      const findings = await runDoctor(DOCTOR_CHECKS, context, (finding) => {
        if (!values.json) console.log(renderFinding(finding))
      })
      if (values.json) console.log(JSON.stringify({ ok: !hasFailed(findings), version, findings }, null, 2))
      else console.log(renderVerdict(findings))
      return hasFailed(findings) ? 1 : 0
    } finally {
      probe.close()
    }
  },
})

/** Null when it cannot be used: the check of the network says why. */
function usableRollup({ network, allowSameChainId }: OptionValues<typeof options>): RollupConfig | null {
  try {
    return readRollupConfig(network, { allowSameChainId })
  } catch (error) {
    if (error instanceof NodeError) return null
    throw error
  }
}

function settingsOf(values: OptionValues<typeof options>): DoctorSettings {
  const use = (purpose: string, flag: string, at: number): PortUse => ({
    purpose,
    option: `--${flag}`,
    host: HOST,
    port: at,
  })
  const { execution, consensus } = devnetPorts(values.portOffset)
  const enginePort = values.enginePort ?? execution.engine
  const rpcPort = values.rpcPort ?? consensus.rpc
  const metrics = (values.metricsPort ?? [execution.metrics, consensus.metrics]).map((at) => use('metrics and health', 'metrics.port', at))
  return {
    network: values.network,
    allowSameChainId: values.allowSameChainId,
    dataDirs: values.dataDir,
    l1Rpc: values.l1Rpc,
    l1Beacon: values.l1Beacon,
    engineUrl: values.engineUrl ?? `http://${HOST}:${enginePort}`,
    engineGiven: values.engineUrl !== null,
    jwtSecret: values.jwtSecret,
    ports: [
      use('HTTP RPC', 'http.port', values.httpPort ?? execution.http),
      use('WebSocket RPC', 'ws.port', values.wsPort ?? execution.ws),
      use('engine API', 'engine.port', enginePort),
      use('rollup RPC', 'rpc.port', rpcPort),
      use('gossip', 'p2p.port', values.p2pPort ?? consensus.p2p),
      ...metrics,
    ],
    rollupRpc: `http://${HOST}:${rpcPort}`,
    health: metrics.map(({ host, port: at }) => `http://${host}:${at}`),
    peers: values.p2pPeers,
    clockOffsetMs: values.clockOffsetMs,
    minFreeBytes: values.minFree,
  }
}
