import { type Address, concatHex, type Hex, keccak256, numberToHex, parseEventLogs, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type ContractChain, type Outcome, type PlacedCode, readOwnContract } from './contract-chain.ts'

export const stakingAbi = readOwnContract('Staking').abi
export const BLOCK_HASHES: Address = '0x0000F90827F1C53a10cb7A02335B175320002935'
export const SERVED_BLOCKS = 300

const NO_HASH: Hex = `0x${'00'.repeat(32)}`

export const STAKING_PARAMETERS = {
  epochBlocks: 10n,
  graceBlocks: 4n,
  hourBlocks: 20n,
  dayBlocks: 30n,
  maxDowntimeDays: 3n,
  evidenceBlocks: 40n,
  unbondingBlocks: 80n,
  seats: 3n,
  minimumStake: 10_000n,
  rewardPerBlock: 7n,
} as const
export type StakingParameters = Readonly<Record<keyof typeof STAKING_PARAMETERS, bigint>>

/** Replaces the EIP-2935 contract with the block number's hash, so that two chains agree. */
export const NUMBER_HASHES: PlacedCode = {
  address: BLOCK_HASHES,
  code: concatHex([
    '0x600035',
    '0x804311',
    '0x15602557',
    '0x804303',
    '0x61',
    numberToHex(SERVED_BLOCKS, { size: 2 }),
    '0x9011',
    '0x602557',
    '0x600052',
    '0x60206000',
    '0x20600052',
    '0x60206000f3',
    '0x5b60206000f3',
  ]),
}

export function numberHash(number: number): Hex {
  return keccak256(numberToHex(number, { size: 32 }))
}

export interface Attestation {
  readonly epoch: bigint
  readonly checkpointNumber: bigint
  readonly checkpointHash: Hex
  readonly l1OriginNumber: bigint
  readonly l1OriginHash: Hex
}

export const ATTESTATION_TYPES = {
  Attestation: [
    { name: 'epoch', type: 'uint64' },
    { name: 'checkpointNumber', type: 'uint64' },
    { name: 'checkpointHash', type: 'bytes32' },
    { name: 'l1OriginNumber', type: 'uint64' },
    { name: 'l1OriginHash', type: 'bytes32' },
  ],
} as const
const REGISTRATION_TYPES = {
  Registration: ['owner', 'payout', 'signingKey', 'blockKey'].map((name) => ({ name, type: 'address' })),
} as const

export interface SignedAttestation {
  readonly attestation: Attestation
  readonly signature: Hex
}

export interface StakingWorld {
  readonly chain: ContractChain
  readonly address: Address
  readonly parameters: StakingParameters
  send(from: number, name: string, args: readonly unknown[], valueWei?: bigint): Promise<Outcome>
  // biome-ignore lint/suspicious/noExplicitAny: a value of any shape, inspected by the test
  read(name: string, args?: readonly unknown[]): Promise<any>
  events(outcome: Outcome): readonly Readonly<Record<string, unknown>>[]
  register(from: number, key: PrivateKeyAccount, stakeWei: bigint, blockKey?: PrivateKeyAccount): Promise<Outcome>
  registration(
    from: number,
    key: PrivateKeyAccount,
    stakeWei: bigint,
    blockKey?: PrivateKeyAccount,
  ): Promise<{ readonly args: readonly unknown[]; readonly valueWei: bigint }>
  sign(key: PrivateKeyAccount, epoch: number, changes?: Partial<Attestation>): Promise<SignedAttestation>
  attest(signed: SignedAttestation): Promise<Outcome>
  epoch(): number
  approach(block: number): Promise<void>
  approachEpoch(epoch: number, later?: number): Promise<void>
}

export function validatorKey(number: number, kind = 'validator'): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(stringToHex(`keelson test ${kind} ${number}`)))
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export function highForm({ attestation, signature }: SignedAttestation): SignedAttestation {
  const s = numberToHex(CURVE_ORDER - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 })
  const v: Hex = signature.endsWith('1b') ? '0x1c' : '0x1b'
  return { attestation, signature: concatHex([signature.slice(0, 66) as Hex, s, v]) }
}

export async function deployStaking(chain: ContractChain, changes: Partial<StakingParameters> = {}): Promise<StakingWorld> {
  const parameters = { ...STAKING_PARAMETERS, ...changes }
  const epochBlocks = Number(parameters.epochBlocks)
  const address = await chain.deploy(readOwnContract('Staking'), [parameters])
  const chainId = await chain.reader.getChainId()
  const domain = (salt: Hex) => ({ name: 'Keelson Staking', version: '1', chainId, verifyingContract: address, salt })
  let anchor: Hex | null = null
  const world: StakingWorld = {
    chain,
    address,
    parameters,
    send: (from, name, args, valueWei = 0n) => chain.send({ from, to: address, abi: stakingAbi, name, args, valueWei }),
    read: (functionName, args = []) => chain.reader.readContract({ address, abi: stakingAbi, functionName, args }),
    events: ({ logs }) =>
      (parseEventLogs({ abi: stakingAbi, logs: logs as never }) as unknown as { eventName: string; args: object }[]).map(
        ({ eventName, args }) => ({ eventName, ...args }),
      ),
    async registration(from, key, stakeWei, blockKey) {
      const owner = chain.accounts[from]?.address as Address
      const keys = { signingKey: key.address, blockKey: blockKey?.address ?? `0x${'00'.repeat(20)}` }
      const message = { owner, payout: owner, ...keys }
      const typed = { domain: domain(NO_HASH), types: REGISTRATION_TYPES, primaryType: 'Registration', message } as const
      const proofs = [await key.signTypedData(typed as never), blockKey === undefined ? '0x' : await blockKey.signTypedData(typed as never)]
      return { args: [keys.signingKey, keys.blockKey, owner, ...proofs], valueWei: stakeWei }
    },
    async register(from, ...rest) {
      const { args, valueWei } = await world.registration(from, ...rest)
      return world.send(from, 'register', args, valueWei)
    },
    async sign(key, epoch, changed = {}) {
      const number = changed.checkpointNumber ?? BigInt(epoch * epochBlocks - 1)
      const attestation: Attestation = {
        epoch: BigInt(epoch),
        checkpointNumber: number,
        checkpointHash: numberHash(Number(number)),
        l1OriginNumber: 5n,
        l1OriginHash: `0x${'55'.repeat(32)}`,
        ...changed,
      }
      if (anchor === null || anchor === NO_HASH) anchor = (await world.read('anchor')) as Hex
      const typed = { domain: domain(anchor), types: ATTESTATION_TYPES, primaryType: 'Attestation', message: attestation } as const
      return { attestation, signature: await key.signTypedData(typed) }
    },
    attest: ({ attestation, signature }) => world.send(0, 'attest', [attestation, signature]),
    epoch: () => Math.floor((chain.height() + 1) / epochBlocks),
    async approach(block) {
      if (chain.height() >= block) throw new Error(`block ${block} is mined already, the newest is ${chain.height()}`)
      await chain.mine(block - 1 - chain.height())
    },
    approachEpoch: (epoch, later = 0) => world.approach(epoch * epochBlocks + later),
  }
  return world
}

export function eventNames(world: StakingWorld, outcome: Outcome): readonly unknown[] {
  return world.events(outcome).map(({ eventName }) => eventName)
}

export function slashes(world: StakingWorld, outcome: Outcome): readonly (readonly unknown[])[] {
  return world
    .events(outcome)
    .filter(({ eventName }) => eventName === 'Slashed')
    .map(({ offence, amount }) => [offence, amount])
}
