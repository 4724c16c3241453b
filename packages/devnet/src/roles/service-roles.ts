import { join } from 'node:path'
import { healthPorts } from '../ports/health-ports.ts'
import { devnetTradingFile } from '../prepare/trading-wallet.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

export function bridgeRole({ ports, paths, l1Messenger }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const role = commands.role('bridge', 'bridge serve', {
    'data-dir': paths.bridge,
    ...commands.network,
    'l1.rpc': commands.l1Rpc,
    'l1.messenger': l1Messenger,
    'l2.rpc': commands.url(ports.execution.http),
    'poll-interval-ms': 1_000,
    'http.host': commands.host,
    'http.port': ports.bridge.http,
    'http.cors': '*',
    'http.trusted': commands.trusted(),
    'metrics.port': ports.bridge.metrics,
  })
  return { ...role, afterChain: true }
}

export function faucetRole({ ports, paths, keys }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const role = commands.role(
    'faucet',
    'faucet serve',
    {
      'data-dir': paths.faucet,
      ...commands.network,
      'l2.rpc': commands.url(ports.execution.http),
      'http.host': commands.host,
      'http.port': ports.faucet.http,
      'http.trusted-proxies': commands.trusted(),
      'http.cors-origins': '*',
      'http.requests-per-sec': 50,
      'http.request-burst': 500,
      'public-url': commands.url(ports.faucet.http),
      'accounts.provider': 'local',
      'claims-per-day': 20_000,
      'answer-timeout': '2m',
      'metrics.port': ports.faucet.metrics,
    },
    { KEELSON_PRIVATE_KEY: keys.faucet },
  )
  return { ...role, afterChain: true }
}

export function indexRole({ ports, paths }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const role = commands.role('index', 'index', {
    'data-dir': paths.index,
    ...commands.network,
    'l1.rpc': commands.l1Rpc,
    'l1.beacon': commands.url(ports.beacon),
    'l2.rpc': commands.url(ports.execution.http),
    'http.host': commands.host,
    'http.port': ports.index.http,
    'http.cors': '*',
    'http.trusted': commands.trusted(),
    'metrics.port': ports.index.metrics,
  })
  return { ...role, afterChain: true }
}

export function platformRole({ ports, paths, services }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const role = commands.role(
    'platform',
    'platform',
    {
      'data-dir': paths.platform,
      devnet: paths.folder,
      'trading.config': devnetTradingFile(paths.platform),
      ...(services.includes('bridge') ? { 'bridge.url': commands.url(ports.bridge.http) } : {}),
      'http.host': commands.host,
      'http.port': ports.platform.http,
      'http.trusted-proxies': commands.trusted(),
      'http.cors-origins': '*',
      environment: 'development',
      'research.subgraph': `${commands.url(ports.platform.http)}/devnet/subgraph`,
      'analytics.url': `${commands.url(ports.platform.http)}/devnet/analytics`,
      'metrics.port': ports.platform.metrics,
    },
    // Overrides a DATABASE_URL in the supervisor's environment.
    { DATABASE_URL: '' },
  )
  return { ...role, afterChain: true }
}

export function webRole({ ports, paths, services }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const named = (pairs: readonly (readonly [name: string, port: number])[]) =>
    pairs.map(([name, port]) => `${name}=${commands.url(port)}`).join(',')
  const nodes = [
    ['sequencer', ports.consensus.rpc] as const,
    ...(ports.standbyConsensus === undefined ? [] : [['standby', ports.standbyConsensus.rpc] as const]),
    ['validator', ports.validatorConsensus.rpc] as const,
  ]
  const shown = services.filter((service) => service !== 'web')
  const role = commands.role('web', 'web', {
    ...commands.network,
    name: 'Keelson devnet',
    'l1.rpc': commands.l1Rpc,
    // It follows the subblocks, so a page shows a transaction in the block that is still open, and visitors cost the sequencer nothing.
    'l2.rpc': commands.url(ports.validatorExecution.http),
    'public.rpc': commands.url(ports.execution.http),
    'rollup.rpc': named(nodes),
    health: named(healthPorts(ports, services).filter(([name]) => name !== 'web')),
    ...Object.fromEntries(shown.map((service) => [`${service}.url`, commands.url(ports[service].http)])),
    'incidents.file': join(paths.web, 'incidents.json'),
    'http.host': commands.host,
    'http.port': ports.web.http,
    'http.trusted': commands.trusted(),
    'metrics.port': ports.web.metrics,
  })
  return { ...role, afterChain: true }
}
