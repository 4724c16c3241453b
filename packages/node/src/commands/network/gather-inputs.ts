import { type L1ChainConfig, l1ConfigAtGenesis, loadFrom, loadL1ChainConfig } from '@keelson/chainspec'
import type { RpcClient } from '@keelson/client'
import type { NetworkParameters } from '@keelson/devnet/genesis'
import { OptionsError, type OptionValues } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import { changeParameters } from '../../make-network/change-parameters.ts'
import { inputMistakes, inputWarnings } from '../../make-network/judge-inputs.ts'
import { assertKeyFolder, makeKeys, type NewKeys } from '../../make-network/make-keys.ts'
import type { L1Start } from '../../make-network/network-inputs.ts'
import { DEFAULT_CHAIN_IDS, type Preset, presetParameters } from '../../make-network/presets.ts'
import { readJsonFile } from '../../make-network/read-json-file.ts'
import { readChainId, readL1Start } from '../../make-network/read-l1.ts'
import { missingRoles, type ROLES, roleMistakes, rolesOf } from './choose-roles.ts'
import type { createOptions } from './create-options.ts'

export type CreateValues = OptionValues<typeof createOptions>

export interface GatheredInputs {
  readonly preset: Preset
  readonly parameters: NetworkParameters
  readonly l1Chain: L1ChainConfig
  readonly start: L1Start
  readonly newKeys: NewKeys<(typeof ROLES)[number]>
  readonly warnings: readonly string[]
}

/** Throws OptionsError with all mistakes, AssemblyError `node/usage`, ClientError. */
export async function gatherInputs(values: CreateValues, preset: Preset, rpc: RpcClient): Promise<GatheredInputs> {
  const l2ChainId = values.chainId ?? DEFAULT_CHAIN_IDS[preset]
  const early = roleMistakes(values)
  if (l2ChainId === null) early.push('missing: give --chain-id: a main network has no default')
  if ((values.l1ChainConfig === null) === (values.l1Fork === null))
    early.push('give the forks of L1: --l1.chain-config FILE for a public L1, or --l1.fork NAME for one of your own; one of the two')
  if (early.length > 0 || l2ChainId === null) throw new OptionsError(early)
  if (values.makeKeys !== null) assertKeyFolder(values.makeKeys, values.out)
  const given = values.l1ChainConfig === null ? null : readL1Chain(values.l1ChainConfig)

  const l1ChainId = await readChainId(rpc)
  if (given !== null && given.chainId !== l1ChainId) {
    throw new AssemblyError(
      'node/usage',
      `--l1.chain-config ${values.l1ChainConfig} is of chain ${given.chainId}, --l1.rpc ${rpc.host} is a node of chain ${l1ChainId}`,
    )
  }
  const newKeys = makeKeys(missingRoles(values))
  const roles = rolesOf(values, newKeys.addresses)
  const mistakes: string[] = []
  const parameters = changeParameters(
    presetParameters(preset, { l1ChainId, l2ChainId, l2BlockTimeSec: values.blockTime, roles }),
    values.set,
    mistakes,
  )
  const judged = { preset, parameters, allowSameChainId: values.allowSameChainId }
  mistakes.push(...inputMistakes(judged))
  if (mistakes.length > 0) throw new OptionsError(mistakes)
  const l1Chain = given ?? l1ConfigAtGenesis(l1ChainId, values.l1Fork ?? 'frontier')
  const start = await readL1Start(rpc, values.l1StartBlock, l1Chain)
  return { preset, parameters, l1Chain, start, newKeys, warnings: inputWarnings(judged) }
}

function readL1Chain(file: string): L1ChainConfig {
  const json = readJsonFile('--l1.chain-config', file)
  return loadFrom(file, () => loadL1ChainConfig(json))
}
