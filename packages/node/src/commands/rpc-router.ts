import { parseSyncStatusJson } from '@keelson/primitives'
import { createHealthServer, createReadiness, createRpcServer, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { AssemblyError } from '../errors.ts'
import { healthAddress, openRole, roleOptions } from '../role/role.ts'
import { accessOptions, openFrontDoor, sharedLimitOptions } from '../role/rpc-access-options.ts'
import { createLeaderWatch, type Sequencer } from '../rpc-router/leader-watch.ts'
import { createRouterMethods } from '../rpc-router/router-methods.ts'
import { sequencerPair } from '../rpc-router/sequencer-pair.ts'

const FEWEST_SEQUENCERS = 2
const MAX_BATCH_CALLS = 100

const options = {
  sequencers: option({
    key: 'sequencers',
    parse: parse.list(sequencerPair),
    description: 'Sequencers: the RPC of the execution client, and after = that of the consensus client, which serves admin_*.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address that transactions are taken on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8560, description: 'JSON-RPC over HTTP.' }),
  httpVirtualHosts: option({
    key: 'http.vhosts',
    parse: parse.list(parse.text),
    default: ['localhost'],
    description: 'Host names answered to; * for all.',
  }),
  leaderWait: option({
    key: 'leader.wait',
    parse: parse.duration(0, 60_000),
    default: 8_000,
    description:
      'How long a transaction waits while no sequencer leads, as during a hand-over; replicas wait 15 s for the router, which may need ' +
      'this and three times --sequencers.timeout.',
  }),
  sequencerTimeout: option({
    key: 'sequencers.timeout',
    parse: parse.duration(50, 60_000),
    default: 2_000,
    description: 'How long a sequencer may take for an answer.',
  }),
  ...accessOptions,
  ...sharedLimitOptions,
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7314, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

export const rpcRouterCommand = defineCommand({
  name: 'rpc-router',
  summary: 'sends transactions to the sequencer that leads, and to a standby',
  usage: '--sequencers URL=ROLLUP_URL,URL=ROLLUP_URL [options]',
  explanation:
    'Replicas pass transactions on to it (--sequencer.rpc). It asks the consensus client of each sequencer who builds blocks\n' +
    '(admin_sequencerActive), so each needs --rpc.admin and this machine in --rpc.trusted.',
  options,
  async run(values) {
    if (values.sequencers.length < FEWEST_SEQUENCERS)
      throw new AssemblyError(
        'node/usage',
        `--sequencers needs at least ${FEWEST_SEQUENCERS} sequencers, got ${values.sequencers.length}; give one alone to --sequencer.rpc of the replicas`,
      )
    const role = openRole('router', values)
    const { clock, log, metrics } = role
    const timing = { retry: false, timeoutMs: values.sequencerTimeout } as const
    const sequencers = values.sequencers.map(({ execution, rollup }): Sequencer => {
      const [rpc, admin] = [role.rpc(execution), role.rpc(rollup)]
      return {
        name: rpc.host,
        submit: (method, params, signal) => rpc.call(method, params, { ...timing, signal }),
        isActive: async () => (await admin.call('admin_sequencerActive', [], timing)) === true,
        head: async () => parseSyncStatusJson(await admin.call('optimism_syncStatus', [], timing)).unsafeL2.number,
      }
    })
    const watch = createLeaderWatch(sequencers, { clock, log, metrics })
    const readiness = createReadiness([watch.check], { clock, log, metrics })
    const { access, services } = await openFrontDoor(values, role)
    return role.run([
      createHealthServer(healthAddress(values), { metrics, readiness, clock, log }),
      ...services,
      watch,
      createRpcServer(
        {
          name: 'transactions',
          host: values.httpHost,
          port: values.httpPort,
          option: '--http.port',
          virtualHosts: values.httpVirtualHosts,
          limits: { maxBatchCalls: MAX_BATCH_CALLS },
        },
        {
          methods: createRouterMethods({ leaderWaitMs: values.leaderWait }, { watch, clock, log, metrics }),
          log,
          clock,
          metrics,
          access,
          readiness,
        },
      ),
    ])
  },
})
