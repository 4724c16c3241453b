import { type Address, type Hash, ZERO_HASH } from '@keelson/primitives'
import type { SigningRequest } from '../signer.ts'

export interface TypedData {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: string
    readonly verifyingContract: Address
    readonly salt: Hash
  }
  readonly message: Readonly<Record<string, string>>
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const

const ATTESTATION_FIELDS = [
  { name: 'epoch', type: 'uint64' },
  { name: 'checkpointNumber', type: 'uint64' },
  { name: 'checkpointHash', type: 'bytes32' },
  { name: 'l1OriginNumber', type: 'uint64' },
  { name: 'l1OriginHash', type: 'bytes32' },
] as const

const REGISTRATION_FIELDS = [
  { name: 'owner', type: 'address' },
  { name: 'payout', type: 'address' },
  { name: 'signingKey', type: 'address' },
  { name: 'blockKey', type: 'address' },
] as const

export function toTypedData(request: SigningRequest): TypedData {
  const { chainId, contract } = request.domain
  const isAttestation = request.kind === 'attestation'
  const [primaryType, fields, values] = isAttestation
    ? ['Attestation', ATTESTATION_FIELDS, request.attestation]
    : ['Registration', REGISTRATION_FIELDS, request.registration]
  return {
    types: { EIP712Domain: DOMAIN_FIELDS, [primaryType]: fields },
    primaryType,
    domain: {
      name: 'Keelson Staking',
      version: '1',
      chainId: chainId.toString(),
      verifyingContract: contract,
      salt: isAttestation ? request.anchor : ZERO_HASH,
    },
    message: Object.fromEntries(fields.map(({ name }) => [name, String((values as unknown as Record<string, unknown>)[name])])),
  }
}
