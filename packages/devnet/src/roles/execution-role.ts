import { join } from 'node:path'
import type { ConsensusPorts, ExecutionPorts } from '../ports/ports.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { FlagValues, RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

export interface NodePlace {
  readonly dataDir: string
  readonly execution: ExecutionPorts
  readonly consensus: ConsensusPorts
}

export function executionRole(
  name: string,
  { dataDir, execution, consensus }: NodePlace,
  { facts }: Pick<DevnetRoleInput, 'facts'>,
  commands: RoleCommands,
  more: FlagValues = {},
): RoleSpec {
  const namespaces = facts.rpcNamespaces.join(',')
  return commands.role(name, 'execution', {
    'data-dir': join(dataDir, 'execution'),
    ...commands.network,
    'jwt-secret': join(dataDir, 'jwt.hex'),
    'http.host': commands.host,
    'http.port': execution.http,
    'ws.port': execution.ws,
    'engine.host': commands.host,
    'engine.port': execution.engine,
    'metrics.port': execution.metrics,
    'rollup.rpc': commands.url(consensus.rpc),
    'http.api': namespaces,
    'ws.api': namespaces,
    'rpc.trusted': commands.trusted(),
    ...more,
  })
}
