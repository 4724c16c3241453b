import { createEntrance, createSharedFaucet, openFaucetElection } from '@keelson/apps/faucet'
import type { Hash } from '@keelson/primitives'
import {
  claimDataDirectory,
  createHealthServer,
  createReadiness,
  createStoreCheck,
  type HealthCheck,
  type OptionValues,
  type Service,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createControlServer } from '../../control/control-server.ts'
import { AssemblyError } from '../../errors.ts'
import { closing, healthAddress, openRole, type Role } from '../../role/role.ts'
import { openRollupConfig } from '../../role/rollup-option.ts'
import { FAUCET_LAYOUT_VERSION, FAUCET_ROLE, openFaucetStoreDirectory } from './faucet-store.ts'
import { faucetOpener, listenOptions, listenUrl } from './open-faucet.ts'
import { faucetServeOptions } from './serve-options.ts'

type Values = OptionValues<typeof faucetServeOptions>
type Task = (task: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

const ANY_ADDRESS = ['0.0.0.0', '::']

interface Serving {
  readonly checks: readonly HealthCheck[]
  readonly services: readonly Service[]
  readonly task: Task
  sayOpen(): void
}

interface SharedOptions {
  readonly databaseUrl: string
  readonly instanceUrl: string
  readonly chainId: bigint
  readonly genesisHash: Hash
}

export const faucetServeCommand = defineCommand({
  name: 'faucet serve',
  summary: 'pay claims over HTTP',
  usage: '--network NETWORK --l2.rpc URL --data-dir FOLDER [options]',
  options: faucetServeOptions,
  async run(values) {
    const { databaseUrl } = values
    const shared = databaseUrl === null ? null : { databaseUrl, instanceUrl: instanceUrlOf(values) }
    const role = openRole('faucet', values)
    const { clock, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    const open = faucetOpener(values, role, config)
    const identity = { chainId: config.l2ChainId, genesisHash: config.genesis.l2.hash }
    await claimDataDirectory(values.dataDir, { version: FAUCET_LAYOUT_VERSION, role: FAUCET_ROLE, ...identity })
    // With a shared database it is empty, and locks the folder.
    const store = await openFaucetStoreDirectory(values.dataDir)
    const serving = shared === null ? await serveAlone(open, store, role) : serveShared(values, { ...shared, ...identity }, open, role)
    const readiness = createReadiness([createStoreCheck(store), ...serving.checks], { clock, log, metrics })
    const health = healthAddress(values)
    return role.run(
      [
        createHealthServer(health, { metrics, readiness, clock, log }),
        closing('store', () => store.close()),
        createControlServer({ dataDir: values.dataDir, log, run: ({ task, params }) => serving.task(task, params) }),
        ...serving.services,
      ],
      () => serving.sayOpen(),
    )
  },
})

/** Throws AssemblyError `node/usage`. */
function instanceUrlOf(values: Values): string {
  if (values.instanceUrl === null && ANY_ADDRESS.includes(values.httpHost))
    throw new AssemblyError('node/usage', `with --http.host ${values.httpHost}, name the address of this instance by --instance-url`)
  return new URL(values.instanceUrl ?? listenUrl(values)).origin
}

type OpenFaucet = ReturnType<typeof faucetOpener>

async function serveAlone(open: OpenFaucet, store: Parameters<OpenFaucet>[0], { log }: Role): Promise<Serving> {
  const faucet = await open(store)
  return {
    checks: faucet.checks,
    services: [faucet],
    task: (task, params) => faucet.task(task, params),
    sayOpen: () => log.info('the faucet is open', { url: faucet.server.url, account: faucet.manager.address }),
  }
}

function serveShared(
  values: Values,
  { databaseUrl, ...options }: SharedOptions,
  openFaucet: OpenFaucet,
  { clock, log, metrics }: Role,
): Serving {
  const entrance = createEntrance(listenOptions(values), { clock, log })
  const shared = createSharedFaucet(
    { ...options, answerTimeoutMs: values.answerTimeoutMs },
    { election: openFaucetElection(databaseUrl, log), entrance, openFaucet, clock, log, metrics },
  )
  return {
    checks: shared.checks,
    services: [shared],
    task: (task, params) => shared.task(task, params),
    sayOpen: () => log.info('the faucet is open', { url: entrance.url, instance: options.instanceUrl }),
  }
}
