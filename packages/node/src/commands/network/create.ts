import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import { openContractFiles } from '@keelson/devnet/genesis'
import type { EvmEngine } from '@keelson/evm'
import { createPureCrypto } from '@keelson/primitives'
import { createLogger, createSystemClock, createSystemRandom, OptionsError } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { openEngine } from '../../evm/open-engine.ts'
import { buildNetwork } from '../../make-network/build-network.ts'
import { addressMistakes, inputMistakes } from '../../make-network/judge-inputs.ts'
import { devnetInputsFromJson, makeDevnet } from '../../make-network/make-devnet.ts'
import { type NetworkInputs, networkInputsFromJson } from '../../make-network/network-inputs.ts'
import { readJsonFile } from '../../make-network/read-json-file.ts'
import { assertNewFolder, draftNetwork } from '../../make-network/write-network.ts'
import { printResult } from '../validator/validator-folder.ts'
import { createOnL1 } from './create-on-l1.ts'
import { createOptions } from './create-options.ts'
import { type CreatedNetwork, describeDevnet, describeNetwork } from './describe-created.ts'
import type { CreateValues } from './gather-inputs.ts'

const FOR_AN_L1 = ['chainId', 'admin', 'batcher', 'proposer', 'sequencer', 'makeKeys', 'l1ChainConfig', 'l1Fork', 'l1Addresses'] as const

export const networkCreateCommand = defineCommand({
  name: 'network create',
  summary: 'genesis, rollup configuration and addresses of a new network',
  usage: '--out FOLDER --preset devnet|test|main [--l1.rpc URL] [options]',
  explanation: `On an existing L1 (--l1.rpc) the contracts of the rollup are deployed by the account whose key is KEELSON_PRIVATE_KEY
or --private-key-file; afterwards they belong to --admin. With --l1.addresses they exist already and are only compared. Coins
reach L2 only through deposits: no account has a balance at the start, and the pool of staking rewards is empty.
network.json in the folder holds every input: --from network.json recreates the same files byte for byte, without access to L1.`,
  options: createOptions,
  async run(values) {
    assertNewFolder(values.out, '--out')
    const created = await createNetwork(values)
    for (const warning of created.warnings) console.error(`keelson: warning: ${warning}`)
    printResult(values.json, created.document, created.lines)
    return 0
  },
})

async function createNetwork(values: CreateValues): Promise<CreatedNetwork> {
  if (values.from !== null) return createFrom(values, values.from)
  if (values.preset === null) throw new OptionsError(['missing: give --preset devnet, test or main'])
  if (values.l1Rpc !== null) return createOnL1(values, values.preset, openRpc(values.l1Rpc), genesisEngine())
  if (values.preset !== 'devnet') {
    throw new OptionsError([`missing: give --l1.rpc URL: a network of preset ${values.preset} needs an existing L1`])
  }
  const foreign = FOR_AN_L1.filter((name) => values[name] !== null)
  if (foreign.length > 0 || values.set.length > 0) {
    const flags = [...foreign.map((name) => `--${createOptions[name].flag}`), ...(values.set.length > 0 ? ['--set'] : [])]
    throw new OptionsError([`${flags.join(', ')}: for a network on an existing L1 only; give --l1.rpc too, or leave it out`])
  }
  const genesisTimeSec = values.genesisTime ?? Math.floor(createSystemClock().nowMs() / 1000)
  const made = await makeDevnet(values.out, { currencySymbol: values.symbol, genesisTimeSec }, genesisEngine)
  return describeDevnet(values.out, made)
}

/** Other options could only contradict the file, so they are rejected. */
async function createFrom(values: CreateValues, file: string): Promise<CreatedNetwork> {
  if (values.preset !== null || values.l1Rpc !== null || values.set.length > 0 || FOR_AN_L1.some((name) => values[name] !== null))
    throw new OptionsError([`--from ${file} has every input of a network; leave out all other options except --out and --json`])
  const json = readJsonFile('--from', file)
  const devnet = devnetInputsFromJson(json)
  if (devnet !== null) return describeDevnet(values.out, await makeDevnet(values.out, devnet, genesisEngine))
  const inputs: NetworkInputs = networkInputsFromJson(json, file)
  const { preset, parameters, l1 } = inputs
  const mistakes = [...inputMistakes({ preset, parameters, allowSameChainId: values.allowSameChainId }), ...addressMistakes(l1.addresses)]
  if (l1.chain.chainId !== parameters.l1ChainId)
    mistakes.push(`l1.chain.chainId: expected ${parameters.l1ChainId} (parameters.l1ChainId), got ${l1.chain.chainId}`)
  if (mistakes.length > 0)
    throw new AssemblyError(
      'node/usage',
      `${file} does not make a sound network:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
    )
  const built = await buildNetwork(inputs, { engine: genesisEngine(), contracts: openContractFiles() })
  draftNetwork(values.out, built.files).publish()
  return describeNetwork(values, inputs, built.l2GenesisHash, [])
}

function genesisEngine(): EvmEngine {
  return openEngine('wasm-interpreter', { crypto: createPureCrypto() })
}

function openRpc(url: string): RpcClient {
  const clock = createSystemClock()
  const log = createLogger({ clock, name: 'network', level: 'error', format: 'auto' })
  return createHttpRpcClient({ url, retry: { attempts: 3 } }, { clock, random: createSystemRandom(), log })
}
