import { join } from 'node:path'
import {
  type CandidateAddress,
  createArbiter,
  createBlockProofCheck,
  createCandidateClient,
  createConductorService,
  defaultConductorOptions,
  OPERATOR,
  openConductorPorts,
} from '@keelson/conductor'
import { l2BlockRefOf } from '@keelson/derivation'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import {
  claimDataDirectory,
  createHealthServer,
  createReadiness,
  createSystemClock,
  type HealthCheck,
  maskUrl,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import type { StoreAddress } from '../../etcd/etcd-options.ts'
import { ledgerOptions, openLedger } from '../../etcd/open-ledger.ts'
import { l1Options, openL1 } from '../../l1/l1-connection.ts'
import { createUnsafeBlockSigner } from '../../l1/unsafe-block-signer.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { healthAddress, openRole, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'

const DATA_LAYOUT_VERSION = 1
const DAY_MS = 86_400_000
const FEWEST_CANDIDATES = 2

const candidate = Object.assign(
  (value: unknown): CandidateAddress => {
    const [, id, port, url] = /^([A-Za-z0-9_-]{1,40}):(\d{1,5})=(.+)$/.exec(parse.text(value)) ?? []
    if (id === undefined) {
      throw new parse.OptionValueError(
        `expected ID:PORT=URL such as sequencer-1:8547=http://10.0.0.1:9545, got "${String(value).slice(0, 80)}"`,
      )
    }
    return { id, port: parse.port(port), url: parse.httpUrl(url) }
  },
  {
    placeholder: '<id:port=url>',
    schema: parse.text.schema,
    show: ({ id, port, url }: CandidateAddress) => `${id}:${port}=${maskUrl(url)}`,
  },
)

const options = {
  ...rollupOptions,
  dataDir: option({
    key: 'dataDir',
    parse: parse.path,
    description: 'Folder for secrets, and for the record if it is kept on disk, or else for what is known of etcd.',
  }),
  ...ledgerOptions,
  candidates: option({
    key: 'candidates',
    parse: parse.list(candidate),
    description:
      'Sequencers: a name, the port this conductor listens on for it, and the URL of its rollup RPC with admin_*. With etcd: the one beside this conductor.',
  }),
  ...l1Options,
  rpcHost: option({
    key: 'rpc.host',
    parse: parse.text,
    default: '127.0.0.1',
    description: 'Address that the ports for sequencers and for the operator listen on.',
  }),
  jwtSecrets: optionalOption({
    key: 'jwtSecrets',
    parse: parse.path,
    description: 'Folder of secrets: ID.hex for each sequencer and operator.hex, created when missing; default: DATA-DIR/secrets.',
  }),
  operatorPort: option({
    key: 'operator.port',
    parse: parse.port,
    default: 8549,
    description: 'Port for the operator: pause, resume and transfer, with tokens signed with operator.hex.',
  }),
  unauthenticated: option({
    key: 'candidates.unauthenticated',
    parse: parse.list(parse.text),
    default: [],
    description: 'Sequencers that send neither tokens nor signatures (op-node); their ports listen on 127.0.0.1 alone.',
  }),
  healthInterval: option({
    key: 'healthcheck.interval',
    parse: parse.duration(100, 60_000),
    default: 1_000,
    description: 'Between two looks at the sequencers.',
  }),
  unsafeInterval: option({
    key: 'healthcheck.unsafeInterval',
    parse: parse.duration(0, DAY_MS),
    default: 0,
    description: 'A leader that makes no block for so long loses leadership; 0s for three block times, at least 3 s.',
  }),
  safeEnabled: option({
    key: 'healthcheck.safeEnabled',
    parse: parse.toggle,
    default: false,
    description: 'A sequencer whose safe head is too old is not healthy.',
  }),
  safeInterval: option({
    key: 'healthcheck.safeInterval',
    parse: parse.duration(1_000, DAY_MS),
    default: 1_200_000,
    description: 'How old its safe head may be.',
  }),
  minPeers: option({
    key: 'healthcheck.minPeerCount',
    parse: parse.integer(0, 1000),
    default: 0,
    description: 'A sequencer with fewer peers is not healthy.',
  }),
  candidateTimeout: option({
    key: 'candidateTimeout',
    parse: parse.duration(50, 60_000),
    default: 1_000,
    description: 'How long a sequencer may take for an answer.',
  }),
  paused: option({ key: 'paused', parse: parse.toggle, default: false, description: 'Begin without starting or stopping anyone.' }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7303, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

export const conductorCommand = defineCommand({
  name: 'conductor',
  summary: 'one of several sequencers leads: hand-over between them, at most one block at a height',
  usage: '--data-dir FOLDER --network NETWORK --l1.rpc URL --candidates ID:PORT=URL,ID:PORT=URL [options]',
  options,
  async run(values) {
    assertCandidates(values.candidates, values.unauthenticated, values.store)
    const role = openRole('conductor', values)
    const { clock, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'conductor',
      chainId: config.l2ChainId,
      genesisHash: config.genesis.l2.hash,
    })
    const l1 = await openL1(values, role, config, readL1ChainConfig(values.network))
    const own = values.candidates.map(({ id }) => id)
    const { ledger, peers, followMs, services, checks } = await openLedger(values, own, config, role)
    const defaults = defaultConductorOptions(config.blockTimeSec)
    const signer = createUnsafeBlockSigner(config.systemConfigContract, l1.rpc, clock, log)
    const arbiter = createArbiter(
      {
        ...defaults,
        healthIntervalMs: Math.min(values.healthInterval, followMs ?? values.healthInterval),
        unsafeIntervalMs: values.unsafeInterval === 0 ? defaults.unsafeIntervalMs : values.unsafeInterval,
        safeIntervalMs: values.safeEnabled ? values.safeInterval : null,
        minPeers: values.minPeers,
        paused: values.paused,
      },
      {
        candidates: values.candidates.map(({ id, url }) => {
          const rpc = role.rpc(url, { timeoutMs: values.candidateTimeout })
          return createCandidateClient(id, rpc.host, (method, params) => rpc.call(method, params, { retry: false }))
        }),
        ledger,
        peers,
        l1: { hashAt: async (number) => (await l1.client.blockRef(number))?.hash ?? null },
        originOf: ({ payload }) => l2BlockRefOf(payload, config.genesis).l1Origin,
        clock,
        log,
        metrics,
      },
    )
    const leading: HealthCheck = {
      name: 'leader',
      check() {
        const { leader } = arbiter
        if (leader === null) return { ok: false, reason: 'no sequencer leads', remedy: 'see the log for what is wrong with each of them' }
        const illness = arbiter.illnessOf(leader.id)
        return illness === null ? { ok: true, detail: leader.id } : { ok: false, reason: `${leader.id} leads, but ${illness}` }
      },
    }
    const leadingHere: HealthCheck = {
      name: 'leader',
      check() {
        const { leader } = arbiter
        if (leader !== null && own.includes(leader.id)) return { ok: true, detail: leader.id }
        return { ok: false, reason: leader === null ? 'no sequencer leads' : `${leader.id} leads` }
      },
    }
    const readiness = createReadiness([leading, ...checks, createDiskCheck(values.dataDir, metrics)], { clock, log, metrics })
    return role.run([
      createHealthServer(healthAddress(values), { metrics, readiness, separate: [leadingHere], clock, log }),
      ...services,
      createConductorService(arbiter, { clock, log }),
      signer,
      ...(await openConductorPorts(
        {
          host: values.rpcHost,
          candidates: values.candidates,
          unauthenticated: values.unauthenticated,
          operatorPort: values.operatorPort,
          secrets: values.jwtSecrets ?? join(values.dataDir, 'secrets'),
        },
        {
          arbiter,
          proof: createBlockProofCheck({ chainId: config.l2ChainId, signer: signer.current, crypto: role.crypto }),
          log,
          // JWTs use the machine's real clock.
          clock: createSystemClock(),
          metrics,
        },
      )),
    ])
  },
})

function assertCandidates(candidates: readonly CandidateAddress[], unauthenticated: readonly string[], store: StoreAddress): void {
  if (store.kind === 'disk' && candidates.length < FEWEST_CANDIDATES) {
    throw new AssemblyError(
      'node/usage',
      `--candidates needs at least ${FEWEST_CANDIDATES} sequencers, got ${candidates.length}; one alone needs no conductor, unless others have one of their own (--store etcd://...)`,
    )
  }
  for (const field of ['id', 'port', 'url'] as const) {
    const values = candidates.map((entry) => entry[field])
    const twice = values.find((value, i) => values.indexOf(value) !== i)
    if (twice !== undefined)
      throw new AssemblyError('node/usage', `--candidates has the ${field} ${twice} twice: each sequencer needs its own`)
  }
  const ids = candidates.map(({ id }) => id)
  if (ids.includes(OPERATOR))
    throw new AssemblyError('node/usage', `--candidates names a sequencer "${OPERATOR}": that name is the operator's`)
  const unknown = unauthenticated.find((id) => !ids.includes(id))
  if (unknown !== undefined)
    throw new AssemblyError('node/usage', `--candidates.unauthenticated names ${unknown}: expected ids of --candidates (${ids.join(', ')})`)
}
