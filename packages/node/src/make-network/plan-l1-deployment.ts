/** Runs the deployment on our engine to determine its transactions, gas and addresses. */
import { createL1Schedule, ethParameters, INITIAL_BASE_FEE_WEI, type L1ChainConfig } from '@keelson/chainspec'
import { encodeParameters } from '@keelson/contracts'
import { type ContractFiles, deployL1Contracts, genesisRules, type NetworkParameters, openGenesisSession } from '@keelson/devnet/genesis'
import { type EvmEngine, intrinsicGas } from '@keelson/evm'
import { type Address, concatBytes, TX_FEE_MARKET, toAddress } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'
import type { L1Start, NetworkL1Addresses } from './network-inputs.ts'

export interface PlannedDeployment {
  readonly transactions: readonly PlannedTransaction[]
  readonly addresses: NetworkL1Addresses
}

export interface PlannedTransaction {
  readonly to: Address | null
  readonly data: Uint8Array
  readonly gasLimit: bigint
}

export interface PlanOptions {
  readonly engine: EvmEngine
  readonly contracts: ContractFiles
  readonly parameters: NetworkParameters
  readonly l1Chain: L1ChainConfig
  readonly start: L1Start
  readonly deployer: Address
  readonly nonce: bigint
}

/** Percentage of the planned gas: a call passes on at most 63/64 of its gas, and storage may cost more on L1. */
const MARGIN_PERCENT = 125n
const SPARE_GAS = 50_000n
const BLOCK_GAS_LIMIT = 30_000_000n

/**
 * Throws GenesisError if a contract rejects the parameters, AssemblyError `node/usage` from Amsterdam on, whose gas for state
 * (EIP-8037) the engine does not compute.
 */
export async function planL1Deployment(options: PlanOptions): Promise<PlannedDeployment> {
  const { engine, contracts, parameters, l1Chain, start, deployer, nonce } = options
  const rules = createL1Schedule(l1Chain).blockRules(start.number, start.timestampSec)
  if (ethParameters(rules.ethFork).stateByteGas !== null) {
    throw new AssemblyError(
      'node/usage',
      `L1 block ${start.number} is under ${rules.ethFork}, and this release cannot work out the gas of a deployment there: deploy the ` +
        'contracts with another tool and give their addresses with --l1.addresses; nothing was sent',
    )
  }
  const transactions: PlannedTransaction[] = []
  const real = openGenesisSession(
    {
      engine,
      rules,
      chainId: l1Chain.chainId,
      timestampSec: start.timestampSec,
      gasLimit: BLOCK_GAS_LIMIT,
      baseFeeWei: INITIAL_BASE_FEE_WEI,
    },
    (message, gasUsed) => {
      const priced = { type: TX_FEE_MARKET, to: message.to, data: message.data } as const
      const { gas, floor } = intrinsicGas(priced, ethParameters(rules.ethFork))
      const needed = gas + gasUsed
      const gasLimit = ((needed > floor ? needed : floor) * MARGIN_PERCENT) / 100n + SPARE_GAS
      const to = message.to === null ? null : toAddress(message.to)
      transactions.push({ to, data: message.data, gasLimit })
    },
  )
  real.place(deployer, { nonce })
  const singleScalar = genesisRules(parameters, start.timestampSec).l1InfoFormat === 'bedrock'
  const addresses = await deployL1Contracts({
    session: real,
    contracts,
    parameters,
    deployer,
    genesisTimeSec: start.timestampSec,
    singleScalar,
  })
  const entry = concatBytes(contracts.artifact('DepositEntry').bytecode, encodeParameters('address', [addresses.L1StandardBridge]))
  return { transactions, addresses: { ...addresses, DepositEntry: await real.create(deployer, entry) } }
}
