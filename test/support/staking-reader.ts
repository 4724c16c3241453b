import { OWN_CONTRACTS } from '@keelson/contracts'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type GetLogsReturnType,
  type Hex,
  http,
  parseAbi,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { ATTESTATION_TYPES, type Attestation, type SignedAttestation } from './staking-contract.ts'

export const OFFENCES = ['double attestation', 'double block', 'invalid attestation', 'downtime', 'late attestations'] as const

export const STAKING_ABI = parseAbi([
  'event Attested(address indexed validator, uint256 indexed epoch, uint256 checkpointNumber, bytes32 checkpointHash, uint256 weight, uint256 lateBlocks, uint256 l1OriginNumber, bytes32 l1OriginHash, bytes signature)',
  'event Slashed(address indexed validator, uint8 indexed offence, uint256 indexed epoch, uint256 amount)',
  'event SlashedOut(address indexed validator)',
  'event InvalidAttestationReported(address indexed validator, uint256 indexed epoch, uint256 checkpointNumber, bytes32 checkpointHash)',
  'event InvalidAttestationClosed(address indexed validator, uint256 indexed epoch, uint256 charged)',
  'event StakeIncreased(address indexed validator, uint256 amount, uint256 stake)',
  'event EpochClosed(uint256 indexed epoch, uint256 reward, uint256 attestedWeight, uint256 attesters)',
  'event RewardCredited(address indexed validator, uint256 indexed epoch, uint256 amount)',
  'event RewardsForfeited(address indexed validator, uint256 amount)',
  'event RoundingReturned(uint256 indexed epoch, uint256 amount)',
  'event PoolFunded(address indexed from, uint256 amount, uint256 pool)',
  'struct Validator { address owner; uint64 id; bool slashed; bool ejected; address payout; uint64 availableAt; uint32 openOffences; address blockKey; uint128 stake; uint128 unbonding; uint128 rewards; uint128 attestedWeight; }',
  'struct Word { uint64 epoch; uint64 checkpointNumber; bytes32 checkpointHash; uint64 l1OriginNumber; bytes32 l1OriginHash; }',
  'function anchor() view returns (bytes32)',
  'function epochBlocks() view returns (uint256)',
  'function dayBlocks() view returns (uint256)',
  'function evidenceBlocks() view returns (uint256)',
  'function rewardPerBlock() view returns (uint256)',
  'function weightAt(address signingKey, uint256 epoch) view returns (uint256)',
  'function totalWeightAt(uint256 epoch) view returns (uint256)',
  'function silentEpochs(address signingKey) view returns (uint256)',
  'function rewardsReleased() view returns (uint256)',
  'function rewardsMissed() view returns (uint256)',
  'function accounts() view returns (uint256 stakes, uint256 unbonding, uint256 rewards, uint256 inPool, uint256 slashed)',
  'function getValidator(address signingKey) view returns (Validator)',
  'function attest(Word attestation, bytes signature)',
  'function settle(address signingKey)',
])

type StakingEvent = Extract<(typeof STAKING_ABI)[number], { type: 'event' }>
export type StakingLog = GetLogsReturnType<undefined, StakingEvent[], true>[number]
export type StakingLogOf<N extends StakingEvent['name']> = Extract<StakingLog, { eventName: N }>

export const STAKING_ADDRESS = OWN_CONTRACTS.Staking as Address
const POLLING_MS = 250
/** Exceeds every estimate: other transactions of the block raise the cost. */
const GAS = 1_000_000n
const EVENTS = STAKING_ABI.filter((entry): entry is StakingEvent => entry.type === 'event')

export function createStakingReader(rpcUrl: string, chainId: number) {
  const chain = defineChain({
    id: chainId,
    name: 'L2',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: POLLING_MS, cacheTime: 0 })
  const contract = { address: STAKING_ADDRESS, abi: STAKING_ABI } as const
  const read = {
    client,
    head: async () => Number(await client.getBlockNumber()),
    async logs(toBlock?: number): Promise<readonly StakingLog[]> {
      const to = toBlock === undefined ? ('latest' as const) : BigInt(toBlock)
      return client.getLogs({ address: STAKING_ADDRESS, events: EVENTS, fromBlock: 0n, toBlock: to, strict: true })
    },
    async eventsOf<N extends StakingEvent['name']>(name: N, toBlock?: number): Promise<readonly StakingLogOf<N>[]> {
      return (await read.logs(toBlock)).filter((log): log is StakingLogOf<N> => log.eventName === name)
    },
    view: client.readContract,
    contract,
    async validator(signingKey: Address, block: number) {
      return client.readContract({ ...contract, functionName: 'getValidator', args: [signingKey], blockNumber: BigInt(block) })
    },
    async sign(key: Hex, attestation: Attestation): Promise<SignedAttestation> {
      const salt = await client.readContract({ ...contract, functionName: 'anchor' })
      const domain = { name: 'Keelson Staking', version: '1', chainId, verifyingContract: STAKING_ADDRESS, salt }
      const typed = { domain, types: ATTESTATION_TYPES, primaryType: 'Attestation', message: attestation } as const
      return { attestation, signature: await privateKeyToAccount(key).signTypedData(typed) }
    },
    async send(
      key: Hex,
      call: { name: 'attest'; signed: SignedAttestation } | { name: 'settle'; validator: Address },
    ): Promise<TransactionReceipt> {
      const wallet = createWalletClient({ chain, transport: http(rpcUrl), account: privateKeyToAccount(key) })
      const hash =
        call.name === 'attest'
          ? await wallet.writeContract({
              ...contract,
              functionName: 'attest',
              args: [call.signed.attestation, call.signed.signature],
              gas: GAS,
            })
          : await wallet.writeContract({ ...contract, functionName: 'settle', args: [call.validator], gas: GAS })
      const receipt = await client.waitForTransactionReceipt({ hash, timeout: 240_000 })
      if (receipt.status !== 'success') throw new Error(`${call.name} failed in block ${receipt.blockNumber}`)
      return receipt
    },
  }
  return read
}
export type StakingReader = ReturnType<typeof createStakingReader>

export function signedAttestationJson({ attestation, signature }: SignedAttestation): Readonly<Record<string, unknown>> {
  const { epoch, checkpointNumber, checkpointHash, l1OriginNumber, l1OriginHash } = attestation
  return {
    epoch: Number(epoch),
    checkpointNumber: Number(checkpointNumber),
    checkpointHash,
    l1OriginNumber: Number(l1OriginNumber),
    l1OriginHash,
    signature,
  }
}
