import type { ContractReader } from '@keelson/client'
import { decodeAddress, decodeUint, encodeCall } from '@keelson/contracts'
import { type Address, NodeError } from '@keelson/primitives'
import type { NetworkInputs, NetworkL1Addresses } from './network-inputs.ts'

type Expected = readonly [contract: keyof NetworkL1Addresses, getter: string, value: Address | bigint]

/** One line per difference. Throws ClientError. */
export async function l1ContractMistakes(
  reader: ContractReader,
  inputs: Pick<NetworkInputs, 'parameters' | 'l1'>,
): Promise<readonly string[]> {
  const { addresses } = inputs.l1
  const missing: string[] = []
  for (const [name, address] of Object.entries(addresses) as [string, Address][]) {
    if ((await reader.code(address)).length === 0) missing.push(`${name} ${address}: expected a contract on L1, found no code`)
  }
  if (missing.length > 0) return missing
  const mistakes: string[] = []
  for (const [name, getter, value] of expectedAnswers(inputs)) {
    const got = await ask(reader, addresses[name], getter, value)
    if (got !== value) mistakes.push(`${name} ${addresses[name]}: ${getter} is ${got}, expected ${value}`)
  }
  return mistakes
}

async function ask(reader: ContractReader, to: Address, getter: string, like: Address | bigint): Promise<Address | bigint | string> {
  try {
    const answer = await reader.call(to, encodeCall(getter))
    return typeof like === 'bigint' ? decodeUint(answer) : decodeAddress(answer)
  } catch (error) {
    if (error instanceof NodeError) return `no answer (${error.message})`
    throw error
  }
}

function expectedAnswers({ parameters: p, l1 }: Pick<NetworkInputs, 'parameters' | 'l1'>): readonly Expected[] {
  const { addresses: at, start } = l1
  const { admin, batcher, proposer, sequencer } = p.roles
  return [
    ['SystemConfig', 'owner()', admin],
    ['SystemConfig', 'batcherHash()', BigInt(batcher)],
    ['SystemConfig', 'unsafeBlockSigner()', sequencer],
    ['SystemConfig', 'batchInbox()', p.batchInbox],
    ['SystemConfig', 'gasLimit()', p.l2GasLimit],
    ['SystemConfig', 'basefeeScalar()', p.baseFeeScalar],
    ['SystemConfig', 'blobbasefeeScalar()', p.blobBaseFeeScalar],
    ['SystemConfig', 'minBaseFee()', p.minBaseFeeWei],
    ['SystemConfig', 'optimismPortal()', at.OptimismPortal],
    ['OptimismPortal', 'l2Oracle()', at.L2OutputOracle],
    ['OptimismPortal', 'systemConfig()', at.SystemConfig],
    ['L2OutputOracle', 'proposer()', proposer],
    ['L2OutputOracle', 'startingBlockNumber()', 0n],
    ['L2OutputOracle', 'startingTimestamp()', BigInt(start.timestampSec)],
    ['L2OutputOracle', 'l2BlockTime()', BigInt(p.l2BlockTimeSec)],
    ['L2OutputOracle', 'submissionInterval()', BigInt(p.submissionIntervalBlocks)],
    ['L2OutputOracle', 'finalizationPeriodSeconds()', BigInt(p.finalizationPeriodSec)],
    ['ProxyAdmin', 'owner()', admin],
    ['SuperchainConfig', 'guardian()', admin],
    ['L1CrossDomainMessenger', 'portal()', at.OptimismPortal],
    ['L1StandardBridge', 'messenger()', at.L1CrossDomainMessenger],
    ['L1ERC721Bridge', 'messenger()', at.L1CrossDomainMessenger],
    ['DepositEntry', 'bridge()', at.L1StandardBridge],
  ]
}
