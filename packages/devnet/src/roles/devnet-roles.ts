import { isLoopbackHost } from '@keelson/runtime'
import { anvilRole } from '../l1/anvil.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import { conductedSequencer, conductorRole } from './conductor-role.ts'
import { consensusRole, gossipPeers } from './consensus-role.ts'
import { isRunWith } from './devnet-services.ts'
import { executionRole } from './execution-role.ts'
import { type FlagValues, RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'
import { bridgeRole, faucetRole, indexRole, platformRole, webRole } from './service-roles.ts'
import { batcherRole, proposerRole } from './submitter-roles.ts'
import { validatorDutyRole } from './validator-duty-role.ts'

/** Roles in starting order. L1 is stopped last, because other roles write to it. */
export function devnetRoles(input: DevnetRoleInput): readonly RoleSpec[] {
  const { ports, paths, services } = input
  const commands = new RoleCommands(input)
  const all = [
    { ...anvilRole(input.anvil), answersAt: commands.l1Rpc, outlivesSupervisor: true },
    commands.role('beacon', 'beacon', { 'l1.rpc': commands.l1Rpc, host: input.host, port: ports.beacon, 'data-dir': paths.beacon }),
    ...sequencerRoles(input, commands),
    ...standbyRoles(input, commands),
    ...validatorRoles(input, commands),
    batcherRole(input, commands),
    proposerRole(input, commands),
    webRole(input, commands),
    bridgeRole(input, commands),
    faucetRole(input, commands),
    platformRole(input, commands),
    indexRole(input, commands),
    validatorDutyRole(input, commands),
  ]
  return all.filter(({ name }) => isRunWith(services, name))
}

function sequencerRoles(input: DevnetRoleInput, commands: RoleCommands): readonly RoleSpec[] {
  const { ports, paths } = input
  const place = { dataDir: paths.sequencer, execution: ports.execution, consensus: ports.consensus }
  const subblocks: FlagValues = { 'subblocks.port': ports.execution.subblocks }
  const more = isLoopbackHost(input.host) ? { ...subblocks, 'dev.accounts': true as const } : subblocks
  return [
    executionRole('execution', place, input, commands, more),
    consensusRole('consensus', place, input, commands, {
      values: conductedSequencer('sequencer', ports.conductor?.first, input, commands),
      env: { KEELSON_P2P_SIGNER_KEY: input.keys.sequencerSigner },
    }),
  ]
}

function standbyRoles(input: DevnetRoleInput, commands: RoleCommands): readonly RoleSpec[] {
  const { ports, paths } = input
  const { standbyExecution, standbyConsensus, conductor } = ports
  if (standbyExecution === undefined || standbyConsensus === undefined || conductor === undefined) return []
  const place = { dataDir: paths.standby, execution: standbyExecution, consensus: standbyConsensus }
  return [
    executionRole('standby-execution', place, input, commands),
    consensusRole('standby-consensus', place, input, commands, {
      values: {
        ...conductedSequencer('standby', conductor.second, input, commands),
        ...gossipPeers(input.host, [[ports.consensus, input.sequencerPeerId]]),
      },
      env: { KEELSON_P2P_SIGNER_KEY: input.keys.sequencerSigner },
    }),
    conductorRole({ ports: conductor, sequencer: ports.consensus, standby: standbyConsensus }, input, commands),
  ]
}

function validatorRoles(input: DevnetRoleInput, commands: RoleCommands): readonly RoleSpec[] {
  const { ports, paths } = input
  const place = { dataDir: paths.validator, execution: ports.validatorExecution, consensus: ports.validatorConsensus }
  const peers = gossipPeers(input.host, [
    [ports.consensus, input.sequencerPeerId],
    [ports.standbyConsensus, input.standbyPeerId],
  ])
  return [
    executionRole('validator-execution', place, input, commands, {
      'sequencer.rpc': commands.url(ports.execution.http),
      'subblocks.url': commands.wsUrl(ports.execution.subblocks),
    }),
    consensusRole('validator-consensus', place, input, commands, { values: { role: 'follower', ...peers } }),
  ]
}
