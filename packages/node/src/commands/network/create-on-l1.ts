import { createChainAccount, createContractReader, type RpcClient } from '@keelson/client'
import { type ContractFiles, openContractFiles } from '@keelson/devnet/genesis'
import type { EvmEngine } from '@keelson/evm'
import { type Address, type Bytes32, counted, toAddress } from '@keelson/primitives'
import { createLogger, createSystemClock, type Secret } from '@keelson/runtime'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { buildNetwork } from '../../make-network/build-network.ts'
import { addressMistakes, isPublicKey } from '../../make-network/judge-inputs.ts'
import { type NetworkInputs, type NetworkL1Addresses, readL1Addresses } from '../../make-network/network-inputs.ts'
import { type PlannedTransaction, planL1Deployment } from '../../make-network/plan-l1-deployment.ts'
import type { Preset } from '../../make-network/presets.ts'
import { readJsonFile } from '../../make-network/read-json-file.ts'
import { sendL1Deployment } from '../../make-network/send-l1-deployment.ts'
import { l1ContractMistakes } from '../../make-network/verify-l1-contracts.ts'
import { draftNetwork } from '../../make-network/write-network.ts'
import { feeLimitsOf } from '../bridge/fee-options.ts'
import { readKey } from '../bridge/key-file.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import { type CreatedNetwork, describeNetwork } from './describe-created.ts'
import { type CreateValues, type GatheredInputs, gatherInputs } from './gather-inputs.ts'

interface Deployer {
  readonly key: Secret<Bytes32>
  readonly address: Address
  readonly nonce: bigint
}

interface OnL1 {
  readonly addresses: NetworkL1Addresses
  /** Null if the contracts are already deployed. */
  readonly deployment: { readonly deployer: Deployer; readonly transactions: readonly PlannedTransaction[] } | null
}

/** Throws OptionsError, AssemblyError, GenesisError, ClientError. */
export async function createOnL1(values: CreateValues, preset: Preset, rpc: RpcClient, engine: EvmEngine): Promise<CreatedNetwork> {
  const key = values.l1Addresses === null ? await readDeployerKey(values, preset) : null
  const gathered = await gatherInputs(values, preset, rpc)
  const contracts = openContractFiles()
  const { addresses, deployment } = key === null ? givenContracts(values) : await planContracts(gathered, rpc, { engine, contracts }, key)
  const { parameters, l1Chain: chain, start } = gathered
  const inputs: NetworkInputs = { preset, currencySymbol: values.symbol, parameters, l1: { chain, start, addresses } }
  if (deployment === null) await assertContracts(rpc, inputs)
  // Local work comes first, because transactions cost gas.
  const built = await buildNetwork(inputs, { engine, contracts })
  const draft = draftNetwork(values.out, built.files)
  try {
    if (values.makeKeys !== null) gathered.newKeys.write(values.makeKeys)
    if (deployment !== null) {
      await deploy(values, gathered, rpc, deployment)
      await assertContracts(rpc, inputs)
    }
    draft.publish()
  } catch (error) {
    draft.discard()
    throw error
  }
  return describeNetwork(values, inputs, built.l2GenesisHash, gathered.warnings)
}

async function readDeployerKey(values: CreateValues, preset: Preset): Promise<Pick<Deployer, 'key' | 'address'>> {
  const key = await readKey(values, (line) => console.error(line))
  const address = toAddress(createNativeCrypto().addressOf(key.reveal()))
  if (preset !== 'devnet' && isPublicKey(address)) {
    throw new AssemblyError(
      'node/usage',
      `the deploying account ${address} uses a published key of the development network; expected your own account; nothing was sent`,
    )
  }
  return { key, address }
}

function givenContracts(values: CreateValues): OnL1 {
  const file = values.l1Addresses as string
  const mistakes: string[] = []
  const addresses = readL1Addresses(readJsonFile('--l1.addresses', file), file, mistakes)
  if (addresses !== null) mistakes.push(...addressMistakes(addresses))
  if (addresses === null || mistakes.length > 0)
    throw new AssemblyError(
      'node/usage',
      `--l1.addresses ${file} cannot be used:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
    )
  return { addresses, deployment: null }
}

async function planContracts(
  { parameters, l1Chain, start }: GatheredInputs,
  rpc: RpcClient,
  tools: { readonly engine: EvmEngine; readonly contracts: ContractFiles },
  key: Pick<Deployer, 'key' | 'address'>,
): Promise<OnL1> {
  const nonce = await createChainAccount('L1', rpc, key.address).nonce('latest')
  const { addresses, transactions } = await planL1Deployment({ ...tools, parameters, l1Chain, start, deployer: key.address, nonce })
  return { addresses, deployment: { deployer: { ...key, nonce }, transactions } }
}

async function deploy(
  values: CreateValues,
  { parameters }: GatheredInputs,
  rpc: RpcClient,
  { deployer, transactions }: NonNullable<OnL1['deployment']>,
): Promise<void> {
  const clock = createSystemClock()
  console.error(`deploying ${counted(transactions.length, 'transaction')} from ${deployer.address} to L1, chain ${parameters.l1ChainId}`)
  const mined = (done: number, all: number) =>
    `${done} of ${all} transactions are in blocks of L1, and others may follow; no files were written, and the same command deploys all contracts anew`
  sayIfInterrupted(mined(0, transactions.length))
  await sendL1Deployment(transactions, {
    rpc,
    chainId: parameters.l1ChainId,
    key: deployer.key,
    nonce: deployer.nonce,
    fees: feeLimitsOf(values),
    confirmations: values.l1Confirmations,
    clock,
    log: createLogger({ clock, name: 'network', level: 'error', format: 'auto' }),
    onMined: (done, all) => {
      sayIfInterrupted(mined(done, all))
      if (done % 10 === 0 || done === all) console.error(`${done} of ${all} are included in blocks`)
    },
  })
}

async function assertContracts(rpc: RpcClient, inputs: NetworkInputs): Promise<void> {
  const mistakes = await l1ContractMistakes(createContractReader(rpc), inputs)
  if (mistakes.length === 0) return
  throw new AssemblyError(
    'node/refused',
    `the contracts on L1 are not those of this network; no files were written:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
  )
}
