import type { ConductorPorts, ConsensusPorts } from '../ports/ports.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { FlagValues, RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

export function conductedSequencer(
  id: string,
  conductorPort: number | undefined,
  { sequencerL1Confirmations, paths, facts }: Pick<DevnetRoleInput, 'sequencerL1Confirmations' | 'paths' | 'facts'>,
  commands: RoleCommands,
): FlagValues {
  const sequencer = { role: 'sequencer', 'sequencer.l1-confirmations': sequencerL1Confirmations, 'rpc.admin': 'true' }
  if (conductorPort === undefined) return sequencer
  return {
    ...sequencer,
    'conductor.enabled': 'true',
    'conductor.rpc': commands.url(conductorPort),
    'conductor.jwt-secret': facts.conductorSecret(paths.conductorSecrets, id),
  }
}

export function conductorRole(
  candidates: { readonly ports: ConductorPorts; readonly sequencer: ConsensusPorts; readonly standby: ConsensusPorts },
  { paths }: Pick<DevnetRoleInput, 'paths'>,
  commands: RoleCommands,
): RoleSpec {
  const { ports, sequencer, standby } = candidates
  return commands.role('conductor', 'conductor', {
    'data-dir': paths.conductor,
    ...commands.network,
    'l1.rpc': commands.l1Rpc,
    'rpc.host': commands.host,
    'operator.port': ports.operator,
    'jwt-secrets': paths.conductorSecrets,
    'metrics.port': ports.metrics,
    candidates: `sequencer:${ports.first}=${commands.url(sequencer.rpc)},standby:${ports.second}=${commands.url(standby.rpc)}`,
  })
}
