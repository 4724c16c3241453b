import { validatorDutyFolder } from '../prepare/validator-duty-folder.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { RoleCommands } from './role-commands.ts'
import type { DevnetRoleInput } from './role-input.ts'

/** Minimum stake of an active validator, in coins. */
const STAKE = 1_000

export function validatorDutyRole({ ports, paths, keys, facts, l2BlockTimeSec }: DevnetRoleInput, commands: RoleCommands): RoleSpec {
  const duty = validatorDutyFolder(paths.validator)
  const role = commands.role(
    'validator',
    'validator run',
    {
      'data-dir': duty.dataDir,
      'machine-dir': duty.machine,
      'password-file': duty.password,
      'l2.rpc': commands.url(ports.validatorExecution.http),
      'rollup.rpc': commands.url(ports.validatorConsensus.rpc),
      'l2.block-time': l2BlockTimeSec,
      'stake-at-start': STAKE,
      'metrics.port': ports.validatorDuty.metrics,
    },
    { KEELSON_PRIVATE_KEY: keys.validator },
  )
  return { ...role, afterChain: true, finalExits: facts.validatorFinalExits }
}
