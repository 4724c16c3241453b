/** EIP-712 digests of the Staking contract (solidity/staking/SigningKeys.sol). */
import { type Address, type Bytes32, concatBytes, type Hash, hexToBytes, keccak256, utf8ToBytes, ZERO_HASH } from '@keelson/primitives'
import { encodeParameters } from '../abi/abi-encode.ts'

/** The newest final block a validator knows in an epoch. */
export interface Attestation {
  readonly epoch: number
  /** A final block before the epoch's first. */
  readonly checkpointNumber: number
  readonly checkpointHash: Hash
  /** L1 origin of that block. */
  readonly l1OriginNumber: number
  readonly l1OriginHash: Hash
}

/** The block key is zero for a validator that never sequences. */
export interface Registration {
  readonly owner: Address
  readonly payout: Address
  readonly signingKey: Address
  readonly blockKey: Address
}

export interface StakingDomain {
  readonly chainId: bigint
  readonly contract: Address
}

const hashText = (text: string) => keccak256(utf8ToBytes(text))
const NAME = hashText('Keelson Staking')
const VERSION = hashText('1')
const DOMAIN_TYPE = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)')
const ATTESTATION_TYPE = hashText(
  'Attestation(uint64 epoch,uint64 checkpointNumber,bytes32 checkpointHash,uint64 l1OriginNumber,bytes32 l1OriginHash)',
)
const REGISTRATION_TYPE = hashText('Registration(address owner,address payout,address signingKey,address blockKey)')

/** `anchor`: hash of the block before the first registration. */
export function attestationDigest(domain: StakingDomain, anchor: Hash, attestation: Attestation): Bytes32 {
  const struct = encodeParameters('bytes32,uint64,uint64,bytes32,uint64,bytes32', [
    ATTESTATION_TYPE,
    BigInt(attestation.epoch),
    BigInt(attestation.checkpointNumber),
    hexToBytes(attestation.checkpointHash),
    BigInt(attestation.l1OriginNumber),
    hexToBytes(attestation.l1OriginHash),
  ])
  return typedDigest(domain, anchor, struct)
}

export function registrationDigest(domain: StakingDomain, { owner, payout, signingKey, blockKey }: Registration): Bytes32 {
  const struct = encodeParameters('bytes32,address,address,address,address', [REGISTRATION_TYPE, owner, payout, signingKey, blockKey])
  return typedDigest(domain, ZERO_HASH, struct)
}

function typedDigest({ chainId, contract }: StakingDomain, salt: Hash, struct: Uint8Array): Bytes32 {
  const domain = encodeParameters('bytes32,bytes32,bytes32,uint256,address,bytes32', [
    DOMAIN_TYPE,
    NAME,
    VERSION,
    chainId,
    contract,
    hexToBytes(salt),
  ])
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), keccak256(domain), keccak256(struct)))
}
