import { isIP } from 'node:net'
import { join } from 'node:path'
import type { ConsensusPorts } from '../ports/ports.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { NodePlace } from './execution-role.ts'
import type { FlagValues, RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

export function consensusRole(
  name: string,
  { dataDir, execution, consensus }: NodePlace,
  { ports, sequencerPeerId }: Pick<DevnetRoleInput, 'ports' | 'sequencerPeerId'>,
  commands: RoleCommands,
  { values, env = {} }: { readonly values: FlagValues; readonly env?: Record<string, string> },
): RoleSpec {
  return commands.role(
    name,
    'consensus',
    {
      'data-dir': join(dataDir, 'consensus'),
      ...commands.network,
      'jwt-secret': join(dataDir, 'jwt.hex'),
      'l1.rpc': commands.l1Rpc,
      'l1.beacon': commands.url(ports.beacon),
      'engine.url': commands.url(execution.engine),
      'rpc.host': commands.host,
      'rpc.port': consensus.rpc,
      'rpc.trusted': commands.trusted(),
      'metrics.port': consensus.metrics,
      'p2p.host': commands.host,
      'p2p.port': consensus.p2p,
      'p2p.enabled': sequencerPeerId === null ? 'false' : 'true',
      'allow-finalized-reorg': true,
      ...values,
    },
    env,
  )
}

export function gossipPeers(
  host: string,
  nodes: readonly (readonly [ports: ConsensusPorts | undefined, peerId: string | null])[],
): FlagValues {
  const protocol = isIP(host) === 0 ? 'dns' : `ip${isIP(host)}`
  const addresses = nodes.flatMap(([ports, id]) =>
    ports === undefined || id === null ? [] : [`/${protocol}/${host}/tcp/${ports.p2p}/p2p/${id}`],
  )
  return addresses.length === 0 ? {} : { 'p2p.peers': addresses.join(',') }
}
