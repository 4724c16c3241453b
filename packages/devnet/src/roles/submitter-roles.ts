import { join } from 'node:path'
import { isLoopbackHost } from '@keelson/runtime'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { FlagValues, RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

export function batcherRole({ ports, paths, keys, batcher }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  return commands.role(
    'batcher',
    'batcher',
    {
      ...submitterValues(ports, commands),
      'l2.rpc': commands.url(ports.execution.http),
      'throttle.rpc': commands.url(ports.execution.engine),
      'jwt-secret': join(paths.sequencer, 'jwt.hex'),
      'data-dir': paths.batcher,
      'metrics.port': ports.batcher.metrics,
      'admin.port': ports.batcher.admin,
      'data-availability': batcher.dataAvailability,
      'batch-type': batcher.batchType,
      compression: batcher.compression,
      'max-channel-duration': batcher.maxChannelDurationL1Blocks,
    },
    { KEELSON_PRIVATE_KEY: keys.batcher },
  )
}

export function proposerRole({ ports, paths, keys, outputOracle }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  return commands.role(
    'proposer',
    'proposer',
    {
      ...submitterValues(ports, commands),
      oracle: outputOracle,
      'metrics.port': ports.proposer.metrics,
      'admin.port': ports.proposer.admin,
      'data-dir': paths.proposer,
    },
    { KEELSON_PRIVATE_KEY: keys.proposer },
  )
}

/** The admin port needs no secret, so it listens only on loopback. */
function submitterValues(ports: DevnetRoleInput['ports'], commands: RoleCommands): FlagValues {
  return {
    'l1.rpc': commands.l1Rpc,
    'rollup.rpc': commands.url(ports.consensus.rpc),
    ...commands.network,
    'admin.host': isLoopbackHost(commands.host) ? commands.host : '127.0.0.1',
  }
}
